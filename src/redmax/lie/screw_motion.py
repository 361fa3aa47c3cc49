"""A constant twist as a screw, for exp(z b) with a varying b: one sine and one cosine, and no division.

    z = (t n; h n + t e)       n unit, e perpendicular to n;  t: angle (rad), h: advance along n (m), e: arm (m)
    exp(z b) = (I + s [n] + k [n]^2,  h b n + s e + k n x e)       s = sin(t b), k = 1 - cos(t b) = 2 sin(t b / 2)^2

(Mueller, Screw and Lie group theory, Eqs. 9 and 14, with the angle taken out of the vectors.) A screw is (..., 8): n, t, h, e. Where the
twist hardly turns the arm is long, but s and k then keep all their digits, so that the products do. A pure translation has t = 0, e = 0.

The axis of a twist that does not turn is no function of the twist: a screw has no derivatives by it. Where these are asked for, functions
take z itself instead, with the Stumpff functions of (t b)^2 (so3.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.lie import so3
from redmax.lie.three import Matrix, Vector, cross, rows, times
from redmax.math import array, cos, sin

TWIST = 6  # entries of a twist, where one stands for a screw
NO_TURN = 1e-100  # below, v / t could overflow, and the turn is nothing


def from_twists(z: np.ndarray) -> np.ndarray:
    """The screws (..., 8) of twists (..., 6), numbers only."""
    w, v = z[..., :3], z[..., 3:]
    angle, length = np.linalg.norm(w, axis=-1, keepdims=True), np.linalg.norm(v, axis=-1, keepdims=True)
    turns, moves = angle > NO_TURN, length > 0
    along = np.where(moves, v / np.where(moves, length, 1.0), [0.0, 0.0, 1.0])
    n = np.where(turns, w / np.where(turns, angle, 1.0), along)
    advance = np.sum(n * v, axis=-1, keepdims=True)
    arm = np.where(turns, (v - advance * n) / np.where(turns, angle, 1.0), 0.0)
    return np.concatenate([n, np.where(turns, angle, 0.0), advance, arm], axis=-1)


def to_twist(screw: Vector) -> list[Any]:
    """The six entries of z."""
    if len(screw) == TWIST:
        return list(screw)
    n, angle, advance, e = screw[:3], screw[3], screw[4], screw[5:]
    return [*[angle * x for x in n], *[advance * x + angle * y for x, y in zip(n, e)]]


def exp(screw: Vector, b: Any) -> tuple[Matrix, Vector]:
    """Rotation and position of exp(z b), entry by entry."""
    if len(screw) == TWIST:
        return exp_twist(screw, b)
    n, angle, advance, e = screw[:3], screw[3], screw[4], screw[5:]
    half = angle * (0.5 * b)
    sine = sin(half)
    s, k = 2.0 * sine * cos(half), 2.0 * sine * sine
    x, y, z = (s * a for a in n)
    kx, ky, kz = (k * a for a in n)
    c = 1.0 - k
    xy, xz, yz = kx * n[1], kx * n[2], ky * n[2]
    R = [[c + kx * n[0], xy - z, xz + y], [xy + z, c + ky * n[1], yz - x], [xz - y, yz + x, c + kz * n[2]]]
    forward = advance * b
    return R, [forward * n[i] + s * e[i] + k * across for i, across in enumerate(cross(n, e))]


def exp_twist(z: Vector, b: Any) -> tuple[Matrix, Vector]:
    """The same of the six entries of z, smooth in all of them."""
    turn, move = [x * b for x in z[:3]], [x * b for x in z[3:]]
    w = array(turn)
    return rows(so3.exp(w)), times(rows(so3.dexp_left(w)), move)
