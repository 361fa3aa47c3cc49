"""Bodies that move by themselves, from the stages of maximal dynamics: poses from coordinates, coordinates from poses, accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.maximal.joints import BEGIN, PROJECT
from redmax.dynamics.maximal.runner import BAUMGARTE
from redmax.dynamics.maximal.system import implicit_fields, maximal_fields, stages
from redmax.program.program import Program, Save


@dataclass(frozen=True, eq=False)
class Seen:
    """Of one instant: q, qdot as programs keep them; gap: (n, 6) errors of the joints; drift: their sizes; slip: (n, 6)."""

    q: np.ndarray
    qdot: np.ndarray
    gap: np.ndarray
    slip: np.ndarray
    drift: np.ndarray


class Bodies:
    """Of one model. All values are those of one world."""

    def __init__(self, model: rm.Model, backend: str) -> None:
        self.model, self.backend, self.runners = model, backend, {}

    def run(self, name: str, program_stages: Any, inputs: dict, outputs: tuple[str, ...], implicit: bool = False) -> list[np.ndarray]:
        if name not in self.runners:
            fields = (implicit_fields if implicit else maximal_fields)(self.model)
            plan = make_plan(self.model, Program(name, (*program_stages, Save()), fields, tuple(inputs), outputs), self.backend)
            self.runners[name] = plan, make_runner(plan, self.backend, "float64")
        plan, runner = self.runners[name]
        found = [np.empty((1, 1, len(slots))) for slots in plan.outputs]
        if len(inputs["q"]) < self.model.configurations.size:
            inputs = {**inputs, "q": self.model.configurations.join(np.asarray(inputs["q"]))}
        runner.run([np.ascontiguousarray(np.atleast_1d(x), float) for x in inputs.values()], found, 1)
        return [x[0, 0] for x in found]

    def inward(self, q: Any, qdot: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Poses (12 n,) and twists (6 n,) of closed joints."""
        pose, twist = self.run("inward", (BEGIN,), {"q": q, "qdot": qdot, "t": t, "fresh": 1.0}, ("pose", "twist"))
        return pose, twist

    def outward(self, pose: Any, twist: Any, near: Any, t: float = 0.0) -> Seen:
        """The coordinates nearest to poses, beginning at others."""
        given = {"pose": pose, "twist": twist, "q": near, "t": t}
        q, qdot, gap, slip, drift = self.run("outward", PROJECT, given, ("q", "qdot", "gap", "slip", "drift"))
        return Seen(q, qdot, gap.reshape(-1, 6), slip.reshape(-1, 6), drift)

    def accelerate(self, pose: Any, twist: Any, near: Any, tau: Any, t: float = 0.0, h: float = 0.0, b: float = BAUMGARTE) -> np.ndarray:
        """(n, 6): the rates of the twists; of an implicit step, if it has a length."""
        given = {"pose": pose, "twist": twist, "q": near, "tau": tau, "t": t, "h": h, "baumgarte": b}
        implicit = h > 0.0
        return self.run(f"implicit {implicit}", stages(self.model, implicit), given, ("twist_rate",), implicit)[0].reshape(-1, 6)


def poses(flat: np.ndarray) -> np.ndarray:
    """(n, 4, 4) from (12 n,)."""
    E = np.tile(np.eye(4), (len(flat) // 12, 1, 1))
    E[:, :3] = flat.reshape(-1, 3, 4)
    return E
