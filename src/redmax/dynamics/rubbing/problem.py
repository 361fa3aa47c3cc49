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

from redmax.contact.rubbing.points import RANK, RubbingPoints
from redmax.dynamics.rubbing.constants import constants, padded
from redmax.dynamics.rubbing.places import RubbingPlaces
from redmax.dynamics.rubbing.rows import RubbingRows
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, Wholes, dot
from redmax.solvers.nonnegative import minimise_nonnegative


@routine
def share(U: Matrix, load: Vector, a: Vector, m: Whole, rank: Whole) -> None:
    """Normal impulses a = U s."""
    for k in range(m):
        a[k] = dot(U[k, 0:rank], load[0:rank])


@routine
def share_moved(K: Matrix, frame: Vector, wrench: Vector, h: Vector, z: Vector, a: Vector, m: Whole) -> None:
    """Normal impulses a = h pinv(N') w, w the wrench as seen from the frame of a place."""
    for i in range(3):
        z[6 + i] = wrench[i]
    z[6] -= frame[10] * wrench[5] - frame[11] * wrench[4]
    z[7] -= frame[11] * wrench[3] - frame[9] * wrench[5]
    z[8] -= frame[9] * wrench[4] - frame[10] * wrench[3]
    for i in range(3):
        z[i] = h[0] * (frame[i] * z[6] + frame[3 + i] * z[7] + frame[6 + i] * z[8])
        z[3 + i] = h[0] * (frame[i] * wrench[3] + frame[3 + i] * wrench[4] + frame[6 + i] * wrench[5])
    for k in range(m):
        a[k] = dot(K[k, 0:6], z[0:6])


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


@dataclass(frozen=True, eq=False)
class FrictionProblem:
    """Of one model: rows, unknowns and bounds of all places that rub, one after the other."""

    model: Model

    @cached_property
    def places(self) -> RubbingPlaces:
        """Where there are some."""
        return RubbingPlaces(self.model)

    @cached_property
    def points(self) -> list[RubbingPoints]:
        """Of each place, in its frame."""
        return [place.points for place in self.places.all]

    @cached_property
    def T(self) -> RubbingRows:
        """Tangents."""
        return RubbingRows("T", self.places, tuple(p.T for p in self.points))

    @cached_property
    def N(self) -> RubbingRows:
        """Normals."""
        return RubbingRows("N", self.places, tuple(p.N for p in self.points))

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
        for k, (p, place) in enumerate(zip(self.points, self.places.all, strict=True)):
            alike.setdefault((p.T.tobytes(), p.N.tobytes(), place.rubbing.friction, place.moves), []).append(k)

        def stage(numbers: list[int]) -> Call:
            p, place = self.points[numbers[0]], self.places.all[numbers[0]]
            table = np.linalg.pinv(p.N.T, rcond=RANK) if place.moves else p.factors[0]
            formula = constants(padded(table, U), place.rubbing.friction * p.share)
            return Call(formula, lambda at: [(self.N.of(at, U, k)[0], at[most] + self.T.first[k]) for k in numbers], (U, most))

        return *self.places.begun(), *self.T.begun(), *map(stage, alike.values())

    def shared(self, load: Data) -> tuple[ProgramStage, ...]:
        """Normal impulses, from what joints transmit (Eq. 2.114). load: what constraints exert on the first bodies of places, (held, 6)."""
        U, a, z, places = self.U, self.a, Data("rub wrench", 9), self.places

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k, place in enumerate(places.all):
                if not place.moves:
                    where = self.N.of(at, U, k), at.field(place.body, "rub_load"), at[a] + self.N.first[k]
                    found.append((*where, self.N.size(k), place.points.factors[0].shape[1]))
            return found

        def moved(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for k in places.moving:
                held = at[load] + load.leading * places.held.index(k) if k in places.held else at.field(places.all[k].body, "rub_F")
                where = self.N.of(at, U, k), places.frame(at, k), held, at.world("h"), z, at[a] + self.N.first[k]
                found.append((*where, self.N.size(k)))
            return found

        return (
            *([Call(share, rows, (U, a))] if len(places.moving) < len(places.all) else []),
            *([Call(share_moved, moved, (U, a, z, places.frames, load))] if places.moving else []),
        )

    def pushing(self, velocity: str, wrench: str) -> tuple[ProgramStage, ...]:
        """The same from how fast joints would come apart, a field of each, and what they do to bodies (Eq. 2.109)."""
        N, a, n = self.N, self.a, self.N.n
        g, *room = (Data(f"rub N {name}", n) for name in ("g", "c0", "w", "d", "y", "Aw", "Ad", "order"))
        data = N.A, Data("rub N K", n, n), g, a, *room
        return *N.asked(velocity, g), Call(minimise_nonnegative, lambda at: [(*data, n)], data), *N.acting(a, wrench)

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
        return bounded, *T.asked("rub_slip", g), T.minimised(g, b, low, high, self.kind), *T.acting(b, "rub_t")
