"""Actuator: torques in a joint from a function of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from redmax.components.given import ActsOn, CalledWith, JointOf, Parameter
from redmax.errors import Phrase
from redmax.forces.checks import acts_on_twist
from redmax.forces.given import Given
from redmax.forces.motor_limits import MotorForce, MotorLimits
from redmax.types import Array, Value


class Actuator(MotorForce):
    """A torque of your own in a joint: tau = function(t, q, qdot, **parameters), (dof,), in N m along angles and N along lengths.

    limits: what the motor can do (MotorLimits): its largest torque, and the speed at which it drives no further
    acts_on: "rates", or "twist" of a ball or free joint: function(t, q, twist, **parameters) then gives the torque along the angular
        velocity (and the force along the linear one), in axes that move with the body
    potential: a function of q (and the parameters) whose energy is counted; none unless given, as what drives a joint does work
    parameters: numbers, arrays of them or tables (redmax.math.Table), data that actuators of this kind may differ in
    """

    def __init__(
        self,
        joint: JointOf,
        function: Annotated[Callable[..., Any], CalledWith(each=True, t=(), q=("nq",), qdot=("dof",))],
        *,
        potential: Annotated[Callable[..., Any], CalledWith(q=("nq",))] | None = None,
        limits: MotorLimits | None = None,
        acts_on: ActsOn = "rates",
        name: str | None = None,
        **parameters: Parameter,
    ) -> None:
        self.hold(joint, name)
        self.on_twist = acts_on_twist(self.label, acts_on)
        self.hold_limits(limits)
        self.law = Given(self.label, function, ("t", "q", "qdot"), parameters)
        self.energy = None if potential is None else Given(self.label, potential, ("q",), parameters, "potential")

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        return self.applied(self.law.at(t, q, qdot, t=t), qdot)

    def potential(self, q: Array) -> Any:
        return 0.0 if self.energy is None else self.energy.number(q, t=0.0, what=Phrase("the potential (J)", "potential"))
