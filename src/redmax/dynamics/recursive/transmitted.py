"""Inverse dynamics in world axes: the wrench that each joint transmits, about the origin of its tree, and the force that is missing there.

    F_j = M Vdot + B - (forces on the body) + sum of F over the children,     missing = tau + (own springs, torques) - s' F

What it leaves in the record (V, Vdot, F, frames) is what derivatives of the same state begin with (linearised.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import pushed
from redmax.dynamics.recursive.system import velocity_terms
from redmax.forces.frames import crossed
from redmax.program.record import JointView, ParentView, WorldView


@dataclass(frozen=True)
class Place:
    """The joint frame seen from the world: axes R, and `arm` from the origin of the tree to it."""

    R: Any
    arm: Any

    def twist(self, V: Any) -> np.ndarray:
        """(R a; R b + arm x R a) of a twist (a; b) in the joint frame."""
        a, b = self.R @ V[:3], self.R @ V[3:]
        return np.concatenate([a, b + crossed(self.arm, a)])

    def wrench(self, F: Any) -> np.ndarray:
        """(R n + arm x R f; R f) of a wrench (n; f) in the joint frame."""
        n, f = self.R @ F[:3], self.R @ F[3:]
        return np.concatenate([n + crossed(self.arm, f), f])

    def shifted(self, F: Any) -> np.ndarray:
        """Of a wrench in world axes about the joint frame."""
        return np.concatenate([F[:3] + crossed(self.arm, F[3:]), F[3:]])

    def within(self, F: Any) -> np.ndarray:
        """A wrench back in the joint frame."""
        return np.concatenate([self.R.T @ (F[:3] - crossed(self.arm, F[3:])), self.R.T @ F[3:]])


def place_of(j: JointView) -> Place:
    """Of a joint whose R, x and o are known."""
    return Place(np.asarray(j.R, object).reshape(3, 3), j.x - j.o)


def move_joint(j: JointView, p: ParentView, w: WorldView) -> None:
    """Frame, twist and acceleration at q, qdot, qddot, and what moving the body alone takes, in its own frame."""
    velocity_terms(j, p, w)
    j.Vdot = (j.X @ p.Vdot) + j.S @ j.qddot + j.eta
    j.inertial = (j.M @ j.Vdot) + j.B


def transmit(j: JointView, p: ParentView) -> Any:
    """F; and what the joint must exert beside its own springs and torques, (dof,), of which tau may be a part."""
    place = place_of(j)
    F = place.wrench(j.inertial) + j.F_hat
    if j.touched and "applied" in j:
        F = F - place.shifted(j.applied)
    p.F_hat += F
    j.F = F
    needed = j.S.T @ place.within(F) - j.passive - pushed(j)
    j.missing = j.tau - needed
    return needed
