"""A loop that is closed by a joint, any that the library has or a user writes: rows are what its motion leaves out.

    e = log(Q(q)^-1 E1^-1 E2),    S' e = 0,    g = N' e,    N' S = 0,  N' N = 1

E1, E2: the two places; q: the joint's coordinates, found from them and carried along (constraints/carried.py); N: an orthonormal complement
of S (constraints/complement.py). Everything moves: gdot and gddot are differentiated with q moving at S+ (V - s), V the twist of the second
place relative to the first. Where the loop is closed that is exact, and beside it to the second order of e.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_floats, brief
from redmax.components.given import ForceLimits, Frame, FromZero, Gain
from redmax.components.holding import Anchor, Holding, Site
from redmax.constraints.carried import Carrying
from redmax.constraints.complement import complement
from redmax.constraints.starts import starting_places
from redmax.errors import SceneError
from redmax.forces.frames import crossed
from redmax.joints.base import Joint
from redmax.joints.motion import checked_pose, differentiated_jacobian
from redmax.joints.nearest import along, nearer, small_log
from redmax.trace import Table
from redmax.types import Value


class Closure(Carrying):
    """A loop is closed by any joint, which leaves the second place the motion that it has relative to the first. 6 - dof rows.

    joint: of 0 to 5 degrees of freedom; what it exerts by itself, as limits of a spline, has no part in it
    first, second: places on bodies or in the world: bodies, points (with the body's axes), frames, or (body, pose)
    q: coordinates of the joint near which the search for them begins too, beside many places of its range
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    oriented = True
    held = ("first", "second")
    own = (*Holding.own, "joint", "q")

    def __init__(
        self,
        joint: Joint,
        first: Frame,
        second: Frame,
        *,
        q: ArrayLike | None = None,
        name: str | None = None,
        gain: Gain | None = None,
        compliance: FromZero = 0.0,
        force_limits: ForceLimits | None = None,
    ) -> None:
        self.name = name
        self.joint, self.motion = checked_joint(self.label, joint), joint
        self.motion, C = joint.core()
        self.q = None if q is None else self.checked_start(q)
        self.size, self.slides = 6 - joint.dof, joint.dof
        self.carries, self.shown = (self.motion.size, self.motion.nq) if joint.dof else (0, 0)
        places = starting_places(self.motion, self.q)
        self.places, self.starts = Table(places), len(places)
        self.hold((first, second), name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.anchors = tuple(Anchor(a.member, a.position + a.rotation @ C[:3, 3], a.rotation @ C[:3, :3]) for a in self.anchors)

    def checked_start(self, q: ArrayLike) -> np.ndarray:
        """Coordinates that are given."""
        found, n = as_floats(q), self.joint.nq
        if found is None or np.atleast_1d(found).shape != (n,) or not np.isfinite(found).all():
            valid = f"{n} finite number{'s' * (n != 1)}, the coordinates of {self.joint!r}"
            raise SceneError(f"q of {self.label} must be {valid}. Got {brief(q)}.", owner=self.label, argument="q", expected=valid)
        return np.atleast_1d(found)

    def reached(self, delta: Any, t: Value) -> tuple[Any, Any, Any]:
        """The pose of the joint at its coordinates changed by delta, its S, and what it does by time alone."""
        joint, q = self.motion, self.carried[0]
        at = joint.retract(q, delta) if self.slides else q
        E = checked_pose(joint, joint.at("transform", at, t))
        given = joint.at("jacobian", at, t) if joint.nq == joint.dof and joint.has_own("jacobian") else None
        S = differentiated_jacobian(E, list(delta)) if given is None else given
        return E, np.asarray(S, object), differentiated_jacobian(E, [t])[:, 0] if joint.timed else np.zeros(6)

    def off(self, sites: Sequence[Site], E: Any) -> tuple[Any, Any]:
        """Where the second place is, seen from where the joint has it: R and p."""
        one, two = sites
        R = E[:3, :3].T @ (one.R.T @ two.R)
        return R, E[:3, :3].T @ (one.R.T @ (two.x - one.x) - E[:3, 3])

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        E, S, _ = self.reached(self.carried[1], t)
        return complement(S).T @ small_log(*self.off(sites, E))

    def sliding(self, sites: Sequence[Site], t: Value) -> Any:
        if not self.slides:
            return ()
        _, S, s = self.reached(self.carried[1], t)
        one, two = sites
        v = two.v - one.v - crossed(one.omega, two.x - one.x)
        return along(S, np.concatenate([two.R.T @ (two.omega - one.omega), two.R.T @ v]) - s)

    def beginning(self, sites: Sequence[Site], number: Value, t: Value) -> tuple[Any, Any]:
        q = self.places[number]
        R, p = self.off(sites, checked_pose(self.motion, self.motion.at("transform", q, t)))
        return q, p @ p + (3.0 - R[0, 0] - R[1, 1] - R[2, 2])  # of small turns their squares, and largest of half ones

    def improved(self, sites: Sequence[Site], q: Any, delta: Any, t: Value) -> tuple[Any, Any]:
        joint = self.motion
        better = joint.rechart([(q, np.zeros(joint.dof).astype(object))]) if joint.has_own("rechart") else None
        q = q if better is None else better[0][0]
        E, S, _ = self.replaced(carried=(q, delta)).reached(delta, t)
        step = nearer(S, small_log(*self.off(sites, E)), [{x: 1.0} for x in delta])
        return joint.retract(q, step), step


def checked_joint(label: str, joint: Any) -> Joint:
    """A joint that a loop can be closed by."""
    if not isinstance(joint, Joint):
        valid = "a joint such as redmax.Revolute('z')"
        raise SceneError(f"The joint of {label} must be {valid}. Got {brief(joint)}.", owner=label, argument="joint", expected=valid)
    if joint.dof > 5:
        said = (
            f"{label} has the joint {joint!r}, which leaves nothing out: with 6 degrees of freedom it closes no loop. Take one of 0 to 5."
        )
        raise SceneError(said, owner=label, argument="joint")
    if joint.rolls:
        said = f"{label} has the joint {joint!r}, which rolls. A loop cannot be closed by one that does: leave rolling= out."
        raise SceneError(said, owner=label, argument="joint")
    return joint
