"""The Cayley map of rotations.

    cay(w)       = (I - [w]/2)^-1 (I + [w]/2) = I + a ([w] + 1/2 [w]^2)       a = 4 / (4 + |w|^2), the angle is 2 atan(|w| / 2)
    dcay_left(w) = a (I + 1/2 [w]),     its inverse (1 + |w|^2/4) I - 1/2 [w] + 1/4 [w]^2 = I - 1/2 [w] + 1/4 w w^T

(Hairer, Lubich, Wanner, Geometric numerical integration, Sec. IV.8.3.) It reaches every rotation but those by pi, agrees with exp to second
order, and cay(2 c) has Rodrigues' parameters c. Vectors are (..., 3), matrices (..., 3, 3).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie.so3 import polynomial, squared_angle, to_quaternion
from redmax.lie.three import rows, split
from redmax.math import array
from redmax.types import Array


def cay(w: Array) -> np.ndarray:
    """The rotation by 2 atan(|w| / 2) about w."""
    a = shrink(w)
    return polynomial(a, 0.5 * a, w)


def inverse(R: Array) -> np.ndarray:
    """The w with cay(w) = R: 2 tan(angle / 2) along the axis; a rotation by pi has none (not finite)."""
    c, *v = split(to_quaternion(R))
    return array([2.0 * x / c for x in v])


def dcay_left(w: Array) -> np.ndarray:
    """J with d/dt cay(w) = [J wdot] cay(w)."""
    return scaled(shrink(w), polynomial(0.5, 0.0, w))


def dcay_right(w: Array) -> np.ndarray:
    """J with d/dt cay(w) = cay(w) [J wdot]."""
    return scaled(shrink(w), polynomial(-0.5, 0.0, w))


def dcay_left_inverse(w: Array) -> np.ndarray:
    """wdot from the angular velocity in the world's axes."""
    return with_outer(-0.5, w)


def dcay_right_inverse(w: Array) -> np.ndarray:
    """wdot from the angular velocity in the body's axes."""
    return with_outer(0.5, w)


def shrink(w: Array) -> Any:
    """a = 4 / (4 + |w|^2)."""
    return 4.0 / (4.0 + squared_angle(w))


def half_resolvent(w: Array) -> np.ndarray:
    """(I - [w]/2)^-1 = I + a (1/2 [w] + 1/4 [w]^2)."""
    a = shrink(w)
    return polynomial(0.5 * a, 0.25 * a, w)


def scaled(a: Any, M: np.ndarray) -> np.ndarray:
    return array([[a * x for x in row] for row in rows(M)])


def with_outer(half: float, w: Array) -> np.ndarray:
    """I + half [w] + 1/4 w w^T."""
    x = split(w)
    M = rows(polynomial(half, 0.0, w))
    return array([[M[i][j] + 0.25 * (x[i] * x[j]) for j in range(3)] for i in range(3)])
