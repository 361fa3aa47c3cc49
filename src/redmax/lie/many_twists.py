"""exp and log of many rigid motions at once with all that fits of joints need beside them; numbers only, Stumpff functions found once.

The formulas are those of `se3` and `second_differentials`; what differs is that arrays are filled in the place where they stay.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from redmax.lie import so3
from redmax.lie.second_differentials import Coefficients, change, cross, dot, outer, skew_and_diagonal
from redmax.trace.stumpff import stumpff_all
from redmax.types import Array

NEAR_HALF_A_TURN = 0.5  # of 1 + trace, four times the squared cosine of the half angle: below, that is not what the angle is found from
TINY = 1e-150  # of twice the sine of the half angle


class ManyTwists:
    """Twists x (..., 6), and Stumpff functions c1 to c8 of their squared angles, (...,)."""

    def __init__(self, x: Array) -> None:
        self.x, self.w, self.v = x, x[..., :3], x[..., 3:]
        self.s, self.y = dot(self.w, self.w)[..., 0], dot(self.w, self.v)[..., 0]

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

    def turned(self, a: Array, b: Array) -> Array:
        """I + a [w] + b [w]^2, (..., 3, 3)."""
        R = outer(b[..., None] * self.w, self.w)
        return R + skew_and_diagonal(a[..., None] * self.w, (1.0 - b * self.s)[..., None])

    def dual(self, a: Array, b: Array, a1: Array, b1: Array) -> Array:
        """(..., 6, 6): the same over dual numbers, with a1 and b1 the derivatives of a and b by the squared angle."""
        w, v, y = self.w, self.v, self.y
        J = np.zeros((*self.x.shape, 6))
        J[..., :3, :3] = J[..., 3:, 3:] = self.turned(a, b)
        lean = b[..., None] * v + (b1 * y)[..., None] * w
        across = outer(lean, w)
        J[..., 3:, :3] = across + np.swapaxes(across, -1, -2)
        J[..., 3:, :3] += skew_and_diagonal(a[..., None] * v + (2.0 * a1 * y)[..., None] * w, -2.0 * dot(lean, w))
        return J

    @cached_property
    def exp(self) -> Array:
        """(..., 4, 4)."""
        c, v = self.c, self.v
        E = np.zeros((*self.s.shape, 4, 4))
        E[..., :3, :3] = self.turned(c[1], c[2])
        E[..., 3, 3] = 1.0
        E[..., :3, 3] = (self.turned(c[2], c[3]) @ v[..., None])[..., 0]
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
        return self.dual(np.full_like(g, 0.5), g, np.zeros_like(g), slope)

    def dexp_inverse_change(self, covector: Array) -> Array:
        """The same of `dexp_inverse`."""
        zero = np.zeros_like(self.s)
        return change(self.x, covector, Coefficients((zero + 0.5, zero, zero), self.half_cotangent))


def logarithms(E: Array) -> ManyTwists:
    """Of poses (..., 4, 4), with angles of at most pi."""
    w, p = rotation_vectors(E[..., :3, :3]), E[..., :3, 3]
    found = ManyTwists(np.concatenate([w, p], axis=-1))  # its Stumpff functions are those of w, whatever is below
    once = cross(w, p)
    found.x[..., 3:] = p - 0.5 * once + found.half_cotangent[0][..., None] * cross(w, once)
    found.y = dot(w, found.v)[..., 0]
    return found


def rotation_vectors(R: Array) -> Array:
    """(..., 3) of rotations, from the half angle: 2 sin = |a| / sqrt(1 + trace), 2 cos = sqrt(1 + trace), with a the skew part."""
    four = 1.0 + np.trace(R, axis1=-2, axis2=-1)
    if not (four > NEAR_HALF_A_TURN).all():  # nor is NaN
        return so3.log(R)
    a = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    cosine = np.sqrt(four)
    sine = np.sqrt(dot(a, a)[..., 0]) / cosine
    tiny = sine < TINY
    angle = np.where(tiny, 2.0, 4.0 * np.arctan2(sine, cosine) / np.where(tiny, 1.0, sine))
    return a * (0.5 * angle / cosine)[..., None]


def inverses(E: Array) -> Array:
    """Of poses (..., 4, 4)."""
    found = np.zeros_like(E)
    R = np.swapaxes(E[..., :3, :3], -1, -2)
    found[..., :3, :3] = R
    found[..., :3, 3] = -(R @ E[..., :3, 3:])[..., 0]
    found[..., 3, 3] = 1.0
    return found


def inverse_adjoints(E: Array) -> Array:
    """Ad(E^-1) (..., 6, 6) of poses: [[R', 0], [-R' [p], R']]."""
    found = np.zeros((*E.shape[:-2], 6, 6))
    R = np.swapaxes(E[..., :3, :3], -1, -2)
    found[..., :3, :3] = found[..., 3:, 3:] = R
    p = E[..., :3, 3]
    found[..., 3:, :3] = R @ skew_and_diagonal(-p, np.zeros((*p.shape[:-1], 1)))
    return found
