"""What springs and cables along a path have in common: stiffness, damping, and a length at rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, get_args

import numpy as np

from redmax.components.checks import choice, number
from redmax.components.given import Per
from redmax.errors import SceneError
from redmax.forces.base import Site
from redmax.forces.checks import nonnegative
from redmax.forces.path import PathForce

ROUNDING = 1e-12  # of positions: points closer than that are meant to be one
PER: tuple[str, ...] = get_args(Per)


class ElasticPath(PathForce):
    """k (N/m), d (N s/m) and L (m); or k (N) and d (N s) per unit of strain, until the length at rest is known."""

    stiffness: float
    damping: float
    rest: float
    per: str

    def hold_law(self, stiffness: float, damping: float, rest: float | None, per: str) -> None:
        self.stiffness = nonnegative(self.label, "stiffness", stiffness)
        self.damping = nonnegative(self.label, "damping", damping)
        self.rest = float("nan") if rest is None else number(self.label, "rest", rest, "a number above 0 (m)", above=0)
        self.per = choice(self.label, "per", per, PER)

    def settled(self, sites: Sequence[Site]) -> Self:
        L = float(self.length_and_rate(sites)[0]) if self.rest != self.rest else self.rest
        if self.per == "length":
            return self.replaced(rest=L)
        if not ROUNDING * max(float(np.abs(site.x).max()) for site in sites) < L:
            raise SceneError(
                f"{self.label} has rest length {L:g} m, so it has no strain. Give rest= or per='length'.", owner=self.label, argument="rest"
            )
        return self.replaced(rest=L, stiffness=self.stiffness / L, damping=self.damping / L, per="length")
