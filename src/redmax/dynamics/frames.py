"""Pose, twist, acceleration and Jacobian of one frame of a model: of a body, its joint, a point of it, or one that the scene names.

    p = x + r,   pdot = xdot + omega x r,   pddot = xddot + alpha x r + omega x (omega x r),      r: from the joint's origin to the frame's
    J_v = c_v + c_w x r_j,   Jdot_v = cdot_v + cdot_w x r_j + c_w x rdot_j                         for the columns c of the joints before it

x, omega, ... and the columns of the joints come from one sweep (common/frame_motion.py), all in world axes; so the hybrid twist is found
first, and rewritten (common/twist_kinds.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import flag
from redmax.dynamics.common.frame_motion import FRAME_COLUMNS, FRAME_MOTION
from redmax.dynamics.common.twist_kinds import TwistKind, check_kind, cross, rewritten
from redmax.dynamics.common.twist_kinds import classical as with_classical
from redmax.dynamics.programs import Pair, Programs
from redmax.model.frames import Framed, Located, located
from redmax.program.program import Program
from redmax.types import Given

PORTION = 2**22  # numbers that a program leaves of all links, of which those of one are kept, at a time


@dataclass(frozen=True, eq=False)
class Seen:
    """A frame at states (...). E: (..., 4, 4); V: (..., 6), its hybrid twist; r: (..., 3), to its origin from that of its joint."""

    E: np.ndarray
    V: np.ndarray
    r: np.ndarray


class FrameKinematics(Programs):
    """The functions of `Dynamics` that are of one frame."""

    def pose(self, q: ArrayLike, of: Framed, t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 4, 4): the pose of a frame, a body or a point in the world.

        of: the name of a frame, a body or a joint (then that of its body), "NAME.joint" for the frame that a joint carries, or what
            `add_frame`, `add_body`, `body.point(...)`, `body.frame(...)` or `body.joint_frame` returned
        """
        return self.frame_motion(q, None, None, of, t)[0]

    def twist(self, q: ArrayLike, qdot: ArrayLike, of: Framed, kind: TwistKind = "body", t: ArrayLike = 0.0) -> np.ndarray:
        """(..., 6): angular; linear velocity of a frame. of: as of `pose`.

        kind: "body" (at its origin, in its axes), "hybrid" (at its origin, in world axes), "spatial" (at the world's origin, in world
            axes) or "mixed" (angular in its axes, linear in the world's)
        """
        check_kind("Dynamics.twist", kind)
        return of_kind(kind, *self.frame_motion(q, qdot, None, of, t))[0]

    def acceleration(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        qddot: ArrayLike,
        of: Framed,
        kind: TwistKind = "body",
        classical: bool = False,
        t: ArrayLike = 0.0,
    ) -> np.ndarray:
        """(..., 6): the rate of the twist of a frame. of, kind: as of `twist`.

        classical: the linear part is the acceleration of the point instead, which the rates of "body" and "spatial" twists are not
        """
        check_kind("Dynamics.acceleration", kind)
        pointwise = flag("Dynamics.acceleration", "classical", classical)
        twist, rate = of_kind(kind, *self.frame_motion(q, qdot, qddot, of, t))
        return with_classical(kind, twist, rate) if pointwise else rate

    def frame_jacobian(self, q: ArrayLike, qdot: Given, of: Framed, kind: TwistKind = "body", t: ArrayLike = 0.0) -> Pair:
        """J and Jdot of one frame, (..., 6, nv): see `jacobian`."""
        check_kind("Dynamics.jacobian", kind)
        at, n, links = located(self.model, of), self.model.nv, len(self.model.links)
        joint, before = self.moving(at.link)

        def of_frame(link: np.ndarray, pose: np.ndarray, velocity: np.ndarray, columns: np.ndarray, rates: np.ndarray) -> list[np.ndarray]:
            seen = frame_at(at, link, pose, velocity)
            r, rdot = seen.E[..., None, :3, 3] - link[..., 3][..., joint, :], seen.V[..., None, 3:] - velocity[..., joint, 3:]
            (w, v), (wdot, vdot) = (halves(x[..., before, :]) for x in (columns, rates))
            c, cdot = (w, v + cross(w, r)), (wdot, vdot + cross(wdot, r) + cross(w, rdot))
            hybrid = (np.concatenate(x, axis=-1) for x in (c, cdot))
            return [np.swapaxes(x, -1, -2) for x in rewritten(kind, seen.E, seen.V, *hybrid)]

        widths = ((links, 3, 4), (links, 3, 4), (links, 6), (n, 6), (n, 6))
        found = self.in_portions(FRAME_COLUMNS, {"q": q, "qdot": qdot, "t": t}, widths, of_frame)
        J, Jdot = (np.zeros((*part.shape[:-1], n), self.dtype) for part in found)
        J[..., before], Jdot[..., before] = found
        return J, Jdot

    def moving(self, link: int) -> Pair:
        """`ancestors` of a link, found once."""
        if link not in self.lines:
            self.lines[link] = ancestors(self.model.tree.parent, self.model.offsets, link)
        return self.lines[link]

    @cached_property
    def lines(self) -> dict[int, Pair]:
        """By the number of the link."""
        return {}

    def frame_motion(self, q: ArrayLike, qdot: Given, qddot: Given, of: Framed, t: ArrayLike) -> list[np.ndarray]:
        """E of a frame, (..., 4, 4), its hybrid twist and the rate of that, (..., 6)."""
        at, links = located(self.model, of), len(self.model.links)

        def of_frame(link: np.ndarray, pose: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> list[np.ndarray]:
            seen = frame_at(at, link, pose, velocity)
            (alpha, a), omega = halves(acceleration[..., at.link, :]), seen.V[..., :3]
            swept = cross(alpha, seen.r) + cross(omega, cross(omega, seen.r))
            return [seen.E, seen.V, np.concatenate([alpha, a + swept], axis=-1)]

        widths = ((links, 3, 4), (links, 3, 4), (links, 6), (links, 6))
        return self.in_portions(FRAME_MOTION, {"q": q, "qdot": qdot, "qddot": qddot, "t": t}, widths, of_frame)

    def in_portions(
        self, program: Program, given: dict[str, Given], widths: Sequence[tuple[int, ...]], of_frame: Callable[..., list[np.ndarray]]
    ) -> list[np.ndarray]:
        """What `of_frame` makes of the outputs of a program, so many states at a time that those of all links take little memory."""
        shape, arrays = self.arrays(**given)
        worlds, size = math.prod(shape), max(1, PORTION // max(1, sum(map(math.prod, widths))))
        parts: list[list[np.ndarray]] = []
        for first in range(0, max(worlds, 1), size):
            some = [a if a.ndim == 1 else a[first : first + size] for a in arrays]
            parts.append(of_frame(*self.call(program.name, program, some, (min(size, worlds - first),), *widths)))
        return [np.concatenate(x).reshape(*shape, *x[0].shape[1:]) for x in zip(*parts, strict=True)]


def frame_at(at: Located, link: np.ndarray, pose: np.ndarray, velocity: np.ndarray) -> Seen:
    """A frame, from the poses of all joint frames and bodies, (..., links, 3, 4), and the hybrid twists of the former, (..., links, 6)."""
    base = (pose if at.relative_to == "body" else link)[..., at.link, :, :]
    E = np.zeros((*base.shape[:-2], 4, 4), base.dtype)
    E[..., :3, :], E[..., 3, 3] = base @ at.pose, 1.0
    r, (omega, v) = E[..., :3, 3] - link[..., at.link, :, 3], halves(velocity[..., at.link, :])
    return Seen(E, np.concatenate([omega, v + cross(omega, r)], axis=-1), r)


def halves(x: np.ndarray) -> Pair:
    """The angular and the linear part of twists (..., 6)."""
    return x[..., :3], x[..., 3:]


def of_kind(kind: str, E: np.ndarray, V: np.ndarray, rate: np.ndarray) -> Pair:
    """The twist of a frame of this kind, and its rate, (..., 6)."""
    twist, rates = rewritten(kind, E, V, V[..., None, :], rate[..., None, :])
    return twist[..., 0, :], rates[..., 0, :]


def ancestors(parent: Sequence[int], offsets: np.ndarray, link: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns of a Jacobian that move a link: the number of the joint of each, and its own."""
    line: list[int] = []
    while link >= 0:
        line.insert(0, link)
        link = parent[link]
    counts = [offsets[i + 1] - offsets[i] for i in line]
    return np.repeat(np.array(line, int), counts), np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in line])
