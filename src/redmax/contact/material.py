"""What a surface is made of, as contact feels it; and what two surfaces are to each other.

Friction and restitution of a pair are geometric means: of two equal surfaces what each has, and nothing where one has none.
Compliances add up, as of springs in series. Torsional and rolling friction come from how surfaces give way around a point: that of the
pair is the larger one, so that a soft ball is slowed on hard ground. (A pair may have a material of its own, Scene.set_contact.)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from redmax.components.checks import flag, number
from redmax.errors import SceneError

FROM_ZERO = "a number from 0 up"
SOFT, STIFF = 0.1, 0.01  # what a step leaves of the compliance of the bodies themselves, where none is given
NUMBERS = ("friction", "restitution", "softness", "compliance", "damping")
OF_PAIRS = (*NUMBERS, "torsional", "rolling")


@dataclass(frozen=True)
class ContactMaterial:
    """How a surface touches others.

    friction: mu of Coulomb's law; restitution: 0 to 1, how much of an approach comes back (Moreau's law)
    compliance (m/N): how far it gives way; 0: as little as a step can tell, some micrometres at rest for bodies of a kilogram
    damping (s): how long it takes to come back from there, with compliance
    stiff: without compliance, a tenth of what it else gives way, at the price of more iterations; not beside a compliance
    torsional, rolling (m): the moment about the normal, and about axes along the surface, is at most so much times the normal force
    """

    friction: float = 0.6
    restitution: float = 0.0
    compliance: float = 0.0
    damping: float = 0.0
    stiff: bool = False
    torsional: float = 0.0
    rolling: float = 0.0

    def __post_init__(self) -> None:
        for name in ("friction", "restitution", "compliance", "damping", "torsional", "rolling"):
            object.__setattr__(self, name, number("ContactMaterial", name, getattr(self, name), FROM_ZERO, least=0))
        flag("ContactMaterial", "stiff", self.stiff)
        if self.restitution > 1:
            said = f"ContactMaterial: restitution is {self.restitution:g}, expected 0 (no bounce) to 1 (all of it comes back)."
            raise SceneError(said, owner="ContactMaterial", argument="restitution")
        if self.damping and not self.compliance:
            said = f"ContactMaterial: damping is {self.damping:g} s and compliance 0: what does not give way needs none. Give both."
            raise SceneError(said, owner="ContactMaterial", argument="damping")
        if self.stiff and self.compliance:
            said = (
                f"ContactMaterial: compliance is {self.compliance:g} m/N, which says how far it gives way: stiff=True has no part in that"
            )
            raise SceneError(f"{said}. Leave out one of them.", owner="ContactMaterial", argument="stiff")

    def numbers(self) -> list[float]:
        """As the kernels have them, in the order of NUMBERS."""
        return [self.friction, self.restitution, STIFF if self.stiff else SOFT, self.compliance, self.damping]

    def alone(self) -> list[float]:
        """Of a pair that has this material, in the order of OF_PAIRS."""
        return [*self.numbers(), self.torsional, self.rolling]


def together(a: ContactMaterial, b: ContactMaterial) -> list[float]:
    """Of a pair of surfaces, in the order of OF_PAIRS."""
    means = [sqrt(a.friction * b.friction), sqrt(a.restitution * b.restitution)]
    gives_way = [STIFF if a.stiff or b.stiff else SOFT, a.compliance + b.compliance, max(a.damping, b.damping)]
    return [*means, *gives_way, max(a.torsional, b.torsional), max(a.rolling, b.rolling)]


def as_material(owner: str, given: Any) -> ContactMaterial:
    """True for the usual one, a material, or the friction alone."""
    if isinstance(given, ContactMaterial):
        return given
    if given is True:
        return ContactMaterial()
    if isinstance(given, int | float | np.number | np.ndarray) and not isinstance(given, bool) and np.ndim(given) == 0:
        return ContactMaterial(friction=number(owner, "friction", given, FROM_ZERO, least=0))
    raise SceneError(
        f"{owner}: contact is {given!r}, expected True, a friction such as 0.6, or redmax.ContactMaterial(...).",
        owner=owner,
        argument="contact",
    )
