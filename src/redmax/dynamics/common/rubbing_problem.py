"""The friction of all joints at once, as a quadratic problem over their points (RedMax notes Eq. 2.110):

    min 1/2 b' T M^-1 T' b - b' T v,   |b| <= mu |a|        v: what bodies would do without friction; a: normal impulses; b: tangential ones

T has the rows of each joint on its body and, with the other sign, on its parent: T M^-1 T' couples joints that share a body. The rows of
joints are constant, and stand in a world's memory from where a program begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.contact.rubbing.points import RubbingPoints
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot
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
def couple(A: Matrix, B: Matrix, inverse: Matrix, z: Vector, H: Matrix, first: Whole, second: Whole, n: Whole, m: Whole, sign: Whole) -> None:
    """H += sign A M^-1 B', of the rows of two joints on one body."""
    for k in range(n):
        for i in range(6):
            z[i] = float(sign) * dot(inverse[i, 0:6], A[k, 0:6])
        for l in range(m):
            H[first + k, second + l] += dot(z[0:6], B[l, 0:6])


@routine
def bound(U: Matrix, load: Vector, a: Vector, total: Vector, m: Whole, rank: Whole, points: Whole, normal_of: Wholes) -> None:
    """Normal impulses a = U s, and what each point bears of them."""
    for i in range(points):
        total[i] = 0.0
    for k in range(m):
        a[k] = dot(U[k, 0:rank], load[0:rank])
        total[normal_of[k]] += abs(a[k])


@routine
def ask(T: Matrix, slip: Vector, g: Vector, high: Vector, low: Vector, most: Vector, total: Vector, n: Whole, tangent_of: Wholes) -> None:
    """g = T v, and the bounds of each tangent."""
    for k in range(n):
        g[k] = dot(T[k, 0:6], slip[0:6])
        high[k] = most[k] * total[tangent_of[k]]
        low[k] = -high[k]


@routine
def act(T: Matrix, b: Vector, wrench: Vector, n: Whole) -> None:
    """T' b."""
    for i in range(6):
        wrench[i] = 0.0
    for k in range(n):
        for i in range(6):
            wrench[i] += b[k] * T[k, i]


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
class FrictionProblem:
    """Of one model: rows, unknowns and bounds of all its joints that rub, one joint after the other."""

    model: Model

    @cached_property
    def joints(self) -> list[tuple[int, RubbingPoints, float]]:
        """The number of each joint, its points in the frame of the kernels, and its coefficient."""
        return [(i, f.points, f.friction) for i, f in sorted(self.model.rubbing_at.items())]

    @cached_property
    def first(self) -> list[int]:
        """Where the tangents of each joint begin, and their end."""
        return [0, *np.cumsum([len(points.T) for _, points, _ in self.joints]).tolist()]

    @cached_property
    def normals(self) -> list[int]:
        """Where the normals of each joint begin, and their end."""
        return [0, *np.cumsum([len(points.N) for _, points, _ in self.joints]).tolist()]

    @cached_property
    def bearing(self) -> list[int]:
        """Where the points of each joint begin, and their end."""
        return [0, *np.cumsum([len(points.positions) for _, points, _ in self.joints]).tolist()]

    @property
    def n(self) -> int:
        """How many tangents there are."""
        return self.first[-1]

    @cached_property
    def kind(self) -> list[int]:
        """Of each tangent: by itself, or the first or second of two."""
        return [1 + i % 2 if points.discs else 0 for _, points, _ in self.joints for i in range(len(points.T))]

    @cached_property
    def T(self) -> Data:
        return Data("rub T", self.n, 6)

    @cached_property
    def B(self) -> Data:
        return Data("rub T X", self.n, 6)

    @cached_property
    def U(self) -> Data:
        return Data("rub U", self.normals[-1], 6)

    @cached_property
    def H(self) -> Data:
        return Data("rub H", self.n, self.n)

    @cached_property
    def b(self) -> Data:
        """Tangential impulses."""
        return Data("rub_impulse", self.n)

    @cached_property
    def a(self) -> Data:
        """Normal impulses."""
        return Data("rub_normal", self.normals[-1])

    def room(self, name: str, rows: int, columns: int | None = None) -> Data:
        return Data(f"rub {name}", rows, columns)

    @cached_property
    def most(self) -> Data:
        """What of a point's normal impulses bounds each tangent."""
        return self.room("most", self.n)

    @cached_property
    def total(self) -> Data:
        """What each point bears."""
        return self.room("total", self.bearing[-1])

    def at_row(self, at: Addresses, data: Data, k: int) -> tuple[int, int]:
        """A matrix from row k on."""
        return at[data] + k * data.leading, data.leading

    def begun(self) -> tuple[ProgramStage, ...]:
        """The constant rows, once in a program: joints of one shape by one formula."""
        T, U, most = self.T, self.U, self.most
        alike: dict[Any, list[int]] = {}
        for k, (_, p, friction) in enumerate(self.joints):
            alike.setdefault((p.T.tobytes(), p.N.tobytes(), friction), []).append(k)

        def stage(numbers: list[int]) -> Call:
            _, p, friction = self.joints[numbers[0]]
            formula = constants(padded(p.T, T), padded(p.factors[0], U), friction * p.share)

            def places(at: Addresses) -> list[tuple[int, int, int]]:
                starts = [(self.first[k], self.normals[k]) for k in numbers]
                return [(self.at_row(at, T, f)[0], self.at_row(at, U, m)[0], at[most] + f) for f, m in starts]

            return Call(formula, places, (T, U, most))

        return tuple(map(stage, alike.values()))

    def assembled(self) -> tuple[ProgramStage, ...]:
        """T M^-1 T', once a step."""
        T, B, H, z, rooted = self.T, self.B, self.H, self.room("z", 6), self.model.tree.parent

        def moved(at: Addresses) -> list[tuple[Any, ...]]:
            held = [(k, j) for k, (j, _, _) in enumerate(self.joints) if rooted[j] >= 0]
            return [(self.at_row(at, T, f), at.field(j, "rub_frame"), self.at_row(at, B, f), self.first[k + 1] - f)
                    for k, j in held for f in [self.first[k]]]  # fmt: skip

        def pairs(at: Addresses) -> list[tuple[Any, ...]]:
            on: dict[int, list[tuple[int, Data, int]]] = {}  # body -> the joints whose rows act on it: number, rows, sign
            for k, (j, _, _) in enumerate(self.joints):
                on.setdefault(j, []).append((k, T, 1))
                if rooted[j] >= 0:
                    on.setdefault(rooted[j], []).append((k, B, -1))
            found: list[tuple[Any, ...]] = []
            for body, rows in on.items():
                inverse = at.field(body, "rub_inverse"), 6
                for k, left, s in rows:
                    for l, right, t in rows:
                        f, g = self.first[k], self.first[l]
                        sizes = self.first[k + 1] - f, self.first[l + 1] - g
                        found.append((self.at_row(at, left, f), self.at_row(at, right, g), inverse, z, H, f, g, *sizes, s * t))
            return found

        return (
            Call(clear, lambda at: [(at[H], H.size)], (H,)),
            Call(rows_on_parent, moved, (T, B)),
            Call(couple, pairs, (T, B, H, z)),
        )

    def bounded(self) -> tuple[ProgramStage, ...]:
        """Normal impulses, from what joints transmit."""
        U, a, total = self.U, self.a, self.total

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k, (j, p, _) in enumerate(self.joints):
                m, i = self.normals[k], self.bearing[k]
                sizes = len(p.N), p.factors[0].shape[1], len(p.positions), list(p.normal_of)
                found.append((self.at_row(at, U, m), at.field(j, "rub_load"), at[a] + m, at[total] + i, *sizes))
            return found

        return (Call(bound, rows, (U, a, total)),)

    def solved(self) -> tuple[ProgramStage, ...]:
        """Tangential impulses, and what they do to the bodies of each joint."""
        T, H, b, most, total, n = self.T, self.H, self.b, self.most, self.total, self.n
        g, high, low = (self.room(name, n) for name in ("g", "high", "low"))
        c, grad, x, d, y = (self.room(name, n) for name in ("c", "gradient", "x", "d", "y"))
        K, ways, count, turns = self.room("K", n, n), self.room("ways", n, 5), self.room("count", 1), self.room("turns", 1)
        data = (T, H, b, most, total, g, high, low, c, grad, x, d, y, K, ways, count, turns)

        def asked(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k, (j, p, _) in enumerate(self.joints):
                f, vectors = self.first[k], (g, high, low, most)
                places = at.field(j, "rub_slip"), *[at[v] + f for v in vectors], at[total] + self.bearing[k]
                found.append((self.at_row(at, T, f), *places, len(p.T), list(p.tangent_of)))
            return found

        def acts(at: Addresses) -> list[tuple[Any, ...]]:
            joints = [(self.first[k], self.first[k + 1], j) for k, (j, _, _) in enumerate(self.joints)]
            return [(self.at_row(at, T, f), at[b] + f, at.field(j, "rub_t"), end - f) for f, end, j in joints]

        problem = Call(
            minimise_within, lambda at: [(H, K, g, b, c, grad, x, d, y, low, high, ways, count, turns, self.kind, n)], data
        )
        return Call(ask, asked, data), problem, Call(act, acts, data)
