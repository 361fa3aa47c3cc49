"""An objective, traced once: its values at many samples and its slopes by all that it sees of them, a sample in a lane.

    l(q, qdot, tau, t, data, p, poses and twists of some bodies)      by the vjp of its trace; by poses further to q, qdot and p

through the reverse of the sweep that finds poses (dynamics/common/observe.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_runner, rolled_plan
from redmax.design.gradients.moment import POSE, TWIST, Moment
from redmax.dynamics.common.observe import OBSERVE_FIELDS, observe, reset
from redmax.errors import Phrase
from redmax.forces.given import Given
from redmax.model.model import Model
from redmax.program.cotangent import cotangent
from redmax.program.function import function_plan
from redmax.program.kernel import PARAMETERS, RECORD, Kernel, Store
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.trace import Graph
from redmax.trace.blame import Blaming
from redmax.trace.vector import vector_of

STATE = ("q", "qdot", "tau")
TOGETHER = 4096  # samples
Slopes = dict[str, np.ndarray]


class GivenObjective(Given):
    """A user's function of a sample."""

    family = "gradient"


class Objective:
    """function: of a Moment. columns: numbers of a row of data; argument: which it is, in sentences."""

    def __init__(self, model: Model, function: Callable[[Moment], Any], columns: int, argument: str, backend: str) -> None:
        self.model, self.columns, self.backend = model, columns, backend
        self.given = GivenObjective("redmax.gradient", function, ("now",), {}, argument)
        self.what = Phrase(f"the {argument} at a sample", argument)
        self.used: dict[str, int] = {}
        graph = Graph()

        def give(name: str, size: int) -> np.ndarray:
            if name not in self.used:
                self.used[name] = size
            return vector_of([graph.input(name, i) for i in range(size)])

        kernel = Kernel("objective", (Store(RECORD, 0, self.number(give)),))
        self.text = f"objective {hashlib.sha256(str(kernel).encode()).hexdigest()}"
        self.links = sorted({int(name.removeprefix(POSE).removeprefix(TWIST)) for name in self.used if name.startswith((POSE, TWIST))})

    @Blaming()
    def number(self, give: Callable[[str, int], np.ndarray]) -> Any:
        """What the function returns, over these arrays."""
        now = Moment(self.model, give, self.columns)
        return self.given.number(now, t=now.t if self.given.timed else None, what=self.what)

    @cached_property
    def traced(self) -> tuple[Plan, Runner]:
        """The function with its slopes."""
        plan = function_plan(self.text, self.used, {"value": 1}, lambda **arrays: [[self.number(lambda name, _: arrays[name])]])
        back = cotangent(plan)
        return back, make_runner(back, self.backend, "float64")

    @cached_property
    def seeing(self) -> Runner:
        """Poses and twists of all bodies."""
        return make_runner(self.observing(False), self.backend, "float64")

    @cached_property
    def seeing_back(self) -> tuple[Plan, Runner]:
        """And from their slopes those by states and parameters."""
        plan = self.observing(True)
        by = [name for name in plan.names[0] if name != "t"]
        back = cotangent(plan, of=(POSE, TWIST), by=by)
        return back, make_runner(back, self.backend, "float64")

    def observing(self, keep: bool) -> Plan:
        program = Program("places", (reset, observe), OBSERVE_FIELDS, ("q", "qdot", "t"), (POSE, TWIST))
        return rolled_plan(self.model, program, self.backend, keep)

    def reads(self, name: str) -> bool:
        """Whether it needs to be told of a sample's tau, t, data or parameters; where bodies are may depend on time and parameters."""
        return name in self.used or (bool(self.links) and name in ("t", PARAMETERS))

    def slopes(self, sees: Slopes, weight: float) -> tuple[np.ndarray, Slopes]:
        """Values (samples,), and `weight` times the slopes by q (configurations), qdot, tau and parameters, (samples, n) each.

        sees: q and qdot of each sample, and those of tau, t, data and parameters that `reads` names; slopes are by what is there
        """
        count = len(sees["q"])
        if count <= TOGETHER:
            return self.some(sees, weight)
        parts = [self.some({name: x[k : k + TOGETHER] for name, x in sees.items()}, weight) for k in range(0, count, TOGETHER)]
        return np.concatenate([v for v, _ in parts]), {name: np.concatenate([s[name] for _, s in parts]) for name in parts[0][1]}

    def some(self, sees: Slopes, weight: float) -> tuple[np.ndarray, Slopes]:
        """The same, of samples that are looked at together."""
        count, nodes = len(sees["q"]), self.model.configurations
        moved = [sees["q"], sees["qdot"], sees["t"], *([sees[PARAMETERS]] if PARAMETERS in sees else [])] if self.links else []
        arrays = sees | {"q": sees["q"][:, nodes.coordinates]}
        if self.links:
            seen = [np.empty((1, count, 12 * len(self.model.links))), np.empty((1, count, 6 * len(self.model.links)))]
            self.seeing.run(moved, seen, count)
            for i in self.links:
                arrays |= {f"{POSE}{i}": seen[0][0, :, 12 * i : 12 * i + 12], f"{TWIST}{i}": seen[1][0, :, 6 * i : 6 * i + 6]}
        plan, runner = self.traced
        out = [np.empty((1, count, len(slots))) for slots in plan.outputs]
        runner.run([*[np.ascontiguousarray(arrays[name]) for name in self.used], np.full((count, 1), weight)], out, count)
        by = dict(zip(self.used, (o[0] for o in out[1:]), strict=True))
        found = {name: by.get(name, np.zeros_like(sees[name])) for name in (*STATE[1:], PARAMETERS) if name in sees}
        found["q"] = np.zeros_like(sees["q"])
        if "q" in by:
            found["q"][:, nodes.coordinates] = by["q"]
        if self.links:
            self.through_poses(moved, by, found)
        return out[0][0, :, 0], found

    def through_poses(self, moved: list[np.ndarray], by: Slopes, found: Slopes) -> None:
        """Add what slopes by poses and twists of bodies are by q, qdot and parameters."""
        count, n = len(moved[0]), len(self.model.links)
        weights = [np.zeros((count, n, 12)), np.zeros((count, n, 6))]
        for i in self.links:
            for array, name in zip(weights, (f"{POSE}{i}", f"{TWIST}{i}"), strict=True):
                if name in by:
                    array[:, i] = by[name]
        plan, runner = self.seeing_back
        out = [np.empty((1, count, len(slots))) for slots in plan.outputs]
        runner.run([*map(np.ascontiguousarray, moved), *[w.reshape(count, -1) for w in weights]], out, count)
        for name, array in zip(plan.names[1], out, strict=True):
            if name.startswith("cotangent of "):
                found[name.removeprefix("cotangent of ")] = found[name.removeprefix("cotangent of ")] + array[0]
