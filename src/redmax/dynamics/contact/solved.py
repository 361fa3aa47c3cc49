"""The stage that solves: which of Newton's methods a model needs, and what it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.dynamics.contact.constraint_rows import BOX_NAME, ROW_NAMES
from redmax.dynamics.contact.couplings import K
from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.program.routines.call import Call
from redmax.solvers.contact.solve import solve_contacts, solve_in_full, solve_sixes, solve_with_rows

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

ISLAND_NAMES = "turns", "live", "island", "awake", "off", "needed", "pivots"


def solved(system: ContactSystem) -> Call:
    names = (
        "M", "E", "s", "T", "x", "V", "I", "w", "G", "L", "p", "G0", "L0", "p0", "z", "tau", "y", "W", "X", "Y", "A", "gamma",
        "known", "sums", "Q", "H", "P", "Z", "N", "before", "at", "later", "order", "place", "degree", "number", "sizes", "widths",
        "places", "starts", "used", "up", "begin", "of",
    )  # fmt: skip
    pairs = system.couplings.pairs
    in_full = system.model.turning or system.rows.limited or bool(pairs)
    constrained = bool(system.rows.m) or in_full
    beside = (*(ROW_NAMES if constrained else ()), *(ISLAND_NAMES if in_full or system.sixes else ()))
    data = [system.data[n] for n in (*names, *beside)]
    numbers = [list(map(int, x)) for x in zip(*system.trees, strict=True)] or [[], []]
    tables = system.first, system.parent, [max(t, 0) for t in system.tree], numbers[0], system.widths, system.tree_places, system.held_trees
    sizes = system.n, system.first[-1], len(system.trees), system.wide, system.room, system.parts
    sizes = (*sizes, *(system.rows.sizes if constrained else ()))
    given = lambda at: (system.data["contacts"], at.world(COUNTS), at.world(LIMITS), *data, *tables, *sizes)  # noqa: E731
    if in_full:
        more, coupled = [system.data[n] for n in ("turned", BOX_NAME, K)], system.couplings.tables
        flags = int(system.model.turning), int(system.rows.limited), len(pairs), 0
        return Call(solve_in_full, lambda at: [(*more, *coupled, *given(at), *flags)], (*more, system.data["contacts"], *data))
    solve = solve_with_rows if constrained else solve_sixes if system.sixes else solve_contacts
    return Call(solve, lambda at: [given(at)], (system.data["contacts"], *data))
