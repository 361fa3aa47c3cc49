"""What is looked at: a finished run, or a simulation that grows while it is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from redmax.blow_up import BlowUp, count_defined
from redmax.simulate import keep_drift, number_of_steps
from redmax.simulation import Simulation, positive
from redmax.trajectory import Trajectory
from redmax.view.live.recording import Recording

PREVIEW = 0.3  # seconds on the wall that may be spent to see where a simulation goes
PORTION = 64  # samples at once, at most


class Source(Protocol):
    """recording: what can be shown; start, end: of the time line (s); failure: the sentence of a simulation that broke off, or ""."""

    recording: Recording
    start: float
    end: float
    failure: str

    def reach(self, t: float, budget: float) -> None:
        """Have the samples up to time t, as far as `budget` seconds on the wall allow."""
        ...

    @property
    def grows(self) -> bool:
        """Whether there is more to come."""
        ...


class Finished:
    """Samples that are all there are."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.start, self.end = float(recording.t[0]), float(recording.t[-1])
        self.failure, self.grows = "", False

    @classmethod
    def of(cls, run: Trajectory) -> Finished:
        """A run that is over."""
        run.single("view")
        recording = Recording(run.engine)
        recording.append(run.t, run.configurations, run.qdot)
        return cls(recording)

    def reach(self, t: float, budget: float) -> None:
        pass


class Growing:
    """A simulation that is advanced as far as somebody looks. clock: what tells the time on the wall (s)."""

    def __init__(self, sim: Simulation, duration: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.sim, self.clock = sim, clock
        self.steps = number_of_steps(positive(duration, "duration"), sim.dt, 1)
        self.start, self.end = sim.t, sim.t + self.steps * sim.dt
        self.recording = Recording(sim.engine)
        self.recording.append(np.array([sim.t]), sim.q.copy(), sim.qdot.copy())
        self.failure, self.wall_s, self._pace = "", 0.0, 0.0
        self.drift: list[np.ndarray] | None = [np.zeros((1, len(sim.model.links)))] if hasattr(sim.runner, "drift") else None

    @property
    def grows(self) -> bool:
        return not self.failure and self.recording.count <= self.steps

    def reach(self, t: float, budget: float) -> None:
        began = self.clock()
        missing = int(np.ceil((t - self.start) / self.sim.dt - 1e-6)) + 1 - self.recording.count
        while missing > 0 and self.grows:
            left = budget - (self.clock() - began)
            if left <= 0:
                return
            missing -= self.advance(min(missing, self.affordable(left)))

    def affordable(self, seconds: float) -> int:
        """Samples that take about that long, judged by those before."""
        return int(np.clip(seconds / self._pace, 1, PORTION)) if self._pace > 0 else 1

    def advance(self, count: int) -> int:
        """Compute samples; how many there were."""
        count = min(count, self.steps + 1 - self.recording.count)
        q, qdot = self.sim.room(count)
        began, good = self.clock(), count
        try:
            self.sim.advance(1, self.sim.torques(), q, qdot)
        except BlowUp as blown:
            good, self.failure = blown.good, blown.message
        self.wall_s += self.clock() - began
        self._pace = (self.clock() - began) / count
        if self.failure:
            good = count_defined(self.sim.model, q[:good], self.times(good))
        if good:
            self.recording.append(self.times(good), q[:good, 0], qdot[:good, 0])
            self.keep_drift(good)
        return count

    def times(self, count: int) -> np.ndarray:
        """(count,): of the next samples."""
        return self.start + np.arange(self.recording.count, self.recording.count + count) * self.sim.dt

    def keep_drift(self, count: int) -> None:
        if self.drift is not None:
            room = np.full((count, 1, len(self.sim.model.links)), np.nan)
            if not self.failure:
                keep_drift(room, self.sim, slice(0, count))
            self.drift.append(room[:, 0])

    def preview(self) -> Recording:
        """Where the simulation goes, as far as a moment on the wall shows it; it is then back where it was."""
        checkpoint, began = self.sim.checkpoint(), self.clock()
        ahead = Growing(self.sim, self.end - self.start, self.clock)
        ahead.reach(self.end, PREVIEW - (self.clock() - began))
        self.sim.restore(checkpoint)
        return ahead.recording

    def trajectory(self) -> Trajectory:
        """What has been computed so far."""
        seen, sim = self.recording, self.sim
        coordinates, charts = sim.model.configurations.split(seen.q)
        options: dict[str, Any] = {
            "joint_drift": None if self.drift is None else np.concatenate(self.drift)[:, None].reshape(seen.count, -1)
        }
        return Trajectory(
            model=sim.model,
            t=seen.t.copy(),
            q=coordinates.copy(),
            charts=charts,
            qdot=seen.qdot.copy(),
            integrator=sim.method.name,
            dynamics=sim.dynamics,
            dt=sim.dt,
            steps=sim.taken if sim.method.adaptive else seen.count - 1,
            wall_s=self.wall_s,
            compile_s=sim.compile_s,
            complete=not self.grows and not self.failure,
            engine=sim.engine,
            **options,
        )
