"""How much of a run that broke off is worth looking at: the samples before its energy runs away.

States that blow up are finite for a while. A sample is wild once its kinetic energy is a hundred times as large as any in the first half of
the samples before it, and as what the scene has by itself: T(0) + |V(0)| + m g L, L its size; or once its steps have given it several
times as much as that (`gained_energy`). What comes from there on is kept, in files and tables too, but not shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redmax.errors import RedmaxError
from redmax.run.failures import Failure

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.state import State
    from redmax.run.simulation import Simulation
    from redmax.run.trajectory import Trajectory

WILD = 100.0  # times the kinetic energy of before
LOOKS, LAST = 500, 1000  # samples that are looked at: from the whole run, and at its end


@dataclass(frozen=True, eq=False)
class MayBreakOff:
    """What a Trajectory says of its end.

    failure: when and why it broke off, with `t`, `samples`, `joint` and `reason`; None if it did not
    """

    failure: Failure | None = field(default=None, kw_only=True, repr=False)

    @cached_property
    def good(self) -> Trajectory:
        """The samples that are worth looking at, which pictures, films, plots and pages show: all, unless the run broke off and its last
        samples fly away."""
        run = as_run(self)
        if self.failure is None or run.q.ndim > 2:
            return run
        count = good_count(run)
        return run if count == len(run) else run[:count]


def as_run(part: MayBreakOff) -> Trajectory:
    """Itself: only a Trajectory ends so."""
    from redmax.run.trajectory import Trajectory

    assert isinstance(part, Trajectory)
    return part


def good_count(run: Trajectory) -> int:
    """How many samples of one world come before the wild ones; at least one."""
    n = len(run)
    some = np.unique(np.concatenate([np.linspace(0, n - 1, LOOKS).astype(int), np.arange(max(n - LAST, 0), n)]))
    try:
        seen = run.observed if len(some) == n or run.model.map is not None else run.part((some,)).observed
    except RedmaxError:  # of a file written before, whose last samples may have no energy
        return good_count(run[: n // 2]) if n > 1 else 1
    shown = np.arange(n) if len(seen.kinetic) == n else some
    natural = natural_energy(run.model, seen.kinetic, seen.potential, seen.pose)
    wild = wild_from(seen.kinetic, natural)
    return before_gains(run, int(shown[wild - 1]) + 1, shown[:wild], energy_before(seen.kinetic, natural)[:wild])


def before_gains(run: Trajectory, count: int, shown: NDArray[np.intp], largest: NDArray[np.float64]) -> int:
    """How many of the first `count` samples come before those whose energy the steps have made. largest: energy before those shown (J)."""
    from redmax.run.gained_energy import gained_from

    first = int(np.flatnonzero(np.diff(shown, prepend=-2) > 1)[-1])  # from there on, none is left out
    begin = int(shown[first])
    return begin + gained_from(run[begin:count], largest[first:])


def wild_from(kinetic: NDArray[np.float64], natural: float) -> int:
    """The number of the first sample, of those in order of time, whose kinetic energy has run away; how many there are if none has."""
    wild = np.flatnonzero(~(kinetic <= WILD * energy_before(kinetic, natural)))
    return max(int(wild[0]), 1) if len(wild) else len(kinetic)


def energy_before(kinetic: NDArray[np.float64], natural: float) -> NDArray[np.float64]:
    """(time,): the largest kinetic energy in the first half of the samples up to each, or what the scene has by itself, if that is more."""
    n = len(kinetic)
    largest = np.maximum.accumulate(np.nan_to_num(kinetic, nan=np.inf))
    floor = natural if natural > 0 or n < 2 else float(kinetic[1])
    return np.maximum(largest[(np.arange(1, n + 1) // 2 - 1).clip(0)], floor)


def natural_energy(model: Model, kinetic: NDArray[np.float64], potential: NDArray[np.float64], pose: NDArray[np.float64]) -> float:
    """T(0) + |V(0)| + m g L (J), of samples of one world: (T,) each, and (T, links, 4, 4)."""
    places = pose[0, :, :3, 3]
    sizes = [np.abs(np.asarray(link.shape.mesh()[0], float)).max(initial=0.0) for link in model.bodies]
    size = float(np.ptp(places, axis=0).max(initial=0.0)) + max(sizes, default=0.0)
    mass = sum(link.shape.mass for link in model.links)
    return float(kinetic[0] + abs(potential[0]) + mass * np.linalg.norm(model.gravity) * size)


def is_seen(sim: Simulation, state: State) -> bool:
    """Whether poses and energies of the worlds that are there, (worlds, n) of a configuration, are numbers."""
    q, qdot = np.atleast_2d(state.q), np.atleast_2d(state.qdot)
    known = np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(qdot).all(axis=1))
    if not len(known):
        return False
    among = np.where(np.isin(np.arange(len(q)), known), np.arange(len(q)), known[0])
    q, qdot = (x[among].reshape(*sim.batch, x.shape[-1]) for x in (q, qdot))
    try:
        sim.engine.observe(np.stack([q, q]), np.stack([qdot, qdot]), state.t)  # several: the code of whole runs
    except RedmaxError:
        return False
    return True


def good_states(states: list[State], sim: Simulation, most: int) -> list[State]:
    """Some of the states of one world, in order of time, before they are wild."""
    q, qdot, t = (np.array([np.ravel(getattr(s, name)) for s in states]) for name in ("q", "qdot", "t"))
    try:
        seen = sim.engine_of(0).observe(q, qdot, t[:, 0])
    except RedmaxError:
        return states[:1]
    count = wild_from(np.asarray(seen.kinetic, float), natural_energy(sim.model, seen.kinetic, seen.potential, seen.pose))
    return [states[k] for k in np.unique(np.linspace(0, count - 1, most).astype(int))]


def counted(failures: tuple[Failure, ...], t: ArrayLike) -> tuple[Failure, ...]:
    """With how many samples each world has, of those at times t (s)."""
    if not failures:
        return ()  # times in a file are read when they are asked for
    times = np.asarray(t, float)
    apart = 1e-9 * max(float(np.abs(times).max(initial=0.0)), 1e-300)
    return tuple(replace(f, samples=int((times <= f.t + apart).sum())) for f in failures)
