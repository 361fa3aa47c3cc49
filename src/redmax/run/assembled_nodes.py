"""Deformables of a scene whose parts have been put together: where their nodes are then, and how they move.

Nodes that a body carries have gone with it, and keep their places on it; so do the places that nodes are tied to.
"""

from __future__ import annotations

import numpy as np

from redmax.constraints.node_tie import NodeTie
from redmax.dynamics.dynamics import Dynamics
from redmax.model.model import Model
from redmax.model.scene import Scene


def put_nodes(scene: Scene, model: Model, engine: Dynamics, q: np.ndarray, qdot: np.ndarray) -> None:
    """Let the deformables begin where a configuration and rates (nv,) have them. model: of the scene before."""
    x = engine.observe(q, qdot).pose[:, :3, 3]
    points = {c.bodies[0].index: c.anchors[1].position for c in model.constraints if isinstance(c, NodeTie)}
    for k, (shape, soft) in enumerate(zip(scene.deformables, model.soft, strict=True)):
        rates = np.array(shape.velocities)
        for i in shape.free:
            rates[i] = qdot[slice(*model.offsets[soft.first + i : soft.first + i + 2])]
        kept = {i: points[soft.first + i] for i, tie in shape.ties.items() if tie.body is not None}
        scene.deformables[k] = shape.tied_at(kept).moved(x[soft.links], rates)
