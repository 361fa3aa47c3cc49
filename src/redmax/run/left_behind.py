"""Worlds of a batch that fail are left behind: their samples are no numbers from there on, and the others go to the end.

A world that is alone, and a batch of which none is left, break off with a BlowUp; so does any batch unless failed worlds may be left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import warn
from redmax.model.state import State
from redmax.run.advice import what_to_try
from redmax.run.failures import BlowUp, Cause, Failure, count_finite, fastest_joint, joint_in, last_state, left_range, without_inertia
from redmax.run.portion import Start, first_failure, open_rows

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Portion:
    """What a portion was asked for, and what came of it: samples q, qdot (samples, worlds, n) from `begin` on, `stride` steps apart."""

    begin: Start
    stride: int
    tau: np.ndarray
    q: np.ndarray
    qdot: np.ndarray

    def of(self, worlds: Sequence[int], good: int) -> Portion:
        """Some of the worlds, up to a sample."""
        at, b = list(worlds), self.begin
        start = Start(b.q[at], b.qdot[at], b.t, b.start, b.steps)
        return Portion(
            start, self.stride, self.tau if self.tau.ndim == 1 else self.tau[..., at, :], self.q[:good, at], self.qdot[:good, at]
        )


def leave_behind(sim: Simulation, portion: Portion, reasons: Mapping[int, str]) -> None:
    """Mark the worlds that failed in a portion. Raises BlowUp where the run cannot go on. reasons: what Python knows, by world."""
    q, qdot = portion.q, portion.qdot
    bad = np.asarray(~(np.isfinite(q).all(axis=2) & np.isfinite(qdot).all(axis=2)))
    lost = np.flatnonzero(bad.any(axis=0) & ~sim.failed)
    if not sim.leaves_failed:
        if len(lost) or reasons:
            good = count_finite(q, qdot)
            raise blow_up(sim, good, cause_of(sim, portion.of(range(len(sim.q)), good), next(iter(reasons.values()), "")))
        return
    for w in lost.tolist():
        good = int(bad[:, w].argmax())
        sim.failures.append(failure_of(sim, portion, w, good, reasons.get(w, "")))
        q[good:, w] = qdot[good:, w] = np.nan
        sim.failed[w] = True
    if sim.failed.all() and len(lost):
        last = sim.failures[-1]
        raise blow_up(sim, int((~bad[:, lost]).sum(axis=0).max()), Cause(f"No world is left. {last}", last.by_steps))


def failure_of(sim: Simulation, portion: Portion, w: int, good: int, reason: str) -> Failure:
    """What to say of one world; it is looked at beside itself, in lanes as before, and leaves no trace in what the runner keeps."""
    past, taken, parameters = sim.runner.checkpoint(), sim.taken, sim.parameters
    sim.parameters = {name: values[[w, w]] for name, values in parameters.items()}
    cause = cause_of(sim, portion.of([w, w], good), reason)
    sim.runner.restore(past)
    sim.taken, sim.parameters = taken, parameters
    place = tuple(int(k) for k in np.unravel_index(w, sim.batch))
    own = portion.of([w], good)
    last = last_state(State(own.begin.t, own.begin.q, own.begin.qdot), own.q, own.qdot, own.stride * sim.dt)
    joint = joint_in(sim.model, cause.said) or fastest_joint(sim.model, last)[0]
    return Failure(place, last.t, joint, cause.said, by_steps=cause.by_steps, steps=int(sim.each_took[w]))


def blow_up(sim: Simulation, good: int, cause: Cause) -> BlowUp:
    """The error of a portion, with what is to be tried in general."""
    return BlowUp(good, cause, what_to_try(sim) if cause.by_steps else "")


def cause_of(sim: Simulation, portion: Portion, reason: str) -> Cause:
    """Where and when worlds stopped, given their samples before that; reason: what Python knows of it, if it does."""
    b = portion.begin
    if not reason:
        kept, sim.impacts, sim.tells = sim.impacts, None, False  # what is looked at once more has no impacts of its own
        found = first_failure(sim, b, portion.q, portion.qdot, portion.stride, portion.tau)
        sim.impacts, sim.tells = kept, True
        return found
    interval = portion.stride * sim.dt
    last = last_state(State(b.t, b.q, b.qdot), portion.q, portion.qdot, interval)
    known = left_range(sim.model, last, interval) or without_inertia(sim.model, sim.engine_of, last)
    return Cause(known or open_rows(sim, last, interval) or reason)


def without_failed(sim: Simulation, tau: np.ndarray) -> np.ndarray:
    """Nobody need answer for worlds that were left behind, whose states are no numbers."""
    if not sim.failed.any() or tau.shape[:-1] != sim.batch:
        return tau
    return np.where(sim.failed.reshape(*sim.batch, 1), 0.0, tau).astype(tau.dtype)


def warn_of_failures(failures: Sequence[Failure], worlds: int) -> None:
    """Say how many worlds failed, and what happened to the first."""
    first = min(failures, key=lambda f: f.t)
    count = f"{len(failures)} of {worlds} worlds broke off; their samples are not numbers from there on, see run.failures"
    warn(f"{count}. {first}")
