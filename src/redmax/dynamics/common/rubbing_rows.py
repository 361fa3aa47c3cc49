"""Rows over the bodies of joints that rub, tangents or normals, one joint after the other; and their coupling by masses.

    A = B M^-1 B',    B: the rows of each joint on its body and, with the other sign and through X, on its parent

The rows of joints are constant, and stand in a world's memory from where a program begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.solvers.bounded_newton import minimise_within
from redmax.solvers.reduced_matrix import clear


@routine
def rows_on_parent(T: Matrix, frame: Vector, B: Matrix, n: Whole) -> None:
    """B = T X, X the adjoint of (R, p) in `frame`: of each row (t; f), (R t + p x R f; R f)."""
    for k in range(n):
        for i in range(3):
            B[k, i] = dot(frame[3 * i : 3 * i + 3], T[k, 0:3])
            B[k, 3 + i] = dot(frame[3 * i : 3 * i + 3], T[k, 3:6])
        B[k, 0] += frame[10] * B[k, 5] - frame[11] * B[k, 4]
        B[k, 1] += frame[11] * B[k, 3] - frame[9] * B[k, 5]
        B[k, 2] += frame[9] * B[k, 4] - frame[10] * B[k, 3]


@routine
def couple(
    A: Matrix, B: Matrix, inverse: Matrix, z: Vector, H: Matrix, first: Whole, second: Whole, n: Whole, m: Whole, sign: Whole
) -> None:
    """H += sign A M^-1 B', of the rows of two joints on one body."""
    for k in range(n):
        for i in range(6):
            z[i] = float(sign) * dot(inverse[i, 0:6], A[k, 0:6])
        for c in range(m):
            H[first + k, second + c] += dot(z[0:6], B[c, 0:6])


@routine
def ask(B: Matrix, v: Vector, g: Vector, n: Whole) -> None:
    """g = B v, of a joint's rows and how fast its child goes against its parent."""
    for k in range(n):
        g[k] = dot(B[k, 0:6], v[0:6])


@routine
def act(B: Matrix, b: Vector, wrench: Vector, n: Whole) -> None:
    """B' b."""
    for i in range(6):
        wrench[i] = 0.0
    for k in range(n):
        for i in range(6):
            wrench[i] += b[k] * B[k, i]


def constants(*tables: np.ndarray) -> Formula:
    """Tables into memory, as they lie there."""
    entries = [np.asarray(t, float) for t in tables]
    return Formula({}, {f"t{k}": e.size for k, e in enumerate(entries)}, lambda: [e.astype(object) for e in entries])


def padded(table: np.ndarray, data: Data) -> np.ndarray:
    """The rows of a matrix as they lie in memory."""
    found = np.zeros((len(table), data.leading))
    found[:, : table.shape[1]] = table
    return found


@dataclass(frozen=True, eq=False)
class RubbingRows:
    """name: of their data; joints: the numbers of those that rub; tables: (rows, 6) of each, in its frame; parents: of all joints"""

    name: str
    joints: tuple[int, ...]
    tables: tuple[np.ndarray, ...]
    parents: Sequence[int]

    @cached_property
    def first(self) -> list[int]:
        """Where the rows of each joint begin, and their end."""
        return [0, *np.cumsum([len(table) for table in self.tables]).tolist()]

    @property
    def n(self) -> int:
        """How many there are."""
        return self.first[-1]

    @cached_property
    def B(self) -> Data:
        """On the bodies that joints carry."""
        return Data(f"rub {self.name}", self.n, 6)

    @cached_property
    def BX(self) -> Data:
        """On their parents."""
        return Data(f"rub {self.name} X", self.n, 6)

    @cached_property
    def A(self) -> Data:
        """B M^-1 B'."""
        return Data(f"rub {self.name} A", self.n, self.n)

    def of(self, at: Addresses, data: Data, k: int) -> tuple[int, int]:
        """The rows of the k-th joint."""
        return at[data] + self.first[k] * data.leading, data.leading

    def size(self, k: int) -> int:
        """How many rows the k-th joint has."""
        return self.first[k + 1] - self.first[k]

    def begun(self) -> tuple[ProgramStage, ...]:
        """The constant rows, once in a program: joints of one shape by one formula."""
        alike: dict[bytes, list[int]] = {}
        for k, table in enumerate(self.tables):
            alike.setdefault(table.tobytes(), []).append(k)

        def stage(numbers: list[int]) -> Call:
            formula = constants(padded(self.tables[numbers[0]], self.B))
            return Call(formula, lambda at: [(self.of(at, self.B, k)[0],) for k in numbers], (self.B,))

        return tuple(map(stage, alike.values()))

    def assembled(self) -> tuple[ProgramStage, ...]:
        """B M^-1 B', once a step."""
        B, BX, A, z = self.B, self.BX, self.A, Data("rub z", 6)

        def moved(at: Addresses) -> list[tuple[Any, ...]]:
            held = [(k, j) for k, j in enumerate(self.joints) if self.parents[j] >= 0]
            return [(self.of(at, B, k), at.field(j, "rub_frame"), self.of(at, BX, k), self.size(k)) for k, j in held]

        def pairs(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for body, rows in self.on_bodies().items():
                inverse = at.field(body, "rub_inverse"), 6
                for k, left, s in rows:
                    for m, right, t in rows:
                        where = self.first[k], self.first[m], self.size(k), self.size(m), s * t
                        found.append((self.of(at, left, k), self.of(at, right, m), inverse, z, A, *where))
            return found

        return (
            Call(clear, lambda at: [(at[A], A.size)], (A,)),
            Call(rows_on_parent, moved, (B, BX)),
            Call(couple, pairs, (B, BX, A, z)),
        )

    def on_bodies(self) -> dict[int, list[tuple[int, Data, int]]]:
        """body -> the joints whose rows act on it: number, rows, sign."""
        found: dict[int, list[tuple[int, Data, int]]] = {}
        for k, j in enumerate(self.joints):
            found.setdefault(j, []).append((k, self.B, 1))
            if self.parents[j] >= 0:
                found.setdefault(self.parents[j], []).append((k, self.BX, -1))
        return found

    def asked(self, velocity: str, g: Data) -> Call:
        """g = B v, v a field of each joint."""
        return Call(ask, lambda at: self.by_joint(at, lambda k, j: (at.field(j, velocity), at[g] + self.first[k])), (self.B, g))

    def by_joint(self, at: Addresses, places: Callable[[int, int], tuple[int, int]]) -> list[tuple[Any, ...]]:
        """The rows of each joint, with two more places, and how many there are."""
        return [(self.of(at, self.B, k), *places(k, j), self.size(k)) for k, j in enumerate(self.joints)]

    def acting(self, b: Data, wrench: str) -> Call:
        """B' b into a field of each joint."""
        return Call(act, lambda at: self.by_joint(at, lambda k, j: (at[b] + self.first[k], at.field(j, wrench))), (self.B, b))

    def minimised(self, g: Data, b: Data, low: Data, high: Data, kind: list[int]) -> Call:
        """b = argmin 1/2 b'A b - g'b within bounds."""
        n, name = self.n, f"rub {self.name}"
        c, grad, x, d, y = (Data(f"{name} {what}", n) for what in ("c", "gradient", "x", "d", "y"))
        K, ways, count, turns = Data(f"{name} K", n, n), Data(f"{name} ways", n, 5), Data(f"{name} count", 1), Data(f"{name} turns", 1)
        data = (self.A, K, g, b, c, grad, x, d, y, low, high, ways, count, turns)
        return Call(minimise_within, lambda at: [(*data, kind, n)], data)
