"""Which pairs of shapes of a model have a law that does not follow from friction, restitution and compliance of their two surfaces."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.contact.material import ContactMaterial, together
from redmax.contact.pair_law import PAIR_NUMBERS, ROLLING, TORSIONAL, PairLaw
from redmax.contact.shape import ContactShape
from redmax.errors import SceneError
from redmax.program.interaction import Acting

if TYPE_CHECKING:
    from redmax.model.model import Model


class ModelPairLaws:
    """What a Model knows of them."""

    def pair_material(self, a: ContactShape, b: ContactShape) -> ContactMaterial | None:
        """That of a pair which has its own: by names, else by groups."""
        model: Model = self  # type: ignore[assignment]
        laws = model.contact_laws
        return laws.get(frozenset((a.owner, b.owner)), laws.get(frozenset((a.group, b.group))))

    def pair_numbers(self, a: ContactShape, b: ContactShape) -> tuple[float, ...] | None:
        """Those of PairLaw, of a pair with its own material or with torsional or rolling friction."""
        material = self.pair_material(a, b)
        found = together(a.material, b.material) if material is None else material.alone()
        if max(a.node, b.node) >= 0:
            found[TORSIONAL] = found[ROLLING] = 0.0  # a node is a point, which does not turn
        if material is None and not found[TORSIONAL] and not found[ROLLING]:
            return None
        return (*found, self.turns(a) + self.turns(b))

    def pair_friction(self, a: ContactShape, b: ContactShape) -> float:
        """mu of a pair."""
        material = self.pair_material(a, b)
        return together(a.material, b.material)[0] if material is None else material.friction

    def turns(self, shape: ContactShape) -> float:
        """The mean of I^-1 of its body, 0 where that cannot move."""
        model: Model = self  # type: ignore[assignment]
        if model.welded(shape.body) < 0 or shape.node >= 0:
            return 0.0
        return float(np.trace(np.linalg.inv(model.felt_mass(shape.body)[1]))) / 3.0

    @cached_property
    def pair_rows(self) -> dict[tuple[float, ...], int]:
        """Numbers of pairs, each once, and the row in which they are kept."""
        model: Model = self  # type: ignore[assignment]
        found = [self.pair_numbers(a, b) for a, b in model.contact_pairs]
        return {numbers: k for k, numbers in enumerate(dict.fromkeys(x for x in found if x is not None))}

    @cached_property
    def pairs_acting(self) -> tuple[Acting, ...]:
        """The kernel that keeps them."""
        if not self.pair_rows:
            return ()
        numbers = np.array(list(self.pair_rows), float).reshape(-1, PAIR_NUMBERS)
        return (Acting(PairLaw(), np.zeros((len(numbers), 0), np.int64), numbers, kept=PAIR_NUMBERS),)

    @cached_property
    def turning(self) -> bool:
        """Whether some pair has torsional or rolling friction."""
        return any(numbers[TORSIONAL] or numbers[ROLLING] for numbers in self.pair_rows)


def check_laws(model: Model) -> None:
    """Raise where a law is that of two bodies which nothing can move against each other."""
    index = {link.name: k for k, link in enumerate(model.bodies)}
    moving = {soft.name for soft in model.soft}
    for pair in model.contact_laws:
        names = sorted(x for x in pair if isinstance(x, str) and x not in moving)
        places = {model.welded(index.get(name, -1)) for name in names}
        if len(names) == 2 and len(places) == 1:
            said = f"set_contact: {names[0]!r} and {names[1]!r} never move against each other, so that they cannot touch. Leave it out."
            raise SceneError(said, owner="set_contact", argument="second")
