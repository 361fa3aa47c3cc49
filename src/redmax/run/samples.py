"""The samples of a run while it is computed: portion after portion, kept in memory (or in a file, see results/sink.py)."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from redmax.memory import check_room
from redmax.model.state import State
from redmax.run.contact.samples import ContactSamples
from redmax.run.failures import failure_of_run
from redmax.run.good_samples import is_seen
from redmax.run.impacts import impact_log
from redmax.run.rubbing_histories import friction_room, noted_friction, with_friction
from redmax.run.simulation import Simulation
from redmax.run.step_histories import noted_steps, steps_room
from redmax.run.trajectory import Trajectory

DRIFT = "drift"  # what a runner notes whose joints may open: how far they are


class Samples:
    """count: how many the whole run will have; every: steps between two; settings: what the run was asked for, by name."""

    def __init__(self, sim: Simulation, count: int, every: int, settings: Mapping[str, Any]) -> None:
        self.sim, self.every, self.settings = sim, every, dict(settings)
        self.begin, self.started = sim.t, time.perf_counter()
        worlds, joints, opens = len(sim.q), len(sim.model.links), DRIFT in sim.runner.notes
        asks = sim.controller is not None
        rows = sim.q.nbytes + (1 + asks) * sim.qdot.nbytes + 8 * worlds * joints * opens
        instead = f"Keep fewer of them, such as each 100th with every={100 * every}, or write the run to a file with out='run.h5'."
        check_room(count * rows, f"The {count:,} samples of this run", instead)
        self.q, self.qdot = sim.room(count)
        self.drift = np.empty((count, worlds, joints)) if opens else None
        self.answers = np.zeros((count, worlds, sim.model.nv), sim.dtype) if asks else None  # held from each sample on
        self.q[0], self.qdot[0] = sim.q, sim.qdot
        if self.drift is not None:
            self.drift[0] = 0.0  # a run starts with its joints closed
        sim.impacts = impact_log(sim) if sim.model.constraints else None
        self.impulse = np.zeros((2, count, worlds, sim.model.row_count)) if sim.impacts is not None else None  # sums, and times
        if self.impulse is not None:
            self.impulse[1, 0] = np.nan
        self.contacts = ContactSamples(sim, count) if sim.model.touches else None
        self.noted = friction_room(sim, count) | steps_room(sim, count) if sim.runner.notes else {}
        # The number of the first sample in these arrays, and how many they hold: set at once, so that Ctrl-C parts nothing.
        self.span = (0, 1)

    def start_clock(self) -> None:
        """Running begins now; what passed until then was spent compiling what looks at samples."""
        now = time.perf_counter()
        self.sim.compile_s += now - self.started
        self.started = now

    @property
    def done(self) -> int:
        """Samples so far, with the one the run starts from."""
        return sum(self.span)

    def room(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the next samples go: configurations and qdot, (count, worlds, n)."""
        now = slice(self.span[1], self.span[1] + count)
        return self.q[now], self.qdot[now]

    def keep(self, count: int, whole: bool = True) -> None:
        """Keep the first `count` of the room that was filled. whole: False where the portion broke off, and its drift is not known."""
        first, held = self.span
        if self.drift is not None:
            self.drift[held : held + count] = self.sim.runner.notes[DRIFT] if whole else np.nan
        if self.answers is not None and self.sim.asked is not None:
            self.answers[held - 1 : held + count] = self.sim.asked  # a controller is asked at each sample, and not at the last
        if self.impulse is not None and self.sim.impacts is not None:
            self.impulse[:, held : held + count] = self.sim.impacts.total[:count], self.sim.impacts.last[:count]
        if self.contacts is not None:
            self.contacts.keep(held, count, self.sim.told)
        for name, kept in self.noted.items():
            kept[held : held + count] = self.sim.runner.notes[name][:count]
        self.span = (first, held + count)

    def latest(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """q and t of the last samples, (count, worlds, nq) and (count,)."""
        held = self.span[1]
        return self.sim.model.configurations.split(self.q[held - count : held])[0], self.times()[held - count :]

    def latest_rates(self, count: int) -> np.ndarray:
        """qdot of them, (count, worlds, nv)."""
        return self.qdot[self.span[1] - count : self.span[1]]

    def times(self) -> np.ndarray:
        first, held = self.span
        return self.begin + (first + np.arange(held)) * (self.sim.dt * self.every)

    def drop_unseen(self) -> bool:
        """Drop the last samples of a run that broke off whose poses or energy are no numbers: they overflow before states do. The first
        stays. Whether there were any."""
        done = self.done
        kept = 1 + bisect_left(range(1, done), True, key=lambda k: not self.is_seen(k))
        self.forget(kept)
        return kept < done

    def is_seen(self, k: int) -> bool:
        """Whether a sample, by its number, has poses and energies that are numbers."""
        return is_seen(self.sim, self.state(k))

    def state(self, k: int) -> State:
        """A sample, by its number: configurations and rates of all worlds, (worlds, n)."""
        return State(self.begin + k * (self.sim.dt * self.every), self.q[k - self.span[0]], self.qdot[k - self.span[0]])

    def forget(self, kept: int) -> None:
        """Keep so many samples, not those behind them."""
        self.span = (self.span[0], kept - self.span[0])

    def steps(self, broken: bool) -> int:
        """Integrator steps behind these samples."""
        return (self.done - 1) * self.every if broken and not self.sim.method.adaptive else self.sim.taken

    def held(self, complete: bool) -> Trajectory:
        """The samples in the arrays."""
        sim, n = self.sim, self.span[1]
        coordinates, charts = sim.model.configurations.split(self.q[:n])
        found = Trajectory(
            model=sim.model,
            t=self.times(),
            q=coordinates.reshape(n, *sim.batch, sim.model.nq),
            charts=charts.reshape(n, *sim.batch, charts.shape[-1]),
            qdot=self.qdot[:n].reshape(n, *sim.batch, sim.model.nv),
            integrator=sim.method.name,
            dynamics=sim.dynamics,
            dt=sim.dt,
            steps=self.steps(not complete),
            wall_s=time.perf_counter() - self.started,
            compile_s=sim.compile_s,
            complete=complete,
            engine=sim.engine,
            joint_drift=None if self.drift is None else self.drift[:n].reshape(n, *sim.batch, len(sim.model.links)),
            settings=self.settings,
            failures=tuple(sim.failures),
            controls=self.torques(n),
            impulse=None if self.impulse is None else self.impulse[0, :n].reshape(n, *sim.batch, -1),
            impulse_time=None if self.impulse is None else self.impulse[1, :n].reshape(n, *sim.batch, -1),
            **(noted_steps(sim, self.noted, n) if self.noted else {}),
            **({} if self.contacts is None else self.contacts.fields(n, sim.batch)),
        )
        return with_friction(found, noted_friction(sim, self.noted, n)) if sim.model.rubbing else found

    def torques(self, n: int) -> np.ndarray | None:
        """(n, ..., nv), what the run was given or a controller answered, held from each of the samples on; at the end, until it."""
        if self.answers is not None:
            return self.answers[:n].reshape(n, *self.sim.batch, self.sim.model.nv)
        if self.sim.controls is None:
            return None
        rows, steps = self.sim.controls.rows, (self.span[0] + np.arange(n)) * self.every
        return rows[np.minimum(steps, len(rows) - 1)].reshape(n, *self.sim.batch, rows.shape[-1])

    def finish(self, ended: str) -> Trajectory:
        """The run. ended: "" if it is complete, or what broke it off."""
        run = self.held(complete=not ended)
        return replace(run, failure=failure_of_run(self.sim.model, run.t, ended)) if ended else run

    def abandon(self, why: str) -> None:
        """An error that is not the run's ends it."""
