"""Rigid motions: SE(3), twists (angular; linear), adjoints, and the differential of the exponential map.

A pose E = [[R, p], [0, 1]] is (..., 4, 4), a twist (w; v) is (..., 6) (RedMax supplement Eqs. 1-8). Over dual numbers a
twist is the 3-vector w + e v, so that every 6x6 below is a 3x3 of `so3` and its derivative along v,

    [[J, 0], [dJ, J]],  dJ = d/de J(w + e v),  with c_k' = (k c_{k+2} - c_{k+1}) / 2 for the Stumpff functions

(the closed forms of Mueller, screw and Lie group theory, Eqs. 21-24, without their divisions by the angle).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.errors import RedmaxError, SceneError, brief
from redmax.lie import so3
from redmax.lie.three import cross, dot, plus, rows, split, times, transpose
from redmax.math import array, stumpff
from redmax.types import Array, ValueOrArray, Vector


def pose(R: Array, p: Vector) -> np.ndarray:
    """The 4x4 of a rotation (..., 3, 3) and a position (..., 3)."""
    try:
        turned, place = rows(R), split(p)
        if len(place) == len(turned) == 3 and all(len(row) == 3 for row in turned):
            return array([[*row, x] for row, x in zip(turned, place)] + [[0.0, 0.0, 0.0, 1.0]])
    except Exception as error:  # no numbers, or objects that raise when they are asked for them
        if isinstance(error, RedmaxError):
            raise
    raise SceneError(
        f"A pose takes a rotation (..., 3, 3) and a position (..., 3), numbers. Got {brief(R)} and {brief(p)}.", owner="pose", argument="R"
    )


def rotation(E: Array) -> np.ndarray:
    """The rotation (..., 3, 3) of a pose."""
    return np.asarray(E)[..., :3, :3]


def translation(E: Array) -> np.ndarray:
    """The position (..., 3) of a pose."""
    return np.asarray(E)[..., :3, 3]


def inverse(E: Array) -> np.ndarray:
    """(R^T, -R^T p)."""
    Rt = transpose(rows(rotation(E)))
    return pose(array(Rt), array([0.0 - x for x in times(Rt, split(translation(E)))]))


def transform_point(E: Array, x: Array) -> np.ndarray:
    """R x + p, (..., 3)."""
    return array(plus(times(rows(rotation(E)), split(x)), split(translation(E))))


def point_jacobian(E: Array, x: Array) -> np.ndarray:
    """R ([x]^T I), (..., 3, 6): the twist of a body to the world velocity of its point x (RedMax notes Eq. 1.12)."""
    R = rotation(E)
    return array([[*cross(split(x), row), *row] for row in rows(R)])


def bracket(V: Array) -> np.ndarray:
    """The 4x4 of a twist: [[[w], v], [0, 0]]."""
    V = np.asarray(V)
    return array([[*row, x] for row, x in zip(rows(so3.bracket(V[..., :3])), split(V[..., 3:]))] + [[0.0] * 4])


def unbracket(W: Array) -> np.ndarray:
    """The twist (..., 6) of a 4x4."""
    return array([*split(so3.unbracket(rotation(W))), *split(translation(W))])


def Ad(E: Array) -> np.ndarray:
    """The 6x6 [[R, 0], [[p] R, R]]: twists in the frame E to twists in the frame that E is given in."""
    R, p = rotation(E), split(translation(E))
    shifted = transpose([cross(p, column) for column in transpose(rows(R))])
    return lower_triangular(R, array(shifted))


def ad(V: Array) -> np.ndarray:
    """The 6x6 [[[w], 0], [[v], [w]]], with ad(V) W the Lie bracket of two twists."""
    V = np.asarray(V)
    return lower_triangular(so3.bracket(V[..., :3]), so3.bracket(V[..., 3:]))


def lower_triangular(J: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """[[J, 0], [Q, J]]: the 6x6 of a 3x3 over dual numbers."""
    J, Q = np.broadcast_arrays(J, Q)
    M = np.full((*J.shape[:-2], 6, 6), 0.0, np.result_type(J, Q))
    M[..., :3, :3] = M[..., 3:, 3:] = J
    M[..., 3:, :3] = Q
    return M


def exp(V: Array) -> np.ndarray:
    """The pose after unit time of a motion with constant twist V."""
    V = np.asarray(V)
    w, v = V[..., :3], V[..., 3:]
    return pose(so3.exp(w), array(times(rows(so3.dexp_left(w)), split(v))))


def log(E: Array) -> np.ndarray:
    """The twist (..., 6) with exp(V) = E and an angle of at most pi."""
    w = so3.log(rotation(E))
    v = times(rows(so3.dexp_left_inverse(w)), split(translation(E)))
    return array([*split(w), *v])


def dexp_left(V: Array) -> np.ndarray:
    """J with d/dt exp(V) = [J Vdot] exp(V)."""
    return dexp(V, 1.0)


def dexp_right(V: Array) -> np.ndarray:
    """J with d/dt exp(V) = exp(V) [J Vdot]."""
    return dexp(V, -1.0)


def dexp_left_inverse(V: Array) -> np.ndarray:
    return dexp_inverse(V, -0.5)


def dexp_right_inverse(V: Array) -> np.ndarray:
    return dexp_inverse(V, 0.5)


def dexp(V: Array, sign: float) -> np.ndarray:
    """I + sign c2 [w] + c3 [w]^2 over dual numbers."""
    V = np.asarray(V)
    x, along = squared_angle_and_rate(V)
    c2, c3, c4, c5 = (stumpff(k, x) for k in (2, 3, 4, 5))
    return dual_polynomial(sign * c2, c3, sign * (2.0 * c4 - c3) * along, (3.0 * c5 - c4) * along, V)


def dexp_inverse(V: Array, half: float) -> np.ndarray:
    """I + half [w] + g [w]^2 over dual numbers; g = (c3 - 2 c4) / (2 c2), so 2 c2 g' = c3' - 2 c4' - 2 g c2'."""
    V = np.asarray(V)
    x, along = squared_angle_and_rate(V)
    c2, c3, c4, c5, c6 = (stumpff(k, x) for k in (2, 3, 4, 5, 6))
    g = (c3 - 2.0 * c4) / (2.0 * c2)
    slope = (5.0 * c5 - c4 - 8.0 * c6 + 2.0 * g * (c3 - 2.0 * c4)) / (2.0 * c2)
    return dual_polynomial(half, g, 0.0, slope * along, V)


def squared_angle_and_rate(V: np.ndarray) -> tuple[Any, Any]:
    """w.w, and w.v: half its derivative along v."""
    w, v = split(V[..., :3]), split(V[..., 3:])
    return dot(w, w), dot(w, v)


def dual_polynomial(a: ValueOrArray, b: ValueOrArray, da: ValueOrArray, db: ValueOrArray, V: np.ndarray) -> np.ndarray:
    """I + a [w] + b [w]^2 and, below, its derivative: a [v] + da [w] + b ([w][v] + [v][w]) + db [w]^2."""
    w, v = split(V[..., :3]), split(V[..., 3:])
    turn = [a * y + da * x for x, y in zip(w, v)]
    lean = [b * y + 0.5 * db * x for x, y in zip(w, v)]  # symmetric part: lean w^T + w lean^T - 2 (lean.w) I
    xx, yy, zz = (2.0 * x * y for x, y in zip(lean, w))
    xy, xz, yz = (lean[i] * w[j] + w[i] * lean[j] for i, j in ((0, 1), (0, 2), (1, 2)))
    x, y, z = turn
    Q = [[0.0 - (yy + zz), xy - z, xz + y], [xy + z, 0.0 - (xx + zz), yz - x], [xz - y, yz + x, 0.0 - (xx + yy)]]
    return lower_triangular(so3.polynomial(a, b, V[..., :3]), array(Q))
