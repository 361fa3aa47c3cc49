"""The sum of an objective over the samples of one run, and its slopes by all of them, gathered while the run goes back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.design.gradients.objective import Objective, Slopes
from redmax.program.kernel import PARAMETERS


@dataclass(eq=False)
class Total:
    """value: (worlds,) so far; by_tau: (steps, worlds, nv), once there are some, and by_parameters: (worlds, columns), other slopes of it

    corner: the time (s) of a sample at which the objective has no slopes, or None

    tau: (steps, worlds, nv); columns: (worlds, columns) of the parameters; data: (samples, worlds, n); t, dt: s, of the first sample and
    between two
    """

    running: Objective | None
    tau: np.ndarray
    columns: np.ndarray
    data: np.ndarray
    t: float
    dt: float

    def __post_init__(self) -> None:
        self.value, self.by_parameters = np.zeros(self.tau.shape[1]), np.zeros(self.columns.shape)
        self.by_tau: np.ndarray | None = None
        self.corner: float | None = None

    def along(self, first: int, last: int, q: np.ndarray, qdot: np.ndarray) -> Slopes:
        """Add samples first to last - 1 of the running objective, times dt; slopes by q (configurations) and qdot of each."""
        return self.added(self.running, first, q, qdot, self.dt)

    def at_end(self, end: Objective | None, q: np.ndarray, qdot: np.ndarray) -> Slopes:
        """Add the last sample; slopes by q and qdot, (worlds, n)."""
        return {name: x[0] for name, x in self.added(end, len(self.tau), q[None], qdot[None], 1.0).items()}

    def added(self, objective: Objective | None, first: int, q: np.ndarray, qdot: np.ndarray, weight: float) -> Slopes:
        """Of samples (samples, worlds, n)."""
        if objective is None:
            return {"q": np.zeros(q.shape), "qdot": np.zeros(qdot.shape)}
        count, worlds = q.shape[:2]
        chosen = slice(first, first + count)
        sees = {"q": q, "qdot": qdot}
        if objective.reads("tau"):
            sees["tau"] = np.zeros(qdot.shape)
            sees["tau"][: len(self.tau) - first] = self.tau[chosen]
        if objective.reads("t"):
            times = self.t + self.dt * np.arange(first, first + count)
            sees["t"] = np.broadcast_to(times[:, None, None], (count, worlds, 1))
        if objective.reads("data"):
            sees["data"] = self.data[chosen]
        if objective.reads(PARAMETERS) and self.columns.shape[1]:
            sees[PARAMETERS] = np.broadcast_to(self.columns, (count, *self.columns.shape))
        flat = {name: np.ascontiguousarray(x).reshape(count * worlds, x.shape[-1]) for name, x in sees.items()}
        values, slopes = objective.slopes(flat, weight)
        self.value += weight * values.reshape(count, worlds).sum(axis=0)
        found = {name: x.reshape(count, worlds, -1) for name, x in slopes.items()}
        wrong = np.any([~np.isfinite(x).all(axis=(1, 2)) for x in found.values()], axis=0)
        if wrong.any():
            self.corner = self.t + self.dt * (first + int(np.argmax(wrong)))
        if "tau" in found and first < len(self.tau):  # at the end no torque is given
            self.by_tau = np.zeros(self.tau.shape) if self.by_tau is None else self.by_tau
            self.by_tau[chosen] += found["tau"][: len(self.tau) - first]
        if PARAMETERS in found:
            self.by_parameters += found[PARAMETERS].sum(axis=0)
        return found
