"""Rows over the bodies of places that rub, tangents or normals, one place after the other; and their coupling by masses.

    A = B M^-1 B',    B: the rows of each place on its body and, with the other sign, on the other

The rows of joints are constant on their bodies, and stand in a world's memory from where a program begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.dynamics.rubbing.constants import constants, padded
from redmax.dynamics.rubbing.places import RubbingPlaces
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot
from redmax.solvers.bounded_newton import minimise_within
from redmax.solvers.reduced_matrix import clear


@routine
def rows_on_other(T: Matrix, frame: Vector, B: Matrix, n: Whole) -> None:
    """B = T X, X the adjoint of the pose (R, p) in `frame`: of each row (t; f), (R t + p x R f; R f)."""
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
def ask_between(A: Matrix, B: Matrix, v: Vector, u: Vector, g: Vector, n: Whole, moves: Whole) -> None:
    """g = A v - B u, of the rows of a place on its two bodies."""
    for k in range(n):
        g[k] = dot(A[k, 0:6], v[0:6])
        if moves > 0:
            g[k] -= dot(B[k, 0:6], u[0:6])


@routine
def act(B: Matrix, b: Vector, wrench: Vector, n: Whole) -> None:
    """wrench += B' b."""
    for k in range(n):
        for i in range(6):
            wrench[i] += b[k] * B[k, i]


@routine
def push_apart(B: Matrix, b: Vector, wrench: Vector, h: Vector, n: Whole, sign: Whole) -> None:
    """wrench += sign B' b / h."""
    for k in range(n):
        for i in range(6):
            wrench[i] += float(sign) * b[k] * B[k, i] / h[0]


@dataclass(frozen=True, eq=False)
class RubbingRows:
    """name: of their data; places: where they are; tables: (rows, 6) of each, in its frame"""

    name: str
    places: RubbingPlaces
    tables: tuple[np.ndarray, ...]

    @cached_property
    def first(self) -> list[int]:
        """Where the rows of each place begin, and their end."""
        return [0, *np.cumsum([len(table) for table in self.tables]).tolist()]

    @property
    def n(self) -> int:
        """How many there are."""
        return self.first[-1]

    @cached_property
    def B(self) -> Data:
        """On the bodies that joints carry, or the first of a constraint."""
        return Data(f"rub {self.name}", self.n, 6)

    @cached_property
    def BX(self) -> Data:
        """On the others."""
        return Data(f"rub {self.name} X", self.n, 6)

    @cached_property
    def B0(self) -> Data:
        """In the frames of places, of those that move."""
        return Data(f"rub {self.name} constant", self.n if self.places.moving else 1, 6)

    @cached_property
    def A(self) -> Data:
        """B M^-1 B'."""
        return Data(f"rub {self.name} A", self.n, self.n)

    def of(self, at: Addresses, data: Data, k: int) -> tuple[int, int]:
        """The rows of the k-th place."""
        return at[data] + self.first[k] * data.leading, data.leading

    def size(self, k: int) -> int:
        """How many rows the k-th place has."""
        return self.first[k + 1] - self.first[k]

    def begun(self) -> tuple[ProgramStage, ...]:
        """The constant rows, once in a program: those of one shape by one formula."""
        alike: dict[Any, list[int]] = {}
        for k, table in enumerate(self.tables):
            alike.setdefault((self.places.all[k].moves, table.tobytes()), []).append(k)

        def stage(moves: bool, numbers: list[int]) -> Call:
            target = self.B0 if moves else self.B
            formula = constants(padded(self.tables[numbers[0]], target))
            return Call(formula, lambda at: [(self.of(at, target, k)[0],) for k in numbers], (target,))

        return tuple(stage(moves, numbers) for (moves, _), numbers in alike.items())

    def assembled(self) -> tuple[ProgramStage, ...]:
        """B M^-1 B', once a step."""
        B, BX, B0, A, z, places = self.B, self.BX, self.B0, self.A, Data("rub z", 6), self.places

        def moved(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k, place in enumerate(places.all):
                source, size = self.of(at, B0 if place.moves else B, k), self.size(k)
                found += [(source, places.frame(at, k), self.of(at, B, k), size)] if place.moves else []
                if place.other >= 0:
                    frame = places.frame(at, k, other=True) if place.moves else at.field(place.body, "rub_frame")
                    found.append((source, frame, self.of(at, BX, k), size))
            return found

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
            Call(rows_on_other, moved, (B, BX, B0, places.frames)),
            Call(couple, pairs, (B, BX, A, z)),
        )

    def on_bodies(self) -> dict[int, list[tuple[int, Data, int]]]:
        """body -> the places whose rows act on it: number, rows, sign."""
        found: dict[int, list[tuple[int, Data, int]]] = {}
        for k, place in enumerate(self.places.all):
            found.setdefault(place.body, []).append((k, self.B, 1))
            if place.other >= 0:
                found.setdefault(place.other, []).append((k, self.BX, -1))
        return found

    def asked(self, velocity: str, g: Data) -> tuple[ProgramStage, ...]:
        """g = B v, v a field of each joint; of constraints, from what both bodies do."""
        jointed, held, places = self.jointed, self.places.held, self.places.all
        alone = lambda at: [  # noqa: E731
            (self.of(at, self.B, k), at.field(places[k].body, velocity), at[g] + self.first[k], self.size(k)) for k in jointed
        ]

        def between(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k in held:
                v = [at.field(b if b >= 0 else places[k].body, "rub_after") for b in (places[k].body, places[k].other)]
                rows = self.of(at, self.B, k), self.of(at, self.BX, k)
                found.append((*rows, *v, at[g] + self.first[k], self.size(k), int(places[k].other >= 0)))
            return found

        return (
            *([Call(ask, alone, (self.B, g))] if jointed else []),
            *([Call(ask_between, between, (self.B, self.BX, g))] if held else []),
        )

    @property
    def jointed(self) -> list[int]:
        """The numbers of places in joints."""
        return [k for k in range(len(self.places.all)) if k not in self.places.held]

    def acting(self, b: Data, wrench: str) -> tuple[ProgramStage, ...]:
        """B' b into a field of each joint."""
        bodies = sorted({self.places.all[k].body for k in self.jointed})
        rows = lambda at: [  # noqa: E731
            (self.of(at, self.B, k), at[b] + self.first[k], at.field(self.places.all[k].body, wrench), self.size(k)) for k in self.jointed
        ]
        none = Call(clear, lambda at: [(at.field(j, wrench), 6) for j in bodies])
        return (none, Call(act, rows, (self.B, b))) if bodies else ()

    def acting_held(self, b: Data, told: str) -> tuple[ProgramStage, ...]:
        """-B' b / h on both bodies of each constraint, added to rub_b; and B0' b, in the frames of places, into a field of the world."""
        held, places = self.places.held, self.places.all

        def pushes(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k in held:
                sides = ((places[k].body, self.B, -1), (places[k].other, self.BX, 1))
                for body, data, sign in sides:
                    if body >= 0:
                        found.append(
                            (self.of(at, data, k), at[b] + self.first[k], at.field(body, "rub_b"), at.world("h"), self.size(k), sign)
                        )
            return found

        if not held:
            return ()
        rows = lambda at: [  # noqa: E731
            (self.of(at, self.B0, k), at[b] + self.first[k], at.world(told) + 6 * n, self.size(k)) for n, k in enumerate(held)
        ]
        none = Call(clear, lambda at: [(at.world(told), 6 * len(held))])
        return none, Call(act, rows, (self.B0, b)), Call(push_apart, pushes, (self.B, self.BX, b))

    def minimised(self, g: Data, b: Data, low: Data, high: Data, kind: list[int]) -> Call:
        """b = argmin 1/2 b'A b - g'b within bounds."""
        n, name = self.n, f"rub {self.name}"
        c, grad, x, d, y = (Data(f"{name} {what}", n) for what in ("c", "gradient", "x", "d", "y"))
        K, ways, count, turns = Data(f"{name} K", n, n), Data(f"{name} ways", n, 5), Data(f"{name} count", 1), Data(f"{name} turns", 1)
        data = (self.A, K, g, b, c, grad, x, d, y, low, high, ways, count, turns)
        return Call(minimise_within, lambda at: [(*data, kind, n)], data)
