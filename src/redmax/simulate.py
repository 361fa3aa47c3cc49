"""`simulate`: a scene, a duration, and the Trajectory that comes of it."""

from __future__ import annotations

import time

import numpy as np

from redmax.errors import SceneError, SimulationError
from redmax.model import Model
from redmax.progress import Progress, shown
from redmax.scene import Scene
from redmax.simulation import BlowUp, Controller, Simulation, positive
from redmax.state import State
from redmax.trajectory import Trajectory

PORTIONS = 50  # in which a run is computed, so that progress shows and a blow-up ends it


def simulate(
    scene: Scene | Model,
    duration: float,
    dt: float = 0.01,
    *,
    integrator: str = "adaptive",
    dynamics: str = "recursive",
    rtol: float = 1e-8,
    every: int = 1,
    controller: Controller | None = None,
    initial: State | None = None,
    backend: str = "llvm",
    dtype: str = "float64",
    progress: Progress | bool | None = None,
) -> Trajectory:
    """Run a scene for `duration` seconds and return its samples.

    dt: the step of a fixed-step integrator, or how often `adaptive` is sampled; every: keep each n-th of those
    initial: where to begin; leading axes of its q and qdot make a batch of worlds
    progress: True for a bar, a function (t, end), or None
    A run that blows up raises SimulationError, with what was computed until then as its `trajectory`.
    """
    sim = Simulation(
        scene,
        dt=dt,
        integrator=integrator,
        dynamics=dynamics,
        rtol=rtol,
        controller=controller,
        initial=initial,
        backend=backend,
        dtype=dtype,
    )
    count = number_of_steps(positive(duration, "duration"), sim.dt, every)
    started, t_begin = time.perf_counter(), sim.t
    first = (sim.q[None].copy(), sim.qdot[None].copy())
    kept = [first]
    failure = ""
    with shown(progress) as show:
        portion = 1 if controller else max(1, count // every // PORTIONS)
        done = 0
        while done < count // every and not failure:
            now = min(portion, count // every - done)
            try:
                kept.append(sim.advance_controlled(every) if controller else sim.advance(now * every, every, sim.torques()))
            except BlowUp as blown:
                kept.append((blown.q, blown.qdot))
                failure = blown.message
            done += now
            show(sim.t - t_begin, duration)
    run = gather(sim, kept, t_begin, every, time.perf_counter() - started, not failure)
    if failure:
        raise SimulationError(f"{failure} What was computed until then is in the error's trajectory.", run)
    return run


Samples = list[tuple[np.ndarray, np.ndarray]]


def gather(sim: Simulation, kept: Samples, t_begin: float, every: int, wall: float, complete: bool) -> Trajectory:
    q, qdot = (np.concatenate([part[i] for part in kept]) for i in (0, 1))
    shape = (len(q), *sim.batch)
    return Trajectory(
        sim.model,
        t_begin + np.arange(len(q)) * (sim.dt * every),
        q.reshape(*shape, -1) if q.size else q.reshape(*shape, 0),
        qdot.reshape(*shape, -1) if qdot.size else qdot.reshape(*shape, 0),
        sim.method.name,
        sim.dynamics,
        sim.dt,
        sim.taken,
        wall,
        sim.compile_s,
        complete,
        engine=sim.engine,
    )


def number_of_steps(duration: float, dt: float, every: int) -> int:
    if not isinstance(every, int) or every < 1:
        raise SceneError(f"every must be a whole number from 1 up. Got {every!r}.")
    count = round(duration / dt)
    if count < every or abs(count * dt - duration) > 1e-6 * dt:
        got = f"duration = {duration:g} s and dt = {dt:g} s: {duration / dt:g} steps"
        raise SceneError(f"duration must be a whole number of steps. Got {got}.")
    return count - count % every
