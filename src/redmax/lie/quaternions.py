"""Unit quaternions (..., 4), in the order w, x, y, z: the double cover of the rotations, to and from which so3.py has the ways.

p q = (p0 q0 - p.q; p0 q + q0 p + p x q)          exp(w) = (cos |w|/2; sin(|w|/2) w/|w|), the rotation by |w| about w
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie.so3 import half_angle_log, squared_angle
from redmax.lie.three import cross, dot, split
from redmax.math import array, less, stumpff, where
from redmax.types import Array


def product(p: Array, q: Array) -> np.ndarray:
    """p q: first the turn of q, then that of p."""
    return array(times(split(p), split(q)))


def conjugate(q: Array) -> np.ndarray:
    """(w, -x, -y, -z): the inverse of a unit quaternion."""
    w, *v = split(q)
    return array([w, *[0.0 - x for x in v]])


def exp(w: Array) -> np.ndarray:
    """The unit quaternion of a rotation vector (..., 3)."""
    x = 0.25 * squared_angle(w)
    s = 0.5 * stumpff(1, x)
    return array([stumpff(0, x), *[s * a for a in split(w)]])


def log(q: Array) -> np.ndarray:
    """The rotation vector (..., 3) of length at most pi of a unit quaternion or of its opposite, which is the same rotation."""
    return array(half_angle_log(upward(split(q))))


def upward(q: list[Any]) -> list[Any]:
    """The one of q and -q with w >= 0."""
    flipped = less(q[0], 0.0)
    return [where(flipped, 0.0 - x, x) for x in q]


def times(p: list[Any], q: list[Any]) -> list[Any]:
    """The entries of p q."""
    a, b, u, v = p[0], q[0], p[1:], q[1:]
    return [a * b - dot(u, v), *[a * y + b * x + z for x, y, z in zip(u, v, cross(u, v))]]
