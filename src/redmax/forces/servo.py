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
from redmax.math import maximum, minimum
from redmax.trace import Graph, jvp, substitute
from redmax.trace.vector import vector_of
from redmax.types import Array, Value


class Servo(MotorForce):
    """A servo in a joint: tau = kp (q_t - q) + kd (qdot_t - qdot), cut off at -limit and limit.

    Beyond the limit it has no stiffness and no damping.

    target: q_t (rad or m), a number, one for each coordinate, or a function of t that returns them; qdot_t is its rate, by differentiation
    kp, kd: gains (N m/rad or N/m, N m s/rad or N s/m); limit: the largest torque (N m or N), none unless given
        Each a number, or one for each coordinate; where there is no limit, None or infinity.
    limits: what the motor can do (MotorLimits), beside `limit`: its largest torque, and the speed at which it drives no further
    It stores no energy that is counted.
    """

    spread = ("target", "kp", "kd", "limit")
    placed = True

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

    def aim(self, t: Value, n: int) -> tuple[Any, Any]:
        """q_t and qdot_t."""
        if self.moving is None:
            return self.target, np.zeros(n)
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
        aim, rate = self.aim(t, len(qdot))
        wanted = self.kp * (aim - q) + self.kd * (rate - qdot)
        return self.applied(minimum(maximum(wanted, -self.limit), self.limit), qdot)
