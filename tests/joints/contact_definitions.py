"""Joints on curves and surfaces from their definitions, in arithmetic that works on floats and hyper-dual numbers alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from curves.definitions import Motion as CurveMotion
from joints.definitions import Motion, about, exponential, pose
from surfaces.definitions import Patch, cross, frame, unit, vector

X, Z = (1, 0, 0), (0, 0, 1)
FLIP = np.diag([1.0, -1.0, -1.0])


def rotation(R: Any) -> np.ndarray:
    return pose(R, np.zeros(3))


def inverse(E: np.ndarray) -> np.ndarray:
    Rt = E[:3, :3].T
    return pose(Rt, -1.0 * (Rt @ E[:3, 3]))


def surface_contact(parent: Patch, child: Patch, angle: float | None = 0.0, inside: bool = False) -> Motion:
    """angle: None where it is the fifth coordinate."""

    def motion(q: Any) -> np.ndarray:
        turn = about(Z, q[4] if angle is None else angle)
        Q = turn if inside else FLIP @ turn
        return frame(parent, q[0], q[1]) @ rotation(Q) @ inverse(frame(child, q[2], q[3]))

    return motion


def on_surface(patch: Patch, orientation: str, spin: bool = False, inside: bool = False) -> Motion:
    def motion(q: Any) -> np.ndarray:
        if orientation == "fixed":
            return pose(np.eye(3), patch(q[0], q[1])[0])
        if orientation == "free":
            return pose(exponential(q[2:5]), patch(q[0], q[1])[0])
        turn = about(Z, q[2]) if spin else np.eye(3)
        return frame(patch, q[0], q[1]) @ rotation(FLIP @ turn if inside else turn)

    return motion


def tangent_frame(curve: CurveMotion, up: Any, s: Any) -> np.ndarray:
    x, t = (vector(*part) for part in curve(s))
    a = unit(t)
    b = unit(cross(np.asarray(up, float), a))
    return pose(np.array([a, b, cross(a, b)], object).T, x)


def on_curve(curve: CurveMotion, up: Any, spin: bool = False) -> Motion:
    def motion(q: Any) -> np.ndarray:
        F = tangent_frame(curve, up, q[0])
        return F @ rotation(about(X, q[1])) if spin else F

    return motion


def curve_on_curve(parent: CurveMotion, child: CurveMotion, parent_up: Any, child_up: Any, spin: bool = False) -> Motion:
    def motion(q: Any) -> np.ndarray:
        turn = about(X, q[2]) if spin else np.eye(3)
        return tangent_frame(parent, parent_up, q[0]) @ rotation(turn) @ inverse(tangent_frame(child, child_up, q[1]))

    return motion
