"""Which pairs of shapes of a model have a law that does not follow from friction, restitution and compliance of their two surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from redmax.components.numbers import Path
from redmax.contact.material import ContactMaterial, together
from redmax.contact.pair_law import PAIR_NUMBERS, ROLLING, TORSIONAL, PairLaw
from redmax.contact.shape import ContactShape
from redmax.errors import SceneError
from redmax.model.contact_parameters import PAIR, SURFACE, Moments, columns_of, materials
from redmax.program.interaction import Acting

if TYPE_CHECKING:
    from redmax.model.model import Model


class ModelPairLaws:
    """What a Model knows of them."""

    def pair_material(self, a: ContactShape, b: ContactShape) -> ContactMaterial | None:
        """That of a pair which has its own: by names, else by groups."""
        model: Model = self  # type: ignore[assignment]
        key = self.pair_key(a, b)
        return None if key is None else model.contact_laws[key]

    def pair_key(self, a: ContactShape, b: ContactShape) -> frozenset[str | int] | None:
        """By which the material of a pair is found that has its own."""
        model: Model = self  # type: ignore[assignment]
        keys: tuple[frozenset[str | int], ...] = (frozenset((a.owner, b.owner)), frozenset((a.group, b.group)))
        return next((key for key in keys if key in model.contact_laws), None)

    def pair_numbers(self, a: ContactShape, b: ContactShape) -> tuple[float, ...] | None:
        """Those of PairLaw, of a pair with its own material or with torsional or rolling friction."""
        material = self.pair_material(a, b)
        found = self.numbers_of_pair(a, b, (a.material, b.material), material)
        return None if material is None and not found[TORSIONAL] and not found[ROLLING] else found

    def numbers_of_pair(
        self, a: ContactShape, b: ContactShape, surfaces: Sequence[ContactMaterial], law: ContactMaterial | None,
        others: Moments | None = None,
    ) -> tuple[float, ...]:  # fmt: skip
        """Those of PairLaw, of a pair with these surfaces, or this law; others: mass and inertia of bodies that have other ones."""
        found = together(*surfaces) if law is None else law.alone()
        if max(a.node, b.node) >= 0:
            found[TORSIONAL] = found[ROLLING] = 0.0  # a node is a point, which does not turn
        return (*found, self.turns(a, others) + self.turns(b, others))

    def pair_friction(self, a: ContactShape, b: ContactShape, given: Mapping[Path, float] | None = None) -> float:
        """mu of a pair. given: of surfaces and laws of pairs that have other ones, by their paths"""
        material, given = self.pair_material(a, b), given or {}
        if material is not None:
            found = [path for _, path, m in materials(self) if path[0] == PAIR and m is material]  # type: ignore[arg-type]
            return next((given[(*p, "friction")] for p in found if (*p, "friction") in given), material.friction)
        each = [given.get((SURFACE, s.owner, "friction"), s.material.friction) for s in (a, b)]
        return float(np.sqrt(each[0] * each[1]))

    def turns(self, shape: ContactShape, others: Moments | None = None) -> float:
        """The mean of I^-1 of its body, 0 where that cannot move."""
        model: Model = self  # type: ignore[assignment]
        if model.welded(shape.body) < 0 or shape.node >= 0:
            return 0.0
        return float(np.trace(np.linalg.inv(model.felt_mass(shape.body, others)[1]))) / 3.0

    @cached_property
    def lawful_pairs(self) -> list[tuple[ContactShape, ContactShape]]:
        """The pairs that have such numbers."""
        model: Model = self  # type: ignore[assignment]
        return [(a, b) for a, b in model.contact_pairs if self.pair_numbers(a, b) is not None]

    @cached_property
    def pair_table(self) -> tuple[list[tuple[float, ...]], dict[tuple[int, int], int], tuple[tuple[int, int], ...]]:
        """Their numbers, in rows; the row of each pair, by the identities of both; and which are parameters, by column: then each has a row
        of its own, else each set of numbers."""
        model: Model = self  # type: ignore[assignment]
        numbers = [(a, b, self.numbers_of_pair(a, b, (a.material, b.material), self.pair_material(a, b))) for a, b in self.lawful_pairs]
        differs = columns_of(model.parameters, "pair")
        if differs:
            return [x for *_, x in numbers], {(id(a), id(b)): k for k, (a, b, _) in enumerate(numbers)}, differs[0]
        rows = {x: k for k, x in enumerate(dict.fromkeys(x for *_, x in numbers))}
        return list(rows), {(id(a), id(b)): rows[x] for a, b, x in numbers}, ()

    def pair_row(self, a: ContactShape, b: ContactShape) -> int | None:
        """The row of numbers of a pair; None where the usual law is."""
        return self.pair_table[1].get((id(a), id(b)))

    @cached_property
    def pairs_acting(self) -> tuple[Acting, ...]:
        """The kernel that keeps them."""
        if not self.lawful_pairs:
            return ()
        rows, _, differs = self.pair_table
        numbers = np.array(rows, float).reshape(-1, PAIR_NUMBERS)
        return (Acting(PairLaw(), np.zeros((len(numbers), 0), np.int64), numbers, differs, PAIR_NUMBERS),)

    @cached_property
    def turning(self) -> bool:
        """Whether some pair has torsional or rolling friction."""
        return any(numbers[TORSIONAL] or numbers[ROLLING] for numbers in self.pair_table[0])


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
