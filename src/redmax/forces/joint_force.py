"""What a force within one joint is: torques as one function of its coordinates, rates and time, traced and differentiated.

It acts between a body and its parent along the joint's own directions, so that its stiffness and damping stay within the joint, and
implicit recursions remain O(n) (dynamics/recursive/joints.py).
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from redmax.arguments import brief
from redmax.components.data_and_structure import Described
from redmax.components.handles import BodyHandle
from redmax.errors import SceneError, called
from redmax.forces.given import are_numbers
from redmax.joints.base import Joint
from redmax.joints.turning import check_on_twist
from redmax.types import Array, Value

OFF = 1e-6  # how far a configuration may be from its group


class JointForce(Described):
    """What a force within one joint is: subclass it, call `hold` with the joint, and write `torque`, and `potential` if it stores energy.

    body: the one whose joint it acts in, or the name of either; own: what tells one force of a kind from another, beside its data.

    spread: the attributes that are a number, or one for each coordinate; configurations: those of them that are places of the joint
    placed: whether it depends on where the coordinates are, so that they must keep their meaning during a run
    on_group: whether it can act where a configuration is an element of a group, whose joint it then keeps in `within`
    on_twist: whether it acts along the twist of a ball or free joint, which its `torque` is then given in place of qdot
    """

    name: str | None
    body: BodyHandle | str
    own = ("name", "body")
    spread: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    placed = False
    on_group = False
    on_twist: bool = False
    within: Joint | None = None

    def hold(self, joint: BodyHandle | str, name: str | None) -> None:
        self.name = name
        if not isinstance(joint, BodyHandle | str):
            raise SceneError(
                f"{self.label} acts in a joint: give the body that it carries, or a name. Got {brief(joint)}.",
                owner=self.label,
                argument="joint",
            )
        self.body = joint

    @property
    def label(self) -> str:
        name = getattr(self, "name", None)
        return called(type(self).__name__, name) if isinstance(name, str) and name else type(self).__name__

    def torque(self, q: Array, qdot: Array, t: Value) -> Any:
        """(dof,), N m along angles, N along lengths."""
        raise SceneError(f"{self.label} gives no torque. Define torque(q, qdot, t) in its class.", owner=self.label)

    def potential(self, q: Array) -> Any:
        """Energy stored (J) by what of the torque is conservative."""
        return 0.0

    def exerted(self, q: Array, qdot: Array, t: Value) -> np.ndarray:
        """`torque`, checked to be one number for each coordinate."""
        return self.checked(self.torque(q, qdot, t), len(qdot))

    def checked(self, found: Any, n: int) -> np.ndarray:
        """(n,) torques."""
        value = np.asarray(found, object)
        if not are_numbers(value):
            raise SceneError(
                f"{self.label} must give {n} torques, one for each coordinate of its joint. Got {brief(found)}.", owner=self.label
            )
        if value.size != n or value.ndim > 1:
            raise SceneError(
                f"{self.label} must give {n} torques, one for each coordinate of its joint. Got shape {value.shape}.", owner=self.label
            )
        return value.reshape(n)

    def structure(self) -> tuple[Any, ...]:
        kind, rest = super().structure()
        return kind, tuple(entry for entry in rest if not (isinstance(entry, tuple) and entry and entry[0] in self.own))

    def replaced(self, **changes: Any) -> Self:
        """A copy with other attributes."""
        other = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(other, name, value)
        return other

    def added_to(self, scene: Any, name: str) -> Self:
        """The force as a scene has it: in a joint that is there, and that it fits."""
        handle = scene.find_joint(self.body)
        link = scene.links[handle.index]
        added = self.replaced(body=handle, name=name)
        added.fitted(link.joint, link.joint_name, link.q)
        return added

    def fitted(self, joint: Joint, joint_name: str, q: np.ndarray) -> Self:
        """The force with as many numbers as the joint has coordinates; q: where they begin."""
        n = joint.dof
        if n == 0:
            raise SceneError(
                f"{self.label} acts in the joint {joint_name!r}, which has no degree of freedom. Leave it out.",
                owner=self.label,
                argument="joint",
            )
        if self.on_twist:
            check_on_twist(joint, self.label, self.label)
        if self.placed and joint.nq != n and not self.on_group:
            why = f"depends on single coordinates, but the joint {joint_name!r}, {joint!r}, has {joint.nq} numbers for {n} velocities"
            fix = "Use exponential coordinates, or another joint"
            raise SceneError(f"{self.label} {why}. {fix}.", owner=self.label, argument="joint")
        if self.placed and any(joint.changing):
            why = f"depends on coordinates that the joint {joint_name!r}, {type(joint).__name__}, may change for others during a run"
            raise SceneError(f"{self.label} {why}. Use a joint that keeps its coordinates.", owner=self.label, argument="joint")
        changes: dict[str, Any] = {}
        if joint.nq != n and self.placed:
            changes["within"] = joint
        for name in self.spread:
            if name in changes or (name in self.configurations and joint.nq != n):
                self.check_configuration(name, joint, joint_name)
                continue
            value = np.asarray(getattr(self, name), float)
            if value.ndim and len(value) != n:
                has = f"{n} coordinate{'s' * (n != 1)}"
                pair = name in ("lower", "upper") and len(value) == 2
                fix = " The two ends of a range are lower and upper: JointLimit(joint, -1, 1, ...)." if pair else ""
                said = f"{self.label}: {name} has {len(value)} numbers, but the joint {joint_name!r} has {has}.{fix}"
                raise SceneError(said, owner=self.label, argument=name)
            changes[name] = value if value.ndim else np.full(n, float(value))
        return self.replaced(**changes)

    def check_configuration(self, name: str, joint: Joint, joint_name: str) -> None:
        """Raise unless one of its numbers is where a joint on a group may be."""
        value = np.asarray(getattr(self, name), float)
        if value.shape == (joint.nq,) and joint.off(value) <= OFF:
            return
        off = f", which is off by {float(joint.off(value)):.2g}" if value.shape == (joint.nq,) else f", shape {value.shape}"
        said = f"{self.label}: {name} must be a configuration of the joint {joint_name!r}: {joint.valid}. Got {brief(value)}{off}."
        raise SceneError(said, owner=self.label, argument=name, got=brief(value), expected=joint.valid)
