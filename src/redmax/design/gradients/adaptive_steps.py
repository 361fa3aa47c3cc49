"""A run of `adaptive` and its way back, with the steps held that it accepted: their lengths are numbers, as if they had been given.

Where torques are given, or asked for, each dt is a portion that ends a step, as of a run with `controls`; else portions are those of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_runner, rolled_plan
from redmax.design.gradients.fixed_steps import Weigh
from redmax.design.gradients.objective import Slopes
from redmax.design.gradients.reversible import reversible
from redmax.errors import SceneError
from redmax.program.cotangent import cotangent
from redmax.program.kernel import PARAMETERS
from redmax.program.plan import Plan
from redmax.run.loop import Portions
from redmax.run.portion import first_steps
from redmax.run.simulation import Simulation

CHOSEN = ("h_next",)  # what says how long the next step is


@dataclass(frozen=True, eq=False)
class Portion:
    """Samples first + 1 to last of a run, and what it began with: configurations, rates, time and the first step of each world."""

    first: int
    last: int
    q: np.ndarray
    qdot: np.ndarray
    t: float
    h: np.ndarray


@dataclass(frozen=True, eq=False)
class AdaptivePath:
    """q, qdot: (samples, worlds, n), the first included; most: turns of a portion; tau: (steps, worlds, nv)"""

    q: np.ndarray
    qdot: np.ndarray
    portions: Sequence[Portion]
    most: int
    tau: np.ndarray


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
        q, qdot = sim.room(steps + 1)
        q[0], qdot[0] = sim.q, sim.qdot
        sizes, found, most, k = Portions(sim, steps), list[Portion](), 1, 0
        while k < steps:
            count = 1 if each else sizes.next(steps - k)
            h = first_steps(sim, sim.place, count * sim.dt) if sim.h is None else sim.h.copy()
            begin, sim.each_took = (sim.q, sim.qdot, sim.t, h), np.zeros(len(sim.q), int)
            sim.advance(1, tau[k], q[k + 1 : k + 1 + count], qdot[k + 1 : k + 1 + count])
            found.append(Portion(k, k + count, *begin))
            k, most = k + count, max(most, int(sim.each_took.max(initial=1)) + 2, count + 1)
        return AdaptivePath(q, qdot, found, most, tau)

    def end(self, path: AdaptivePath) -> tuple[np.ndarray, np.ndarray]:
        """The last state."""
        return path.q[-1], path.qdot[-1]

    def samples(self, path: AdaptivePath) -> Iterator[tuple[int, int, tuple[np.ndarray, np.ndarray]]]:
        """(first, last, states) of all samples but the last."""
        yield 0, len(path.tau), (path.q[:-1], path.qdot[:-1])

    def backwards(self, path: AdaptivePath, at_end: Slopes, weigh: Weigh | None) -> Slopes:
        """Slopes by q (configurations), qdot, tau (steps, worlds, nv) and parameters; see `FixedSteps.backwards`."""
        q_bar, v_bar, tau = at_end["q"], at_end["qdot"], np.zeros(path.tau.shape)
        parameters: Any = 0.0
        for portion in reversed(path.portions):
            a, b = portion.first, portion.last
            weights = [np.zeros((b - a, *x.shape)) for x in (q_bar, v_bar)]
            weights[0][-1], weights[1][-1] = q_bar, v_bar
            own = {"q": np.zeros(0), "qdot": np.zeros(0)} if weigh is None else weigh(a, b, path.q[a:b], path.qdot[a:b])
            if weigh is not None:
                weights[0][:-1] += own["q"][1:]
                weights[1][:-1] += own["qdot"][1:]
            found = self.portion_back(path, portion, weights)
            q_bar, v_bar = (found[name] + (own[name][0] if weigh is not None else 0.0) for name in ("q", "qdot"))
            if b == a + 1:  # else nobody asks for it
                tau[a] = found["tau"]
            parameters = parameters + found.get(PARAMETERS, 0.0)
        return {"q": q_bar, "qdot": v_bar, "tau": tau} | ({PARAMETERS: parameters} if PARAMETERS in self.plan.names[0] else {})

    def portion_back(self, path: AdaptivePath, portion: Portion, weights: Sequence[np.ndarray]) -> Slopes:
        """By what a portion begins with."""
        sim, (plan, runner) = self.sim, self.back(path.most)
        worlds, count = len(portion.q), portion.last - portion.first
        numbers = {"t0": portion.t, "start": portion.t, "t_end": portion.t + count * sim.dt, "rtol": sim.rtol, "sample_dt": sim.dt}
        numbers |= {"eps": float(np.finfo(float).eps), "samples": float(count)}
        given: dict[str, np.ndarray] = {name: np.full(1, x) for name, x in numbers.items()} | sim.parameters
        given |= {"q": portion.q, "qdot": portion.qdot, "tau": path.tau[portion.first], "h": portion.h, "floor": sim.floor}
        for name, rows in zip(("q_sample", "v_sample"), weights, strict=True):
            room = np.zeros((worlds, plan.turns, rows.shape[-1]))
            room[:, :count] = rows.transpose(1, 0, 2)
            given[f"cotangent of {name}"] = room.reshape(worlds, -1)
        out = [np.empty((1, worlds, len(slots))) for slots in plan.outputs]
        runner.run([np.ascontiguousarray(given[name]) for name in plan.names[0]], out, worlds)
        found = dict(zip(plan.names[1], (o[0] for o in out), strict=True))
        return {name.removeprefix("cotangent of "): x for name, x in found.items() if name.startswith("cotangent of ")}
