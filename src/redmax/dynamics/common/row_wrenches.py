"""What the rows of constraints do, as forces on a model: wrenches on bodies in their frames, torques on coordinates."""

from __future__ import annotations

import numpy as np

from redmax.constraints.base import Constraint
from redmax.model.model import Model


def on_bodies(constraint: Constraint, pose: np.ndarray, points: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
    """(..., links, 6) in body frames, of wrenches (..., places, 6) in world axes at points (..., places, 3). pose: (..., links, 4, 4)."""
    lead = np.broadcast_shapes(pose.shape[:-3], points.shape[:-2], wrenches.shape[:-2])
    found = np.zeros((*lead, pose.shape[-3], 6))
    for k, anchor in enumerate(constraint.anchors):
        if anchor.member < 0:
            continue
        b = constraint.bodies[anchor.member].index
        E, torque, force = pose[..., b, :, :], wrenches[..., k, :3], wrenches[..., k, 3:]
        moment = torque + np.cross(points[..., k, :] - E[..., :3, 3], force)
        found[..., b, :3] += (moment[..., None, :] @ E[..., :3, :3])[..., 0, :]
        found[..., b, 3:] += (force[..., None, :] @ E[..., :3, :3])[..., 0, :]
    return found


def on_coordinates(model: Model, constraint: Constraint, torques: np.ndarray) -> np.ndarray:
    """(..., nv) of torques (..., rates of the joints that a constraint reads)."""
    found = np.zeros((*torques.shape[:-1], model.nv))
    for k, column in enumerate(c for b in constraint.joints for c in range(*model.offsets[b.index : b.index + 2])):
        found[..., column] += torques[..., k]
    return found
