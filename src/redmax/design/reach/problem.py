"""Strict priorities, with loops before all of them: one level of targets after the other, each within what those before it leave.

    level k:   min 1/2 |w_k r_k(x)|^2    with    c(x) = 0,    r_i(x) = r_i(x_i) for i < k,    low <= x <= high

Where a level i was not met, r_i = r_i(x_i) would be degenerate: at a least that is not zero, r_i'J = 0. Its gradient is held at zero
then, and what it presses against a bound stays there. Equations are kept by the method of multipliers (Hestenes 1969, Powell 1969):
rho |c + y|^2 is added, y <- y + c where a least is found, of one-sided rows c >= 0 the part below zero. So whatever is looked for is
least squares within bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from redmax.design.reach.asked import Asked
from redmax.design.reach.closures import Closures
from redmax.design.reach.least_squares import At, Search, held_gradient
from redmax.design.reach.missed import left_by
from redmax.design.reach.rows import TargetRows
from redmax.design.reach.space import Space

STIFF = 1e2  # sqrt(rho), of the largest weight
CLOSED = 1e-12  # gaps of equations, relative to the mechanism's size, that are none
ROUNDS = 15  # of multipliers
SLOWLY, STIFFER, STIFFEST = 0.25, 4.0, 1e3  # of a gap, that may be left after a round, or it becomes so much stiffer; at most
RESTORED, AS_FAR = 1e-9, 1e-6  # gaps that a later level may leave, and how much of what was not reached
STRETCHED = 0.1  # of the size of J: gradients are compared with that at least
FINER = 1e-3  # of the tolerance, for targets that others come after


@dataclass(frozen=True, eq=False)
class Problem:
    """Many worlds. levels: (m,), of each row of the targets."""

    rows: TargetRows
    closures: Closures
    space: Space
    levels: np.ndarray
    asked: Asked

    def of(self, which: np.ndarray, restarts: int | None = None) -> Problem:
        """Of some worlds."""
        return replace(self, asked=self.asked.of(which, restarts))

    @property
    def weights(self) -> np.ndarray:
        """(worlds, m)."""
        return self.asked.weights

    @property
    def groups(self) -> list[np.ndarray]:
        """Rows that are one error together: those of a block."""
        return [np.arange(p.row, p.row + p.block.size) for p in self.rows.parts]

    def off(self, r: np.ndarray, which: np.ndarray) -> np.ndarray:
        """(worlds, blocks): |r| of each block relative to its tolerance; rows without weight do not count."""
        counted = np.where(self.weights[which] > 0, r, 0.0)
        most = [self.asked.length if p.block.unit == "m" else self.asked.angle for p in self.rows.parts]
        sizes = [np.linalg.norm(counted[:, g], axis=1) / x for g, x in zip(self.groups, most, strict=True)]
        return np.stack(sizes, axis=1) if sizes else np.zeros((len(r), 0))

    def met(self, r: np.ndarray) -> np.ndarray:
        """(worlds,): whether the first priority is."""
        off = self.off(r, np.arange(len(r)))
        first = [k for k in range(off.shape[1]) if self.level_of(k) == self.levels.min()]
        return np.asarray((off[:, first] <= 1.0).all(axis=1))

    @property
    def stiffness(self) -> float:
        """sqrt(rho), at first."""
        return STIFF * max(float(self.weights.max(initial=0.0)), 1.0)

    def slope(self, at: At, pressed: np.ndarray, level: int) -> np.ndarray:
        """(worlds,): the gradient along what no bound holds, relative to |J| |e|, all by units of coordinates.

        At the least of one row alone J itself vanishes: |J| is at least a share of what it is where the mechanism is stretched out.
        """
        unit = self.space.unit
        left = held_gradient(at.gradient, *self.space.room(at.x), self.space.movable & ~pressed) * unit
        own = self.weights[:, self.levels == level] * self.rows.lengths[self.levels == level]
        J = np.maximum(np.sqrt((at.J * at.J * unit * unit).sum(axis=(1, 2))), STRETCHED * np.sqrt((own * own).sum(axis=1)))
        return np.abs(left).max(axis=1, initial=0.0) / (J * np.sqrt(2 * at.cost) + 1e-300)

    def pressing(self, at: At) -> np.ndarray:
        """(worlds, n): the gradient along coordinates that bounds hold."""
        left = held_gradient(at.gradient, *self.space.room(at.x), self.space.movable)
        return np.where(self.space.movable, at.gradient - left, 0.0)

    def level_of(self, block: int) -> int:
        """Of a block."""
        return int(self.levels[self.groups[block][0]])

    def seen(self, which: np.ndarray, x: np.ndarray, d: np.ndarray) -> Rows:
        """All rows at places moved by steps."""
        q, dq = self.space.stepped(x, d)
        moved, r, A = self.rows.at(q, dq, self.asked.goals[which], self.asked.t)
        c, C = self.closures.at(q, dq, self.asked.t) if self.closures.size else (np.zeros((len(x), 0)), np.zeros((len(x), 0, A.shape[2])))
        there = self.space.arrived(x, d, moved)
        return Rows(there, r, self.space.along(there, A), c, self.space.along(there, C))


@dataclass(frozen=True, eq=False)
class Rows:
    """x: places; r, A: of targets; c, C: of closures."""

    x: np.ndarray
    r: np.ndarray
    A: np.ndarray
    c: np.ndarray
    C: np.ndarray


@dataclass(frozen=True, eq=False)
class Level:
    """The rows of one priority, with all before held. held: (worlds, m), where rows of earlier levels are; y: (worlds, equations).

    unmet: earlier levels, and which worlds did not meet them, (worlds,); pressed: (worlds, n), what these press against bounds
    stiff: (worlds,), sqrt(rho); last: whether no level comes after; bare: whether its own rows do not count, but for what is before
    rank: (worlds,) of the equations before it, once it has been left (`ranked`)
    """

    problem: Problem
    number: int
    held: np.ndarray
    y: np.ndarray
    pressed: np.ndarray
    stiff: np.ndarray
    unmet: tuple[tuple[Level, np.ndarray], ...] = ()
    last: bool = True
    bare: bool = False
    rank: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    @classmethod
    def begun(
        cls, problem: Problem, number: int, held: np.ndarray, pressed: np.ndarray,
        unmet: tuple[tuple[Level, np.ndarray], ...] = (), last: bool = True,
    ) -> Level:  # fmt: skip
        """With no multipliers yet."""
        level = cls(problem, number, held, np.zeros((len(held), 0)), pressed, np.full(len(held), problem.stiffness), unmet, last)
        return replace(level, y=np.zeros((len(held), level.equations)))

    @cached_property
    def before(self) -> np.ndarray:
        """The rows of earlier levels."""
        return np.flatnonzero(self.problem.levels < self.number)

    @cached_property
    def own(self) -> np.ndarray:
        """The rows of this one."""
        return np.flatnonzero(self.problem.levels == self.number)

    @property
    def equations(self) -> int:
        """How many are kept."""
        return len(self.sided)

    def kept(self, which: np.ndarray, seen: Rows) -> tuple[np.ndarray, np.ndarray]:
        """c and C of all equations; of earlier targets too."""
        p, unit = self.problem, self.problem.space.unit
        met = np.ones((len(which), len(p.levels)), bool)
        gradients, curvatures = [], []
        for level, worlds in self.unmet:
            met[:, level.own] &= ~worlds[which, None]
            some = np.flatnonzero(worlds[which])
            g, H = np.zeros((len(which), len(unit))), np.zeros((len(which), len(unit), len(unit)))
            if len(some):
                g[some], H[some] = left_by(level, which[some], seen.x[some])
            gradients.append(g)
            curvatures.append(H)
        counted = (met & (p.weights[which] > 0))[:, self.before]
        r = np.where(counted, seen.r[:, self.before] - self.held[which][:, self.before], 0.0)
        c = np.concatenate([seen.c, r, *gradients], axis=1)
        return c, np.concatenate([seen.C, seen.A[:, self.before] * counted[..., None], *curvatures], axis=1)

    @property
    def nested(self) -> bool:
        """Whether equations of this level are known by differences of what itself has differences in it."""
        return any(level.unmet for level, _ in self.unmet)

    @cached_property
    def sided(self) -> np.ndarray:
        """(equations,): which only push."""
        more = len(self.before) + len(self.unmet) * len(self.problem.space.unit)
        return np.concatenate([self.problem.closures.sided, np.zeros(more, bool)])

    def look(self, which: np.ndarray, x: np.ndarray, d: np.ndarray) -> At:
        """See `Look`."""
        p, seen = self.problem, self.problem.seen(which, x, d)
        w = p.weights[which][:, self.own] * (0.0 if self.bare else 1.0)
        c, C = self.kept(which, seen)
        shifted = c + self.y[which]
        acting = ~self.sided | (shifted < 0.0)
        stiff = self.stiff[which][:, None]
        e = np.concatenate([w * seen.r[:, self.own], stiff * np.where(acting, shifted, 0.0)], axis=1)
        J = np.concatenate([w[..., None] * seen.A[:, self.own], stiff[..., None] * C * acting[..., None]], axis=1)
        return At(seen.x, e, J, self.enough(which, seen, c))

    def enough(self, which: np.ndarray, seen: Rows, c: np.ndarray) -> np.ndarray:
        """Whether nothing is left to be done for this level."""
        gap = self.gap(c)
        if self.bare:
            return gap <= CLOSED
        mine = [k for k in range(len(self.problem.groups)) if self.problem.level_of(k) == self.number]
        near = self.problem.off(seen.r, which)[:, mine].max(axis=1, initial=0.0) <= (1.0 if self.last else FINER)
        return near & (gap <= 1e3 * CLOSED)

    def gap(self, c: np.ndarray) -> np.ndarray:
        """(worlds,): the largest of the equations."""
        return np.abs(np.where(self.sided, np.minimum(c, 0.0), c)).max(axis=1, initial=0.0)

    def search(self, exact: bool) -> Search:
        """For its least."""
        p, space = self.problem, self.problem.space
        found = Search(self.look, space.room, space.movable & ~self.pressed, space.unit, p.asked.iterations, p.asked.method)
        return found.exactly() if exact else found

    def of(self, which: np.ndarray) -> Level:
        """Some of the worlds."""
        some = self.problem.of(which)
        unmet = tuple((replace(level.of(which), problem=some), worlds[which]) for level, worlds in self.unmet)
        return replace(
            self,
            problem=some,
            held=self.held[which],
            y=self.y[which],
            pressed=self.pressed[which],
            stiff=self.stiff[which],
            unmet=unmet,
            rank=self.rank[which] if len(self.rank) else self.rank,
        )

    def least(self, x: np.ndarray, exact: bool = False) -> tuple[At, np.ndarray, Level]:
        """Where each world ends, its steps, and the level with the multipliers that it then has."""
        level, gap, live = self.of(np.arange(len(x))), np.full(len(x), np.inf), np.arange(len(x))
        at, took = level.search(exact).least(x)
        for _ in range(ROUNDS if self.equations else 0):
            some = level.of(live)
            c = some.equations_at(at.x[live])
            y = np.where(self.sided, np.minimum(some.y + c, 0.0), some.y + c)
            going = ~at.enough[live] & (np.abs(y - some.y).max(axis=1, initial=0.0) > CLOSED)
            live, c, y, some = live[going], c[going], y[going], some.of(going)
            if not len(live):
                break
            before, gap[live] = gap[live], some.gap(c)
            stiffer = np.where((gap[live] > SLOWLY * before) & (some.stiff < STIFFEST * self.problem.stiffness), STIFFER, 1.0)
            level.y[live], level.stiff[live] = y / stiffer[:, None] ** 2, some.stiff * stiffer
            found, steps = level.of(live).search(exact).least(at.x[live])
            at.put(live, found)
            took[live] += steps
        return at, took, level

    def equations_at(self, x: np.ndarray) -> np.ndarray:
        """c, (worlds, equations)."""
        every = np.arange(len(x))
        return self.kept(every, self.problem.seen(every, x, np.zeros((len(x), len(self.problem.space.unit)))))[0]

    def restored(self, x: np.ndarray, found: np.ndarray) -> np.ndarray:
        """What was found, with all that is before this level as it was at x: x itself, where that cannot be had."""
        bare = replace(self, bare=True, y=np.zeros_like(self.y), stiff=np.ones_like(self.stiff))
        p, every, rest = self.problem, np.arange(len(x)), np.zeros((len(x), len(self.problem.space.unit)))
        near = bare.search(False).least(found)[0].x
        (old, before), (new, after) = ((seen.c, p.off(seen.r, every)) for seen in (p.seen(every, place, rest) for place in (x, near)))
        earlier = [k for k in range(before.shape[1]) if p.level_of(k) < self.number]
        kept = (after <= before * (1.0 + AS_FAR) + FINER)[:, earlier].all(axis=1)
        closed = p.closures.worst(new)[0] <= np.maximum(RESTORED, p.closures.worst(old)[0])
        return np.where((kept & closed)[:, None], near, x)
