"""One portion of a run: the compiled loop over some samples, of fixed steps or of those that `adaptive` chooses; where it breaks off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from redmax.errors import SimulationError
from redmax.integrators.adaptive import MOST_STEPS
from redmax.integrators.first_step import first_step
from redmax.model.model import Model
from redmax.model.state import State
from redmax.run.contact.samples import note_contacts
from redmax.run.failures import BrokenOff, Cause, broke_off_at, count_finite, last_state, not_held, without_inertia
from redmax.run.impacts import impact_room
from redmax.run.on_groups import keep_to_groups

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation

Marks = dict[str, np.ndarray]  # what adaptive says of each sample, (samples, worlds, 1)
LOOKS, FINER, FINEST = 2, 100, 1e-10  # how often, how much more finely, and how finely (s) samples are taken that lead to where it stopped


@dataclass(frozen=True, eq=False)
class Start:
    """Where a portion begins: configurations and rates (worlds, n) at time t, `steps` steps of dt after the clock's start."""

    q: np.ndarray
    qdot: np.ndarray
    t: float
    start: float
    steps: int


def fill_portion(sim: Simulation, begin: Start, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> int:
    """Fill the samples q, qdot (samples, worlds, n); returns nonzero if one is missing.

    Raises WorldsFailed where a joint leaves its group.
    """
    run = adaptive_steps if sim.method.adaptive else fixed_steps
    broken = run(sim, begin, stride, tau, q, qdot)
    if sim.model.nq != sim.model.nv:
        keep_to_groups(sim, begin, stride, q)
    return broken


def fixed_steps(sim: Simulation, begin: Start, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> int:
    """Fill the samples q, qdot (samples, worlds, n); returns nonzero if one is not finite."""
    clock = [np.full(1, x, sim.dtype) for x in (begin.t, begin.start, sim.dt, float(begin.steps))]
    q.fill(np.nan)  # what a step without a solution leaves
    qdot.fill(np.nan)
    inputs = [begin.q, begin.qdot, tau, *clock, *sim.parameters.values()]  # in the order of FIXED_STEP_INPUTS
    runner = sim.controls.runner if sim.controls and tau.ndim == 3 else sim.runner
    assert runner is not None
    struck = impact_room(sim, len(q), len(begin.q)) if sim.model.constraints else {}
    broken = runner.run(inputs, [q, qdot, *struck.values()], len(begin.q), len(q) * stride, stride)
    if sim.impacts is not None:
        sim.impacts.add(*struck.values())
    sim.taken += len(q) * stride
    if sim.model.touches:
        note_contacts(sim, begin, stride, runner, q, qdot)
    return broken


def adaptive_steps(sim: Simulation, begin: Start, stride: int, tau: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> int:
    """Fill the samples q, qdot (samples, worlds, n); returns nonzero if one is missing or not finite."""
    marks, interval = marks_of(q), stride * sim.dt
    h = first_steps(sim, begin, len(q) * interval) if sim.h is None else sim.h
    try:
        sample(sim, begin, interval, tau, h, q, qdot, marks)
    except KeyboardInterrupt:
        count_steps(sim, marks["k"])
        raise BrokenOff(count_finite(q, qdot)) from None
    h = np.where(sim.failed[:, None], 0.0, marks["h_wanted"][-1]).astype(sim.dtype)  # no step at all: a world that failed ends at once
    known = np.isfinite(h)
    sim.h = np.where(known, h, 0.0).astype(sim.dtype) if sim.leaves_failed or known.all() else None
    count_steps(sim, marks["k"])
    return int(not (np.isfinite(q[-1]).all() and np.isfinite(qdot[-1]).all()))


def marks_of(q: np.ndarray) -> Marks:
    """Room for those of samples (samples, worlds, n)."""
    return {name: np.full((*q.shape[:2], 1), np.nan, q.dtype) for name in ("t_sample", "h_wanted", "k", "failed")}


def sample(
    sim: Simulation, begin: Start, interval: float, tau: np.ndarray, h: np.ndarray, q: np.ndarray, qdot: np.ndarray, marks: Marks
) -> None:
    """Fill the samples q, qdot and their marks, at these intervals (s); h: (worlds, 1), the first step of each world."""
    q[:] = qdot[:] = np.nan  # what a run that breaks off leaves
    end, eps = begin.t + len(q) * interval, float(np.finfo(sim.dtype).eps)
    clock = {"t0": begin.t, "start": begin.t, "t_end": end, "rtol": sim.rtol, "sample_dt": interval, "eps": eps}
    inputs = {"q": begin.q, "qdot": begin.qdot, "tau": tau, "h": h, **shared(sim, {**clock, "samples": float(len(q))}), **sim.parameters}
    inputs["floor"] = sim.floor
    struck = impact_room(sim, len(q), len(begin.q)) if sim.model.constraints else {}
    sim.runner.run(inputs, {"q_sample": q, "v_sample": qdot, **marks, **struck}, len(begin.q))
    if sim.impacts is not None:
        sim.impacts.add(*struck.values())
    if sim.model.touches:
        note_contacts(sim, begin, 1, sim.runner, q, qdot)


def shared(sim: Simulation, numbers: dict[str, float]) -> dict[str, np.ndarray]:
    """Inputs that all worlds share."""
    return {name: np.full(1, x, sim.dtype) for name, x in numbers.items()}


def first_steps(sim: Simulation, begin: Start, longest: float) -> np.ndarray:
    """(worlds, 1): the first step of each world, by itself, so that it does not depend on its neighbours."""
    q = sim.model.configurations.split(begin.q)[0]
    q = q if q.shape == begin.qdot.shape else counted(sim.model, q)
    floor = sim.floor[: sim.model.nv] if len(sim.floor) >= sim.model.nv else sim.floor[:1]
    steps = first_step(q, begin.qdot, accelerations(sim, begin.q, begin.qdot, begin.t), sim.rtol, longest, floor.astype(float))
    return steps.astype(sim.dtype).reshape(-1, 1)


def counted(model: Model, q: np.ndarray) -> np.ndarray:
    """(worlds, nv): the coordinates whose size counts in the error of a step: not those of an element of a group."""
    links = zip(model.links, np.split(q, model.q_offsets[1:-1], axis=1), strict=True)
    return np.concatenate([x if x.shape[1] == link.joint.dof else np.zeros((len(q), link.joint.dof)) for link, x in links], axis=1)


def accelerations(sim: Simulation, q: np.ndarray, qdot: np.ndarray, t: float) -> np.ndarray:
    """(worlds, nv); zero where coordinates are singular, which the run may leave by itself, or whose error says where."""
    rest = np.zeros_like(qdot)
    try:
        if len(q) == 1:
            return acceleration(sim, 0, q[0], qdot[0], t)[None]
        return sim.engine_of(slice(None)).forward_free(q, qdot, rest, t=t)
    except SimulationError:
        return np.array([acceleration(sim, w, q[w], qdot[w], t) for w in range(len(q))]).reshape(qdot.shape)


def acceleration(sim: Simulation, world: int, q: np.ndarray, qdot: np.ndarray, t: float) -> np.ndarray:
    """(nv,) of one world."""
    try:
        return sim.engine_of(world).forward_free(q, qdot, np.zeros_like(qdot), t=t)
    except SimulationError:
        return np.zeros_like(qdot)


def count_steps(sim: Simulation, counts: np.ndarray) -> None:
    """Of each world, and of the one that took most, given the counts at samples, (samples, worlds, 1), which leave out the step that
    reached the sample and are no numbers where a world broke off."""
    each = np.where(np.isfinite(counts), counts + 1, 0).max(axis=(0, 2), initial=0).astype(int)
    sim.each_took += each
    sim.taken += int(each.max(initial=0))


def first_failure(sim: Simulation, begin: Start, q: np.ndarray, qdot: np.ndarray, stride: int, tau: np.ndarray) -> Cause:
    """Where the state stopped being finite, given the samples before that: the steps after the last one, one by one. It is said to
    break off at its last sample, wherever between that and the next one it did."""
    last = last_state(State(begin.t, begin.q, begin.qdot), q, qdot, stride * sim.dt)
    known = without_inertia(sim.model, sim.engine_of, last) or not_held(sim.engine, last) or open_rows(sim, last, stride * sim.dt)
    if known:
        return Cause(known)
    if sim.method.adaptive:
        return adaptive_failure(sim, last, stride * sim.dt, tau)
    place = Start(last.q.copy(), last.qdot.copy(), last.t, last.t, 0)
    one = [np.empty((1, *x.shape), sim.dtype) for x in (last.q, last.qdot)]
    turns = tau[len(q) * stride :] if tau.ndim == 3 else [tau]  # of every step, or one for all
    while not fixed_steps(sim, place, 1, turns[min(place.steps, len(turns) - 1)], *one) and place.steps < stride:
        steps = place.steps + 1
        place = Start(one[0][0].copy(), one[1][0].copy(), place.start + steps * sim.dt, place.start, steps)
    later = "one step" if place.steps == 0 else f"{place.steps + 1} steps"
    return broke_off_at(
        sim.model, State(last.t, place.q, place.qdot), sim.dt, f"the state was no longer finite {later} of dt = {sim.dt:g} later"
    )


def open_rows(sim: Simulation, last: State, interval: float) -> str | None:
    """What to say if constraints could not be kept."""
    if not sim.model.constraints:
        return None
    from redmax.run.singular_rows import not_closed

    return not_closed(sim, last, interval)


def adaptive_failure(sim: Simulation, last: State, interval: float, tau: np.ndarray) -> Cause:
    """Why `adaptive` could not go on, of worlds whose last samples these are, an interval (s) before those that are missing."""
    near, apart = approached(sim, last, interval, tau)
    why = "the adaptive step became too small: the motion is singular there, or not smooth"
    if not apart:
        why = f"{MOST_STEPS:.0e} adaptive steps did not suffice for a portion of samples: they are too far apart, or a force is too stiff"
    cause = broke_off_at(sim.model, State(last.t, near.q, near.qdot), apart, why)
    return replace(cause, said=f"{cause.said.removesuffix('.')}, near t = {near.t:.9g} s.") if near.t > last.t else cause


def approached(sim: Simulation, last: State, interval: float, tau: np.ndarray) -> tuple[State, float]:
    """The state from which there was no way on, by samples that follow ever more closely, and how close they are (s).

    0 if there is a way on in small portions."""
    place, taken = Start(last.q, last.qdot, last.t, last.t, 0), sim.taken
    for _ in range(LOOKS):
        interval /= FINER
        q, qdot = (np.empty((FINER, *x.shape), sim.dtype) for x in (place.q, place.qdot))
        sample(sim, place, interval, tau, first_steps(sim, place, FINER * interval), q, qdot, marks_of(q))
        good = count_finite(q, qdot)
        if good == FINER:
            return last, 0.0
        if good:
            place = Start(q[good - 1].copy(), qdot[good - 1].copy(), place.t + good * interval, place.start, 0)
        if interval < FINEST * max(abs(place.t), 1.0):
            break
    sim.taken = taken
    return State(place.t, place.q, place.qdot), interval
