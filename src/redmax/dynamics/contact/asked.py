"""Pairs that are asked for from Python in the middle of a step, and go on as those that routines find.

The call cuts the compiled code of a step in two: such scenes run step by step from Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.contact.asked.ask import COLUMNS, Asker
from redmax.contact.law import KEPT
from redmax.dynamics.contact.detect import FEATURES, add_points
from redmax.dynamics.contact.rows import T_KEY, T_POINT, TOLD
from redmax.math import where
from redmax.program.program import Host, ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, whole
from redmax.solvers.reduced_matrix import copy

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem


@routine
def take_given(
    a: Places, b: Places, number: Wholes, pairs: Whole, given: Matrix, many: Vector, found: Matrix, raw: Matrix, counts: Vector,
    capacity: Whole,
) -> None:  # fmt: skip
    """Points that are given pair by pair, behind those that are there."""
    at = 0.0
    for p in range(pairs):
        n = 0.0
        going = where(at < many[0] - 0.5, 1.0, 0.0)
        while going > 0.0:
            row = given[whole(at)]
            mine = where(abs(row[0] - float(p)) < 0.5, 1.0, 0.0)
            if mine > 0.5:
                found[whole(n), 0:8] = row[1:9]
                n += 1.0
                at += 1.0
            going = where(at < many[0] - 0.5, mine, 0.0)
        if n > 0.5:
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


def asked_stages(system: ContactSystem, table: str, held: str, counts: str, first: int) -> list[ProgramStage]:
    """Where shapes are, to Python; points from there, to the table of contacts. first: the number of the first pair."""
    model = system.model
    pairs = model.asked_pairs
    if not pairs:
        return []
    asker, room = Asker(pairs), system.capacity + 1
    placed = Data("asked shapes of contact", len(asker.shapes), KEPT)
    given, many = Data("asked points of contact", room, COLUMNS), Data("asked number of contact", 1)
    place = model.contact_place

    def ask(view: Any) -> None:
        numbers = view[placed.name].reshape(-1, KEPT)
        before = view[table].reshape(-1, TOLD)[: int(view[held][0])]
        before = before[before[:, T_KEY] >= FEATURES * first]
        found = asker.ask(numbers, before[:, T_KEY] - FEATURES * first, before[:, T_POINT : T_POINT + 3])[:room]
        rows = np.zeros((room, COLUMNS))
        rows[: len(found)] = found
        view[given.name], view[many.name] = rows.ravel(), np.array([float(len(found))])

    def shown(at: Addresses) -> list[tuple[Any, ...]]:
        return [(at.kept(*place(s)), at[placed] + k * placed.leading, KEPT) for k, s in enumerate(asker.shapes)]

    def taken(at: Addresses) -> list[tuple[Any, ...]]:
        a, b = ([at.kept(*place(pair[side])) for pair in pairs] for side in (0, 1))
        numbers, data = list(range(first, first + len(pairs))), system.data
        return [(a, b, numbers, len(pairs), given, many, data["found"], data["raw"], at.world(counts), system.capacity)]

    return [
        Call(copy, shown, (placed,)),
        Host("contact of meshes and ellipsoids", ask),
        Call(take_given, taken, (given, many, system.data["found"], system.data["raw"])),
    ]
