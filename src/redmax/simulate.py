"""`simulate`: a scene, a duration, and the Trajectory that comes of it."""

from __future__ import annotations

import operator
import time

import numpy as np

from redmax.blow_up import BlowUp, count_defined, warn_of_domains
from redmax.errors import Interrupted, SceneError, SimulationError
from redmax.model import Model
from redmax.progress import Progress, Watch, shown
from redmax.scene import Scene
from redmax.simulation import Controller, Simulation, positive
from redmax.state import State
from redmax.trajectory import Trajectory

PORTIONS = 50  # in which a run is computed, so that progress shows and a blow-up ends it


def simulate(
    scene: Scene | Model,
    duration: float,
    dt: float = 0.01,
    *,
    integrator: str | None = None,
    dynamics: str | None = None,
    rtol: float = 1e-8,
    solver: str = "auto",
    stabilisation: str = "baumgarte",
    halvings: int = 0,
    every: int = 1,
    controller: Controller | None = None,
    initial: State | None = None,
    backend: str = "llvm",
    dtype: str = "float64",
    progress: Progress | bool | None = None,
) -> Trajectory:
    """Run a scene for `duration` seconds and return its samples.

    dt: the step of a fixed-step integrator, or how often `adaptive` is sampled; every: keep each n-th of those
    integrator: "adaptive" unless the scene has deformables, then "implicit"
    dynamics: "recursive" (the default unless the scene needs another), "redmax" or "maximal"
    solver: of the reduced system of dynamics="redmax", and of deformables in implicit steps: "direct", "cg" (conjugate gradients), "auto"
    stabilisation: of dynamics="maximal": "baumgarte", or "project" to end every step on the constraints
    halvings: how often bdf1 and bdf2 may halve a step for which Newton's method finds no solution
    initial: where to begin; leading axes of its q and qdot make a batch of worlds
    progress: True for a bar, a function (t, end), or None; if it has a method energy(kinetic, potential), that is told the energy of
        the latest sample, of all worlds together, a few times a second
    A run that blows up raises SimulationError, one that is interrupted by Ctrl-C raises Interrupted, a KeyboardInterrupt: each with
    what was computed until then as its `trajectory`.
    """
    sim = Simulation(
        scene,
        dt=dt,
        integrator=integrator,
        dynamics=dynamics,
        rtol=rtol,
        solver=solver,
        stabilisation=stabilisation,
        halvings=halvings,
        controller=controller,
        initial=initial,
        backend=backend,
        dtype=dtype,
    )
    count = number_of_steps(positive(duration, "duration"), sim.dt, every)
    samples = count // every
    q, qdot = sim.room(samples + 1)
    q[0], qdot[0] = sim.q, sim.qdot
    started, t_begin, done, failure, interrupted = time.perf_counter(), sim.t, 1, "", False
    drift = np.full((samples + 1, len(sim.q), len(sim.model.links)), np.nan) if hasattr(sim.runner, "drift") else None
    if drift is not None:
        drift[0] = 0.0  # a run starts with its joints closed
    portion = 1 if controller else max(1, samples // PORTIONS)
    with shown(progress) as show:
        watch = Watch(show)
        try:
            watch.look(sim.energies)
            while done <= samples and not failure:
                now = slice(done, min(done + portion, samples + 1))
                try:
                    if controller:
                        sim.advance_controlled(every, q[now], qdot[now])
                    else:
                        sim.advance(every, sim.torques(), q[now], qdot[now])
                    keep_drift(drift, sim, now)
                    done = now.stop
                except BlowUp as blown:
                    done, failure = done + blown.good, blown.message
                show(sim.t - t_begin, duration)
                if not failure:
                    watch.look(sim.energies, always=done > samples)
        except KeyboardInterrupt:
            interrupted = True
    t = t_begin + np.arange(done) * (sim.dt * every)
    if failure:
        done = count_defined(sim.model, q[:done], t)
    coordinates, charts = sim.model.configurations.split(q[:done])
    run = Trajectory(
        model=sim.model,
        t=t[:done],
        q=coordinates.reshape(done, *sim.batch, sim.model.nq),
        charts=charts.reshape(done, *sim.batch, charts.shape[-1]),
        qdot=qdot[:done].reshape(done, *sim.batch, sim.model.nv),
        integrator=sim.method.name,
        dynamics=sim.dynamics,
        dt=sim.dt,
        steps=(done - 1) * every if (failure or interrupted) and not sim.method.adaptive else sim.taken,
        wall_s=time.perf_counter() - started,
        compile_s=sim.compile_s,
        complete=not failure and not interrupted,
        engine=sim.engine,
        joint_drift=None if drift is None else drift[:done].reshape(done, *sim.batch, len(sim.model.links)),
    )
    if failure:
        raise SimulationError(failure, run)
    if interrupted:
        raise Interrupted(run) from None
    warn_of_domains(run.model, run.q, run.t)
    return run


def keep_drift(drift: np.ndarray | None, sim: Simulation, now: slice) -> None:
    """How far joints that are constraints were open at the samples just computed."""
    if drift is not None:
        drift[now] = getattr(sim.runner, "drift", 0.0)


def number_of_steps(duration: float, dt: float, every: int) -> int:
    """How many steps of dt make up the duration; each `every`-th of them is kept."""
    try:
        stride = operator.index(every)
    except TypeError:
        stride = 0
    if stride < 1:
        raise SceneError(f"every must be a whole number from 1 up. Got {every!r}.")
    count = round(duration / dt)
    got = f"duration = {duration:g} s and dt = {dt:g} s: {duration / dt:g} steps"
    if count < 1 or abs(count * dt - duration) > 1e-6 * dt:
        raise SceneError(f"duration must be a whole number of steps. Got {got}.")
    if count % stride:
        raise SceneError(f"every must divide the number of steps. Got every = {stride}, {got}.")
    return count
