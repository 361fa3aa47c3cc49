"""Products q f of a state q with a step f that stay on their group for millions of steps, though nothing looks at how far q is from it.

Two things lead away from a group. The step is rounded itself, by e = 1 - |f|^2 or 1 - F'F, and many equal steps add up one e: so f is
taken as f + f e / 2, and e found to 1e-24. And what is stored is rounded: where a state hardly moves, or comes back to the same numbers, it
is rounded the same way a million times, 1e-10. Rounded up or down as likely as makes the mean exact (stochastic rounding: Forsythe, SIAM
Rev. 1, 1959; Croci et al., R. Soc. Open Sci. 9, 2022), errors are a random walk of 1e-16, 1e-13 after a million steps whatever the motion.
Chance is read from the last bits of q: equal runs are equal, and a step is the same wherever a run was cut; what does not move, stays.

Each number x is high + low, high on a grid so coarse (2^-26; of what has a length, 2^-16) that products of two and their sums are exact:

    q f = high(q) high(f) + [low(q) high(f) + q (low(f) + f e / 2)]         the second small, so rounded to 1e-24; then one sum, by chance

A state off by more than OFF, as one that was given so, or one in single precision, of which all numbers here are `low`, is led towards the
group: by f - (q.q - 1) f / 2, which squares what is wrong. In double precision, from a start on the group, that comes to pass in no run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from redmax.lie.quaternions import times
from redmax.lie.three import product, rows, split, symmetric
from redmax.math import absolute, array, floor, frozen, less, where
from redmax.types import Array

OFF = 1e-9
TURNS, LENGTHS = 1.5 * 2.0**26, 1.5 * 2.0**36  # x + this - this is on the grid of 2^-26, for |x| < 2^25, or 2^-16
NEXT = 1.25 * 2.0**-53  # of a number: between a half and one and a half of the distance to the next
BITS = 2.0**33  # below the point, the last bits of a number near 1 times this
WEIGHTS = (648056.3373, 1048573.618, 741455.2007, 857341.4142, 563421.2718, 935711.7321, 612345.2361, 798761.6457, 1012345.3166)


def quaternion_product(q: Array, f: Array) -> np.ndarray:
    """q f of unit quaternions (..., 4)."""
    state, turn = split(q), split(f)
    h, low, _ = exact_turn(turn, lead(dot4(state, state)))
    high, rest = parts(state)
    return array(summed(state, times(high, h), plus(times(rest, h), times(state, low))))


def dual_product(d: Array, f: Array) -> np.ndarray:
    """d f of unit dual quaternions (..., 8); of f = r + e s, r.s is made zero as |r| is made one."""
    state, (r, s) = split(d), halves(split(f))
    q, u = halves(state)
    along = dot4(q, u)
    astray = where(less(OFF * OFF * (1.0 + dot4(u, u)), along * along), along, 0.0)
    h, low, grown = exact_turn(r, lead(dot4(q, q)))
    hs, ls = parts(s, LENGTHS)
    across = frozen(dot4(h, hs) + (dot4(h, ls) + dot4([x - y for x, y in zip(r, h, strict=True)], s)) + astray)
    ls = [x + grown * y - across * z for x, y, z in zip(ls, s, r, strict=True)]
    (a, rest_a), (b, rest_b) = parts(q), parts(u, LENGTHS)
    turned = plus(times(rest_a, h), times(q, low))
    moved = plus(plus(times(rest_b, h), times(u, low)), plus(times(rest_a, hs), times(q, ls)))
    return array(summed(state, [*times(a, h), *plus(times(b, h), times(a, hs))], [*turned, *moved]))


def rotation_product(R: Array, F: Array) -> np.ndarray:
    """R F of rotations (..., 3, 3)."""
    state, turn = rows(R), rows(F)
    h, low = (list(x) for x in zip(*(parts(row) for row in turn), strict=True))
    missing = defect(h, lambda i, k: across(h, low, i, k) + across(low, turn, i, k))
    pairs = zip(flat(product(turn, missing)), flat(product(astray(state), turn)), strict=True)
    grown = iter([frozen(0.5 * (x - y)) for x, y in pairs])
    low = [[x + next(grown) for x in row] for row in low]
    high, rest = (list(x) for x in zip(*(parts(row) for row in state), strict=True))
    small = [plus(*lines) for lines in zip(product(rest, h), product(state, low), strict=True)]
    found = summed(flat(state), flat(product(high, h)), flat(small))
    return array([found[:3], found[3:6], found[6:]])


def exact_turn(turn: list[Any], led: Any) -> tuple[list[Any], list[Any], Any]:
    """High and low of the turn that is of length 1 to 1e-24, and by what share it grows; led: what to add to the square of the length."""
    h, low = parts(turn)
    missing = (1.0 - dot4(h, h)) - sum_of(x * (2.0 * y + x) for x, y in zip(low, h, strict=True))
    grown = frozen(0.5 * (missing + led))
    return h, [x + grown * y for x, y in zip(low, turn, strict=True)], grown


def lead(size: Any) -> Any:
    """1 - |q|^2 where that is more than OFF."""
    return where(less(OFF, absolute(1.0 - size)), 1.0 - size, 0.0)


def defect(h: list[list[Any]], more: Callable[[int, int], Any]) -> list[list[Any]]:
    """1 - F'F, of what is high of F, exactly, and of the rest."""
    return symmetric(lambda i, k: ((1.0 if i == k else 0.0) - across(h, h, i, k)) - more(i, k))


def across(A: list[list[Any]], B: list[list[Any]], i: int, k: int) -> Any:
    """(A'B)_ik."""
    return A[0][i] * B[0][k] + A[1][i] * B[1][k] + A[2][i] * B[2][k]


def astray(R: list[list[Any]]) -> list[list[Any]]:
    """R'R - 1 where an entry of it is more than OFF."""
    off = symmetric(lambda i, k: across(R, R, i, k) - (1.0 if i == k else 0.0))
    much = less(OFF * OFF, sum_of(x * x for row in off for x in row))
    return symmetric(lambda i, k: where(much, off[i][k], 0.0))


def parts(entries: list[Any], grid: float = TURNS) -> tuple[list[Any], list[Any]]:
    """What is on the grid, and what is left, exactly."""
    high = [(x + grid) - grid for x in entries]
    return high, [x - y for x, y in zip(entries, high, strict=True)]


def summed(state: list[Any], high: list[Any], rest: list[Any]) -> list[Any]:
    """high + rest, rounded up or down by chance, of which the bits of the state decide."""
    chance = frozen(mixed(fraction(sum_of(w * fraction(BITS * real(x)) for w, x in zip(WEIGHTS, state)))))
    found = []
    for x, y in zip(high, rest, strict=True):
        chance = frozen(mixed(chance))
        near = frozen(real(x + y))
        step = NEXT * near
        up, down = frozen(near + step) - near, near - frozen(near - step)  # frozen: not (a + b) - a, which a trace takes for b
        found.append(x + (y + (chance - 0.5) * where(less(0.5, chance), up, down)))
    return found


def mixed(chance: Any) -> Any:
    """Another number between 0 and 1, which for neighbours is any: sums of few bits, as they are, would decide alike too often."""
    return fraction(chance * (chance + 1.2345678) * 71879.3517)


def fraction(x: Any) -> Any:
    return x - floor(x)


def real(x: Any) -> Any:
    """Of a number that carries a derivative as its imaginary part."""
    return np.real(x) if np.iscomplexobj(x) else x


def halves(entries: list[Any]) -> tuple[list[Any], list[Any]]:
    return entries[:4], entries[4:]


def flat(M: list[list[Any]]) -> list[Any]:
    return [x for row in M for x in row]


def plus(a: list[Any], b: list[Any]) -> list[Any]:
    return [x + y for x, y in zip(a, b, strict=True)]


def dot4(a: list[Any], b: list[Any]) -> Any:
    return sum_of(x * y for x, y in zip(a, b, strict=True))


def sum_of(terms: Iterable[Any]) -> Any:
    """From the first on, so that nothing is added to zero."""
    first, *others = terms
    for x in others:
        first = first + x
    return first
