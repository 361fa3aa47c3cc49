"""A motion as a product of exponentials of constant twists, one after the other, along frames (Lee & Terzopoulos Eq. 24).

    G(q) = C exp(z_1 b_1(q)) exp(z_2 b_2(q)) ...       S: s <- z b' + Ad(exp(z b)^-1) s over the factors (Eqs. 28-29)

Which frame C, which twists and which functions b act is said by the splines that are made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.checks import RIGID_TOLERANCE, check_rigid, finite
from redmax.components.given import Frames, FromZero
from redmax.errors import Phrase, SceneError
from redmax.joints.base import Joint
from redmax.joints.drawing import Drawing
from redmax.joints.spline_axis import Axis, checked_limits, domain_of, limit_force, limit_potential, range_of
from redmax.joints.swept import swept
from redmax.lie import screw_motion, se3, so3
from redmax.lie.three import cross, plus, product, times, transpose
from redmax.math import array
from redmax.trace import Table
from redmax.types import Array

NEAR_PI = 1e-6  # rad: this close to half a turn, rounding would decide which way round


class FrameProduct(Joint):
    """One coordinate along pieces between frames; subclasses say in `factors` what acts on a piece."""

    dof = 1
    stride = 1  # by how many frames a piece begins after the one before
    axis: Axis
    breaks: Table | None
    frames: Table
    screws: Table

    def hold(self, frames: np.ndarray) -> None:
        """The frames (n, 4, 4), and the screws from each to the next: row l of them goes from frame l to l + 1."""
        owner = type(self).__name__
        self.frames = Table(frames[:, :3])
        C = self.axis.wrapped(frames)
        z = se3.log(se3.inverse(C[:-1]) @ C[1:])
        check_turns(owner, z, self.axis.count)
        self.screws = Table(screw_motion.from_twists(z))

    def slopes_by_frames(self, frames: np.ndarray, by_frames: np.ndarray, by_twists: np.ndarray) -> np.ndarray:
        """(..., n, 6): slopes along C_i exp(xi), angular, then linear, of what has slopes by the tables of frames (n, 4, 4).

        by_frames: (..., n, 3, 4);  by_twists: (..., n - 1 or more, 6), of z = log(C_l^-1 C_l+1): dz = dexp_-z^-1 xi_l+1 - dexp_z^-1 xi_l
        """
        order = self.axis.wrapped(np.arange(len(frames)))
        z = se3.log(se3.inverse(frames[order[:-1]]) @ frames[order[1:]])
        found = np.zeros((*by_frames.shape[:-2], 6))
        for index, J, sign in ((order[1:], se3.dexp_right_inverse(z), 1.0), (order[:-1], se3.dexp_left_inverse(z), -1.0)):
            np.add.at(np.moveaxis(found, -2, 0), index, sign * np.moveaxis(np.einsum("nik,...ni->...nk", J, by_twists), -2, 0))
        moved = np.einsum("nji,...njk->...nik", frames[:, :3, :3], by_frames)
        turned = [moved[..., 2, 1] - moved[..., 1, 2], moved[..., 0, 2] - moved[..., 2, 0], moved[..., 1, 0] - moved[..., 0, 1]]
        return found + np.concatenate([np.stack(turned, axis=-1), moved[..., 3]], axis=-1)

    def hold_limits(self, outside: str, stiffness: FromZero | None, damping: FromZero | None) -> None:
        """What pushes back beyond the ends of the range."""
        limits = checked_limits(type(self).__name__, outside, 1, stiffness, damping)
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

    @property
    def free_range(self) -> tuple[tuple[float, float], ...] | None:
        return None if self.limits is None else (self.range,)

    def drawing(self) -> Sequence[Drawing]:
        return swept(self, [self.range])

    @property
    def coefficients(self) -> np.ndarray:
        """(pieces, k - 1, k): the functions b of each piece, as polynomials of how far from its beginning q is; one piece for all alike."""
        raise NotImplementedError(f"{type(self).__name__} does not define coefficients")

    def factors(self, q: Array) -> tuple[Any, list[tuple[Any, Any, Any]]]:
        """The row of the frame, and for each of the exponentials the screw, b and db/dq."""
        raise NotImplementedError(f"{type(self).__name__} does not define factors(q)")

    def transform(self, q: Array) -> Any:
        j, factors = self.factors(q)
        C = self.frames[j]
        R, p = [list(row[:3]) for row in C], [row[3] for row in C]
        for s, b, _ in factors:
            Q, shift = screw_motion.exp(s, b)
            R, p = product(R, Q), plus(p, times(R, shift))
        return se3.pose(array([list(row) for row in R]), array(p))

    def jacobian(self, q: Array) -> Any:
        """S by its recursion: with Sdot, well under half of what differentiation takes."""
        S: list[Any] = []
        for s, b, slope in self.factors(q)[1]:
            own = [x * slope for x in screw_motion.to_twist(s)]
            S = plus(own, carried(*screw_motion.exp(s, b), S)) if S else own
        return array([[x] for x in S])

    def force(self, q: Array, qdot: Array) -> Any | None:
        return None if self.limits is None else limit_force((self.axis,), q, qdot, self.limits, self.limit_stiffness, self.limit_damping)

    def potential(self, q: Array) -> Any:
        return 0.0 if self.limits is None else limit_potential((self.axis,), q, self.limits, self.limit_stiffness)


def by_twists(joint: Joint) -> Joint:
    """A joint whose factors are twists instead of screws: smooth functions of its frames, also where these do not turn."""
    screws = {n: v.array for n, v in joint.data().items() if n.rpartition(".")[2] == "screws" and isinstance(v, Table)}
    twists = {n: Table(np.stack(screw_motion.to_twist(np.moveaxis(x, -1, 0)), axis=-1)) for n, x in screws.items()}
    return joint.with_data(joint.data() | twists) if twists else joint


def carried(R: Any, p: Any, V: list[Any]) -> list[Any]:
    """Ad(Q^-1) V of Q = (R, p): (R^T w; R^T (v + w x p))."""
    w, v, back = V[:3], V[3:], transpose(R)
    return [*times(back, w), *times(back, plus(v, cross(w, p)))]


def checked_frames(owner: str, frames: Frames) -> np.ndarray:
    """(n, 4, 4), with rotations that are so to the last digit."""
    valid = "poses (n, 4, 4), or (n, 6): x, y, z (m), then a rotation vector (rad)"
    C = finite(owner, "frames", frames, ((-1, 4, 4), (-1, 6)), valid)
    if C.ndim == 2:
        C = se3.pose(so3.exp(C[:, 3:]), C[:, :3])
    R = C[:, :3, :3]
    fine = (np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)) < RIGID_TOLERANCE).all(axis=(1, 2)) & (C[:, 3] == [0, 0, 0, 1]).all(axis=1)
    for i in np.flatnonzero(~(fine & (np.linalg.det(R) > 0))).tolist():
        check_rigid(owner, Phrase(f"frame {i}", "frames"), C[i])
    U, _, V = np.linalg.svd(C[:, :3, :3])
    C[:, :3, :3] = U @ V
    return C


def check_turns(owner: str, z: np.ndarray, count: int) -> None:
    angles = np.linalg.norm(z[:, :3], axis=1)
    worst = int(np.argmax(angles))
    if angles[worst] > np.pi - NEAR_PI:
        pair = f"{worst % count} and {(worst + 1) % count}"
        why = f"a rotation by {np.degrees(angles[worst]):.6g} degrees, of which it is not clear which way round it goes"
        raise SceneError(f"{owner}: between frames {pair} lies {why}. Put another frame between them.", owner=owner, argument="frames")
