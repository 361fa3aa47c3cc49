"""The first level of targets in compiled code: worlds side by side in lanes, each with its own steps, and the next when it is done.

    repeat:  look at the targets where q is;  take q or not;  a step;  q <- best moved by it        until they are met, or no start is left

A world that gains too little begins elsewhere, while it has starts left; what came nearest is kept. The queue of worlds
(backends/llvm/lane_queue.py) hands a lane its next world as soon as one is done, so that no lane waits for a neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import make_plan, make_runner
from redmax.design.reach.asked import Asked
from redmax.design.reach.bounds import Bounds
from redmax.design.reach.damped_step import HUGE, Tried, damping_of, step, triangle, turn
from redmax.design.reach.least_squares import FIRST
from redmax.design.reach.rows import FIELDS, PLACED, TargetRows
from redmax.math import floor, logical_and, logical_or, where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.sweep import forward, once, recursion

MULTIPLIER, MODULUS = 16807.0, 2147483647.0  # of random numbers: exact in doubles (Park, Miller 1988)
STATE: dict[str, Any] = {"base": "q", "best": "q", "kept": "q", "begun": "q"}
GIVEN = ("length", "angle", "most", "starts", "seed")
KNOWN = ("cost", "promised", "mu", "gained", "slow", "reached", "turns", "took", "tries", "kept_cost", "again", "done")
WORLD = dict.fromkeys((*GIVEN, *KNOWN), 1)


@once
def begin(w: WorldView) -> None:
    w.cost, w.kept_cost, w.mu, w.gained = HUGE, HUGE, FIRST, 1.0
    w.promised, w.slow, w.reached, w.turns, w.took, w.tries, w.again, w.done = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0


@forward
def move_on(j: JointView) -> None:
    j.q = j.joint.retract(j.base, j.dq)


@dataclass(frozen=True, eq=False)
class Lanes:
    """Of the rows of targets, whose Jacobian is small enough to be eliminated in registers."""

    rows: TargetRows
    bounds: Bounds

    @property
    def model(self) -> Model:
        return self.rows.model

    @cached_property
    def joints(self) -> list[int]:
        """Those that move the targets."""
        return sorted({j for p in self.rows.parts for j in p.joints})

    @cached_property
    def columns(self) -> np.ndarray:
        """Their velocities."""
        offsets = self.model.offsets
        return np.array([k for j in self.joints for k in range(offsets[j], offsets[j + 1])], int)

    @property
    def n(self) -> int:
        return len(self.columns)

    @cached_property
    def weights(self) -> Data:
        return Data("weights", self.rows.size)

    @cached_property
    def squares(self) -> Data:
        """A'A by rows below its diagonal, then A'e, of the best place of this start."""
        return Data("squares", self.n * (self.n + 1) // 2 + self.n)

    @cached_property
    def sizes(self) -> list[int]:
        """Numbers of each joint's configuration."""
        return [self.model.links[j].joint.size for j in self.joints]

    def tried(self, found: np.ndarray, weights: np.ndarray, length: Any, angle: Any) -> Tried:
        """What the formulas of the targets have found, with weights."""
        r, at, rows, columns = self.rows.places
        where_is = {int(c): k for k, c in enumerate(self.columns)}
        A = np.zeros((self.rows.size, self.n), object)
        for place, i, c in zip(at.tolist(), rows.tolist(), columns.tolist(), strict=True):
            A[i, where_is[c]] = weights[i] * found[place]
        near: Any = None
        for p in self.rows.parts:
            square: Any = 0.0
            for i in range(p.row, p.row + p.block.size):
                square = square + where(weights[i] > 0.0, found[r[i]] * found[r[i]], 0.0)
            most = length if p.block.unit == "m" else angle
            close = square <= most * most
            near = close if near is None else logical_and(near, close)
        return Tried([weights[i] * found[k] for i, k in enumerate(r.tolist())], A, near)

    def turn(self, *given: np.ndarray) -> list[Any]:
        """A turn of all: see `formula`."""
        found, weights, squares, state, *places = given
        w: dict[str, Any] = dict(zip((*GIVEN, *KNOWN), state, strict=True))
        count, n = len(self.joints), self.n
        tried, best, kept = places[:count], places[count : 2 * count], places[2 * count :]
        better, after, H, g = turn(w, self.tried(found, weights, w["length"], w["angle"]), squares, n)
        best = [np.array(chosen(better, new, old), object) for new, old in zip(tried, best, strict=True)]
        M = triangle(H, n)
        d, promised = step(M, g, damping_of(M, n, after["mu"], after["cost"]), *self.room(best), self.bounds.unit[self.columns])
        turns = w["turns"] + 1.0
        ended = logical_or(after["reached"] > 0.0, logical_or(after["slow"] > 0.0, turns >= w["most"]))
        nearer = logical_and(ended, after["cost"] < w["kept_cost"])
        kept = [chosen(nearer, new, old) for new, old in zip(best, kept, strict=True)]
        over = logical_or(after["reached"] > 0.0, w["tries"] >= w["starts"])
        again = logical_and(ended, over < 0.5)
        after |= {
            "promised": promised, "turns": where(again, 0.0, turns), "took": w["took"] + 1.0, "again": where(again, 1.0, 0.0),
            "tries": where(again, w["tries"] + 1.0, w["tries"]), "kept_cost": where(nearer, after["cost"], w["kept_cost"]),
            "done": where(logical_and(ended, over), 1.0, 0.0),
        }  # fmt: skip
        after["cost"] = where(again, HUGE, after["cost"])
        return [np.array([*H, *g], object), *[after[k] for k in KNOWN], *best, *best, *kept, *self.by_joint(d)]

    def room(self, places: Sequence[np.ndarray]) -> tuple[list[Any], list[Any]]:
        """How far the coordinates may go; None where there is no bound."""
        low, high = [], []
        for j, q in zip(self.joints, places, strict=True):
            first = int(self.model.offsets[j])
            for k in range(self.model.links[j].joint.dof):
                down, up = self.bounds.lower[first + k], self.bounds.upper[first + k]
                low.append(down - q[k] if np.isfinite(down) else None)
                high.append(up - q[k] if np.isfinite(up) else None)
        return low, high

    def by_joint(self, d: Sequence[Any]) -> list[np.ndarray]:
        """A step, joint by joint."""
        ends = np.cumsum([self.model.links[j].joint.dof for j in self.joints])[:-1]
        return [np.array(list(part), object) for part in np.split(np.array(d, object), ends)]

    def called(self) -> Call:
        """A turn as a stage."""
        dofs = [self.model.links[j].joint.dof for j in self.joints]
        every = list(zip(self.joints, self.sizes, strict=True))
        inputs = {"found": self.rows.found.rows, "weights": self.rows.size, "squares": self.squares.rows, "state": len(WORLD)}
        inputs |= {f"{name}{j}": n for name in ("q", "best", "kept") for j, n in every}
        outputs = {"squares_after": self.squares.rows} | {f"{k}_after": 1 for k in KNOWN}
        outputs |= {f"{name}{j}_after": n for name in ("base", "best", "kept") for j, n in every}
        outputs |= {f"dq{j}_after": n for j, n in zip(self.joints, dofs, strict=True)}

        def rows(at: Addresses) -> list[list[int]]:
            fields = [at.field(j, name) for name in ("q", "best", "kept") for j in self.joints]
            stored = [at.field(j, name) for name in ("base", "best", "kept", "dq") for j in self.joints]
            given = [at[self.rows.found], at[self.weights], at[self.squares], at.world(GIVEN[0])]
            return [[*given, *fields, at[self.squares], *[at.world(k) for k in KNOWN], *stored]]

        return Call(Formula(inputs, outputs, self.turn), rows, (self.rows.found, self.weights, self.squares))

    def elsewhere(self) -> Call:
        """Where a start begins that is not the first: a step from the first, to anywhere within the bounds."""
        dofs = [self.model.links[j].joint.dof for j in self.joints]

        def function(seed: np.ndarray, *begun: np.ndarray) -> list[Any]:
            low, high = self.room(begun)
            s, d = seed[0], []
            for k, (down, up) in enumerate(zip(low, high, strict=True)):
                s = random(s)
                reach = np.pi * self.bounds.unit[self.columns[k]]
                if down is None or up is None:
                    down = -reach if down is None else where(down > -reach, down, -reach)
                    up = reach if up is None else where(up < reach, up, reach)
                d.append(down + (up - down) * (s * (1.0 / MODULUS)))
            return [s, *begun, *self.by_joint(d)]

        inputs = {"seed": 1} | {f"begun{j}": n for j, n in zip(self.joints, self.sizes, strict=True)}
        outputs = {"seed_after": 1} | {f"base{j}_after": n for j, n in zip(self.joints, self.sizes, strict=True)}
        outputs |= {f"dq{j}_after": n for j, n in zip(self.joints, dofs, strict=True)}

        def rows(at: Addresses) -> list[list[int]]:
            stored = [at.field(j, name) for name in ("base", "dq") for j in self.joints]
            return [[at.world("seed"), *[at.field(j, "begun") for j in self.joints], at.world("seed"), *stored]]

        return Call(Formula(inputs, outputs, function), rows)

    @cached_property
    def program(self) -> Program:
        """From where each world starts to where it ends."""
        fields = Fields(down=FIELDS.down, state={**FIELDS.state, **STATE}, world={"t": 1, **WORLD})
        moved = recursion(move_on, name="the next place to reach from")
        body: list[ProgramStage] = [PLACED, *self.rows.looking(), self.called(), Branch("again", (self.elsewhere(),)), moved]
        body.append(Branch("done", (Save(),)))
        inputs = ("q", "best", "kept", "begun", "dq", "base", "t", *GIVEN, self.rows.goals.name, self.weights.name)
        outputs = ("kept", self.rows.found.name, "reached", "took", "tries")
        return Program("reach", (recursion(begin, name="begin to reach"), Repeat(tuple(body), until="done")), fields, inputs, outputs)

    @cached_property
    def runner(self) -> Any:
        return make_runner(make_plan(self.model, self.program, self.rows.backend), self.rows.backend, "float64")

    @cached_property
    def seen(self) -> np.ndarray:
        """(m,): where r lies in what is found."""
        return self.rows.places[0]

    def ends(self, x: np.ndarray, asked: Asked, finer: float) -> Found:
        """Of starts x (worlds, n). finer: of the tolerance that is asked for."""
        worlds = len(x)
        starts = 1.0 + asked.restarts
        seeds = 1.0 + (asked.seed + 7919.0 * np.arange(worlds)) % (MODULUS - 1.0)
        numbers = [np.array([v]) for v in (asked.t, finer * asked.length, finer * asked.angle, float(asked.iterations), starts)]
        weights = asked.weights if asked.holes or not worlds else asked.weights[0]
        given = [x, x, x, x, self.still, x, *numbers, seeds[:, None], asked.goals if asked.goals.size else self.nothing, weights]
        q, found, flags = np.empty((1, *x.shape)), np.empty((1, worlds, self.rows.found.rows)), np.empty((3, 1, worlds, 1))
        self.runner.run(given, [q, found, *flags], worlds)
        reached, took, tries = flags[:, 0, :, 0]
        return Found(q[0], found[0][:, self.seen], reached > 0.0, took.astype(int), tries.astype(int))

    @cached_property
    def nothing(self) -> np.ndarray:
        """Goals of targets that have none."""
        return np.zeros(self.rows.goals.rows)

    @cached_property
    def still(self) -> np.ndarray:
        """No step."""
        return np.zeros(self.model.nv)


@dataclass(frozen=True, eq=False)
class Found:
    """Where worlds ended. q: (worlds, n); r: (worlds, m), of those that reached their targets; steps, starts: (worlds,)."""

    q: np.ndarray
    r: np.ndarray
    reached: np.ndarray
    steps: np.ndarray
    starts: np.ndarray


def chosen(first: Any, a: Any, b: Any) -> list[Any]:
    """One of two vectors."""
    return [where(first, x, y) for x, y in zip(a, b, strict=True)]


def random(s: Any) -> Any:
    """The next of a row of whole numbers, from 1 to MODULUS - 1."""
    product = MULTIPLIER * s
    left = product - MODULUS * floor(product * (1.0 / MODULUS))
    left = where(left < 0.0, left + MODULUS, left)
    return where(left >= MODULUS, left - MODULUS, left)
