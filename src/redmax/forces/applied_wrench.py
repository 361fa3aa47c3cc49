"""AppliedWrench: a torque and a force on a body, constant or a function of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from redmax.components.checks import choice, vector3
from redmax.components.given import Place, StiffnessKind, VectorOfTime
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.given import of_time, vector_at
from redmax.types import Value

FRAMES = ("body", "world")


class AppliedWrench(Force):
    """The wrench (torque; force) at a point of a body, or at its centre of mass; it stores no energy.

    torque (N m), force (N): three numbers each, or a function of t that returns them, in the axes of `frame`, "body" or "world"
    """

    oriented = True

    held = ("on",)

    def __init__(
        self,
        on: Place,
        *,
        torque: VectorOfTime = (0.0, 0.0, 0.0),
        force: VectorOfTime = (0.0, 0.0, 0.0),
        frame: Literal["body", "world"] = "body",
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.hold([on], name, stiffness_kind)
        valid = "three finite numbers, or a function of t that returns them"
        self.frame = choice(self.label, "frame", frame, FRAMES)
        self.torque = of_time(self.label, "torque", torque) if callable(torque) else vector3(self.label, "torque", torque, valid)
        self.force = of_time(self.label, "force", force) if callable(force) else vector3(self.label, "force", force, valid)

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]]:
        return []

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        torque, force = vector_at(self.label, "torque", self.torque, t), vector_at(self.label, "force", self.force, t)
        if self.frame == "body":
            torque, force = sites[0].R @ torque, sites[0].R @ force
        return [(torque, force)]
