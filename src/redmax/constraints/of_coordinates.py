"""What the constraints share that read coordinates of joints, and hold on to no place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.handles import BodyHandle
from redmax.constraints.base import Constraint
from redmax.errors import SceneError, wrong
from redmax.joints.base import Joint
from redmax.joints.turning import has_lasting_rates


class OfCoordinates(Constraint):
    """Subclass it, call `read` with the joints, and write `gap` with `self.coordinates`: (q, qdot) of each of them."""

    def read(
        self, joints: Sequence[Any], arguments: Sequence[str], name: str | None, gain: float | None, compliance: float,
        force_limits: Any = None,
    ) -> None:  # fmt: skip
        """The joints whose coordinates it reads, by a body or a name; arguments: which of the constructor's each is."""
        self.name = name
        for joint, argument in zip(joints, arguments, strict=True):
            if not isinstance(joint, BodyHandle | str):
                raise wrong(self.label, argument, joint, "a body whose joint is meant, or the name of either")
        self.hold((), name, joints=joints, gain=gain, compliance=compliance, force_limits=force_limits)

    def check_added(self, joints: Sequence[Joint]) -> None:
        names = [handle.joint for handle in self.joints]
        for k, (name, joint) in enumerate(zip(names, joints, strict=True)):
            what = f"{self.label} reads the joint {name!r}, {type(joint).__name__},"
            if not joint.dof:
                fix = "Name a joint that moves"
                raise SceneError(f"{what} which has no degree of freedom. {fix}.", owner=self.label, argument=self.place_argument(k))
            if joint.nq != joint.dof:
                why = f"has {joint.nq} coordinates for {joint.dof} velocities, none of which counts by itself"
                fix = "Use exponential coordinates or angles, or hold bodies instead"
                raise SceneError(f"{what} which {why}. {fix}.", owner=self.label, argument=self.place_argument(k))
            if not has_lasting_rates(joint):
                why = "may exchange its coordinates for others during a run. Use a joint that keeps them"
                raise SceneError(f"{what} which {why}.", owner=self.label, argument=self.place_argument(k))
            if name in names[:k]:
                said = f"{self.label} has the joint {name!r} twice. Give two joints"
                raise SceneError(f"{said}.", owner=self.label, argument=self.place_argument(k))

    def check_coordinate(self, joint: Joint, k: int, coordinate: int, argument: str) -> None:
        """Raise unless the k-th joint has a coordinate of this number."""
        if not 0 <= coordinate < joint.dof:
            has = f"which has {joint.dof} coordinate{'s' * (joint.dof != 1)}, numbered from 0"
            what = f"{self.label} reads coordinate {coordinate} of the joint {self.joints[k].joint!r}"
            raise SceneError(f"{what}, {has}.", owner=self.label, argument=argument, got=str(coordinate), expected=f"below {joint.dof}")
