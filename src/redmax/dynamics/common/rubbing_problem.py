"""The friction of all joints at once, as a quadratic problem over their points (RedMax notes Eq. 2.110):

    min 1/2 b' T M^-1 T' b - b' T v,   |b| <= mu |a|        v: what bodies would do without friction; a: normal impulses; b: tangential ones

and the same of normals, where they only push (Eq. 2.109):

    min 1/2 a' N M^-1 N' a - a' N u,   a >= 0               u: what bodies would do without joints
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.contact.rubbing.points import RubbingPoints
from redmax.dynamics.common.rubbing_rows import RubbingRows, constants, padded
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot

ENDLESS = 1e30  # of normals that only push


@routine
def share(U: Matrix, load: Vector, a: Vector, m: Whole, rank: Whole) -> None:
    """Normal impulses a = U s."""
    for k in range(m):
        a[k] = dot(U[k, 0:rank], load[0:rank])


@routine
def bound(
    a: Vector, total: Vector, most: Vector, high: Vector, low: Vector, m: Whole, n: Whole, points: Whole, normal_of: Wholes,
    tangent_of: Wholes,
) -> None:  # fmt: skip
    """What each point bears, and what that allows its tangents."""
    for i in range(points):
        total[i] = 0.0
    for k in range(m):
        total[normal_of[k]] += abs(a[k])
    for k in range(n):
        high[k] = most[k] * total[tangent_of[k]]
        low[k] = -high[k]


@routine
def only_push(low: Vector, high: Vector, n: Whole) -> None:
    """Bounds of normals."""
    for k in range(n):
        low[k] = 0.0
        high[k] = ENDLESS


@dataclass(frozen=True, eq=False)
class FrictionProblem:
    """Of one model: rows, unknowns and bounds of all its joints that rub, one joint after the other."""

    model: Model

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """The numbers of those that rub."""
        return tuple(self.model.rubbing_at)

    @cached_property
    def points(self) -> list[RubbingPoints]:
        """Of each, in the frame of the kernels."""
        return [rubbing.points for rubbing in self.model.rubbing_at.values()]

    @cached_property
    def T(self) -> RubbingRows:
        """Tangents."""
        return RubbingRows("T", self.joints, tuple(p.T for p in self.points), self.model.tree.parent)

    @cached_property
    def N(self) -> RubbingRows:
        """Normals."""
        return RubbingRows("N", self.joints, tuple(p.N for p in self.points), self.model.tree.parent)

    @cached_property
    def kind(self) -> list[int]:
        """Of each tangent: by itself, or the first or second of two."""
        return [1 + i % 2 if p.discs else 0 for p in self.points for i in range(len(p.T))]

    @cached_property
    def b(self) -> Data:
        """Tangential impulses."""
        return Data("rub_impulse", self.T.n)

    @cached_property
    def a(self) -> Data:
        """Normal impulses."""
        return Data("rub_normal", self.N.n)

    @cached_property
    def U(self) -> Data:
        """What takes s to normal impulses."""
        return Data("rub U", self.N.n, 6)

    @cached_property
    def most(self) -> Data:
        """What of a point's normal impulses bounds each tangent."""
        return Data("rub most", self.T.n)

    def begun(self) -> tuple[ProgramStage, ...]:
        """What is constant, once in a program."""
        U, most = self.U, self.most
        alike: dict[Any, list[int]] = {}
        frictions = [rubbing.friction for rubbing in self.model.rubbing_at.values()]
        for k, p in enumerate(self.points):
            alike.setdefault((p.T.tobytes(), p.N.tobytes(), frictions[k]), []).append(k)

        def stage(numbers: list[int]) -> Call:
            p = self.points[numbers[0]]
            formula = constants(padded(p.factors[0], U), frictions[numbers[0]] * p.share)
            return Call(formula, lambda at: [(self.N.of(at, U, k)[0], at[most] + self.T.first[k]) for k in numbers], (U, most))

        return *self.T.begun(), *map(stage, alike.values())

    def shared(self) -> tuple[ProgramStage, ...]:
        """Normal impulses, from what joints transmit (Eq. 2.114)."""
        U, a = self.U, self.a

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            ranks = [p.factors[0].shape[1] for p in self.points]
            places = [(self.N.of(at, U, k), at.field(j, "rub_load"), at[a] + self.N.first[k]) for k, j in enumerate(self.joints)]
            return [(*place, self.N.size(k), ranks[k]) for k, place in enumerate(places)]

        return (Call(share, rows, (U, a)),)

    def pushing(self, velocity: str, wrench: str) -> tuple[ProgramStage, ...]:
        """The same from how fast joints would come apart, a field of each, and what they do to bodies (Eq. 2.109)."""
        N, a, n = self.N, self.a, self.N.n
        g, low, high = (Data(f"rub N {name}", n) for name in ("g", "low", "high"))
        bounds = Call(only_push, lambda at: [(low, high, n)], (low, high))
        return N.asked(velocity, g), bounds, N.minimised(g, a, low, high, [0] * n), N.acting(a, wrench)

    def solved(self) -> tuple[ProgramStage, ...]:
        """Tangential impulses, and what they do to the bodies of each joint."""
        T, a, b, most = self.T, self.a, self.b, self.most
        g, low, high = (Data(f"rub T {name}", T.n) for name in ("g", "low", "high"))
        first = [0, *np.cumsum([len(p.positions) for p in self.points]).tolist()]
        total = Data("rub total", first[-1])

        def bounds(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k, p in enumerate(self.points):
                f = T.first[k]
                places = at[a] + self.N.first[k], at[total] + first[k], at[most] + f, at[high] + f, at[low] + f
                found.append((*places, len(p.N), len(p.T), len(p.positions), list(p.normal_of), list(p.tangent_of)))
            return found

        bounded = Call(bound, bounds, (a, total, most, high, low))
        return bounded, T.asked("rub_slip", g), T.minimised(g, b, low, high, self.kind), T.acting(b, "rub_t")
