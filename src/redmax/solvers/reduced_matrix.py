"""The reduced system as a matrix, for what couples joints beyond the tree: its rows are filled and solved by routines.

    H_ka = U_k . s_a                      for each coordinate k and each of its ancestors a (composite rigid bodies)
    H_ab += s_a' Z s_b                    for each pair of bodies that forces couple, and the coordinates that move them
    H x = b                               by L D L', the coordinates whose x is known kept apart

s_a is the twist of a coordinate and U_k the momentum of all that it moves, both in world axes about the origin of their tree, so that no
frame changes on the way. Coordinates whose acceleration is given come last: x_u = H_uu^-1 (b_u - H_up x_p), and (H x)_p is what they take.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes, dot
from redmax.solvers.elimination import factor, move_given, multiply, solve

PANEL = 10_000_000  # multiplications of one call: a few hundredths of a second


@routine
def clear(v: Vector, n: Whole) -> None:
    """v = 0."""
    v[0:n] = 0.0


@routine
def copy(source: Vector, target: Vector, n: Whole) -> None:
    """target = source."""
    target[0:n] = source[0:n]


@routine
def add_block(block: Vector, H: Matrix, n: Whole) -> None:
    """Add a dense (n, n) to the part of a matrix that begins at H."""
    for i in range(n):
        H[i, 0:n] += block[i * n : i * n + n]


@routine
def moments(U: Vector, count: Whole, s: Places, lower: Places, upper: Places) -> None:
    """H_ka = H_ak = U_k . s_a: the momentum of one coordinate with the twists of its ancestors."""
    for a in range(count):
        entry = dot(U[0:6], s[a][0:6])
        lower[a][0] = entry
        upper[a][0] = entry


@routine
def own(Z: Matrix, H: Matrix, count: Whole, s: Places, number: Wholes) -> None:
    """H_ab += s_a' Z s_b of the coordinates that move one body; Z is symmetric, and its upper triangle is read."""
    for b in range(count):
        t = s[b]
        force = [sum([Z[min(i, k), max(i, k)] * t[k] for k in range(6)]) for i in range(6)]
        for a in range(count):
            H[number[a], number[b]] += dot(s[a][0:6], force)


@routine
def between(Z: Matrix, H: Matrix, left: Whole, right: Whole, s: Places, number: Wholes) -> None:
    """H_ab += s_a' Z s_b of the coordinates of two bodies, and its transpose."""
    for b in range(left, left + right):
        t = s[b]
        force = [dot(Z[i, 0:6], t[0:6]) for i in range(6)]
        for a in range(left):
            entry = dot(s[a][0:6], force)
            H[number[a], number[b]] += entry
            H[number[b], number[a]] += entry


@routine
def add_entries(Z: Matrix, H: Matrix, left: Whole, right: Whole, row: Wholes, column: Wholes) -> None:
    """H_ab += Z_ab of the coordinates of two joints."""
    for a in range(left):
        for b in range(right):
            H[row[a], column[b]] += Z[a, b]


clear_blocks = Call(clear, lambda at: [at.blocks] if at.blocks[1] else [])  # of pairs of bodies, before forces add to them


@dataclass(frozen=True, eq=False)
class ReducedMatrix:
    """H of some joints, from the first on, by their numbers of coordinates. known: of which joints x is given."""

    dofs: tuple[int, ...]
    known: tuple[bool, ...]

    @cached_property
    def start(self) -> dict[int, int]:
        """Where each joint's coordinates begin in H: those whose x is given come last."""
        joints = range(len(self.dofs))
        order = [j for j in joints if not self.known[j]] + [j for j in joints if self.known[j]]
        starts = np.concatenate([[0], np.cumsum([self.dofs[j] for j in order])]).astype(int)
        return dict(zip(order, starts.tolist(), strict=False))

    @property
    def n(self) -> int:
        """Coordinates."""
        return sum(self.dofs)

    @property
    def free(self) -> int:
        """Coordinates whose x is to be found."""
        return sum(d for d, k in zip(self.dofs, self.known, strict=True) if not k)

    @property
    def H(self) -> Data:
        """The matrix, (n, n)."""
        return Data("H", self.n, self.n)

    @property
    def b(self) -> Data:
        """The right side, and then x."""
        return Data("b", self.n)

    @property
    def y(self) -> Data:
        """H x, of the coordinates whose x is given."""
        return Data("y", self.n)

    def clear(self) -> tuple[Call, ...]:
        """Before anything is added: zero the matrix and the blocks of forces."""
        return Call(clear, lambda at: [(at[self.H], self.H.size)] if self.n else [], (self.H,)), clear_blocks

    def assemble(self, twist: str, momentum: str, block: str, own_block: str) -> tuple[Call, ...]:
        """twist, momentum: fields of 6 numbers per coordinate; block: what the joint adds to its own entries, "vv"; own_block: (6, 6)."""
        return (
            Call(moments, lambda at: self.moment_rows(at, twist, momentum), (self.H,)),
            Call(add_block, lambda at: self.block_rows(at, block), (self.H,)),
            Call(own, lambda at: self.own_rows(at, twist, own_block), (self.H,)),
            Call(between, lambda at: self.between_rows(at, twist), (self.H,)),
            Call(add_entries, self.coordinate_rows, (self.H,)),
        )

    def inward(self, right: str, given: str) -> Call:
        """b from the field of the right side, and from that of known x."""
        source = [given if known else right for known in self.known]
        joints = range(len(self.dofs))
        return Call(copy, lambda at: [(at.field(j, source[j]), at[self.b] + self.start[j], self.dofs[j]) for j in joints], (self.b,))

    def outward(self, x: str) -> Call:
        """b to the field of the solution."""
        joints = range(len(self.dofs))
        return Call(copy, lambda at: [(at[self.b] + self.start[j], at.field(j, x), self.dofs[j]) for j in joints], (self.b,))

    def products(self, product: str) -> Call:
        """y to the field of H x, of coordinates whose x is known."""
        joints = [j for j, known in enumerate(self.known) if known]
        return Call(copy, lambda at: [(at[self.y] + self.start[j], at.field(j, product), self.dofs[j]) for j in joints], (self.y,))

    def solve(self, right: str, given: str, x: str, product: str) -> tuple[Call, ...]:
        """right: field of the right side, given: of known x; x: where the solution goes; product: (H x) of coordinates whose x is known."""
        H, b, y, free, n = self.H, self.b, self.y, self.free, self.n
        return (
            self.inward(right, given),
            Call(move_given, lambda at: [(H, b, free, n)] if free < n else [], (H, b)),
            Call(factor, lambda at: [(H, free, start, stop) for start, stop in panels(free)], (H,)),
            Call(solve, lambda at: [(H, b, free)], (H, b)),
            Call(multiply, lambda at: [(H, b, y, free, n)] if free < n else [], (H, b, y)),
            self.outward(x),
            self.products(product),
        )

    def columns(self, at: Addresses, j: int, twist: str) -> tuple[list[int], list[int]]:
        """The place of the twist, and the number in H, of each coordinate that moves body j, root first."""
        pairs = [(a, c) for a in reversed(at.tree.ancestors(j)) for c in range(self.dofs[a])]
        return [at.field(a, twist) + 6 * c for a, c in pairs], [self.start[a] + c for a, c in pairs]

    def moment_rows(self, at: Addresses, twist: str, momentum: str) -> list[tuple[Any, ...]]:
        """One row for each coordinate."""
        rows: list[tuple[Any, ...]] = []
        H, leading = at[self.H], self.H.leading
        for j, dof in enumerate(self.dofs):
            places, numbers = self.columns(at, j, twist)
            for c in range(dof):
                k = self.start[j] + c
                lower, upper = [H + k * leading + a for a in numbers], [H + a * leading + k for a in numbers]
                rows.append((at.field(j, momentum) + 6 * c, len(places), places, lower, upper))
        return rows

    def block_rows(self, at: Addresses, block: str) -> list[tuple[Any, ...]]:
        """One row for each joint that moves."""
        H, leading = at[self.H], self.H.leading
        return [(at.field(j, block), (H + (leading + 1) * self.start[j], leading), d) for j, d in enumerate(self.dofs) if d]

    def own_rows(self, at: Addresses, twist: str, field: str) -> list[tuple[Any, ...]]:
        """One row for each body that a force touches."""
        rows: list[tuple[Any, ...]] = []
        for j in (j for j in at.touched if j < len(self.dofs)):
            places, numbers = self.columns(at, j, twist)
            rows.append(((at.field(j, field), 6), self.H, len(places), places, numbers))
        return rows

    def between_rows(self, at: Addresses, twist: str) -> list[tuple[Any, ...]]:
        """One row for each pair of bodies that a force couples."""
        rows: list[tuple[Any, ...]] = []
        for i, j in (pair for pair in at.pairs if min(pair) >= 0 and max(pair) < len(self.dofs)):
            (left, a), (right, b) = self.columns(at, i, twist), self.columns(at, j, twist)
            rows.append(((at.block(i, j), 6), self.H, len(left), len(right), left + right, a + b))
        return rows

    def coordinate_rows(self, at: Addresses) -> list[tuple[Any, ...]]:
        """One row for each pair (~i, ~j) of joints between whose coordinates a force acts."""
        rows: list[tuple[Any, ...]] = []
        for i, j in (pair for pair in at.pairs if max(pair) < 0):
            left, right = ([self.start[~k] + c for c in range(self.dofs[~k])] for k in (i, j))
            rows += [((at.block(i, j), 6), self.H, len(left), len(right), left, right)] if left and right else []
        return rows


def panels(n: int) -> list[tuple[int, int]]:
    """The unknowns that one call eliminates, so many that it takes at most a few hundredths of a second."""
    found, start, work = [], 0, 0
    for i in range(n):
        work += (n - i) ** 2 // 2
        if work > PANEL or i == n - 1:
            found.append((start, i + 1))
            start, work = i + 1, 0
    return found
