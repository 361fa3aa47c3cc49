"""Coordinates from an orientation and a position: rotation vectors and Euler angles of a quaternion, those nearest to given ones.

w = 2 atan2(|v|, c) v / |v|   of a quaternion (c, v), c >= 0;   w + 2 pi k w / |w| turns as far
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.errors import SceneError, wrong
from redmax.joints.conversions import chart_numbers, given
from redmax.lie import so3

if TYPE_CHECKING:
    from redmax.joints.base import Joint

TURN = 2 * np.pi


def coordinates_of(joint: Joint, quaternion: Any, position: Any, chart: str | None, near: Any) -> np.ndarray:
    """(..., nq) of a joint that can be put there."""
    kind = type(joint).__name__
    if not joint.has_own("located"):
        valid = "Spherical, SphericalEuler, Free and Free3D"
        raise SceneError(f"{kind} has no coordinates for any orientation and position. Those of {valid} can be found.", owner=kind)
    c = given(joint, "quaternion", quaternion, 4)
    if not np.isfinite(c).all() or not (c * c).sum(axis=-1).all():
        raise wrong(kind, "quaternion", quaternion, "four finite numbers w, x, y, z, not all zero")
    p = given(joint, "position", position, 3)
    if joint.dof == 3 and p.any():
        raise wrong(kind, "position", position, "left out, as the joint only turns")
    c, p = np.broadcast_arrays(c / np.linalg.norm(c, axis=-1, keepdims=True), np.concatenate([p, np.zeros((*p.shape[:-1], 1))], axis=-1))
    numbers = joint.start if chart is None else chart_numbers(joint, chart)
    return joint.located(c, p[..., :3], numbers, None if near is None else given(joint, "near", near, joint.nq))


def rotation_vector(quaternion: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    """(..., 3) of unit quaternions (..., 4): the smallest, or the one nearest to another."""
    c, v = quaternion[..., :1], quaternion[..., 1:]
    c, v = np.abs(c), np.where(c < 0, -v, v)
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, c)
    small = sine < 1e-150
    w = np.where(small, 2.0 * v, v * (angle / np.where(small, 1.0, sine)))
    if near is None:
        return w
    long = np.linalg.norm(near, axis=-1, keepdims=True)
    other = near / np.where(long > 0, long, 1.0)
    axis = np.where(small, other, v / np.where(small, 1.0, sine))  # without a turn, about any axis
    turns = np.round(((near * axis).sum(axis=-1, keepdims=True) - angle) / TURN)
    return w + TURN * turns * axis


def euler_angles(quaternion: np.ndarray, chart: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    """(..., 3) in a chart with these numbers (A, B, signs, shift of euler.py): the second within a quarter turn of where the chart is best,
    or those nearest to others. Of A' R B' = Rx(a) Ry(b) Rz(c), c and b follow from a, so that they fit where a may be anything."""
    A, B, signs, shift = chart[:9].reshape(3, 3), chart[9:18].reshape(3, 3), chart[18:21], chart[21]
    T = A.T @ np.asarray(so3.from_quaternion(quaternion), float) @ B.T
    a = np.arctan2(-T[..., 1, 2], T[..., 2, 2])
    sine, cosine = np.sin(a)[..., None], np.cos(a)[..., None]
    second, third = cosine * T[..., 1, :] + sine * T[..., 2, :], cosine * T[..., 2, :] - sine * T[..., 1, :]
    b, c = np.arctan2(T[..., 0, 2], third[..., 2]), np.arctan2(second[..., 0], second[..., 1])
    found = signs * np.stack([a, b - shift, c], axis=-1)
    if near is None:
        return found
    other = signs * np.stack([a + np.pi, np.pi - b - shift, c + np.pi], axis=-1)
    both = [angles - TURN * np.round((angles - near) / TURN) for angles in (found, other)]
    distance = [((angles - near) ** 2).sum(axis=-1, keepdims=True) for angles in both]
    return np.where(distance[0] <= distance[1], *both)


def turned_back(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """R' v of vectors (..., 3)."""
    R = np.asarray(so3.from_quaternion(quaternion), float)
    return (vector[..., None, :] @ R)[..., 0, :]
