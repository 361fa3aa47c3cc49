"""One degree of freedom along frames that any basis blends, by its matrix (RedMax supplement Sec. 5.2, Eqs. 52-59).

A piece follows k frames C_1, ..., C_k, with the basis functions B_i(u) = (row i of B) (1, u, u^2, ...) for u from 0 to 1:

    G(u) = C_1 exp(z_2 B~_2(u)) ... exp(z_k B~_k(u))       z_i = log(C_{i-1}^-1 C_i),  B~_i = B_i + ... + B_k

Rows that add up to 1 (Eq. 57) make the curve move as a whole with its frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, Self

import numpy as np

from redmax.arguments import as_array
from redmax.components.checks import choice, finite, flag, whole
from redmax.components.given import Basis, Frames, FromZero, Knots, Outside, Twists
from redmax.errors import SceneError, wrong
from redmax.joints import bspline
from redmax.joints.frame_product import FrameProduct, check_turns, checked_frames
from redmax.joints.joined_pieces import check_joined
from redmax.joints.spline_axis import OUTSIDE, Axis
from redmax.lie import se3
from redmax.trace import Table
from redmax.types import Array

OWNER = "BasisCurve"
NAMES = ("bezier", "catmull-rom", "b-spline")
CATMULL_ROM = np.array([[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]) / 2  # Catmull and Rom 1974, tension 1/2


@dataclass(frozen=True)
class Strides(Axis):
    """An axis whose pieces begin several control values after each other."""

    stride: int = 1

    @property
    def pieces(self) -> int:
        return self.count // self.stride if self.cyclic else (self.count - self.order) // self.stride + 1

    def wrapped(self, values: np.ndarray, axis: int = 0) -> np.ndarray:
        rows = (self.pieces - 1) * self.stride + self.order
        return np.take(values, np.arange(rows) % self.count, axis=axis)


class BasisCurve(FrameProduct):
    """Along pieces between control frames, blended by a basis: "bezier", "catmull-rom", "b-spline", or any by its matrix.

    frames: (n, 4, 4) poses (m), or (n, 6) rows of x, y, z (m) and a rotation vector (rad). Consecutive ones differ by less than half a
        turn.
    basis: "bezier": through every (order - 1)th frame, n = 1 + (order - 1) pieces; those between say where it comes from and goes to.
        "catmull-rom": through all frames but the first and the last (through all if cyclic). "b-spline": that of SplineCurve, uniform.
        Or B, (order, order): row i is what frame i of a piece counts for, as a polynomial 1, u, u^2, ... of u from 0 to 1.
    order: how many frames act on a piece; 4 is cubic. Of a matrix, as many as it has rows.
    stride: by how many frames a piece begins after the one before: order - 1 for "bezier", otherwise 1 unless given with a matrix.
    breaks: where pieces begin and the last one ends, ascending values of q, one more than pieces; None for whole numbers from 0.
    cyclic, outside, limit_stiffness, limit_damping: as for SplineCurve.

    Cubic pieces of the first two have one continuous derivative where they meet: the joint's S does not jump there, but its slope and with
    it accelerations may. Pieces whose S would jump are refused.
    """

    proven = True  # by `check_joined`

    def __init__(
        self,
        frames: Frames,
        basis: Basis = "bezier",
        *,
        order: int = 4,
        stride: int | None = None,
        breaks: Knots | None = None,
        cyclic: bool = False,
        outside: Outside = "error",
        limit_stiffness: FromZero | None = None,
        limit_damping: FromZero | None = None,
    ) -> None:
        C = checked_frames(OWNER, frames)
        B, own_stride = checked_basis(basis, order)
        if stride is not None and isinstance(basis, str):
            raise wrong(OWNER, "stride", stride, f"none beside basis={basis!r}, which has its own")
        step = own_stride if stride is None else whole(OWNER, "stride", stride, 1)
        closed = flag(OWNER, "cyclic", cyclic)
        choice(OWNER, "outside", outside, OUTSIDE)
        if closed and outside != "error":
            raise wrong(OWNER, "outside", outside, "none beside cyclic=True, which has no outside")
        check_count(len(C), len(B), step, closed)
        self.stride = step
        self.axis = Strides(len(B), len(C), closed, breaks is None, "" if closed else outside, step)
        self.hold(C)
        widths = np.ones(self.axis.pieces)
        self.breaks = None
        if breaks is not None:
            valid = f"{self.axis.pieces + 1} ascending numbers: where each of {self.axis.pieces} pieces begins, and where the last one ends"
            t = bspline.ascending(OWNER, breaks, self.axis.pieces + 1, valid, "breaks")
            if not (np.diff(t) > 0).all():
                raise wrong(OWNER, "breaks", breaks, valid)
            widths, self.breaks = np.diff(t), Table(t)
        cumulative = bspline.cumulative(B) / widths[:, None, None] ** np.arange(len(B))
        check_joined(OWNER, C, cumulative, widths, step, closed)
        self.basis = None if breaks is None else Table(cumulative)
        self.matrix = tuple(map(tuple, cumulative[0].tolist())) if breaks is None else ()  # structure: zeros in it cost nothing
        self.hold_limits(outside, limit_stiffness, limit_damping)

    @classmethod
    def hermite(cls, frames: Frames, twists: Twists, *, breaks: Knots | None = None, cyclic: bool = False, **options: Any) -> Self:
        """Through all frames (n, 4, 4), with the twist S that is given at each: (n, 6) in its axes, angular first, for each unit of q.

        breaks: q at each frame (and, of a cyclic curve, where the period ends); whole numbers from 0 unless given
        options: outside, limit_stiffness, limit_damping
        """
        C, closed = checked_frames(OWNER, frames), flag(OWNER, "cyclic", cyclic)
        least = 3 if closed else 2
        if len(C) < least:
            raise wrong(OWNER, "frames", frames, f"{least} poses or more")
        V = finite(OWNER, "twists", twists, ((len(C), 6),), f"{len(C)} twists, (n, 6): one for each frame")
        pieces = len(C) if closed else len(C) - 1
        valid = f"{pieces + 1} ascending numbers"
        t = np.arange(pieces + 1.0) if breaks is None else bspline.ascending(OWNER, breaks, pieces + 1, valid, "breaks")
        h = np.diff(t)[:, None]
        after = np.arange(1, pieces + 1) % len(C)
        inner = [C[:pieces] @ se3.exp(h / 3 * V[:pieces]), C[after] @ se3.exp(-h / 3 * V[after])]
        whole_row = np.stack([C[:pieces], *inner], axis=1).reshape(-1, 4, 4)
        return cls(whole_row if closed else np.concatenate([whole_row, C[-1:]]), "bezier", breaks=breaks, cyclic=closed, **options)

    @classmethod
    def through(cls, poses: Frames, parameters: Knots | None = None, *, cyclic: bool = False, **options: Any) -> Self:
        """Through all poses (n, 4, 4), each at its parameter: cubic Hermite pieces whose twists are those of parabolas through three poses.

        parameters: q at each pose, ascending (of a cyclic curve also where the period ends); whole numbers from 0 unless given. With
            whole numbers and without rotations it is the spline of Catmull and Rom.
        """
        C, closed = checked_frames(OWNER, poses), flag(OWNER, "cyclic", cyclic)
        if len(C) < 3:
            raise wrong(OWNER, "poses", poses, "3 poses or more")
        ends = len(C) + closed
        valid = f"{ends} ascending numbers, none of them twice"
        t = np.arange(float(ends)) if parameters is None else bspline.ascending(OWNER, parameters, ends, valid, "parameters")
        h, rows = np.diff(t), np.arange(ends) % len(C)
        if not (h > 0).all():
            raise wrong(OWNER, "parameters", parameters, valid)
        z = se3.log(se3.inverse(C[rows[:-1]]) @ C[rows[1:]])
        check_turns(OWNER, z, len(C))
        slopes = z / h[:, None]  # from each pose to the next, the same twist in the axes of both
        last, following = (np.roll(slopes, 1, 0), slopes) if closed else (slopes[:-1], slopes[1:])
        before, after = (np.roll(h, 1)[:, None], h[:, None]) if closed else (h[:-1, None], h[1:, None])
        V = (after * last + before * following) / (before + after)
        if not closed:
            V = np.concatenate([2 * slopes[:1] - V[:1], V, 2 * slopes[-1:] - V[-1:]])
        return cls.hermite(C, V, breaks=None if parameters is None else t, cyclic=closed, **options)

    @property
    def coefficients(self) -> np.ndarray:
        return np.array([self.matrix]) if self.basis is None else self.basis.array

    def factors(self, q: Array) -> tuple[Any, list[tuple[Any, Any, Any]]]:
        """The row of the piece's first frame, and for each of its exponentials the screw, B~ and dB~/dq."""
        j, u = self.axis.place(q[0], self.breaks)
        row = j * float(self.stride)
        B = self.matrix if self.basis is None else self.basis[j]
        screws = self.screws.near(row, range(self.axis.order - 1))
        return row, [(list(s), bspline.value(c, u), bspline.value(c, u, 1)) for s, c in zip(screws, B)]

    def __repr__(self) -> str:
        return f"BasisCurve({self.axis.count} frames, {self.axis.pieces} pieces, order={self.axis.order}, cyclic={self.axis.cyclic})"


def checked_basis(basis: Any, order: Any) -> tuple[np.ndarray, int]:
    """The matrix, and by how many frames its pieces follow each other."""
    if isinstance(basis, str):
        choice(OWNER, "basis", basis, NAMES)
        k = bspline.checked_order(OWNER, order)
        if basis == "catmull-rom" and k != 4:
            raise wrong(OWNER, "order", order, "4: there is one basis of Catmull and Rom")
        if basis == "bezier":
            return bernstein(k), k - 1
        return (CATMULL_ROM if basis == "catmull-rom" else bspline.uniform_polynomials(k)), 1
    shape = as_array(basis).shape
    valid = f"one of {', '.join(map(repr, NAMES))}, or a matrix (k, k), k from 3 up: a row of coefficients 1, u, u^2, ... for each frame"
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 3:
        raise wrong(OWNER, "basis", basis, valid)
    B = finite(OWNER, "basis", basis, (shape,), valid)
    total = B.sum(axis=0)
    if np.abs(total - np.eye(len(B))[0]).max() > 1e-12 * np.abs(B).max():
        said = f"the rows of basis add up to {np.round(total, 12).tolist()}, expected 1 and then zeros"
        fix = "Otherwise the curve would not move with its frames. Is the matrix transposed, or does it begin with the highest power?"
        raise SceneError(f"{OWNER}: {said}. {fix}", owner=OWNER, argument="basis")
    return B, 1


def bernstein(order: int) -> np.ndarray:
    """[i, m]: of u^m in the polynomial of Bernstein i, C(n, i) u^i (1 - u)^(n - i) with n = order - 1."""
    n = order - 1
    return np.array([[comb(n, i) * comb(n - i, m - i) * (-1.0) ** (m - i) if m >= i else 0.0 for m in range(order)] for i in range(order)])


def check_count(count: int, order: int, stride: int, cyclic: bool) -> None:
    """Whether so many frames make whole pieces."""
    fits = count % stride == 0 and count >= 3 if cyclic else count >= order and (count - order) % stride == 0
    if not fits:
        valid = f"a multiple of {stride}, at least three" if cyclic else f"{order}, or {order} and {stride} for each further piece"
        if stride == 1:
            valid = "three or more" if cyclic else f"{order} or more"
        raise SceneError(f"{OWNER}: there are {count} frames, expected {valid}.", owner=OWNER, argument="frames")
