"""The stage behind the solver, which solves what that could not: of contacts alone, without constraints and springs between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redmax.dynamics.contact.fields import COUNTS, LIMITS
from redmax.program.routines.call import Call, Data
from redmax.solvers.contact.at_once import LINES, PLACES, solve_at_once, solve_law_at_once

if TYPE_CHECKING:
    from redmax.dynamics.contact.stages import ContactSystem

NAMES = (
    "M", "E", "s", "x", "V", "I", "w", "G", "L", "p", "G0", "L0", "p0", "z", "tau", "y", "W", "Q", "H", "P", "Z", "at", "later", "order",
    "place", "degree", "number", "sizes", "widths", "places", "starts", "used",
)  # fmt: skip


def at_once(system: ContactSystem) -> tuple[Call, ...]:
    """None where friction is not exact."""
    if not system.exact or system.rows.m or system.couplings.pairs:
        return ()
    ways = Data("ways of contact", LINES, system.capacity)
    kept = Data("coordinates tried of contact", PLACES, max(system.first[-1], 1))
    data = system.data["contacts"], ways, kept, *(system.data[name] for name in NAMES)
    sizes = system.first, system.parent, system.n, system.first[-1], system.wide
    if system.model.turning:
        with_moments = system.data["turned"], *data
        given = lambda at: (*with_moments[:2], at.world(COUNTS), at.world(LIMITS), *data[1:], *sizes, 1)  # noqa: E731
        return (Call(solve_law_at_once, lambda at: [given(at)], with_moments),)
    return (Call(solve_at_once, lambda at: [(data[0], at.world(COUNTS), at.world(LIMITS), *data[1:], *sizes)], data),)
