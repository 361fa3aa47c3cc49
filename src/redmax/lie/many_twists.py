"""exp and log of many rigid motions at once with all that fits of joints need beside them; numbers only, Stumpff functions found once.

The formulas are those of `se3` and `second_differentials`; what differs is that arrays lie in one piece while they are computed, and are
filled in the place where they stay.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from redmax.lie import so3
from redmax.lie.second_differentials import Coefficients, change, halves
from redmax.lie.three import cross, dot
from redmax.trace.stumpff import stumpff_all
from redmax.types import Array

NEAR_HALF_A_TURN = 0.5  # of 1 + trace, four times the squared cosine of the half angle: below, that is not what the angle is found from
TINY = 1e-150  # of twice the sine of the half angle


class ManyTwists:
    """Twists x (..., 6), and Stumpff functions c1 to c8 of their squared angles, (...,)."""

    def __init__(self, x: Array) -> None:
        self.x = x

    @cached_property
    def parts(self) -> tuple[list[Any], list[Any]]:
        """The entries of w and v."""
        return halves(self.x)

    @cached_property
    def s(self) -> Array:
        """w.w."""
        return dot(self.parts[0], self.parts[0])

    @cached_property
    def c(self) -> dict[int, Array]:
        return dict(zip(range(1, 9), stumpff_all(8, self.s, kmin=1)))

    @cached_property
    def first(self) -> dict[int, Array]:
        """Their derivatives by the squared angle: c_k' = (k c_{k+2} - c_{k+1}) / 2."""
        c = self.c
        return {k: 0.5 * (k * c[k + 2] - c[k + 1]) for k in range(2, 7)}

    @cached_property
    def second(self) -> dict[int, Array]:
        return {k: 0.5 * (k * self.first[k + 2] - self.first[k + 1]) for k in range(2, 5)}

    def dual(self, a: Array | float, b: Array, a1: Array | float, b1: Array) -> Array:
        """I + a [w] + b [w]^2 over dual numbers, (..., 6, 6), with a1 and b1 the derivatives of a and b by the squared angle."""
        w, v = self.parts
        y = dot(w, v)
        da, db = 2.0 * a1 * y, b1 * y
        bent, lean = [b * t for t in w], [b * t + db * r for r, t in zip(w, v)]
        left, over = 1.0 - b * self.s, -2.0 * dot(lean, w)
        J = np.zeros((*self.s.shape, 6, 6))
        for i in range(3):
            J[..., i, i] = J[..., i + 3, i + 3] = left + bent[i] * w[i]
            J[..., i + 3, i] = over + 2.0 * lean[i] * w[i]
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            even, odd = bent[i] * w[j], a * w[k]
            J[..., i, j] = J[..., i + 3, j + 3] = even - odd
            J[..., j, i] = J[..., j + 3, i + 3] = even + odd
            even, odd = lean[i] * w[j] + lean[j] * w[i], a * v[k] + da * w[k]
            J[..., i + 3, j] = even - odd
            J[..., j + 3, i] = even + odd
        return J

    @cached_property
    def exp(self) -> Array:
        """(..., 4, 4)."""
        (w, v), c = self.parts, self.c
        once = cross(w, v)
        twice = cross(w, once)
        bent, left = [c[2] * t for t in w], 1.0 - c[2] * self.s
        E = np.zeros((*self.s.shape, 4, 4))
        E[..., 3, 3] = 1.0
        for i in range(3):
            E[..., i, i] = left + bent[i] * w[i]
            E[..., i, 3] = v[i] + c[2] * once[i] + c[3] * twice[i]
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            even, odd = bent[i] * w[j], c[1] * w[k]
            E[..., i, j] = even - odd
            E[..., j, i] = even + odd
        return E

    @cached_property
    def dexp(self) -> Array:
        """`se3.dexp_right`, (..., 6, 6)."""
        return self.dual(-self.c[2], self.c[3], -self.first[2], self.first[3])

    def dexp_change(self, covector: Array) -> Array:
        """N (..., 6, 6) with covector . d(dexp)[a] b = a^T N b: how `dexp` changes with x."""
        c, first, second = self.c, self.first, self.second
        return change(self.x, covector, Coefficients((-c[2], -first[2], -second[2]), (c[3], first[3], second[3])))

    @cached_property
    def half_cotangent(self) -> tuple[Array, Array, Array]:
        """(c3 - 2 c4) / (2 c2), with two derivatives."""
        c, first, second = self.c, self.first, self.second
        half = 0.5 / c[2]
        g = half * (c[3] - 2.0 * c[4])
        slope = half * (first[3] - 2.0 * first[4] - 2.0 * g * first[2])
        return g, slope, half * (second[3] - 2.0 * second[4] - 2.0 * g * second[2] - 4.0 * slope * first[2])

    @cached_property
    def dexp_inverse(self) -> Array:
        """`se3.dexp_right_inverse`, (..., 6, 6); angles below 2 pi."""
        g, slope, _ = self.half_cotangent
        return self.dual(0.5, g, 0.0, slope)

    def dexp_inverse_change(self, covector: Array) -> Array:
        """The same of `dexp_inverse`."""
        zero = np.zeros_like(self.s)
        return change(self.x, covector, Coefficients((zero + 0.5, zero, zero), self.half_cotangent))


def logarithms(E: Array) -> ManyTwists:
    """Of poses (..., 4, 4), with angles of at most pi."""
    w, p = rotation_vectors(E[..., :3, :3]), E[..., :3, 3]
    first = ManyTwists(np.concatenate([w, p], axis=-1))
    (w, p), g = first.parts, first.half_cotangent[0]
    once = cross(w, p)
    twice = cross(w, once)
    for i in range(3):
        first.x[..., i + 3] = p[i] = p[i] - 0.5 * once[i] + g * twice[i]  # the Stumpff functions are those of w, which stays
    return first


def rotation_vectors(R: Array) -> Array:
    """(..., 3) of rotations, from the half angle: 2 sin = |a| / sqrt(1 + trace), 2 cos = sqrt(1 + trace), with a the skew part."""
    four = 1.0 + (R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2])
    if not (four > NEAR_HALF_A_TURN).all():  # nor is NaN
        return so3.log(R)
    a: list[Any] = [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]]
    cosine = np.sqrt(four)
    sine = np.sqrt(dot(a, a)) / cosine
    tiny = sine < TINY
    half = np.where(tiny, 1.0, 2.0 * np.arctan2(sine, cosine) / np.where(tiny, 1.0, sine)) / cosine
    return np.stack([half * t for t in a], axis=-1)


def inverses(E: Array) -> Array:
    """Of poses (..., 4, 4)."""
    found = np.zeros_like(E)
    found[..., :3, :3] = R = np.swapaxes(E[..., :3, :3], -1, -2)
    found[..., :3, 3] = -(R @ E[..., :3, 3:])[..., 0]
    found[..., 3, 3] = 1.0
    return found


def inverse_adjoints(E: Array) -> Array:
    """Ad(E^-1) (..., 6, 6) of poses: [[R', 0], [-R' [p], R']]."""
    found = np.zeros((*E.shape[:-2], 6, 6))
    p: list[Any] = [np.ascontiguousarray(E[..., i, 3]) for i in range(3)]
    for i in range(3):
        column: list[Any] = [np.ascontiguousarray(E[..., j, i]) for j in range(3)]  # a row of R'
        for j, t in enumerate(column):
            found[..., i, j] = found[..., i + 3, j + 3] = t
        for j, t in enumerate(cross(p, column)):
            found[..., i + 3, j] = t
    return found
