"""EqualAngles: joints that have the same coordinates: g = q_k - q_1, for each joint but the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from redmax.components.given import ForceLimits, FromZero, Gain, JointOf
from redmax.components.holding import Site
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import SceneError, wrong
from redmax.joints.base import Joint
from redmax.types import Value


class EqualAngles(OfCoordinates):
    """Joints that move alike: all have the coordinates of the first. As many rows as the other joints have coordinates.

    joints: two or more, by a body or a name, all with as many coordinates
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    held = ("joints",)

    def __init__(
        self,
        joints: Sequence[JointOf],
        *,
        name: str | None = None,
        gain: Gain | None = None,
        compliance: FromZero = 0.0,
        force_limits: ForceLimits | None = None,
    ) -> None:
        self.name, self.size = name, 0
        if not isinstance(joints, list | tuple) or len(joints) < 2:
            raise wrong(self.label, "joints", joints, "a list of two or more joints, by a body or a name")
        self.read(joints, ["joints"] * len(joints), name, gain, compliance, force_limits)

    def check_added(self, joints: Sequence[Joint]) -> None:
        super().check_added(joints)
        for handle, joint in zip(self.joints, joints, strict=True):
            if joint.dof != joints[0].dof:
                what = f"the joint {handle.joint!r} has {joint.dof} coordinates, and {self.joints[0].joint!r} has {joints[0].dof}"
                raise SceneError(f"{self.label}: {what}. All must have as many.", owner=self.label, argument="joints")

    def fitted(self, joints: Sequence[Joint]) -> Self:
        return self.replaced(size=joints[0].dof * (len(joints) - 1))

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        (first, _), *others = self.coordinates
        return np.concatenate([q - first for q, _ in others])
