"""A run of fixed steps and its way back: the states before each step are kept, or those of some, between which steps are run again.

Portions of a run are reversed one by one, the last first (program/turn_by_turn.py). Where the states of all steps need more than KEPT
bytes, those with which portions begin are kept, about sqrt(steps) of them, and each portion is run once more before it is reversed
(Griewank and Walther 2008, Sec. 12.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_runner, rolled_plan
from redmax.backends.world_by_world import one_by_one
from redmax.design.gradients.contact_steps import check_doubts
from redmax.design.gradients.objective import Slopes
from redmax.design.gradients.reversible import inputs_of, reversible
from redmax.design.gradients.rooms import zeroed
from redmax.dynamics.contact.differentiated import DOUBT
from redmax.errors import SimulationError
from redmax.integrators.base import with_controls
from redmax.integrators.bdf import MARKS
from redmax.program.activity import NOTHING
from redmax.program.kernel import PARAMETERS
from redmax.program.level import blocks_of
from redmax.program.plan import Plan, groups_of
from redmax.program.turn_by_turn import BOUNDARY, ROWS, WEIGHTS, TurnByTurn
from redmax.run.simulation import Simulation

KEPT = 112 * 2**20  # bytes of the states of a run
PORTION = 2**21  # bytes of what goes into and comes out of a portion reversed, about: as much as stays near
ROOM = 64  # turns of loops within a step, such as Newton's
TAKEN = ("going", "onward")  # branches of backward differences that a run which does not break off always takes
Weigh = Callable[[int, int, np.ndarray, np.ndarray], Slopes]  # (first, last, q, qdot) of some samples -> slopes by them


@dataclass(frozen=True, eq=False)
class Path:
    """Where a run was. rows: (samples kept, worlds, n); apart: how many steps lie between two of them, 1 where all are kept

    inputs: what it began with, by name; tau: (steps, worlds, nv)
    """

    rows: np.ndarray
    apart: int
    inputs: dict[str, np.ndarray]
    tau: np.ndarray


class FixedSteps:
    """What runs steps and goes back. sim: whose options and model they are; owner, what: who asks, for the derivative of what

    remembered: what goes on from a step before (reversible.py), where the simulation itself has taken none
    begins: whether derivatives are by where bodies are at the beginning, too; weighed: whether slopes by other samples than the last come
    """

    def __init__(
        self, sim: Simulation, owner: str = "gradient", what: str = "a run", remembered: Mapping[str, np.ndarray] | None = None,
        begins: bool = True, weighed: bool = False,
    ) -> None:  # fmt: skip
        model, program = reversible(sim, owner, what)
        self.sim, self.backend, self.remembered, self.begins = sim, sim.backend, dict(remembered or {}), begins
        self.rooms = dict[str, np.ndarray]()
        self.plan = rolled_plan(model, with_controls(program), sim.backend, keep=True)
        by = ("q", "qdot", "tau", *([PARAMETERS] if sim.model.parameters else []))
        room = max(ROOM, sim.model.contact_capacity + 1) if sim.model.touches else ROOM
        self.turns = TurnByTurn(self.plan, ("q", "qdot"), by, room, TAKEN if "marks" in self.plan.names[1] else (), weighed)
        inputs, outputs = self.plan.names
        self.tau = inputs.index("tau")
        self.q, self.qdot = (self.places(self.turns.rows, self.plan.outputs[outputs.index(name)]) for name in ("q", "qdot"))
        marks = [self.plan.outputs[outputs.index("marks")][MARKS.index("failed")]] if "marks" in outputs else []
        self.failed = self.places(self.turns.rows, np.array(marks, np.int64))
        self.doubt = self.places(self.turns.rows, self.plan.outputs[outputs.index(DOUBT)]) if DOUBT in outputs else NOTHING

    @staticmethod
    def places(among: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """Where slots stand among others."""
        order = np.argsort(among)
        return order[np.searchsorted(among, slots, sorter=order)]

    def made(self, plan: Plan) -> Runner:
        """What runs a plan; steps with contact take other turns in each world."""
        found = make_runner(plan, self.backend, "float64")
        return one_by_one(found) if self.sim.model.touches else found

    @cached_property
    def runner(self) -> Runner:
        """From the beginning."""
        return self.made(self.turns.forwards)

    @cached_property
    def going_on(self) -> Runner:
        """From a row."""
        return self.made(resumed(self.turns.forwards, self.turns.rows))

    @cached_property
    def back(self) -> tuple[Plan, Runner]:
        """Backwards, to where the run begins."""
        plan = self.turns.backwards
        return plan, self.made(plan)

    @cached_property
    def between(self) -> tuple[Plan, Runner]:
        """Backwards from turn to turn: what the inputs get is found once, behind all of them."""
        plan = self.turns.backwards
        outputs = [plan.names[1].index(name) for name in (BOUNDARY, "turns")]
        plan = replace(plan, outputs=tuple(plan.outputs[n] for n in outputs), output_names=tuple(plan.names[1][n] for n in outputs))
        return plan, self.made(plan)

    def room(self, name: str, *shape: int) -> np.ndarray:
        """An array that the next run writes over: a new one would cost as much again as filling it."""
        if name not in self.rooms or self.rooms[name].shape != shape:
            self.rooms[name] = np.empty(shape)
        return self.rooms[name]

    def forwards(self, tau: np.ndarray) -> Path:
        """Run all steps from where the simulation is."""
        steps, worlds = tau.shape[:2]
        inputs, size = inputs_of(self.sim, self.plan) | self.remembered, 8 * worlds * self.turns.width
        apart = 1 if (steps + 1) * size <= KEPT else max(int(np.ceil(np.sqrt(steps))), 1)
        path = Path(self.room("rows", -(-steps // apart) + 1, worlds, self.turns.width), apart, inputs, tau)
        if apart == 1:
            self.run(path, 0, steps, path.rows)
        else:
            for k in range(0, steps, apart):
                rows = self.portion(path, k, min(k + apart, steps))
                path.rows[k // apart], path.rows[k // apart + 1] = rows[0], rows[-1]
        return path

    def run(self, path: Path, first: int, last: int, rows: np.ndarray) -> None:
        """Rows of the states from one step to another, or an error where they break off."""
        rows[-1, :, 0] = np.nan  # a run that breaks off does not reach it
        given = [path.tau[first:last] if name == "tau" else path.inputs[name] for name in self.plan.names[0]]
        worlds = rows.shape[1]
        if first == 0:
            strange = self.runner.run(given, [rows], worlds, last, 1)
        else:
            begin = np.ascontiguousarray(path.rows[first // path.apart][:, : len(self.turns.rows)])
            strange = self.going_on.run([*given, begin], [rows], worlds, last - first, 1)
        states = rows[..., np.concatenate([[0], self.q, self.qdot])] if strange else rows[-1, :, 0]
        if not np.isfinite(states).all() or (rows[-1][:, self.failed] > 0.0).any():
            raise SimulationError("The run breaks off")

    def portion(self, path: Path, first: int, last: int) -> np.ndarray:
        """The rows of a portion, computed again if they were not kept."""
        if path.apart == 1:
            return path.rows[first : last + 1]
        rows = self.room("portion", last - first + 1, *path.rows.shape[1:])
        self.run(path, first, last, rows)
        return rows

    def states(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and rates."""
        return rows[..., self.q], rows[..., self.qdot]

    def of_turns(self, rows: np.ndarray) -> np.ndarray:
        """What the way back takes of each turn, the last first: of the state before it, and what was found in it."""
        n, read = len(self.turns.rows), self.turns.read
        found = self.room("turns", len(rows) - 1, rows.shape[1], read + rows.shape[2] - n)
        found[..., :read], found[..., read:] = rows[-2::-1, :, :read], rows[:0:-1, :, n:]
        return found

    def end(self, path: Path) -> tuple[np.ndarray, np.ndarray]:
        """The last state."""
        return self.states(path.rows[-1])

    def samples(self, path: Path) -> Iterator[tuple[int, int, tuple[np.ndarray, np.ndarray]]]:
        """(first, last, states) of all samples but the last, portion by portion."""
        for first, last in reversed(list(self.portions(path))):
            yield first, last, self.states(self.portion(path, first, last)[:-1])

    def portions(self, path: Path) -> Iterator[tuple[int, int]]:
        """From which step to which, the last first."""
        steps, worlds = path.tau.shape[:2]
        width = 8 * worlds * (self.turns.width + len(self.turns.turns.boundary) + 3 * path.tau.shape[2])
        length = path.apart if path.apart > 1 else max(PORTION // width, 1)
        for first in reversed(range(0, steps, length)):
            yield first, min(first + length, steps)

    def backwards(self, path: Path, at_end: Slopes, weigh: Weigh | None, rooms: Slopes | None = None) -> Slopes:
        """Slopes by q (configurations), qdot, tau (steps, worlds, nv) and parameters. at_end: by the last state; weigh: by those before.

        rooms: arrays that those by tau and qdot are written to, of those that have one
        """
        plan, runner = self.between
        worlds, boundary, size = path.rows.shape[1], self.turns.turns.boundary, len(self.q) + len(self.qdot)
        at, (there, own) = self.sample_places, self.torques
        rooms = rooms or {}
        cotangents, tau = np.zeros((worlds, len(boundary))), zeroed(rooms.get("tau"), path.tau.shape)
        add(cotangents, at, at_end)
        weights: np.ndarray | None = None
        for first, last in self.portions(path):
            rows, count = self.portion(path, first, last), last - first
            if len(self.doubt):
                check_doubts(self.sim, rows[1:][..., self.doubt], first, self.begins)
            if weigh is not None:
                slopes = weigh(first, last, *self.states(rows[:-1]))
                weights = np.concatenate([np.zeros((1, worlds, size)), np.concatenate([slopes["q"], slopes["qdot"]], axis=-1)[::-1]])
            cotangents[:, own] = 0.0
            out = [self.room(f"{name} {count}", count + 1, worlds, len(s)) for name, s in zip(plan.names[1], plan.outputs, strict=True)]
            given: dict[str, Any] = path.inputs | {"tau": backwards(path.tau[first:last]), ROWS: self.of_turns(rows)}
            given |= {BOUNDARY: cotangents} | ({} if weights is None else {WEIGHTS: weights[:count]})
            runner.run([given[name] for name in plan.names[0]], out, worlds, count, 1)
            tau[first:last][..., there] = out[0][-2::-1][..., own]
            cotangents = out[0][-2].copy()
            if weights is not None:
                add(cotangents, at, {"q": weights[count][:, : len(self.q)], "qdot": weights[count][:, len(self.q) :]})
        return self.of_beginning(path, cotangents, tau, rooms)

    @cached_property
    def torques(self) -> tuple[slice | np.ndarray, slice | np.ndarray]:
        """Which torques have slopes, and where these stand among the cotangents between two turns."""
        slots, boundary = self.plan.inputs[self.tau], self.turns.turns.boundary
        there = np.flatnonzero(np.isin(slots, boundary))
        return in_a_row(there), in_a_row(self.places(boundary, slots[there]))

    @cached_property
    def sample_places(self) -> dict[str, np.ndarray]:
        """Where the cotangents of a sample's q and qdot stand among those between two turns."""
        slots, boundary = self.plan.outputs, self.turns.turns.boundary
        return {name: self.places(boundary, slots[self.plan.names[1].index(name)]) for name in ("q", "qdot")}

    @cached_property
    def begin_places(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Which numbers of inputs have cotangents, and where these stand among those between two turns."""
        inputs, boundary = dict(zip(self.plan.names[0], self.plan.inputs, strict=True)), self.turns.turns.boundary
        there = {name: np.flatnonzero(np.isin(inputs[name], boundary)) for name in ("q", "qdot", PARAMETERS) if name in inputs}
        return {name: (at, self.places(boundary, inputs[name][at])) for name, at in there.items()}

    def of_beginning(self, path: Path, cotangents: np.ndarray, tau: np.ndarray, rooms: Slopes) -> Slopes:
        """Through what a program does before its first step, if that is anything."""
        worlds, by = len(cotangents), {"tau": tau}
        if self.turns.begins_as_given:
            for name, (there, at) in self.begin_places.items():
                by[name] = zeroed(rooms.get(name), (worlds, len(self.plan.inputs[self.plan.names[0].index(name)])))
                by[name][:, there] = cotangents[:, at]
            return by
        plan, runner = self.back
        given: dict[str, Any] = path.inputs | {BOUNDARY: cotangents, "tau": np.zeros((1, *tau.shape[1:]))}
        sizes = dict(zip(plan.names[0], map(len, plan.inputs), strict=True))
        given |= {name: np.zeros((1, worlds, sizes[name])) for name in (ROWS, WEIGHTS) if name in sizes}
        own = {f"cotangent of {name}": x[None] for name, x in rooms.items() if name != "tau"}
        out = [own[name] if name in own else np.empty((1, worlds, len(s))) for name, s in zip(plan.names[1], plan.outputs, strict=True)]
        runner.run([given[name] for name in plan.names[0]], out, worlds, 0, 1)
        found = dict(zip(plan.names[1], (o[0] for o in out), strict=True))
        return by | {name: found[f"cotangent of {name}"] for name in ("q", "qdot", PARAMETERS) if f"cotangent of {name}" in found}


def add(cotangents: np.ndarray, places: dict[str, np.ndarray], slopes: Slopes) -> None:
    """Slopes by a sample, to cotangents (worlds, n)."""
    for name, at in places.items():
        cotangents[:, at] += slopes[name]


def in_a_row(places: np.ndarray) -> slice | np.ndarray:
    """The same places, as a slice if they are one: arrays are copied several times as fast by it."""
    if len(places) < 2:
        return places
    first, step = int(places[0]), int(places[1] - places[0])
    found = slice(first, int(places[-1]) + 1, step)
    return found if step > 0 and np.array_equal(places, np.arange(found.start, found.stop, step)) else places


def backwards(rows: np.ndarray) -> np.ndarray:
    """The last first."""
    return np.ascontiguousarray(rows[::-1])


def resumed(plan: Plan, slots: np.ndarray) -> Plan:
    """The plan of steps that begins with a row of these slots, which comes in as its last input."""
    from redmax.program.tape import Tape

    tape = Tape(plan, 1)
    start = plan.workspace + plan.accumulators
    rows = tape.copies([(int(s), start + k) for k, s in enumerate(slots)], 1, 1)
    *begin, loop, save = plan.blocks
    blocks = (*begin, *blocks_of(rows), loop, save)
    size = plan.accumulators + len(slots)
    names = (*plan.names[0], "row")
    bounds = np.unique([*plan.bounds.tolist(), start])
    inputs = (*plan.inputs, np.arange(start, start + len(slots)))
    return replace(plan, blocks=blocks, groups=groups_of(blocks), accumulators=size, inputs=inputs, input_names=names, bounds=bounds)
