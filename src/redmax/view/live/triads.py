"""The frames that a look shows, as axes in viser's scene; bodies carry them along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from redmax.lie import to_quaternion
from redmax.model.look import Look
from redmax.view.frame_triads import RADIUS, frame_names, frames_on_bodies, triad_length
from redmax.view.live.recording import Recording

if TYPE_CHECKING:
    import viser

ORIGIN = 1.1  # radius of the ball where axes meet, as a share of that of an arrow


def add_triads(
    server: viser.ViserServer, seen: Recording, look: Look, carriers: Mapping[int, str], scale: float
) -> list[viser.FrameHandle]:
    """One for each frame. carriers: the names of the nodes of the bodies, by their number; scale: of what is drawn."""
    most = triad_length(seen.model, seen.pose[0]) if frame_names(seen.model, look) else 0.0
    return [
        server.scene.add_frame(
            f"{carriers.get(link, '')}/frame {k} {name.replace('/', '|')}",
            axes_length=length * scale,
            axes_radius=0.6 * RADIUS * length * scale,
            origin_radius=ORIGIN * RADIUS * length * scale,
            wxyz=to_quaternion(E[:3, :3]),
            position=E[:3, 3] * scale,
        )
        for k, (name, link, E, length) in enumerate(frames_on_bodies(seen.model, look, most))
    ]
