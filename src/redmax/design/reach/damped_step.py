"""One turn of damped least squares within bounds, as traced arithmetic: what was tried is taken or not, and what is tried next.

The method of least_squares.py for one world, without branches, so that worlds go side by side in lanes. Two sets of held coordinates
are tried in a turn: those at bounds that the gradient pushes against, then those too that the step would take beyond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from redmax.design.reach.least_squares import FIRST, LEAST, LONGEST, MOST, TINY
from redmax.math import absolute, logical_and, logical_not, logical_or, maximum, minimum, where

HUGE = 1e300  # |e|^2 / 2 of nothing
MEMORY, SLOW = 0.75, 0.02  # of the share of |e|^2 that recent turns gained, and what is too little of it
PROMISED = 1e-4  # of what a step promises, that it must gain

Vector: TypeAlias = Sequence[Any] | np.ndarray
Triangle = dict[tuple[int, int], Any]


@dataclass(frozen=True, eq=False)
class Tried:
    """Where a turn looked. e: rows times weights; A: their slopes, (rows, n); near: whether that is enough."""

    e: Vector
    A: np.ndarray
    near: Any


def squares(tried: Tried) -> tuple[Any, Triangle, list[Any]]:
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


def judged(w: Mapping[str, Any], cost: Any) -> tuple[Any, dict[str, Any]]:
    """Whether what was tried is taken, and what follows for the damping. w: cost, promised, mu, gained, tries of this start."""
    first, gain = w["cost"] >= HUGE, w["cost"] - cost
    better = logical_and(gain > maximum(PROMISED * w["promised"], 0.0), cost < HUGE)
    kept = where(gain > 0.75 * w["promised"], w["mu"] * 0.125, where(gain > 0.25 * w["promised"], w["mu"], 4.0 * w["mu"]))
    mu = where(first, FIRST, maximum(where(better, kept, 8.0 * w["mu"]), LEAST))
    share = where(better, gain / w["cost"], 0.0)
    gained = where(first, 1.0, MEMORY * w["gained"] + (1.0 - MEMORY) * share)
    slow = logical_or(gained < SLOW, mu > MOST)
    return better, {"mu": mu, "gained": gained, "slow": where(slow, 1.0, 0.0), "cost": where(better, cost, w["cost"])}


def step(H: Triangle, g: Vector, damping: Any, low: Vector, high: Vector, unit: np.ndarray) -> tuple[list[Any], Any]:
    """d, and what it promises. low, high: how far coordinates may go, or None where there is no bound."""
    n = len(g)
    M = {k: (x + damping if k[0] == k[1] else x) for k, x in H.items()}
    free: list[Any] = []
    for x, down, up in zip(g, low, high, strict=True):
        held = 0.0
        held = held if down is None else logical_and(down >= 0.0, x > 0.0)
        held = held if up is None else logical_or(held, logical_and(up <= 0.0, x < 0.0))
        free.append(1.0 if down is None and up is None else logical_not(held))
    d = solved(M, [-x for x in g], free)
    bounded = [k for k in range(n) if low[k] is not None or high[k] is not None]
    if bounded:
        fixed = [clipped(d[k], low[k], high[k]) if k in bounded else d[k] for k in range(n)]
        still = [where(fixed[k] == d[k], free[k], 0.0) if k in bounded else free[k] for k in range(n)]
        there = [where(still[k] > 0.0, 0.0, fixed[k]) if k in bounded else 0.0 for k in range(n)]
        right = [-(g[i] + dot([entry(M, i, j) for j in bounded], [there[j] for j in bounded])) for i in range(n)]
        again = solved(M, right, still)
        d = [where(still[k] > 0.0, clipped(again[k], low[k], high[k]), there[k]) if k in bounded else again[k] for k in range(n)]
    longest: Any = LONGEST
    for x, u in zip(d, unit.tolist(), strict=True):
        longest = maximum(longest, absolute(x) * (1.0 / u))
    d = [x * (LONGEST / longest) for x in d]
    Md = [dot([entry(M, i, j) for j in range(n)], d) for i in range(n)]
    return d, -dot(d, [x + 0.5 * y for x, y in zip(g, Md, strict=True)])


def entry(M: Triangle, i: int, j: int) -> Any:
    """Of a symmetric matrix."""
    return M[max(i, j), min(i, j)]


def clipped(x: Any, low: Any, high: Any) -> Any:
    """Within bounds, where there are some."""
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def solved(M: Triangle, right: Vector, free: Vector) -> list[Any]:
    """M x = right over the free unknowns, zero for the others, by L D L'."""
    n = len(right)
    A = {(i, j): (where(free[i] > 0.0, x, 1.0) if i == j else x * (free[i] * free[j])) for (i, j), x in M.items()}
    L: Triangle = {}
    inverse: list[Any] = []
    scaled: Triangle = {}
    for j in range(n):
        d = A[j, j] - dot([L[j, k] for k in range(j)], [scaled[j, k] for k in range(j)])
        inverse.append(1.0 / d)
        for i in range(j + 1, n):
            scaled[i, j] = A[i, j] - dot([L[j, k] for k in range(j)], [scaled[i, k] for k in range(j)])
            L[i, j] = scaled[i, j] * inverse[j]
    x = [r * f for r, f in zip(right, free, strict=True)]
    for i in range(n):
        x[i] = x[i] - dot([L[i, k] for k in range(i)], x[:i])
    x = [a * b for a, b in zip(x, inverse, strict=True)]
    for i in reversed(range(n)):
        x[i] = x[i] - dot([L[k, i] for k in range(i + 1, n)], x[i + 1 :])
    return x


def damping_of(H: Triangle, n: int, mu: Any, cost: Any) -> Any:
    """mu |e|^2, and a little of the largest entry of the diagonal."""
    largest: Any = H[0, 0]
    for i in range(1, n):
        largest = maximum(largest, H[i, i])
    return 2.0 * mu * minimum(cost, HUGE) + TINY * largest + 1e-300


def turn(w: Mapping[str, Any], tried: Tried, kept: Vector, n: int) -> tuple[Any, dict[str, Any], list[Any], list[Any]]:
    """Whether what was tried is taken, what w becomes, H by rows and g of what is now the best. kept: H and g of what was."""
    cost, H, g = squares(tried)
    better, after = judged(w, cost)
    flat = [H[i, j] for i in range(n) for j in range(i + 1)]
    best = [where(better, new, old) for new, old in zip([*flat, *g], kept, strict=True)]
    after["reached"] = where(logical_and(better, tried.near), 1.0, w["reached"])
    return better, after, best[: len(flat)], best[len(flat) :]


def triangle(entries: Vector, n: int) -> Triangle:
    """By rows."""
    places = [(i, j) for i in range(n) for j in range(i + 1)]
    return dict(zip(places, entries, strict=True))
