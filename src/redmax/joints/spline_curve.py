"""One degree of freedom along a spline of frames (Lee & Terzopoulos Secs. 5.1 and 5.3; RedMax supplement Sec. 5.2).

Between control frames C_0, C_1, ... lie constant twists z_l = log(C_{l-1}^-1 C_l). On piece j, with u the distance from where it begins,

    G(q) = C_j exp(z_{j+1} B~_1(u)) ... exp(z_{j+k-1} B~_{k-1}(u))                       (Lee & Terzopoulos Eq. 24)

where B~ are the cumulative B-splines of order k: the motion has k - 2 continuous derivatives, and only k frames act on a piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.checks import check_rigid, finite
from redmax.components.given import FromZero, Knots, Outside, Poses
from redmax.errors import Phrase, SceneError
from redmax.joints import bspline
from redmax.joints.base import Joint
from redmax.joints.drawing import Drawing
from redmax.joints.spline_axis import breaks_of, checked_limits, domain_of, limit_force, limit_potential, make_axis, range_of
from redmax.joints.swept import swept
from redmax.lie import screw_motion, se3
from redmax.lie.three import cross, plus, product, times, transpose
from redmax.math import array
from redmax.trace import Table
from redmax.types import Array

NEAR_PI = 1e-6  # rad: this close to half a turn, rounding would decide which way round


class SplineCurve(Joint):
    """Along a B-spline through the neighbourhood of control frames, without singularities.

    frames: (n, 4, 4) poses (m), n >= order, or n >= 3 where cyclic. Consecutive ones differ by less than half a turn.
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
        frames: Poses,
        *,
        order: int = 4,
        knots: Knots | None = None,
        cyclic: bool = False,
        outside: Outside = "error",
        limit_stiffness: FromZero | None = None,
        limit_damping: FromZero | None = None,
    ) -> None:
        C = checked_frames(frames)
        self.axis, given = make_axis("SplineCurve", len(C), order, knots, cyclic, outside, "frames")
        self.frames = Table(C[:, :3])
        C = self.axis.wrapped(C)
        z = se3.log(se3.inverse(C[:-1]) @ C[1:])
        check_turns(z, self.axis.count)
        self.screws = Table(screw_motion.from_twists(z))  # row l holds z_{l+1}
        self.breaks = breaks_of(self.axis, given)
        self.basis = None if given is None else Table(bspline.cumulative(bspline.polynomials(given, self.axis.order)))
        limits = checked_limits("SplineCurve", outside, 1, limit_stiffness, limit_damping)
        self.limits = None if limits is None else np.array([self.range])
        self.limit_stiffness, self.limit_damping = (None, None) if limits is None else limits

    @property
    def range(self) -> tuple[float, float]:
        """The values of q from the first piece to the end of the last one; for a cyclic curve, one period."""
        return range_of(self.axis, self.breaks)

    @property
    def extent(self) -> tuple[tuple[float, float], ...]:
        return (self.range,)

    @property
    def domain(self) -> tuple[tuple[float, float], ...] | None:
        """Where the motion is defined; None for everywhere."""
        return (domain_of(self.axis, self.breaks),) if self.axis.outside == "error" else None

    def drawing(self) -> Sequence[Drawing]:
        return swept(self, [self.range])

    def factors(self, q: Array) -> tuple[Any, list[tuple[Any, Any, Any]]]:
        """The piece, and for each of its exponentials the screw, B~ and dB~/dq."""
        k = self.axis.order
        j, u = self.axis.place(q[0], self.breaks)
        B = bspline.cumulative(bspline.uniform_polynomials(k)) if self.basis is None else self.basis[j]
        screws = self.screws.near(j, range(k - 1))
        used = [B[i] if i < k - 2 else [*[0.0] * (k - 1), B[i][-1]] for i in range(k - 1)]  # the last one has only u^(k-1)
        return j, [(list(s), bspline.value(c, u), bspline.value(c, u, 1)) for s, c in zip(screws, used)]

    def transform(self, q: Array) -> Any:
        j, factors = self.factors(q)
        C = self.frames[j]
        R, p = [list(row[:3]) for row in C], [row[3] for row in C]
        for s, b, _ in factors:
            Q, shift = screw_motion.exp(s, b)
            R, p = product(R, Q), plus(p, times(R, shift))
        return se3.pose(array([list(row) for row in R]), array(p))

    def jacobian(self, q: Array) -> Any:
        """s <- z b' + Ad(exp(z b)^-1) s over the factors (Eqs. 28-29): with Sdot, well under half of what differentiation takes."""
        S: list[Any] = []
        for s, b, slope in self.factors(q)[1]:
            own = [x * slope for x in screw_motion.to_twist(s)]
            S = plus(own, carried(*screw_motion.exp(s, b), S)) if S else own
        return array([[x] for x in S])

    def force(self, q: Array, qdot: Array) -> Any | None:
        return None if self.limits is None else limit_force((self.axis,), q, qdot, self.limits, self.limit_stiffness, self.limit_damping)

    def potential(self, q: Array) -> Any:
        return 0.0 if self.limits is None else limit_potential((self.axis,), q, self.limits, self.limit_stiffness)

    def __repr__(self) -> str:
        knots = "uniform" if self.axis.uniform else "given"
        return f"SplineCurve({self.axis.count} frames, order={self.axis.order}, {knots} knots, cyclic={self.axis.cyclic})"


def carried(R: Any, p: Any, V: list[Any]) -> list[Any]:
    """Ad(Q^-1) V of Q = (R, p): (R^T w; R^T (v + w x p))."""
    w, v, back = V[:3], V[3:], transpose(R)
    return [*times(back, w), *times(back, plus(v, cross(w, p)))]


def checked_frames(frames: Poses) -> np.ndarray:
    """(n, 4, 4), with rotations that are so to the last digit."""
    C = finite("SplineCurve", "frames", frames, ((-1, 4, 4),), "poses (n, 4, 4)")
    for i, E in enumerate(C):
        check_rigid("SplineCurve", Phrase(f"frame {i}", "frames"), E)
    U, _, V = np.linalg.svd(C[:, :3, :3])
    C[:, :3, :3] = U @ V
    return C


def check_turns(z: np.ndarray, count: int) -> None:
    angles = np.linalg.norm(z[:, :3], axis=1)
    worst = int(np.argmax(angles))
    if angles[worst] > np.pi - NEAR_PI:
        pair = f"{worst % count} and {(worst + 1) % count}"
        why = f"a rotation by {np.degrees(angles[worst]):.6g} degrees, of which it is not clear which way round it goes"
        raise SceneError(
            f"SplineCurve: between frames {pair} lies {why}. Put another frame between them.", owner="SplineCurve", argument="frames"
        )
