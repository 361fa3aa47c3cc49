"""PointForce: pulls a point of a body in a direction of the world (RedMax notes Sec. 1.9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.checks import flag, number, vector3
from redmax.components.given import NumberOfTime, Place, StiffnessKind, VectorOfTime
from redmax.errors import Phrase
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.given import Given, of_time, vector_at
from redmax.types import Value


class PointForce(Force):
    """The force k a at a point x of a body, in body axes k Gamma^T R^T a; V = -k x . a (Eqs. 1.31, 1.32).

    direction: a, three numbers in world axes, of any length; strength: k (N). Each a constant or a function of time t
    counted: whether V belongs to the energy of the scene; if None, unless the force depends on time
    """

    held = ("point",)

    def __init__(
        self,
        point: Place,
        direction: VectorOfTime,
        *,
        strength: NumberOfTime = 1.0,
        counted: bool | None = None,
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.hold([point], name, stiffness_kind)
        valid = "three finite numbers in world axes, or a function of t that returns them"
        self.direction = (
            of_time(self.label, "direction", direction) if callable(direction) else vector3(self.label, "direction", direction, valid)
        )
        self.strength = (
            Given(self.label, strength, ("t",), {}, "strength")
            if callable(strength)
            else number(self.label, "strength", strength, "a number (N) or a function of t")
        )
        constant = not (callable(direction) or callable(strength))
        self.counted = constant if counted is None else flag(self.label, "counted", counted)

    def pull(self, t: Value) -> Any:
        """k a (N), in world axes."""
        k = self.strength.number(t, t=t, what=Phrase("the strength (N)", "strength")) if isinstance(self.strength, Given) else self.strength
        return k * vector_at(self.label, "direction", self.direction, t)

    def potential(self, sites: Sequence[Site], t: Value) -> Any:
        return -(sites[0].x @ self.pull(t)) if self.counted else None

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]]:
        return []

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        return [(None, self.pull(t))]
