"""One turn of damped least squares within bounds, as traced arithmetic: what was tried is taken or not, and what is tried next.

The method of least_squares.py for one world, without branches, so that worlds go side by side in lanes. Two sets of held coordinates
are tried in a turn: those at bounds that the gradient pushes against, then those too that the step would take beyond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from redmax.design.reach.bounded_step import begin_step, eliminate, end_step, hold_beyond
from redmax.design.reach.least_squares import FIRST, LEAST, LONGEST, MOST, TINY
from redmax.math import logical_and, logical_not, logical_or, maximum, minimum, where
from redmax.program.routines.unroll import MatrixOf, Unrolled, VectorOf

HUGE = 1e300  # |e|^2 / 2 of nothing
MEMORY = 0.75  # of what recent turns gained, as a share of |e|^2
SLOW = 0.02  # too little of it, while there are starts left
NOTHING = 1e-14  # of |e|^2 / 2: a promise that roundings drown
PROMISED = 1e-4  # of what a step promises, that it must gain

# What a world is told, and what it knows of itself: fields of its record, in this order.
GIVEN = ("length", "angle", "most", "starts", "seed")
KNOWN = ("cost", "promised", "mu", "gained", "slow", "reached", "turns", "took", "tries", "kept_cost", "again", "done")

Vector: TypeAlias = Sequence[Any] | np.ndarray
Triangle = dict[tuple[int, int], Any]


@dataclass(frozen=True, eq=False)
class Tried:
    """Where a turn looked. e: rows times weights; A: their slopes, (rows, n); near: whether that is enough."""

    e: Vector
    A: np.ndarray
    near: Any


def squares_of(tried: Tried) -> tuple[Any, Triangle, list[Any]]:
    """1/2 |e|^2, A'A and A'e."""
    n, cost = tried.A.shape[1], 0.0
    for x in tried.e:
        cost = cost + x * x
    H = {(i, j): dot(tried.A[:, i], tried.A[:, j]) for i in range(n) for j in range(i + 1)}
    return 0.5 * cost, H, [dot(tried.A[:, i], tried.e) for i in range(n)]


def dot(a: Vector, b: Vector) -> Any:
    """Without what is zero."""
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def judged(w: Mapping[str, Any], cost: Any, near: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Whether what was tried is taken; whether the best of this start is to be kept; and what w becomes, but for what a step promises."""
    first, gain = w["cost"] >= HUGE, w["cost"] - cost
    better = logical_and(gain > where(first, 0.0, maximum(PROMISED * w["promised"], 0.0)), cost < HUGE)
    kept = where(gain > 0.75 * w["promised"], w["mu"] * 0.125, where(gain > 0.25 * w["promised"], w["mu"], 4.0 * w["mu"]))
    mu = where(first, FIRST, maximum(where(better, kept, 8.0 * w["mu"]), LEAST))
    gained = where(first, 1.0, MEMORY * w["gained"] + (1.0 - MEMORY) * where(better, gain / w["cost"], 0.0))
    hardly = logical_and(logical_not(first), w["promised"] <= NOTHING * w["cost"])  # no step gets any nearer
    slow = logical_or(logical_or(hardly, mu > MOST), logical_and(gained < SLOW, w["tries"] < w["starts"]))
    best = where(better, cost, w["cost"])
    reached, turns = where(logical_and(better, near), 1.0, w["reached"]), w["turns"] + 1.0
    ended = logical_or(reached > 0.0, logical_or(slow, turns >= w["most"]))
    nearer = logical_and(ended, best < w["kept_cost"])
    over = logical_or(reached > 0.0, w["tries"] >= w["starts"])
    again = logical_and(ended, over < 0.5)
    return better, nearer, {
        "cost": where(again, HUGE, best), "best_cost": best, "mu": mu, "gained": gained, "slow": where(slow, 1.0, 0.0), "reached": reached,
        "turns": where(again, 0.0, turns), "took": w["took"] + 1.0, "tries": where(again, w["tries"] + 1.0, w["tries"]),
        "kept_cost": where(nearer, best, w["kept_cost"]), "again": where(again, 1.0, 0.0),
        "done": where(logical_and(ended, over), 1.0, 0.0),
    }  # fmt: skip


def step(H: Triangle, g: Vector, damping: Any, low: Vector, high: Vector, unit: Vector) -> tuple[list[Any], Any]:
    """d, and what it promises: bounded_step.py with its loops written out."""
    n = len(g)
    parts = {"H": n * n, "M": n * n, **dict.fromkeys(("g", "low", "high", "unit", "free", "d", "x"), n)}
    starts = np.cumsum([0, *parts.values()]).tolist()
    memory: Any = Unrolled(starts[-1])
    at = {name: VectorOf(memory, start) for name, start in zip(parts, starts, strict=False)}
    square = {name: MatrixOf(memory, at[name].place, n) for name in ("H", "M")}
    for (i, j), x in H.items():
        square["H"][j, i] = x
    for name, entries in (("g", g), ("low", low), ("high", high), ("unit", unit)):
        at[name][0:n] = entries
    begin_step(square["H"], square["M"], at["g"], at["low"], at["high"], at["free"], at["d"], at["x"], damping, n)
    hold_beyond(at["low"], at["high"], at["free"], at["d"], n)
    eliminate(square["H"], square["M"], at["g"], at["free"], at["d"], at["x"], damping, n)
    promised = end_step(square["H"], at["g"], at["low"], at["high"], at["unit"], at["d"], at["x"], damping, LONGEST, n)
    return list(at["d"][0:n]), promised


def damping(after: Mapping[str, Any], diagonal: Any) -> Any:
    """lambda: mu |e|^2, and a little of the largest entry of the diagonal."""
    return 2.0 * after["mu"] * minimum(after["best_cost"], HUGE) + TINY * diagonal + 1e-300


def largest(H: Triangle, n: int) -> Any:
    """Entry of the diagonal."""
    found: Any = H[0, 0]
    for i in range(1, n):
        found = maximum(found, H[i, i])
    return found


def chosen(first: Any, a: Vector, b: Vector) -> list[Any]:
    """One of two vectors."""
    return [where(first, x, y) for x, y in zip(a, b, strict=True)]


def triangle(entries: Vector, n: int) -> Triangle:
    """By rows."""
    places = [(i, j) for i in range(n) for j in range(i + 1)]
    return dict(zip(places, entries, strict=True))
