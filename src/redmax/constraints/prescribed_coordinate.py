"""PrescribedCoordinate: coordinates of a joint that follow a function of time: a row for each, g = q - q_p(t)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Self

import numpy as np

from redmax.arguments import as_objects, brief
from redmax.components.checks import finite, whole
from redmax.components.given import CalledWith, ForceLimits, FromZero, Gain, JointOf, PerCoordinate, Which
from redmax.components.holding import Site
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import SceneError
from redmax.forces.given import are_numbers, of_time
from redmax.joints.base import Joint
from redmax.types import Value

Motion = Annotated[PerCoordinate | Callable[[Any], Any], CalledWith(each=True, t=())]


class PrescribedCoordinate(OfCoordinates):
    """A joint, or one of its coordinates, follows a function of time: a row for each. What that takes is its multipliers (N m or N).

    (A body's `motion=` takes the joint out of the equations instead, for all of its coordinates, and is cheaper.)

    joint: by a body or a name; motion: function of t (s) -> a number for each coordinate (rad or m), or constants: a joint that is locked
    coordinate: which of the joint's alone; all of them, unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    held = ("joint",)

    def __init__(
        self, joint: JointOf, motion: Motion, *, coordinate: Which | None = None, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.read((joint,), self.held, name, gain, compliance, force_limits)
        self.size = 0
        self.coordinate = None if coordinate is None else whole(self.label, "coordinate", coordinate, 0)
        valid = "a function of t, or a number for each coordinate"
        self.motion = (
            of_time(self.label, "motion", motion)
            if callable(motion)
            else np.atleast_1d(finite(self.label, "motion", motion, ((), (-1,)), valid))
        )

    def check_added(self, joints: Sequence[Joint]) -> None:
        super().check_added(joints)
        if self.coordinate is not None:
            self.check_coordinate(joints[0], 0, self.coordinate, "coordinate")
        self.fitted(joints).target(0.0)

    def fitted(self, joints: Sequence[Joint]) -> Self:
        return self.replaced(size=joints[0].dof if self.coordinate is None else 1)

    def target(self, t: Value) -> Any:
        """q_p, a number for each row."""
        given = self.motion(t) if callable(self.motion) else self.motion
        found = np.atleast_1d(as_objects(given))
        if found.shape != (self.size,) or not are_numbers(found):
            got = f"shape {found.shape}" if found.shape != (self.size,) else brief(given)
            numbers = "one number" if self.size == 1 else f"{self.size} numbers, one for each coordinate"
            raise SceneError(f"{self.label}: motion must give {numbers}. Got {got}.", owner=self.label, argument="motion")
        return found

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        ((q, _),) = self.coordinates
        chosen = q[: self.size] if self.coordinate is None else q[self.coordinate : self.coordinate + 1]
        return chosen - self.target(t)
