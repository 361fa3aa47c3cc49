"""What is looked at: a finished run, or a simulation that grows while it is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from redmax.errors import SimulationError
from redmax.run.contact.records import COLUMNS, gathered
from redmax.run.failures import Cause, failure_of_run
from redmax.run.loop import Loop, Portions
from redmax.run.samples import Samples
from redmax.run.simulation import Simulation
from redmax.run.trajectory import Trajectory
from redmax.view.live.hand import Hand, Puller
from redmax.view.live.recording import Recording

PREVIEW = 0.5  # seconds on the wall that may be spent to see where a simulation goes
MEMORY = 2**29  # bytes of poses and states of a finished run
PORTION = 64  # samples of fixed steps at once, at most


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
        """What is good of a run that is over; of one that is longer than memory, every n-th sample."""
        run.single("view")
        run = run.good
        most = max(MEMORY // (8 * (22 * len(run.model.links) + run.model.nq + run.model.nv + 3)), 2)
        run = run[:: -(-len(run) // most)]
        recording = Recording(run.engine)
        if not recording.append(run.t, run.configurations, np.asarray(run.qdot)):
            raise SimulationError("There is nothing to see of this run: not even its first sample has a finite pose and energy.")
        if run.contact_count is not None and run.contact_first is not None:
            first, count = np.asarray(run.contact_first), np.asarray(run.contact_count)
            recording.rows_at = lambda sample: gathered(run.contact_rows, first[sample], count[sample])
        found = cls(recording)
        found.failure = str(run.failure or "")
        return found

    def reach(self, t: float, budget: float) -> None:
        pass


class Growing:
    """A simulation that is advanced as far as somebody looks. clock: what tells the time on the wall (s).

    Its samples are those of rm.simulate to the last bit: fixed steps are the same in any portions, and `adaptive`, which ends a step where
    a portion ends, gets the same portions.
    """

    def __init__(self, sim: Simulation, duration: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.sim, self.clock, self.duration = sim, clock, duration
        options = replace(sim.options, duration=duration, every=1).checked()
        self.steps = options.steps()
        self.start, self.end = sim.t, sim.t + self.steps * sim.dt
        samples = Samples(sim, self.steps + 1, 1, options.settings(sim.controller is not None))
        self.loop = Loop(sim, samples, self.steps)
        self.recording = Recording(sim.engine)
        self.recording.append(np.array([sim.t]), sim.q.copy(), sim.qdot.copy())
        self.touched = [np.zeros((0, COLUMNS))]
        self.recording.rows_at = lambda sample: self.touched[min(sample, len(self.touched) - 1)]
        self.failure, self.wall_s, self.pace = "", 0.0, 0.0
        self.own_controller = sim.controller
        self.hand: Hand | None = None
        self.puller = Puller(sim)

    @property
    def grows(self) -> bool:
        return not self.failure and self.recording.count <= self.steps

    def reach(self, t: float, budget: float) -> None:
        began = self.clock()
        while self.grows and self.missing(t) > 0:
            left = budget - (self.clock() - began)
            if left <= 0:
                return
            self.advance(min(self.missing(t), self.affordable(left)))

    def missing(self, t: float) -> int:
        """Samples up to time t that are not there yet."""
        return int(np.ceil((t - self.start) / self.sim.dt - 1e-6)) + 1 - self.recording.count

    def affordable(self, seconds: float) -> int:
        """Samples that take about that long, judged by those before."""
        return int(np.clip(seconds / self.pace, 1, PORTION)) if self.pace > 0 else 1

    def advance(self, most: int) -> None:
        """Compute some samples, as far as there are more to come."""
        samples, began = self.loop.samples, self.clock()
        count = self.loop.advance(most)
        self.failure = self.loop.failure
        taken = self.clock() - began
        self.wall_s, self.pace = self.wall_s + taken, taken / max(count, 1)
        new = samples.done - self.recording.count
        if new > 0:
            held = samples.span[1]
            if samples.contacts is not None:
                self.touched += samples.contacts.latest(held, new)
            self.record(samples.times()[-new:], samples.q[held - new : held, 0], samples.qdot[held - new : held, 0])
        if self.failure:
            self.recording.keep(len(self.trajectory().good))  # the last may lie anywhere

    def record(self, t: NDArray[np.float64], q: NDArray[np.float64], qdot: NDArray[np.float64]) -> None:
        """Add samples to what can be shown; if some cannot, that ends the simulation: nothing comes back from there."""
        if self.recording.append(t, q, qdot) < len(t) and not self.failure:
            self.loop.end(Cause("", by_steps=True))
            self.failure = self.loop.failure

    def hold(self, hand: Hand | None) -> None:
        """Have a hand pull a body from the next sample on, or none. It acts through each sample, which is then computed by itself."""
        before, self.hand = self.hand, hand
        if (before is None) == (hand is None):
            return
        sim, samples = self.sim, self.loop.samples
        sim.controller = self.own_controller if hand is None else self.pulled
        self.loop.portions, self.puller = Portions(sim, self.steps), Puller(sim)
        if samples.answers is None:  # what is pulled is part of what drove the run
            samples.answers = np.zeros((len(samples.q), 1, sim.model.nv), sim.dtype)
            samples.settings["controller"] = True
        if sim.controller is None:
            samples.answers[samples.span[1] - 1], sim.asked = 0.0, None

    def pulled(self, t: float, q: NDArray[np.float64], qdot: NDArray[np.float64]) -> NDArray[np.float64]:
        """The torques of the simulation's own controller and of the hand."""
        assert self.hand is not None
        tau = self.puller.torques(self.hand)
        return tau if self.own_controller is None else tau + np.asarray(self.own_controller(t, q, qdot), float)

    def preview(self) -> Recording:
        """Where the simulation goes, as far as a moment on the wall shows it; it is then back where it was."""
        return self.ahead().recording

    def ahead(self) -> Growing:
        """The simulation a moment further; it is then back where it was."""
        checkpoint = self.sim.checkpoint()
        ahead = Growing(self.sim, self.duration, self.clock)
        ahead.reach(self.end, PREVIEW)
        self.sim.restore(checkpoint)
        return ahead

    def trajectory(self) -> Trajectory:
        """What has been computed so far."""
        run = self.loop.samples.held(complete=not self.grows and not self.failure)
        return replace(run, wall_s=self.wall_s, failure=failure_of_run(run.model, run.t, self.failure))
