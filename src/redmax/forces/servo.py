"""Servo: a PD controller in a joint, with torques as large as it can exert."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from redmax.arguments import brief
from redmax.components.given import CalledWith, FromZeroEach, JointOf, MostEach, PerCoordinate
from redmax.components.limits import largest
from redmax.errors import SceneError
from redmax.forces.checks import nonnegative_each, per_coordinate
from redmax.forces.given import Given, are_numbers
from redmax.forces.motor_limits import MotorForce, MotorLimits
from redmax.joints.base import Joint
from redmax.math import maximum, minimum
from redmax.trace import Graph, jvp, substitute
from redmax.trace.vector import vector_of
from redmax.types import Array, Value


class Servo(MotorForce):
    """A servo in a joint: tau = kp (q_t - q) + kd (qdot_t - qdot), cut off at -limit and limit.

    Beyond the limit it has no stiffness and no damping. Where the configuration is an element of a group, q_t - q is the rotation vector
    from q to the target, log(R' R_t), and of a free joint then R' (p_t - p), and qdot_t the body twist of the target.

    target: q_t (rad or m), a number, one for each coordinate, or a function of t that returns them; qdot_t is its rate, by differentiation
    kp, kd: gains (N m/rad or N/m, N m s/rad or N s/m); limit: the largest torque (N m or N), none unless given
        Each a number, or one for each coordinate; where there is no limit, None or infinity.
    limits: what the motor can do (MotorLimits), beside `limit`: its largest torque, and the speed at which it drives no further
    It stores no energy that is counted.
    """

    spread = ("target", "kp", "kd", "limit")
    configurations = ("target",)
    placed = True
    on_group = True

    def __init__(
        self,
        joint: JointOf,
        target: Annotated[PerCoordinate | Callable[[Any], Any], CalledWith(each=True, t=())],
        *,
        kp: FromZeroEach,
        kd: FromZeroEach = 0.0,
        limit: MostEach | None = None,
        limits: MotorLimits | None = None,
        name: str | None = None,
    ) -> None:
        self.hold(joint, name)
        valid = "a finite number, or a function of t that returns it"
        self.target = np.zeros(()) if callable(target) else per_coordinate(self.label, "target", target, valid)
        self.moving = Given(self.label, target, ("t",), {}, "target") if callable(target) else None
        self.kp, self.kd = nonnegative_each(self.label, "kp", kp), nonnegative_each(self.label, "kd", kd)
        self.limit = largest(self.label, "limit", limit)
        self.hold_limits(limits)

    def check_configuration(self, name: str, joint: Joint, joint_name: str) -> None:
        if self.moving is None:
            super().check_configuration(name, joint, joint_name)

    def aim(self, t: Value, n: int, speeds: int) -> tuple[Any, Any]:
        """q_t (n,) and its rate; zeros (speeds,) of a target that stays."""
        if self.moving is None:
            return self.target, np.zeros(speeds)
        graph = Graph()
        time = graph.input("t", 0)
        found = self.moving.at(time, t=time)
        q = np.asarray(found, object).ravel()
        if len(q) != n or not are_numbers(q):
            got = str(len(q)) if len(q) != n else brief(found)
            raise SceneError(
                f"{self.label}: the target must be {n} numbers, one for each coordinate of its joint. Got {got}.",
                owner=self.label,
                argument="target",
            )
        q = q.tolist()
        found = substitute([*q, *jvp(q, {time: 1.0})], lambda base, index: t)
        return vector_of(found[:n]), vector_of(found[n:])

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        aim, rate = self.aim(t, len(q), len(qdot))
        if self.within is None:
            wanted = self.kp * (aim - q) + self.kd * (rate - qdot)
        else:
            rate = rate if self.moving is None else self.within.speeds(aim, rate)
            wanted = self.kp * self.within.away(q, aim) + self.kd * (rate - qdot)
        return self.applied(minimum(maximum(wanted, -self.limit), self.limit), qdot)
