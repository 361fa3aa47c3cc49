"""The forces and torques that are applied to bodies during a run, as arrows: those that hold on to one place only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.forces import AppliedWrench, PointForce
from redmax.forces.base import Anchor
from redmax.forces.given import vector_at
from redmax.model.model import Model
from redmax.view.arrow_view import ArrowView

Array = NDArray[np.float64]


def applied_arrows(model: Model, poses: Array, times: Array) -> list[ArrowView]:
    """One arrow for each force and each torque that is not zero all the time. poses: (T, links, 4, 4) at times (T,)."""
    found: list[ArrowView] = []
    for force in model.forces:
        if isinstance(force, PointForce | AppliedWrench):
            (anchor,), (body,) = force.anchors, force.bodies
            found += arrows(str(force.name), poses[:, body.index], anchor, *history(force, times))
    for wrench in model.wrenches:
        values = np.array([floats(wrench.value(float(t))) for t in times])
        place = Anchor(0, np.asarray(wrench.point, float), np.eye(3))
        name = f"wrench on {model.links[wrench.body].name}"
        found += arrows(name, poses[:, wrench.body], place, values[:, :3], values[:, 3:], wrench.frame == "body")
    return found


def history(force: PointForce | AppliedWrench, times: Array) -> tuple[Array, Array, bool]:
    """torque and force (T, 3), and whether they are in the axes of the body."""
    if isinstance(force, PointForce):
        return np.zeros((len(times), 3)), np.array([floats(force.pull(float(t))) for t in times]), False
    parts = (force.torque, force.force)
    torque, pull = (np.array([floats(vector_at(force.label, "value", part, float(t))) for t in times]) for part in parts)
    return torque, pull, force.frame == "body"


def arrows(name: str, poses: Array, anchor: Anchor, torque: Array, force: Array, turned: bool) -> list[ArrowView]:
    """poses: (T, 4, 4) of the body; turned: whether torque and force (T, 3) are in the axes of the anchor on it."""
    R = poses[:, :3, :3]
    points = R @ np.asarray(anchor.position, float) + poses[:, :3, 3]
    found = []
    for kind, vectors in (("force", force), ("torque", torque)):
        seen = (R @ anchor.rotation @ vectors[..., None])[..., 0] if turned else vectors
        if seen.any():
            found.append(ArrowView(name, points, seen, kind))
    return found


def floats(values: Any) -> list[float]:
    return [float(x) for x in values]
