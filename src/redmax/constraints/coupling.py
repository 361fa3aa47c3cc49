"""Coupling: a sum of coordinates that is constant: one row, g = sum_i c_i q_i - offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite, number
from redmax.components.data_and_structure import one_line
from redmax.components.given import ForceLimits, FromZero, Gain, JointWeights
from redmax.components.holding import Site
from redmax.constraints.distance import NONE
from redmax.constraints.of_coordinates import OfCoordinates
from redmax.errors import SceneError, wrong
from redmax.joints.base import Joint
from redmax.types import Value


class Coupling(OfCoordinates):
    """Coordinates of joints whose weighted sum is constant, as of the three shafts of a differential gear: one row.

    joints: {joint: c}: joints, by a body or a name, each with its weight, as many as it has coordinates
    offset: sum c q; as the scene begins, unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 1
    held = ("joints",)

    def __init__(
        self, joints: JointWeights, offset: float | None = None, *, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        if not isinstance(joints, Mapping) or not joints:
            raise wrong(self.label, "joints", joints, 'joints with their weights, such as {"left": 1.0, "right": 1.0, "case": -2.0}')
        self.read(tuple(joints), ["joints"] * len(joints), name, gain, compliance, force_limits)
        self.weights = tuple(np.atleast_1d(self.weight(*pair)) for pair in joints.items())
        self.offset = NONE if offset is None else number(self.label, "offset", offset, "a finite number")
        if not any(c.any() for c in self.weights):
            said = f"{self.label} couples nothing: all its weights are 0. Give weights other than 0"
            raise SceneError(f"{said}.", owner=self.label, argument="joints")

    def weight(self, joint: Any, given: Any) -> np.ndarray:
        """c of one joint."""
        valid = f"a number for {one_line(getattr(joint, 'name', joint))}, or as many as it has coordinates"
        return finite(self.label, "joints", given, ((), (-1,)), valid)

    def check_added(self, joints: Sequence[Joint]) -> None:
        super().check_added(joints)
        for handle, joint, c in zip(self.joints, joints, self.weights, strict=True):
            if len(c) != joint.dof:
                what = f"the joint {handle.joint!r} has {joint.dof} coordinate{'s' * (joint.dof != 1)}"
                raise SceneError(f"{self.label}: {what}, with the weights {brief(c.tolist())}.", owner=self.label, argument="joints")

    def settled(self, sites: Sequence[Site]) -> Self:
        return self.replaced(offset=float(self.total())) if np.isnan(self.offset) else self

    def total(self) -> Any:
        """sum c q."""
        found: Any = 0.0
        for c, (q, _) in zip(self.weights, self.coordinates, strict=True):
            for k in range(len(c)):
                found = found + c[k] * q[k]
        return found

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return [self.total() - self.offset]
