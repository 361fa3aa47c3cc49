"""The loop that makes a run: portion after portion, until all samples are there or the run breaks off.

`simulate` goes through it to the end; the live page goes on as far as somebody looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from redmax.run.advice import advice_of
from redmax.run.contact.samples import told_bytes
from redmax.run.failures import BlowUp, BrokenOff, Cause, domain_exits, energy_overflow
from redmax.run.samples import Samples
from redmax.run.simulation import Simulation

PORTIONS = 50  # at least, so that progress shows and a blow-up ends the run
MOST = 1000  # samples in a portion
BYTES = 16 * 2**20  # of a portion of fixed steps
HUGE = 1e100  # a rate whose square leaves little room
SECONDS = 0.5  # that a portion of fixed steps may take


class Loop:
    """A run of `count` samples behind the first, with `every` steps between two.

    failure: what broke it off, or ""; exits: sentences, by joint, on where it left what the joint is made for; turns: on where it turned
        by more than half a turn in a step
    """

    def __init__(self, sim: Simulation, samples: Samples, count: int, every: int = 1) -> None:
        self.sim, self.samples, self.count, self.every = sim, samples, count, every
        self.portions = Portions(sim, count)
        self.failure, self.exits, self.turns = "", self.looked_at(1), self.turned_in(1)

    @property
    def goes_on(self) -> bool:
        """Whether there is more to come."""
        return not self.failure and self.samples.done <= self.count

    def advance(self, most: int | None = None, computing: Callable[[], AbstractContextManager[None]] = nullcontext) -> int:
        """Compute the next portion, of at most so many samples where its size is free; how many of them are good.

        computing: what to be in meanwhile.
        """
        count = self.portions.next(self.count + 1 - self.samples.done, most)
        room = self.samples.room(count)
        try:
            with computing():
                self.sim.fill(self.every, *room)
            self.samples.keep(count)
            self.exits, self.turns = self.looked_at(count) | self.exits, self.turned_in(count) | self.turns
            if not self.goes_on and float(np.abs(self.sim.qdot).max(initial=0.0)) > HUGE and not self.samples.is_seen(self.count):
                self.end(Cause("", by_steps=True))  # the states were numbers to the end, but not the energy
        except BlowUp as blown:
            self.samples.keep(blown.good, whole=False)
            self.end(blown.cause)
            return blown.good
        except BrokenOff as broken:
            self.samples.keep(broken.good, whole=False)
            raise
        return count

    def end(self, cause: Cause) -> None:
        """Break off: samples whose energy or poses are no numbers are left out, and what is said is about those that are kept."""
        sim, samples = self.sim, self.samples
        if samples.drop_unseen():
            found = energy_overflow(sim.model, samples.state(samples.done - 1), sim.dt * self.every)
            cause = found if cause.by_steps or not found.by_steps else cause
        self.failure = cause.said + (advice_of(sim, samples) if cause.by_steps else "")

    def finish(self) -> None:
        """Go to the end."""
        self.samples.start_clock()
        while self.goes_on:
            self.advance()

    def looked_at(self, count: int) -> dict[str, str]:
        """Where the last samples leave what joints are made for."""
        return domain_exits(self.sim.model, *self.samples.latest(count)) if self.sim.model.limited else {}

    def turned_in(self, count: int) -> dict[str, str]:
        """What turned by more than half a turn in a step, in the last samples."""
        if not any(link.joint.dof >= 3 for link in self.sim.model.links):
            return {}
        from redmax.run.half_turns import half_turns, turns_freely

        if not turns_freely(self.sim):
            return {}
        q, t = self.samples.latest(count)
        return half_turns(self.sim, q, self.samples.latest_rates(count), t)


class Portions:
    """How many samples to compute at a time.

    `adaptive` ends a step where a portion ends, and projections begin anew there, so that the number follows from the length of the run
    alone: the same run, the same bits. Other fixed steps are the same in any portions, which may be as small as time and memory ask for.
    """

    def __init__(self, sim: Simulation, samples: int) -> None:
        asked = sim.controller or (sim.controls and sim.controls.runner is None)  # anew at each dt
        self.most = 1 if asked else min(max(1, samples // PORTIONS), MOST)
        self.fixed = not sim.method.adaptive and sim.options.stabilisation != "project"
        if self.fixed:
            told = told_bytes(sim) if sim.model.touches else 0
            self.most = max(1, min(self.most, BYTES // max(sim.q.nbytes + sim.qdot.nbytes + told, 1)))
        self.size, self.since = self.most, time.perf_counter()

    def next(self, left: int, most: int | None = None) -> int:
        """The size of the next portion: by how long the one before took, or as many as somebody asks for."""
        now = time.perf_counter()
        if self.fixed:
            paced = int(self.size * SECONDS / max(now - self.since, 1e-9)) if most is None else most
            self.size = min(max(1, paced), self.most)
        self.since = now
        return min(self.size, left)
