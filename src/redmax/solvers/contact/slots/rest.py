"""What rests, in worlds side by side: the impulses of the step before are tried; and what is told of contacts in the end."""

from __future__ import annotations

from redmax.math import where
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Number, Vector, Whole, some
from redmax.solvers.contact.slots.columns import ACTIVE, ENDED, FREE, HELD, IMPULSE, JV, MASS, REST, STATE, STILL, U
from redmax.solvers.contact.slots.points import moved
from redmax.solvers.contact.terms import RETURNING, SETTLING


@routine
def at_rest(C: Matrix, slots: Whole) -> float:
    """1 where all contacts have lasted and none closes or opens: then the impulses of the step before may do; 2 if they did then too."""
    resting = 2.0
    for c in range(slots):
        if some(C[c, HELD] > 0.5):
            resting = min(resting, C[c, STILL])
    return resting


@routine
def settle(C: Matrix, v: Vector, first: Whole, behind: Whole) -> None:
    """What impulses at rest leave of motion is taken off those that the next step tries: else it would add up. v: change of the twist."""
    for c in range(first, behind):
        row = C[c]
        if some(row[HELD] > 0.5):
            x, y, z = moved(row, v)
            m = SETTLING * row[MASS]
            row[REST] = row[IMPULSE] - m * (x + RETURNING * (row[FREE] + row[ENDED]))
            row[REST + 1] = row[IMPULSE + 1] - m * (y + RETURNING * (row[FREE + 1] + row[ENDED + 1]))
            row[REST + 2] = row[IMPULSE + 2] - m * (z + RETURNING * (row[FREE + 2] + row[ENDED + 2]))
            row[REST + 3] = row[STATE]
            for k in range(3):
                row[U + k] = row[ENDED + k]


@routine
def end_at(C: Matrix, slots: Whole, decided: Number, met: Number) -> None:
    """J V in the end: by momentum balance where that meets the tolerance."""
    for c in range(slots):
        row = C[c]
        if some(row[ACTIVE] > 0.5):
            for k in range(3):
                row[U + k] = where(decided > 0.0, where(met > 0.0, row[ENDED + k], row[JV + k]), row[U + k])
