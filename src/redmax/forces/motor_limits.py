"""MotorLimits: the largest torque that a motor exerts, and the speed beyond which it drives no further.

    tau cut off at -effort and effort;   where it drives (tau qdot > 0), times  clip((1 - |qdot| / velocity) / fade, 0, 1)

A torque against the motion, which brakes, is not touched by the speed. fade=1 is the straight line of a motor at constant voltage, from
its stall torque `effort` to its speed without load; a small one is a drive that keeps its torque almost up to its largest speed. What is
left is the torque that acts: the one that histories, work and the equations of motion have.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import number
from redmax.components.data_and_structure import Described
from redmax.components.given import FastestEach, MostEach, Range
from redmax.components.limits import largest
from redmax.errors import SceneError
from redmax.forces.joint_force import JointForce
from redmax.joints.base import Joint
from redmax.math import absolute, less, maximum, minimum, where
from redmax.types import Array

FADE = "a number above 0, at most 1"


class MotorLimits(Described):
    """What a motor can do: the torque of a servo or an actuator is cut off at `effort`, and fades where it would drive beyond `velocity`.

    effort: the largest torque (N m or N); velocity: the largest speed (rad/s or m/s); none unless given; numbers, or one for each
        coordinate, None or infinity where there is no limit
    fade: over which part of the speed, just below the largest, a driving torque fades to nothing; 1: all the way from rest
    """

    def __init__(
        self,
        effort: MostEach | None = None,
        velocity: FastestEach | None = None,
        *,
        fade: Annotated[float, Range(above=0, most=1)] = 0.1,
    ) -> None:
        owner = "MotorLimits"
        self.effort = where_some(largest(owner, "effort", effort))
        self.velocity = where_some(largest(owner, "velocity", velocity, zero=False))
        self.fade = number(owner, "fade", fade, FADE, above=0, most=1)
        if self.effort is None and self.velocity is None:
            raise SceneError("MotorLimits limits nothing: give effort, velocity or both.", owner=owner, argument="effort")

    def check(self, label: str, joint_name: str, dof: int) -> None:
        """Raise unless there is one number, or one for each coordinate of a joint."""
        for name, value in (("effort", self.effort), ("velocity", self.velocity)):
            if value is not None and value.ndim and len(value) != dof:
                said = f"{label}: {name} of its limits has {len(value)} numbers, but the joint {joint_name!r} has {dof} coordinates."
                raise SceneError(said, owner=label, argument="limits")

    def applied(self, tau: Any, qdot: Array) -> Any:
        """The torque that acts, (dof,), of the one that is asked for."""
        if self.effort is not None:
            tau = minimum(maximum(tau, -self.effort), self.effort)
        if self.velocity is None:
            return tau
        left = minimum(maximum((1.0 - absolute(qdot) / self.velocity) / self.fade, 0.0), 1.0)
        return where(less(0.0, tau * qdot), tau * left, tau)


def where_some(limit: np.ndarray) -> np.ndarray | None:
    """Itself; None where it limits nothing."""
    return limit if np.isfinite(limit).any() else None


class MotorForce(JointForce):
    """A force within a joint that a motor exerts, within its limits."""

    limits: MotorLimits | None = None

    def hold_limits(self, given: MotorLimits | None) -> None:
        """Keep limits, or None."""
        if given is not None and not isinstance(given, MotorLimits):
            said = f"{self.label}: limits are redmax.MotorLimits(effort=..., velocity=...). Got {brief(given)}."
            raise SceneError(said, owner=self.label, argument="limits")
        self.limits = given

    def applied(self, tau: Any, qdot: Array) -> Any:
        """The torque that acts, (dof,), of the one that is asked for."""
        return tau if self.limits is None else self.limits.applied(self.checked(tau, len(qdot)), qdot)

    def fitted(self, joint: Joint, joint_name: str, q: np.ndarray) -> Self:
        if self.limits is not None:
            self.limits.check(self.label, joint_name, joint.dof)
        return super().fitted(joint, joint_name, q)
