"""Units are labels: nothing is converted, but plots and viewers say what the numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redmax.arguments import brief
from redmax.errors import SceneError

FORCES = {("m", "kg"): "N", ("cm", "g"): "dyn", ("mm", "kg"): "mN", ("mm", "g"): "\u00b5N"}
ENERGIES = {("m", "kg"): "J", ("cm", "g"): "erg", ("mm", "kg"): "\u00b5J", ("mm", "g"): "nJ"}


@dataclass(frozen=True)
class Units:
    """Names of the units of length, mass and time that the numbers of a scene are in."""

    length: str
    mass: str
    time: str

    @property
    def energy(self) -> str:
        """mass length^2 / time^2, by its own name where it has one."""
        return ENERGIES.get((self.length, self.mass), f"{self.mass} {self.length}\u00b2/{self.time}\u00b2")

    @property
    def force(self) -> str:
        """mass length / time^2, by its own name where it has one."""
        return FORCES.get((self.length, self.mass), f"{self.mass} {self.length}/{self.time}\u00b2")

    @property
    def power(self) -> str:
        """energy / time, by its own name where it has one."""
        return "W" if self.energy == "J" else f"{self.energy}/{self.time}"

    @property
    def torque(self) -> str:
        """force times length; not by the name of energy, which is another thing."""
        known = (self.length, self.mass) in FORCES
        return f"{self.force} {self.length}" if known else f"{self.mass} {self.length}\u00b2/{self.time}\u00b2"


def units_of(text: Any) -> Units:
    """From three names such as "m kg s"; times are always in seconds."""
    names = text.split() if isinstance(text, str) else []
    if len(names) != 3 or names[2] != "s":
        raise SceneError(
            f"units must name length, mass and time, the last being s: 'm kg s' or 'cm g s'. Got {brief(text)}.",
            owner="Scene",
            argument="units",
        )
    return Units(*names)
