"""A turn of many coordinates: its systems are factored by loops over memory, lanes side by side."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from redmax.design.reach.bounded_step import bounded_step
from redmax.design.reach.damped_step import GIVEN, HUGE, KNOWN, damping, judged
from redmax.design.reach.lanes import Lanes
from redmax.design.reach.least_squares import LONGEST
from redmax.math import where
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Places, Vector, Whole, Wholes
from redmax.solvers.reduced_matrix import clear


@routine
def add_rows(
    found: Vector, weight: Vector, size: Whole, columns: Wholes, count: Whole, most: Vector, H: Matrix, g: Vector, now: Vector
) -> None:
    """The squares of one block: found has its r, then its A by rows. now: |e|^2 / 2; how many blocks are not near."""
    off = 0.0
    for i in range(size):
        now[0] += 0.5 * (weight[i] * found[i]) * (weight[i] * found[i])
        off += where(weight[i] > 0.0, found[i] * found[i], 0.0)
    now[1] += where(off <= most[0] * most[0], 0.0, 1.0)
    for a in range(count):
        for i in range(size):
            slope = weight[i] * weight[i] * found[size + i * count + a]
            g[columns[a]] += slope * found[i]
            for b in range(a, count):
                H[columns[a], columns[b]] += slope * found[size + i * count + b]


@routine
def take(
    new: Matrix, H: Matrix, new_g: Vector, g: Vector, tried: Places, best: Places, kept: Places, base: Places, size: Whole, n: Whole,
    flags: Vector,
) -> None:  # fmt: skip
    """What was tried becomes the best, and the best what is kept, where the flags say so; the next step begins at the best."""
    for i in range(n):
        for j in range(i, n):
            H[i, j] = where(flags[0] > 0.0, new[i, j], H[i, j])
        g[i] = where(flags[0] > 0.0, new_g[i], g[i])
    for k in range(size):
        best[k][0] = where(flags[0] > 0.0, tried[k][0], best[k][0])
        kept[k][0] = where(flags[1] > 0.0, best[k][0], kept[k][0])
        base[k][0] = best[k][0]


@routine
def find_room(q: Places, lower: Vector, upper: Vector, low: Vector, high: Vector, H: Matrix, largest: Vector, n: Whole) -> None:
    """How far coordinates may go, and the largest entry of the diagonal."""
    largest[0] = 0.0
    for i in range(n):
        low[i] = where(lower[i] > -HUGE, lower[i] - q[i][0], lower[i])
        high[i] = where(upper[i] < HUGE, upper[i] - q[i][0], upper[i])
        largest[0] = where(H[i, i] > largest[0], H[i, i], largest[0])


@routine
def hand_over(d: Vector, dq: Places, n: Whole) -> None:
    """A step to the joints."""
    for i in range(n):
        dq[i][0] = d[i]


class InMemory(Lanes):
    """Of targets that any number of coordinates move."""

    def matrix(self, name: str) -> Data:
        return Data(name, self.n, self.n)

    def vector(self, name: str) -> Data:
        return Data(name, self.n)

    @cached_property
    def now(self) -> Data:
        """|e|^2 / 2 where it was tried, and how many blocks are not near; whether it is taken, and kept; the largest of the diagonal."""
        return Data("now", 5)

    @cached_property
    def numbers(self) -> Data:
        """What `bounded_step` is told, and tells."""
        return Data("numbers of the step", 3)

    @cached_property
    def given(self) -> tuple[Data, Data, Data]:
        """Bounds and units, which are the same for all worlds."""
        return self.vector("lower"), self.vector("upper"), self.vector("unit")

    @property
    def shared(self) -> dict[str, np.ndarray]:
        lower, upper = self.bounds.lower[self.columns], self.bounds.upper[self.columns]
        return {"lower": np.maximum(lower, -HUGE), "upper": np.minimum(upper, HUGE), "unit": self.bounds.unit[self.columns]}

    def turn(self) -> list[ProgramStage]:
        """Stage by stage."""
        new, H, M = (self.matrix(f"{name} of squares") for name in ("new", "best", "factor"))
        new_g, g, low, high, free, d, x = (
            self.vector(name) for name in ("new slope", "best slope", "room below", "room above", "free", "step", "spare")
        )
        now, numbers, (lower, upper, unit), n = self.now, self.numbers, self.given, self.n
        cleared = Call(clear, lambda at: [(at[new], new.size), (at[new_g], n), (at[now], 2)], (new, new_g, now))

        def taken(at: Addresses) -> list[tuple[Any, ...]]:
            every = [[at.field(j, name) + k for j, m in zip(self.joints, self.sizes, strict=True) for k in range(m)] for name in PLACES]
            return [(new, H, new_g, g, *every, sum(self.sizes), n, at[now] + 2)]

        def rooms(at: Addresses) -> list[tuple[Any, ...]]:
            return [(self.coordinates(at), lower, upper, low, high, H, at[now] + 4, n)]

        room = Call(find_room, rooms, (lower, upper, low, high, H, now))
        step = Call(
            bounded_step, lambda at: [(H, M, g, low, high, unit, free, d, x, numbers, n)], (H, M, g, low, high, unit, free, d, x, numbers)
        )
        handed = Call(hand_over, lambda at: [(d, self.velocities(at), n)], (d,))
        return [
            cleared,
            *self.adding(new, new_g),
            self.judging(),
            Call(take, taken, (new, H, new_g, g, now)),
            room,
            self.damping(),
            step,
            handed,
        ]

    def adding(self, new: Data, new_g: Data) -> list[ProgramStage]:
        """What targets add to the squares."""
        data = (self.rows.found, self.weights, new, new_g, self.now)
        return [Call(add_rows, lambda at: self.blocks(at, new, new_g), data)]

    def blocks(self, at: Addresses, H: Data, g: Data) -> list[tuple[Any, ...]]:
        """A row for each block of targets."""
        where_is = {int(c): k for k, c in enumerate(self.columns)}
        found: list[tuple[Any, ...]] = []
        for p in self.rows.parts:
            own = [where_is[int(self.model.offsets[j]) + k] for j, m in zip(p.joints, p.dofs, strict=True) for k in range(m)]
            most = at.world("length" if p.block.unit == "m" else "angle")
            first = at[self.rows.found] + p.first
            found.append((first, at[self.weights] + p.row, p.block.size, own, len(own), most, H, g, at[self.now]))
        return found

    def coordinates(self, at: Addresses) -> list[int]:
        """Where the coordinate of each velocity lies; of those along groups, anywhere."""
        found: list[int] = []
        for j in self.joints:
            joint, first = self.model.links[j].joint, at.field(j, "best")
            found += [first + (k if joint.nq == joint.dof else 0) for k in range(joint.dof)]
        return found

    def velocities(self, at: Addresses) -> list[int]:
        """Where the step of each lies."""
        return [at.field(j, "dq") + k for j in self.joints for k in range(self.model.links[j].joint.dof)]

    def judging(self) -> Call:
        """Whether what was tried is taken."""

        def function(state: np.ndarray, now: np.ndarray, promised: np.ndarray) -> list[Any]:
            w: dict[str, Any] = dict(zip((*GIVEN, *KNOWN), state, strict=True)) | {"promised": promised[0]}
            better, nearer, after = judged(w, now[0], now[1] < 0.5)
            flags = [where(flag, 1.0, 0.0) for flag in (better, nearer)]
            return [np.array(flags, object), after["best_cost"], *[after[k] for k in KNOWN if k != "promised"]]

        known = [k for k in KNOWN if k != "promised"]
        inputs = {"state": len(GIVEN) + len(KNOWN), "now": 2, "promised": 1}
        outputs = {"flags": 2, "best_cost_after": 1} | {f"{k}_after": 1 for k in known}

        def rows(at: Addresses) -> list[list[int]]:
            state, now = at.world(GIVEN[0]), at[self.now]
            return [[state, now, at[self.numbers] + 2, now + 2, at.world("best_cost"), *[at.world(k) for k in known]]]

        return Call(Formula(inputs, outputs, function), rows, (self.now, self.numbers))

    def damping(self) -> Call:
        """What the step is told."""

        def function(best_cost: np.ndarray, mu: np.ndarray, diagonal: np.ndarray) -> list[Any]:
            return [np.array([damping({"best_cost": best_cost[0], "mu": mu[0]}, diagonal[0]), LONGEST], object)]

        formula = Formula({"best_cost": 1, "mu": 1, "diagonal": 1}, {"numbers": 2}, function)
        return Call(
            formula, lambda at: [[at.world("best_cost"), at.world("mu"), at[self.now] + 4, at[self.numbers]]], (self.now, self.numbers)
        )

    @property
    def own_world(self) -> dict[str, int]:
        return {"best_cost": 1}


PLACES = ("q", "best", "kept", "base")
