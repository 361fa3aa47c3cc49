"""Unit dual quaternions (..., 8), the double cover of the rigid motions: turn and place in eight numbers, a product of 48 multiplications.

    d = q + e/2 (0; p) q,     q the unit quaternion (w, x, y, z) of R, p the place; first q, then the dual part; e^2 = 0

    exp(w; v) = (cos(t/2), sin(t/2)/t w) with w + e v for w: |w|^2 is then |w|^2 + 2 e w.v, and the derivative along v is the dual part

(Selig, Geometric fundamentals of robotics, Sec. 9.3; the principle of transference, as for dexp in se3.py.) d and -d are one pose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie import se3, so3
from redmax.lie.quaternions import times
from redmax.lie.three import dot, plus, rows, split
from redmax.lie.three import times as turned
from redmax.math import array, less, sqrt, stumpff, where
from redmax.types import Array

IDENTITY = np.eye(8)[0]


def product(a: Array, b: Array) -> np.ndarray:
    """a b: the pose A B."""
    p, u, q, v = *halves(a), *halves(b)
    return array([*times(p, q), *plus(times(p, v), times(u, q))])


def inverse(d: Array) -> np.ndarray:
    """The conjugate of both quaternions, which is the inverse of a unit dual quaternion."""
    w, x, y, z, a, b, c, e = split(d)
    return array([w, *[0.0 - i for i in (x, y, z)], a, *[0.0 - i for i in (b, c, e)]])


def from_pose(E: Array) -> np.ndarray:
    """Of a pose (..., 4, 4), with w >= 0."""
    q = split(so3.to_quaternion(se3.rotation(E)))
    half = [0.5 * x for x in split(se3.translation(E))]
    return array([*q, *times([0.0, *half], q)])


def to_pose(d: Array) -> np.ndarray:
    """The pose (..., 4, 4); whatever the length of q, it is rigid: both parts are divided by |q|^2, what is along q has no part in p."""
    q, u = halves(d)
    scale = 2.0 / (dot(q[1:], q[1:]) + q[0] * q[0])
    moved = times(u, [q[0], *[0.0 - x for x in q[1:]]])
    return se3.pose(so3.from_quaternion(array(q)), array([scale * x for x in moved[1:]]))


def exp(V: Array) -> np.ndarray:
    """The unit dual quaternion of exp(V), V (..., 6)."""
    V = np.asarray(V)
    w, v = split(V[..., :3]), split(V[..., 3:])
    x, along = 0.25 * dot(w, w), 0.25 * dot(w, v)
    c0, c1, c3, c2 = stumpff(0, x), stumpff(1, x), stumpff(3, x), stumpff(2, x)
    slope = 0.5 * (c3 - c2) * along  # of 1/2 c1, as its argument changes by 2 along: c1' = (c3 - c2) / 2
    return array([c0, *[0.5 * c1 * a for a in w], 0.0 - c1 * along, *[slope * a + 0.5 * c1 * b for a, b in zip(w, v)]])


def log(d: Array) -> np.ndarray:
    """The twist (..., 6) with exp(V) = d or -d, which are one pose, and an angle of at most pi."""
    q, _ = halves(d)
    sign = where(less(q[0], 0.0), -1.0, 1.0)
    w = array(so3.half_angle_log([sign * x for x in q]))
    return array([*split(w), *turned(rows(so3.dexp_left_inverse(w)), split(se3.translation(to_pose(d))))])


def normalised(d: Array) -> np.ndarray:
    """The unit dual quaternion nearest: q / |q|, and of the dual part what is across q."""
    q, u = halves(d)
    size = sqrt(dot4(q, q))
    q, u = [x / size for x in q], [x / size for x in u]
    along = dot4(q, u)
    return array([*q, *[b - along * a for a, b in zip(q, u)]])


def dot4(a: list[Any], b: list[Any]) -> Any:
    return a[0] * b[0] + dot(a[1:], b[1:])


def halves(d: Array) -> tuple[list[Any], list[Any]]:
    entries = split(d)
    return entries[:4], entries[4:]
