"""How large a mechanism is: the diagonal of the box around its joints, bodies and places of constraints, where the scene begins.

What drift of constraints is measured by: a gap of 1 mm is much for a watch, and nothing for a crane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from redmax.model.model import Model


def mechanism_size(model: Model) -> float:
    """In the scene's unit of length; 1 where all is at one point."""
    from redmax.model.build import begun, initial_poses

    links = begun(model.links, model.map)
    bodies = initial_poses(links)
    joints = [E @ np.linalg.inv(link.body) for E, link in zip(bodies, links, strict=True)]
    points = [E[:3, 3] for E in (*bodies, *joints)]
    for c in model.constraints:
        frames = [bodies[b.index] for b in c.bodies]
        points += [a.position if a.member < 0 else frames[a.member][:3, :3] @ a.position + frames[a.member][:3, 3] for a in c.anchors]
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if points else 0.0
    return size if size > 0.0 else 1.0
