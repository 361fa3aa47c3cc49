"""The first level of targets in compiled code: worlds side by side in lanes, each with its own steps, and the next when it is done.

    repeat:  look at the targets where q is;  take q or not;  a step;  q <- best moved by it        until they are met, or no start is left

A world that gains too little begins elsewhere, while it has starts left; what came nearest is kept. The queue of worlds
(backends/llvm/lane_queue.py) hands a lane its next world as soon as one is done, so that no lane waits for a neighbour.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.design.reach.asked import Asked
from redmax.design.reach.bounds import Bounds
from redmax.design.reach.damped_step import GIVEN, HUGE, KNOWN
from redmax.design.reach.least_squares import FIRST
from redmax.design.reach.rows import FIELDS, PLACED, TargetRows
from redmax.math import floor, maximum, minimum, where
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Branch, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.routines.call import Addresses, Call, Data
from redmax.program.routines.formula import Formula
from redmax.program.sweep import forward, once, recursion

MULTIPLIER, MODULUS = 16807.0, 2147483647.0  # of random numbers: exact in doubles (Park, Miller 1988)
STATE: dict[str, Any] = {"base": "q", "best": "q", "kept": "q", "begun": "q"}
WORLD = dict.fromkeys((*GIVEN, *KNOWN), 1)


@once
def begin(w: WorldView) -> None:
    w.cost, w.kept_cost, w.mu, w.gained = HUGE, HUGE, FIRST, 1.0
    w.promised, w.slow, w.reached, w.turns, w.took, w.tries, w.again, w.done = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0


@forward
def move_on(j: JointView) -> None:
    j.q = j.joint.retract(j.base, j.dq)


BEGIN, MOVED_ON = recursion(begin, name="begin to reach"), recursion(move_on, name="the next place to reach from")
PLACES = ("q", "best", "kept", "begun", "base")


@dataclass(frozen=True, eq=False)
class Lanes(ABC):
    """Of the rows of targets."""

    rows: TargetRows
    bounds: Bounds
    chosen_rows: slice | np.ndarray = field(default_factory=lambda: slice(None))  # of all targets' rows and goals, those of these
    chosen_goals: slice | np.ndarray = field(default_factory=lambda: slice(None))

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
    def sizes(self) -> list[int]:
        """Numbers of each joint's configuration."""
        return [self.model.links[j].joint.size for j in self.joints]

    def room(self, places: Sequence[np.ndarray]) -> tuple[list[Any], list[Any]]:
        """How far the coordinates may go."""
        low, high = [], []
        for j, q in zip(self.joints, places, strict=True):
            first = int(self.model.offsets[j])
            for k in range(self.model.links[j].joint.dof):
                down, up = self.bounds.lower[first + k], self.bounds.upper[first + k]
                low.append(down - q[k] if np.isfinite(down) else -HUGE)
                high.append(up - q[k] if np.isfinite(up) else HUGE)
        return low, high

    def by_joint(self, d: Sequence[Any]) -> list[np.ndarray]:
        """A step, joint by joint."""
        ends = np.cumsum([self.model.links[j].joint.dof for j in self.joints])[:-1]
        return [np.array(list(part), object) for part in np.split(np.array(d, object), ends)]

    @property
    def shared(self) -> dict[str, np.ndarray]:
        """What else is given to all worlds alike, by name."""
        return {}

    @property
    def own_world(self) -> dict[str, int]:
        """What else stages say to each other."""
        return {}

    @abstractmethod
    def turn(self) -> list[ProgramStage]:
        """From what was found to what is tried next: `base` and `dq` of all joints."""

    def elsewhere(self) -> Call:
        """Where a start begins that is not the first: a step from the first, to anywhere within the bounds."""
        dofs = [self.model.links[j].joint.dof for j in self.joints]

        def function(seed: np.ndarray, *begun: np.ndarray) -> list[Any]:
            low, high = self.room(begun)
            s, d = seed[0], []
            for k, (down, up) in enumerate(zip(low, high, strict=True)):
                s = random(s)
                v = self.columns[k]
                reach = np.pi * self.bounds.unit[v]
                if not np.isfinite(self.bounds.upper[v] - self.bounds.lower[v]):
                    down, up = maximum(down, -reach), minimum(up, reach)
                d.append(down + (up - down) * (s * (1.0 / MODULUS)))
            return [s, *begun, *self.by_joint(d)]

        inputs = {"seed": 1} | {f"begun{j}": n for j, n in zip(self.joints, self.sizes, strict=True)}
        outputs = {"seed_after": 1} | {f"base{j}_after": n for j, n in zip(self.joints, self.sizes, strict=True)}
        outputs |= {f"dq{j}_after": n for j, n in zip(self.joints, dofs, strict=True)}

        def rows(at: Addresses) -> list[list[int]]:
            stored = [at.field(j, name) for name in ("base", "dq") for j in self.joints]
            return [[at.world("seed"), *[at.field(j, "begun") for j in self.joints], at.world("seed"), *stored]]

        return Call(Formula(inputs, outputs, function), rows)

    @property
    def fields(self) -> Fields:
        """Of the joints and of the world."""
        return Fields(down=FIELDS.down, state={**FIELDS.state, **STATE}, world={"t": 1, **WORLD, **self.own_world})

    def look_and_step(self) -> list[ProgramStage]:
        """One turn, but for other starts."""
        return [PLACED, *self.rows.looking(), *self.turn()]

    @property
    def program(self) -> Program:
        """From where each world starts to where it ends."""
        body = (*self.look_and_step(), Branch("again", (self.elsewhere(),)), MOVED_ON, Branch("done", (Save(),)))
        inputs = (*PLACES, "dq", "t", *GIVEN, self.rows.goals.name, self.weights.name, *self.shared)
        return Program("reach", (BEGIN, Repeat(body, until="done")), self.fields, inputs, self.outputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Of all programs."""
        return "kept", self.rows.found.name, "reached", "took", "tries"

    @cached_property
    def runner(self) -> Runner:
        return make_runner(make_plan(self.model, self.program, self.rows.backend), self.rows.backend, "float64")

    @cached_property
    def seen(self) -> np.ndarray:
        """(m,): where r lies in what is found."""
        return self.rows.places[0]

    def told(self, asked: Asked, finer: float, starts: float) -> list[np.ndarray]:
        """What all worlds are told. finer: of the tolerance that is asked for."""
        return [np.array([v]) for v in (asked.t, finer * asked.length, finer * asked.angle, float(asked.iterations), starts)]

    def weighed(self, asked: Asked) -> list[np.ndarray]:
        """Weights, one row for all worlds where they are the same, and what else is shared."""
        rows = asked.weights if asked.holes else asked.weights[:1].reshape(-1)
        return [np.ascontiguousarray(rows[..., self.chosen_rows]), *self.shared.values()]

    def ends(self, x: np.ndarray, asked: Asked, finer: float) -> Found:
        """Of starts x (worlds, n)."""
        worlds = len(x)
        if worlds == 1:
            return self.alone(x, asked, finer)
        seeds = 1.0 + (asked.seed + 7919.0 * np.arange(worlds)) % (MODULUS - 1.0)
        goals = asked.goals[:, self.chosen_goals] if asked.goals.size else self.nothing
        numbers = self.told(asked, finer, 1.0 + asked.restarts)
        given = [*[x] * len(PLACES), self.still, *numbers, seeds[:, None], np.ascontiguousarray(goals), *self.weighed(asked)]
        return self.found(self.runner, given, 1, worlds)

    def alone(self, x: np.ndarray, asked: Asked, finer: float) -> Found:
        """One world, with as little overhead as can be: a call over arrays that are kept for it."""
        try:
            single = self.single.pop()
        except IndexError:
            single = Alone(self)
        try:
            return single.found(x, asked, finer)
        finally:
            self.single.append(single)

    @cached_property
    def single(self) -> list[Alone]:
        """Those that nobody uses now: each thread takes one of its own."""
        return []

    def found(self, runner: Runner, given: list[np.ndarray], frames: int, worlds: int, count: int = 0) -> Found:
        """What a program leaves, (frames * worlds, ...)."""
        sizes = (self.model.configurations.size, self.rows.found.rows, 1, 1, 1)
        out = [np.empty((frames, worlds, n)) for n in sizes]
        runner.run(given, out, worlds, count)
        q, found, reached, took, tries = (x.reshape(-1, n) for x, n in zip(out, sizes, strict=True))
        counts = [x[:, 0].astype(int) for x in (took, tries)]
        return Found(self.bounds.clipped(q), found[:, self.seen], reached[:, 0] > 0.0, *counts)

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


class Alone:
    """One world: its arrays, and a call over them."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes, n = lanes, lanes.model.configurations.size
        self.x, self.world = np.zeros((len(PLACES), n)), np.zeros((len(GIVEN) + 1, 1))
        self.goals, self.weights = np.zeros(lanes.rows.goals.rows), np.zeros(lanes.rows.size)
        self.q, self.r, self.flags = np.zeros(n), np.zeros(lanes.rows.found.rows), np.zeros((3, 1))
        self.given = [*self.x, lanes.still, *self.world, self.goals, self.weights, *lanes.shared.values()]  # held: the call has addresses
        self.call = lanes.runner.bind(self.given, [self.q, self.r, *self.flags])

    def found(self, x: np.ndarray, asked: Asked, finer: float) -> Found:
        """Where it ends."""
        lanes = self.lanes
        self.x[:] = x
        self.world[:, 0] = (
            asked.t, finer * asked.length, finer * asked.angle, asked.iterations, 1.0 + asked.restarts, 1.0 + asked.seed % (MODULUS - 1.0)
        )  # fmt: skip
        if asked.goals.size:
            self.goals[:] = asked.goals[0, lanes.chosen_goals]
        self.weights[:] = asked.weights[0, lanes.chosen_rows]
        self.call()
        reached, took, tries = self.flags[:, 0].tolist()
        q = lanes.bounds.clipped(self.q[None].copy())
        return Found(q, self.r[None, lanes.seen], np.array([reached > 0.0]), np.array([int(took)]), np.array([int(tries)]))


def random(s: Any) -> Any:
    """The next of a row of whole numbers, from 1 to MODULUS - 1."""
    product = MULTIPLIER * s
    left = product - MODULUS * floor(product * (1.0 / MODULUS))
    left = where(left < 0.0, left + MODULUS, left)
    return where(left >= MODULUS, left - MODULUS, left)
