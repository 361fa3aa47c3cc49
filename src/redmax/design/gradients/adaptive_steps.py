"""A run of `adaptive` and its way back, with the steps held that it accepted: their lengths are numbers, as if they had been given.

Where torques are given, or asked for, each dt is a portion that ends a step, as of a run with `controls`; else portions are those of a run.
Where the states of all samples need more than KEPT bytes, those where spans of portions begin are kept, about sqrt(portions) of them, with
the length of each portion's first step: from there the same steps are taken once more, as in fixed_steps.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_runner, rolled_plan
from redmax.design.gradients.fixed_steps import KEPT, Weigh
from redmax.design.gradients.objective import Slopes
from redmax.design.gradients.reversible import reversible
from redmax.design.gradients.rooms import zeroed
from redmax.errors import SceneError
from redmax.program.cotangent import cotangent
from redmax.program.kernel import PARAMETERS
from redmax.program.plan import Plan
from redmax.run.loop import Portions
from redmax.run.portion import first_steps
from redmax.run.simulation import Simulation

CHOSEN = ("h_next",)  # what says how long the next step is


@dataclass(frozen=True, eq=False)
class AdaptivePath:
    """bounds: (portions + 1,), the samples where portions begin and the last; h, t: of each, the first step of each world and the time

    q, qdot: (samples, worlds, n), all of them, or those where spans of `apart` portions begin; last: the last state
    most: turns of a portion; tau: (steps, worlds, nv)
    """

    bounds: np.ndarray
    h: np.ndarray
    t: np.ndarray
    q: np.ndarray
    qdot: np.ndarray
    apart: int
    most: int
    tau: np.ndarray
    last: tuple[np.ndarray, np.ndarray]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Portions from one to another, whose states are there together, the last span first."""
        count = len(self.t)
        return [(k, min(k + self.apart, count)) for k in reversed(range(0, count, self.apart))]


class AdaptiveSteps:
    """What runs steps and goes back. each: whether every dt is a portion; owner: who asks, for the derivative of what."""

    def __init__(self, sim: Simulation, each: bool, owner: str = "gradient", what: str = "a run") -> None:
        model, program = reversible(sim, owner, what)
        if sim.program is None:
            said = f"redmax.{owner} cannot differentiate steps of 'adaptive' in dynamics {sim.dynamics!r} of this scene"
            raise SceneError(f"{said}. Take integrator 'rk4', or dynamics 'recursive'.", owner=owner, argument="integrator")
        self.sim, self.each, self.backend = sim, each, sim.backend
        self.plan = rolled_plan(model, program, sim.backend, keep=True)
        self.known: dict[int, tuple[Plan, Runner]] = {}

    def back(self, turns: int) -> tuple[Plan, Runner]:
        """With room for so many steps, or more."""
        room = 1 << max(int(turns) - 1, 31).bit_length()
        if room not in self.known:
            by = [name for name in ("q", "qdot", "tau", PARAMETERS) if name in self.plan.names[0]]
            plan = cotangent(self.plan, of=("q_sample", "v_sample"), by=by, turns=room, held=CHOSEN)
            self.known[room] = plan, make_runner(plan, self.backend, "float64")
        return self.known[room]

    def forwards(self, tau: np.ndarray) -> AdaptivePath:
        """Run to the end from where the simulation is."""
        sim, steps, each = self.sim, len(tau), self.each or bool(tau.any())
        length = 1 if each else min(Portions(sim, steps).most, steps)
        bounds = np.append(np.arange(0, steps, length), steps)
        count = len(bounds) - 1
        whole = (steps + 1) * (sim.q.nbytes + sim.qdot.nbytes) <= KEPT
        apart = count if whole else int(np.ceil(np.sqrt(count)))
        rows, there = sim.room(steps + 1 if whole else -(-count // apart)), sim.room(length + 1)
        h, t, most = np.empty((count, len(sim.q), 1)), np.empty(count), 1
        for i, (a, b) in enumerate(pairwise(bounds.tolist())):
            h[i], t[i] = first_steps(sim, sim.place, (b - a) * sim.dt) if sim.h is None else sim.h, sim.t
            if not whole and i % apart == 0:
                rows[0][i // apart], rows[1][i // apart] = sim.q, sim.qdot
            sim.each_took = np.zeros(len(sim.q), int)
            self.portion(tau[a], *([x[a : b + 1] for x in rows] if whole else [x[: b - a + 1] for x in there]))
            most = max(most, int(sim.each_took.max(initial=1)) + 2, b - a + 1)
        return AdaptivePath(bounds, h, t, *rows, apart, most, tau, (sim.q.copy(), sim.qdot.copy()))

    def portion(self, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> None:
        """Fill the states of one, the first included, from where the simulation is."""
        q[0], qdot[0] = self.sim.q, self.sim.qdot
        self.sim.advance(1, tau, q[1:], qdot[1:])

    def states(self, path: AdaptivePath, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """(samples, worlds, n) of a span of portions, both ends included: run again if they were not kept, with the same steps."""
        begin, end = path.bounds[[first, last]].tolist()
        if len(path.q) > path.bounds[-1]:
            return path.q[begin : end + 1], path.qdot[begin : end + 1]
        sim, k = self.sim, first // path.apart
        rows = sim.room(end - begin + 1)
        sim.q, sim.qdot, sim.t, sim.steps = path.q[k].copy(), path.qdot[k].copy(), float(path.t[first]), begin
        for i in range(first, last):
            a, b = (path.bounds[i : i + 2] - begin).tolist()
            sim.h = path.h[i].copy()
            self.portion(path.tau[begin + a], *(x[a : b + 1] for x in rows))
        return rows

    def end(self, path: AdaptivePath) -> tuple[np.ndarray, np.ndarray]:
        """The last state."""
        return path.last

    def samples(self, path: AdaptivePath) -> Iterator[tuple[int, int, tuple[np.ndarray, np.ndarray]]]:
        """(first, last, states) of all samples but the last."""
        for first, last in path.spans:
            q, qdot = self.states(path, first, last)
            yield int(path.bounds[first]), int(path.bounds[last]), (q[:-1], qdot[:-1])

    def backwards(self, path: AdaptivePath, at_end: Slopes, weigh: Weigh | None, rooms: Slopes | None = None) -> Slopes:
        """Slopes by q (configurations), qdot, tau (steps, worlds, nv) and parameters; see `FixedSteps.backwards`."""
        tau = zeroed((rooms or {}).get("tau"), path.tau.shape)
        by: dict[str, Any] = {"q": at_end["q"], "qdot": at_end["qdot"], "tau": tau, PARAMETERS: 0.0}
        for first, last in path.spans:
            q, qdot = self.states(path, first, last)
            begin = int(path.bounds[first])
            for i in reversed(range(first, last)):
                a, b = path.bounds[i : i + 2].tolist()
                own = slice(a - begin, b - begin)
                self.add_portion(path, i, q[own], qdot[own], by, None if weigh is None else weigh(a, b, q[own], qdot[own]))
        return by if PARAMETERS in self.plan.names[0] else {name: by[name] for name in ("q", "qdot", "tau")}

    def add_portion(self, path: AdaptivePath, i: int, q: np.ndarray, qdot: np.ndarray, by: dict[str, Any], own: Slopes | None) -> None:
        """From slopes by what a portion ends with to those by what it begins with. own: of the objective, by its samples."""
        weights = [np.zeros((len(q), *by[name].shape)) for name in ("q", "qdot")]
        weights[0][-1], weights[1][-1] = by["q"], by["qdot"]
        if own is not None:
            weights[0][:-1] += own["q"][1:]
            weights[1][:-1] += own["qdot"][1:]
        found = self.portion_back(path, i, (q[0], qdot[0]), weights)
        by["q"], by["qdot"] = (found[name] + (own[name][0] if own is not None else 0.0) for name in ("q", "qdot"))
        if len(q) == 1:  # else nobody asks for it
            by["tau"][path.bounds[i]] = found["tau"]
        by[PARAMETERS] = by[PARAMETERS] + found.get(PARAMETERS, 0.0)

    def portion_back(self, path: AdaptivePath, i: int, begin: tuple[np.ndarray, np.ndarray], weights: Sequence[np.ndarray]) -> Slopes:
        """By what a portion begins with."""
        sim, (plan, runner) = self.sim, self.back(path.most)
        worlds, count, t = len(begin[0]), len(weights[0]), float(path.t[i])
        numbers = {"t0": t, "start": t, "t_end": t + count * sim.dt, "rtol": sim.rtol, "sample_dt": sim.dt}
        numbers |= {"eps": float(np.finfo(float).eps), "samples": float(count)}
        given: dict[str, np.ndarray] = {name: np.full(1, x) for name, x in numbers.items()} | sim.parameters
        given |= {"q": begin[0], "qdot": begin[1], "tau": path.tau[path.bounds[i]], "h": path.h[i], "floor": sim.floor}
        for name, rows in zip(("q_sample", "v_sample"), weights, strict=True):
            room = np.zeros((worlds, plan.turns, rows.shape[-1]))
            room[:, :count] = rows.transpose(1, 0, 2)
            given[f"cotangent of {name}"] = room.reshape(worlds, -1)
        out = [np.empty((1, worlds, len(slots))) for slots in plan.outputs]
        runner.run([np.ascontiguousarray(given[name]) for name in plan.names[0]], out, worlds)
        found = dict(zip(plan.names[1], (o[0] for o in out), strict=True))
        return {name.removeprefix("cotangent of "): x for name, x in found.items() if name.startswith("cotangent of ")}
