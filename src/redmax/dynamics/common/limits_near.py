"""Limits of coordinates that wait: whether one would be passed at the end of a step, asked before any body is placed.

Ranges of coordinates are looked at by one routine, over places that are evenly spaced in memory; their bounds are kept from the beginning
of a run. What other limits of coordinates say is traced: each looks for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.dynamics.common.islands import Rows
from redmax.math import where
from redmax.program.program import ProgramStage
from redmax.program.record import WorldView
from redmax.program.routines.call import Addresses, Call
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Places, Vector, Whole
from redmax.program.sweep import Part, interactions, once, recursion


@once
def none_passed(w: WorldView) -> None:
    w.row_passed = 0.0


PASSED, WORLD = "row_passed", {"row_passed": 1}  # whether a row that only pushes would be passed
begin_check = recursion(none_passed, name="no row is passed")
limit_bounds, limits_near, limit_rows = (
    recursion(interactions(part), name=str(part)) for part in (Part.LIMIT_BOUNDS, Part.LIMITS_NEAR, Part.LIMIT_ROWS)
)


@routine
def any_near(passed: Vector, count: Whole, nearest: Places) -> None:
    """Whether a limit that waits would be passed; each looked for itself, so that none waited for the one before."""
    found = passed[0]
    for c in range(count):
        found = where(nearest[c][0] <= 0.0, 1.0, found)
    passed[0] = found


@routine
def leaves_range(
    passed: Vector, h: Vector, q: Vector, v: Vector, a: Vector, bounds: Vector, count: Whole, apart: Whole, further: Whole
) -> None:
    """Whether coordinates, `apart` in memory as their bounds are `further`, would be outside of their ranges at the end of a step."""
    found = passed[0]
    for c in range(count):
        k = c * apart
        at = q[k] + h[0] * (v[k] + h[0] * a[k])
        found = where(at <= bounds[c * further], 1.0, where(at >= bounds[c * further + 1], 1.0, found))
    passed[0] = found


def near(bounded: Sequence[Rows]) -> tuple[ProgramStage, ...]:
    """Whether one of the limits that wait would be passed, of those that are more than ranges of coordinates."""
    waiting = [r for r in bounded if r.waits and not r.kept.ranges]
    rows = lambda at: [(at.world(PASSED), len(waiting), [at.kept(r.acting, r.k) + r.kept.gap for r in waiting])]  # noqa: E731
    return (limits_near, Call(any_near, rows)) if waiting else ()


def in_range(bounded: Sequence[Rows]) -> tuple[ProgramStage, ...]:
    """Whether coordinates would leave their ranges: no kernel for each, as these are limits that hardly ever act."""
    ranged = [r for r in bounded if r.kept.ranges]

    def rows(at: Addresses) -> list[tuple[Any, ...]]:
        places: list[tuple[int, ...]] = []
        for r in ranged:
            (j,), kept = r.joints, at.kept(r.acting, r.k) + r.kept.bounds
            first = [at.field(j, name) for name in ("q", "qdot", "qddot")]
            places += [(*(f + c for f in first), kept + 2 * c) for c in range(r.kept.ranges)]
        flags = at.world(PASSED), at.world("h")
        return [(*flags, *places[first], n, apart, further) for first, n, apart, further in evenly_spaced(places)]

    return (Call(leaves_range, rows),) if ranged else ()


def evenly_spaced(places: Sequence[tuple[int, ...]]) -> list[tuple[int, int, int, int]]:
    """Runs of places (q, v, a, bounds) of coordinates: (first, how many, how far coordinates, and bounds, are apart)."""
    runs: list[tuple[int, int, int, int]] = []
    k = 0
    while k < len(places):
        n, steps = 1, (0, 0, 0, 0)
        while k + n < len(places):
            here = tuple(b - a for a, b in zip(places[k + n - 1], places[k + n], strict=True))
            if len(set(here[:3])) > 1 or (n > 1 and here != steps):
                break
            n, steps = n + 1, here
        runs.append((k, n, steps[0], steps[3]))
        k += n
    return runs
