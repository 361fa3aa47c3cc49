"""Pairs of shapes in the order in which they are looked at, and those whose law is not the usual one of their two surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.contact.pair_law import PAIR_NUMBERS
from redmax.contact.shape import ContactShape
from redmax.dynamics.contact.detect import COMPLIANCE, DAMPING, FEATURES, FINDERS, FRICTION, KEY, RESTITUTION, SOFTNESS
from redmax.dynamics.contact.fields import COUNTS
from redmax.model.model import Model
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, whole

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

USUAL = -1


def detected_pairs(model: Model) -> list[tuple[ContactShape, ContactShape]]:
    """The pairs of shapes in the order in which they are looked at: kind by kind, and then those that Python is asked for."""
    compiled = [pair for kind in FINDERS for pair in model.contact_pairs if (pair[0].kind, pair[1].kind) == kind]
    return [*compiled, *model.asked_pairs]


def laws_of_pairs(model: Model) -> list[int]:
    """Which row of numbers is that of each pair; -1 where the usual law is."""
    found = [model.pair_row(a, b) for a, b in detected_pairs(model)]
    return [USUAL if row is None else row for row in found]


@routine
def number_pairs(which: Vector, law: Wholes, pairs: Whole) -> None:
    """A table that is looked up with numbers that contacts have."""
    for p in range(pairs):
        which[p] = float(law[p])


@routine
def give_laws(raw: Matrix, counts: Vector, which: Vector, laws: Matrix) -> None:
    """Points of pairs that have numbers of their own, with these."""
    for c in range(whole(counts[0])):
        k = which[whole(raw[c, KEY] / FEATURES)]
        if k > USUAL + 0.5:
            own = laws[whole(k)]
            raw[c, FRICTION] = own[0]
            raw[c, RESTITUTION] = own[1]
            raw[c, SOFTNESS] = own[2]
            raw[c, COMPLIANCE] = own[3]
            raw[c, DAMPING] = own[4]


def numbered_laws(system: ContactSystem) -> list[Call]:
    """Once in a program: which pairs have numbers of their own."""
    law = laws_of_pairs(system.model) if system.model.lawful_pairs else []
    return [system.call(number_pairs, ("which",), lambda at: (law, len(law)))] if law else []


def given_laws(system: ContactSystem) -> list[Call]:
    """Behind detection: these numbers, to points of such pairs."""
    raw, which = system.data["raw"], system.data["which"]
    rows = lambda at: [(raw, at.world(COUNTS), which, kept_laws(system.model, at))]  # noqa: E731
    return [Call(give_laws, rows, (raw, which))] if system.model.lawful_pairs else []


def kept_laws(model: Model, at: Addresses) -> tuple[int, int]:
    """Where numbers of pairs are kept, a matrix."""
    return at.kept(model.pairs_acting[0], 0), PAIR_NUMBERS
