"""`simulate`: a scene, a duration, and the Trajectory that comes of it."""

from __future__ import annotations

import operator
from collections.abc import Collection
from os import PathLike
from typing import Any

from redmax.arguments import brief
from redmax.errors import Interrupted, SceneError, SimulationError
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.run.defaults import with_defaults
from redmax.run.failures import BlowUp, BrokenOff, domain_exits, warn_of_domains
from redmax.run.progress import Progress, Watch, check_progress, shown
from redmax.run.samples import Portions, Samples
from redmax.run.simulation import Controller, Simulation, positive
from redmax.run.trajectory import STORE, Trajectory

MOST_STEPS = 2**53


@with_defaults
def simulate(
    scene: Scene | Model,
    duration: float | None = None,
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
    out: str | PathLike[str] | None = None,
    store: Collection[str] = STORE,
) -> Trajectory:
    """Run a scene for `duration` seconds and return its samples. What is left out is as the scene's file says in its section `run`.

    dt: the step of a fixed-step integrator, or how often `adaptive` is sampled; every: keep each n-th of those
    integrator: "adaptive" unless the scene has deformables, then "implicit"
    dynamics: "recursive" (the default unless the scene needs another), "redmax" or "maximal"
    solver: of the reduced system of dynamics="redmax", and of deformables in implicit steps: "direct", "cg" (conjugate gradients), "auto"
    stabilisation: of dynamics="maximal": "baumgarte", or "project" to end every step on the constraints
    halvings: how often bdf1 and bdf2 may halve a step for which Newton's method finds no solution
    initial: where to begin; leading axes of its q and qdot make a batch of worlds
    progress: True for a bar, a function (t, end), or None; if it has a method energy(kinetic, potential), that is told the energy of
        the latest sample, of all worlds together, a few times a second
    out: a result file (HDF5) to write as the run goes on, of which the Trajectory then reads what it is asked for: the run may be longer
        than memory, and what was written stays readable whatever ends it; `redmax.load(out)` opens it again
    store: what to compute and write beside the states: "energy", "poses", "twists", "reactions"
    A run that blows up raises SimulationError, one that is interrupted by Ctrl-C raises Interrupted, a KeyboardInterrupt: each with
    what was computed until then as its `trajectory`.
    """
    if duration is None:
        raise SceneError("simulate needs a duration (s), such as duration=5: the scene has none of its own.")
    steps = number_of_steps(positive(duration, "duration"), positive(dt, "dt"), every)
    check_progress(progress)
    if out is not None:
        from redmax.results import check_target

        check_target(out, store)
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
    count = steps // every
    settings = {"duration": float(duration), "every": int(every), "rtol": sim.rtol, "solver": solver, "stabilisation": stabilisation}
    settings |= {"halvings": int(halvings), "controller": controller is not None, "backend": backend, "dtype": dtype}
    samples = Samples(sim, count + 1, every, settings) if out is None else stored(sim, count + 1, every, settings, out, store)
    failure, interrupted, exits = "", False, domain_exits(sim.model, *samples.latest(1))
    portions, begin = Portions(sim, count), sim.t
    try:
        with shown(progress) as show:
            watch = Watch(show)
            try:
                watch.look(sim.energies)
                samples.start_clock()
                while samples.done <= count and not failure:
                    portion = portions.next(count + 1 - samples.done)
                    room = samples.room(portion)
                    try:
                        with watch.computing():
                            if controller:
                                sim.advance_controlled(every, *room)
                            else:
                                sim.advance(every, sim.torques(), *room)
                        samples.keep(portion)
                        exits = domain_exits(sim.model, *samples.latest(portion)) | exits
                    except BlowUp as blown:
                        samples.keep(blown.good, whole=False)
                        failure = blown.message
                    except BrokenOff as broken:
                        samples.keep(broken.good, whole=False)
                        raise
                    show(sim.t - begin, duration)
                    if not failure:
                        watch.look(sim.energies, always=samples.done > count)
            except KeyboardInterrupt:
                interrupted = True
        if failure:
            samples.drop_undefined()
        run = samples.finish(failure or ("interrupted" if interrupted else ""))
    except BaseException as error:
        samples.abandon(f"{type(error).__name__}: {error}")
        raise
    if failure:
        raise SimulationError(failure, run)
    if interrupted:
        raise Interrupted(run) from None
    warn_of_domains(exits)
    return run


def stored(sim: Simulation, count: int, every: int, settings: dict[str, Any], out: Any, store: Collection[str]) -> Samples:
    from redmax.results import FileSamples

    return FileSamples(sim, count, every, settings, out, store)


def number_of_steps(duration: float, dt: float, every: int) -> int:
    """How many steps of dt make up the duration; each `every`-th of them is kept."""
    try:
        stride = operator.index(every)
    except TypeError:
        stride = 0
    if stride < 1:
        raise SceneError(f"every must be a whole number from 1 up. Got {brief(every)}.")
    got = f"duration = {duration:g} s and dt = {dt:g} s: {duration / dt:.3g} steps"
    if not duration / dt <= MOST_STEPS:
        raise SceneError(f"A run has at most {MOST_STEPS:.1e} steps, as floats count no further. Got {got}. Choose a larger dt.")
    count = round(duration / dt)
    got = f"duration = {duration:g} s and dt = {dt:g} s: {duration / dt:g} steps"
    if count < 1 or abs(count * dt - duration) > 1e-6 * dt:
        raise SceneError(f"duration must be a whole number of steps. Got {got}.")
    if count % stride:
        raise SceneError(f"every must divide the number of steps. Got every = {stride}, {got}.")
    return count
