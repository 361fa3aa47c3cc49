"""BodyDamping: resists the motion of one body through the world (RedMax notes Sec. 1.9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.arguments import brief
from redmax.components.given import FromZero, StiffnessKind
from redmax.components.handles import BodyHandle
from redmax.errors import Phrase, SceneError
from redmax.forces.base import Force, Site, Wrench
from redmax.forces.checks import nonnegative
from redmax.types import Value


class BodyDamping(Force):
    """The wrench -d phi on a body, at its centre of mass.

    damping: d of all six components; or angular: (N m s) and linear: (N s/m) apart, zero unless given
    """

    oriented = True

    held = ("body",)

    def __init__(
        self,
        body: BodyHandle,
        damping: FromZero | None = None,
        *,
        angular: FromZero | None = None,
        linear: FromZero | None = None,
        name: str | None = None,
        stiffness_kind: StiffnessKind = "definite",
    ) -> None:
        self.name = name
        if not isinstance(body, BodyHandle):
            raise SceneError(
                f"{self.label} acts on a body, as scene.add_body returns it. Got {brief(body)}.", owner=self.label, argument="body"
            )
        self.hold([body], name, stiffness_kind)
        if (damping is None) == (angular is None and linear is None):
            raise SceneError(
                f"{self.label} takes either damping for all components, or angular and linear.", owner=self.label, argument="damping"
            )
        self.angular = self.one("angular", angular, damping)
        self.linear = self.one("linear", linear, damping)

    def one(self, name: str, value: float | None, damping: float | None) -> float:
        """The damping of three components: as given for them, or for all."""
        given = damping if value is None else value
        said = Phrase(f"{name} damping", "damping" if value is None else name)
        return nonnegative(self.label, said, 0.0 if given is None else given)

    def strains(self, sites: Sequence[Site], t: Value) -> list[tuple[Any, Any]]:
        return []

    def wrenches(self, sites: Sequence[Site], t: Value) -> list[Wrench]:
        return [(-self.angular * sites[0].omega, -self.linear * sites[0].v)]
