"""Rotations: SO(3), its algebra, and the differential of the exponential map.

    exp(w)          = I + c1 [w] + c2 [w]^2            with c_k the Stumpff functions of |w|^2
    dexp_left(w)    = I + c2 [w] + c3 [w]^2            exp(w + d) = exp(dexp_left(w) d) exp(w) to first order in d
    dexp_right(w)   = I - c2 [w] + c3 [w]^2            exp(w + d) = exp(w) exp(dexp_right(w) d)
    their inverses  = I -+ 1/2 [w] + g [w]^2           g = (c3 - 2 c4) / (2 c2) = (1 - |w|/2 cot(|w|/2)) / |w|^2

(Mueller, screw and Lie group theory, Eqs. 9-12 and 20; his dexp, "right-trivialized", is dexp_left here.) All are
smooth through w = 0. Vectors are (..., 3), matrices (..., 3, 3), quaternions (..., 4) in the order w, x, y, z; radians.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.errors import RedmaxError, SceneError, brief
from redmax.lie.three import dot, rows, skew, split
from redmax.math import array, cos, less, sin, sqrt, stumpff, where
from redmax.types import Array, ValueOrArray

HALVINGS = 3  # of the half angle before the series of log
ARCSINE = [comb(2 * n, n) / 4**n / (2 * n + 1) for n in range(15)]  # asin(s) / s in powers of s^2; s <= sin(pi / 16)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def bracket(w: Array) -> np.ndarray:
    """[w], the matrix with [w] x = w cross x."""
    return array(skew(split(w)))


def unbracket(W: Array) -> np.ndarray:
    """The w of a matrix [w] (its skew part, read below the diagonal)."""
    m = rows(W)
    return array([m[2][1], m[0][2], m[1][0]])


def polynomial(a: ValueOrArray, b: ValueOrArray, w: Array) -> np.ndarray:
    """I + a [w] + b [w]^2."""
    x, y, z = split(w)
    ax, ay, az = a * x, a * y, a * z
    bx, by, bz = b * x, b * y, b * z
    xx, yy, zz, xy, xz, yz = bx * x, by * y, bz * z, bx * y, bx * z, by * z
    diagonal = 1.0 - (yy + zz), 1.0 - (xx + zz), 1.0 - (xx + yy)
    return array([[diagonal[0], xy - az, xz + ay], [xy + az, diagonal[1], yz - ax], [xz - ay, yz + ax, diagonal[2]]])


def squared_angle(w: Array) -> Any:
    """|w|^2, shape (...)."""
    entries = split(w)
    return dot(entries, entries)


def exp(w: Array) -> np.ndarray:
    """The rotation by the angle |w| about w."""
    x = squared_angle(w)
    return polynomial(stumpff(1, x), stumpff(2, x), w)


def log(R: Array) -> np.ndarray:
    """The w of length at most pi with exp(w) = R.

    From the unit quaternion (cos, n sin) of the half angle. Three half-angle formulas, which lose nothing, bring the
    angle to pi / 16, and there the series of the arcsine is short: no atan2, no division by the angle, smooth at R = I.
    """
    return array(half_angle_log(split(to_quaternion(R))))


def half_angle_log(q: list[Any]) -> list[Any]:
    """The rotation vector of the entries w >= 0, x, y, z of a unit quaternion."""
    c, *v = q
    cosines: Any = 1.0
    for _ in range(HALVINGS):
        c = sqrt(0.5 * (1.0 + c))
        cosines = cosines * c
    shrink = 0.5**HALVINGS / cosines  # sin(t) = sin(2^3 t) / (2^3 cos t cos 2t cos 4t)
    s2 = shrink * shrink * dot(v, v)
    series: Any = ARCSINE[-1]
    for coefficient in ARCSINE[-2::-1]:
        series = coefficient + s2 * series
    scale = 2.0 ** (HALVINGS + 1) * shrink * series
    return [scale * x for x in v]


def dexp_left(w: Array) -> np.ndarray:
    """J with d/dt exp(w) = [J wdot] exp(w)."""
    x = squared_angle(w)
    return polynomial(stumpff(2, x), stumpff(3, x), w)


def dexp_right(w: Array) -> np.ndarray:
    """J with d/dt exp(w) = exp(w) [J wdot]."""
    x = squared_angle(w)
    return polynomial(0.0 - stumpff(2, x), stumpff(3, x), w)


def dexp_left_inverse(w: Array) -> np.ndarray:
    """wdot from the angular velocity in the world's axes; |w| < 2 pi."""
    return polynomial(-0.5, half_cotangent(squared_angle(w)), w)


def dexp_right_inverse(w: Array) -> np.ndarray:
    """wdot from the angular velocity in the body's axes; |w| < 2 pi."""
    return polynomial(0.5, half_cotangent(squared_angle(w)), w)


def half_cotangent(x: Array) -> Any:
    """(1 - t/2 cot(t/2)) / t^2 of a squared angle x = t^2; 1/12 at zero, a pole at 2 pi."""
    return (stumpff(3, x) - 2.0 * stumpff(4, x)) / (2.0 * stumpff(2, x))


def rotation_about(axis: ArrayLike, angle: ValueOrArray) -> np.ndarray:
    """The rotation by an angle (...) about an axis: "x", "y", "z", or a 3-vector of any length but zero."""
    try:
        along = split(np.asarray(AXES[axis] if isinstance(axis, str) else axis))
        if len(along) == 3 and not all(isinstance(x, int | float) and x == 0 for x in along):
            return turned_about(along, angle)
    except Exception as error:  # no numbers, or objects that raise when they are asked for them
        if isinstance(error, RedmaxError):
            raise
    valid = "'x', 'y', 'z' or a 3-vector of any length but zero, and an angle (rad)"
    raise SceneError(
        f"rotation_about takes an axis, {valid}. Got {brief(axis)} and {brief(angle)}.", owner="rotation_about", argument="axis"
    )


def turned_about(axis: list[Any], angle: ValueOrArray) -> np.ndarray:
    x, y, z = axis
    length = sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    c, s = cos(angle), sin(angle)
    sx, sy, sz = s * x, s * y, s * z
    xy, xz, yz = (1.0 - c) * (x * y), (1.0 - c) * (x * z), (1.0 - c) * (y * z)
    diagonal = [c + (1.0 - c) * (u * u) for u in (x, y, z)]
    return array([[diagonal[0], xy - sz, xz + sy], [xy + sz, diagonal[1], yz - sx], [xz - sy, yz + sx, diagonal[2]]])


def to_quaternion(R: Array) -> np.ndarray:
    """The unit quaternion (w, x, y, z) of a rotation, with w >= 0 (Shepperd's method: divide by the largest entry)."""
    m = rows(R)
    a, b, c = m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]
    d, e, f = m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2]
    w4 = 1.0 + m[0][0] + m[1][1] + m[2][2]
    x4, y4, z4 = (2.0 + 2.0 * m[i][i] - w4 for i in range(3))
    # Row k is 4 q_k q, and its own entry is 4 q_k^2: take the row where that is largest (at least 1), then divide once.
    best, top = [w4, a, b, c], w4
    for row, square in (([a, x4, d, e], x4), ([b, d, y4, f], y4), ([c, e, f, z4], z4)):
        better = less(top, square)
        best, top = [where(better, new, old) for new, old in zip(row, best)], where(better, square, top)
    scale = 0.5 / sqrt(top)
    scale = where(less(best[0], 0.0), 0.0 - scale, scale)
    return array([scale * x for x in best])


def from_quaternion(q: Array) -> np.ndarray:
    """The rotation of a quaternion (w, x, y, z) of any length but zero.

    Its diagonal is not 1 less something, whose roundings grow with the angle: R'R = 1 to 1e-15 for all of them.
    """
    w, x, y, z = split(q)
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    along, across, left, right = ww + xx, yy + zz, ww - xx, yy - zz
    n = 1.0 / (along + across)
    s, wx, wy, wz, xy, xz, yz = 2.0 * n, w * x, w * y, w * z, x * y, x * z, y * z
    return array([
        [n * (along - across), s * (xy - wz), s * (xz + wy)],
        [s * (xy + wz), n * (left + right), s * (yz - wx)],
        [s * (xz - wy), s * (yz + wx), n * (left - right)],
    ])  # fmt: skip
