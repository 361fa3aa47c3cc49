"""One degree of freedom along a spline of frames (Lee & Terzopoulos Secs. 5.1 and 5.3; RedMax supplement Sec. 5.2).

Between control frames C_0, C_1, ... lie constant twists z_l = log(C_{l-1}^-1 C_l). On piece j, with u the distance from where it begins,

    G(q) = C_j exp(z_{j+1} B~_1(u)) ... exp(z_{j+k-1} B~_{k-1}(u))                       (Lee & Terzopoulos Eq. 24)

where B~ are the cumulative B-splines of order k: the motion has k - 2 continuous derivatives, and only k frames act on a piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.given import Frames, FromZero, Knots, Outside
from redmax.joints import bspline
from redmax.joints.frame_product import FrameProduct, checked_frames
from redmax.joints.spline_axis import breaks_of, make_axis
from redmax.trace import Table
from redmax.types import Array


class SplineCurve(FrameProduct):
    """Along a B-spline through the neighbourhood of control frames, without singularities.

    frames: (n, 4, 4) poses (m), n >= order, or n >= 3 where cyclic. Consecutive ones differ by less than half a turn. Or (n, 6), in
        each row x, y, z (m), then a rotation vector (rad): how `frame_rows` writes them, to be edited by hand.
    order: 4 is cubic; any order above 3.
    knots: None for uniform ones, where q runs from 0 to n - order + 1 and piece j, j <= q <= j + 1, follows frames j to j + order - 1.
        Otherwise n + order ascending numbers, as for any B-spline; q runs from knots[order - 1] to knots[n]. A knot inside occurs at
        most order - 3 times.
    cyclic: the first frame follows the last one; q is any number, with period n. Given knots are then n + 1: where each piece begins,
        and where the period ends.
    outside: what happens beyond the ends of an open curve. "error": the motion is not defined there, and a run ends. "limit": the first
        and last pieces continue, and a one-sided spring and damper pushes back with limit_stiffness (end - q) - limit_damping qdot.

    The cost does not depend on the number of frames (with given knots, on its logarithm); joints with as many frames share kernels.
    """

    dof = 1

    def __init__(
        self,
        frames: Frames,
        *,
        order: int = 4,
        knots: Knots | None = None,
        cyclic: bool = False,
        outside: Outside = "error",
        limit_stiffness: FromZero | None = None,
        limit_damping: FromZero | None = None,
    ) -> None:
        C = checked_frames("SplineCurve", frames)
        self.axis, given = make_axis("SplineCurve", len(C), order, knots, cyclic, outside, "frames")
        self.hold(C)
        self.breaks = breaks_of(self.axis, given)
        self.basis = None if given is None else Table(bspline.cumulative(bspline.polynomials(given, self.axis.order)))
        self.hold_limits(outside, limit_stiffness, limit_damping)

    @classmethod
    def through(
        cls,
        poses: ArrayLike,
        parameters: ArrayLike,
        *,
        order: int = 4,
        cyclic: bool = False,
        period: float | None = None,
        outside: Outside = "error",
        limit_stiffness: FromZero | None = None,
        limit_damping: FromZero | None = None,
    ) -> SplineCurve:
        """The curve that passes through every pose, with q the parameter that it is given there: an angle of flexion, say.

        poses: (N, 4, 4) (m), N >= order, or N >= 3 where cyclic; those that follow each other well below half a turn apart
        parameters: (N,) in any order, no two alike; q runs from the least to the greatest
        period: of a cyclic curve, after how much of q the first pose comes again
        The rest is as above. `redmax.fit_curve` fits fewer frames than poses, and tells how.
        """
        from redmax.design.curves.through import through

        fit = through(poses, parameters, order, cyclic, period)
        limits = {"outside": outside, "limit_stiffness": limit_stiffness, "limit_damping": limit_damping}
        return cls(fit.frames, order=order, knots=fit.knots, cyclic=cyclic, **limits)  # type: ignore[arg-type]

    @property
    def coefficients(self) -> np.ndarray:
        return bspline.cumulative(bspline.uniform_polynomials(self.axis.order))[None] if self.basis is None else self.basis.array

    def factors(self, q: Array) -> tuple[Any, list[tuple[Any, Any, Any]]]:
        """The piece, and for each of its exponentials the screw, B~ and dB~/dq."""
        k = self.axis.order
        j, u = self.axis.place(q[0], self.breaks)
        B = bspline.cumulative(bspline.uniform_polynomials(k)) if self.basis is None else self.basis[j]
        screws = self.screws.near(j, range(k - 1))
        used = [B[i] if i < k - 2 else [*[0.0] * (k - 1), B[i][-1]] for i in range(k - 1)]  # the last one has only u^(k-1)
        return j, [(list(s), bspline.value(c, u), bspline.value(c, u, 1)) for s, c in zip(screws, used)]

    def __repr__(self) -> str:
        knots = "uniform" if self.axis.uniform else "given"
        return f"SplineCurve({self.axis.count} frames, order={self.axis.order}, {knots} knots, cyclic={self.axis.cyclic})"
