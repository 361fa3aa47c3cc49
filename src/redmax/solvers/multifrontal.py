"""L D L' of a sparse symmetric matrix whose pattern is known, front by front (Duff and Reid 1983); routines and the calls of them.

    front = the own rows of the matrix + what the fronts below leave;  eliminate its own unknowns;  give the rest to the front above

Each front is a dense matrix of which the upper half is filled; afterwards L stands below the diagonal of its own unknowns and 1 / D on it,
as in solvers/elimination.py. No pivoting: the matrix is definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.solvers.elimination import factor
from redmax.solvers.fronts import Fronts
from redmax.solvers.reduced_matrix import clear


@routine
def factor_front(F: Matrix, n: Whole, s: Whole, threes: Whole) -> None:
    """Eliminate the first s unknowns of n, three at a time as far as there are as many."""
    for b in range(threes):
        k = 3 * b
        d = 1.0 / F[k, k]
        a = d * F[k, k + 1]
        c = d * F[k, k + 2]
        F[k + 1, k + 1 : n] -= a * F[k, k + 1 : n]
        e = 1.0 / F[k + 1, k + 1]
        F[k + 2, k + 2 : n] -= c * F[k, k + 2 : n]
        g = e * F[k + 1, k + 2]
        F[k + 2, k + 2 : n] -= g * F[k + 1, k + 2 : n]
        f = 1.0 / F[k + 2, k + 2]
        for i in range(k + 3, n):
            p = d * F[k, i]
            q = e * F[k + 1, i]
            r = f * F[k + 2, i]
            F[i, i:n] -= p * F[k, i:n] + q * F[k + 1, i:n] + r * F[k + 2, i:n]
            F[i, k] = p
            F[i, k + 1] = q
            F[i, k + 2] = r
        F[k, k] = d
        F[k + 1, k] = a
        F[k + 2, k] = c
        F[k + 1, k + 1] = e
        F[k + 2, k + 1] = g
        F[k + 2, k + 2] = f
    factor(F, n, 3 * threes, s)


@routine
def eliminate(F: Matrix, n: Whole, s: Whole, threes: Whole, P: Matrix, runs: Whole, number: Wholes, first: Wholes, stop: Wholes) -> None:
    """Eliminate, and add what is left to the front above, P, in which the i-th of the others is number[i].

    runs: of others, from first to stop, whose numbers follow each other
    """
    factor_front(F, n, s, threes)
    for i in range(n - s):
        for r in range(runs):
            a = min(max(i, first[r]), stop[r])
            k = number[first[r]] + a - first[r]
            P[number[i], k : k + stop[r] - a] += F[s + i, s + a : s + stop[r]]


@routine
def down(F: Matrix, s: Whole, n: Whole, x: Vector, rest: Places) -> None:
    """D^-1 L^-1 of the unknowns x that a front owns; the rest of its unknowns lose their share."""
    for i in range(s):
        x[i] -= dot(F[i, 0:i], x[0:i])
    for i in range(n - s):
        rest[i][0] -= dot(F[s + i, 0:s], x[0:s])
    for i in range(s):
        x[i] *= F[i, i]


@routine
def up(F: Matrix, s: Whole, n: Whole, x: Vector, rest: Places) -> None:
    """L'^-1, given the rest."""
    for i in range(n - s):
        x[0:s] -= rest[i][0] * F[s + i, 0:s]
    for i in reversed(range(s)):
        x[0:i] -= x[i] * F[i, 0:i]


@routine
def lines_down(F: Matrix, s: Whole, n: Whole, B: Matrix, m: Whole, first: Whole, rest: Wholes) -> None:
    """As `down`, of each of m lines of B, in which a front owns the unknowns from `first` on."""
    for r in range(m):
        for i in range(s):
            B[r, first + i] -= dot(F[i, 0:i], B[r, first : first + i])
        for i in range(n - s):
            B[r, rest[i]] -= dot(F[s + i, 0:s], B[r, first : first + s])
        for i in range(s):
            B[r, first + i] *= F[i, i]


@routine
def lines_up(F: Matrix, s: Whole, n: Whole, B: Matrix, m: Whole, first: Whole, rest: Wholes) -> None:
    """As `up`, of each of m lines of B."""
    for r in range(m):
        for i in range(n - s):
            B[r, first : first + s] -= B[r, rest[i]] * F[s + i, 0:s]
        for i in reversed(range(s)):
            B[r, first : first + i] -= B[r, first + i] * F[i, 0:i]


@dataclass(frozen=True, eq=False)
class Multifrontal:
    """The calls that clear, factor and solve. x: the right side, and then the solution, in the order of elimination; name: of its data."""

    fronts: Fronts
    x: Data
    name: str = "fronts"

    @cached_property
    def F(self) -> Data:
        """All fronts, one behind the other."""
        return Data(self.name, self.starts[-1])

    @cached_property
    def leading(self) -> list[int]:
        """How far the rows of each are apart."""
        return [Data("", 1, self.fronts.widths(k)[1]).leading for k in range(len(self.fronts.fronts))]

    @cached_property
    def starts(self) -> list[int]:
        """Where each begins."""
        sizes = [self.fronts.widths(k)[1] * leading for k, leading in enumerate(self.leading)]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(int).tolist()

    def front(self, at: Addresses, k: int) -> tuple[int, int]:
        """A front as a matrix."""
        return at[self.F] + self.starts[k], self.leading[k]

    def entry(self, at: Addresses, a: int, b: int) -> tuple[int, int]:
        """The part of a front that holds rows of one group and columns of a later one, or of itself."""
        k = self.fronts.owner[a]
        place, leading = self.front(at, k)
        local = self.fronts.local[k]
        return place + local[a] * leading + local[b], leading

    def holds(self, a: int, b: int) -> bool:
        """Whether rows of a have columns of b: of each two groups, those of the one that is eliminated first."""
        return self.fronts.start[a] <= self.fronts.start[b]

    def clear(self) -> Call:
        """Before anything is added."""
        return Call(clear, lambda at: [(self.F, self.F.size)], (self.F,))

    def factor(self) -> Call:
        """Front by front, each given to the one above it."""
        return Call(eliminate, lambda at: [self.step(at, k) for k in range(len(self.fronts.fronts))], (self.F,))

    def step(self, at: Addresses, k: int) -> tuple[Any, ...]:
        """The elimination of one front. One that has none above it gives nothing."""
        f, (s, n) = self.fronts.fronts[k], self.fronts.widths(k)
        above = self.fronts.local[f.parent]
        number = [above[g] + c for g in f.rest for c in range(self.fronts.sizes[g])]
        cuts = [i for i in range(1, len(number)) if number[i] != number[i - 1] + 1]
        first, stop = ([0, *cuts], [*cuts, len(number)]) if number else ([], [])
        return self.front(at, k), n, s, s // 3, self.front(at, f.parent), len(first), number, first, stop

    def solve(self) -> tuple[Call, ...]:
        """The solution in place of the right side."""
        number = range(len(self.fronts.fronts))
        return (
            Call(down, lambda at: [self.row(at, k) for k in number], (self.F, self.x)),
            Call(up, lambda at: [self.row(at, k) for k in reversed(number)], (self.F, self.x)),
        )

    def solve_lines(self, B: Data, m: int) -> tuple[Call, ...]:
        """The same of m right sides, the first lines of a matrix."""
        number = range(len(self.fronts.fronts))
        return (
            Call(lines_down, lambda at: [self.line(at, k, B, m) for k in number], (self.F, B)),
            Call(lines_up, lambda at: [self.line(at, k, B, m) for k in reversed(number)], (self.F, B)),
        )

    def line(self, at: Addresses, k: int, B: Data, m: int) -> tuple[Any, ...]:
        """A front, and the numbers of its unknowns in lines."""
        f, (s, n), start = self.fronts.fronts[k], self.fronts.widths(k), self.fronts.start
        rest = [start[g] + c for g in f.rest for c in range(self.fronts.sizes[g])]
        return self.front(at, k), s, n, B, m, start[f.own[0]], rest

    def row(self, at: Addresses, k: int) -> tuple[Any, ...]:
        """A front and the unknowns that it has."""
        f, (s, n), start, x = self.fronts.fronts[k], self.fronts.widths(k), self.fronts.start, at[self.x]
        rest = [x + start[g] + c for g in f.rest for c in range(self.fronts.sizes[g])]
        return self.front(at, k), s, n, x + start[f.own[0]], rest
