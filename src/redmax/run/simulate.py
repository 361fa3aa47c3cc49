"""`simulate`: a scene, a duration, and the Trajectory that comes of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from redmax.arguments import OneOf
from redmax.dynamics.choose import DRIFT
from redmax.errors import Interrupted, SceneError, SimulationError, warn
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.model.state import State
from redmax.run.advice import advised
from redmax.run.controls import checked_controls
from redmax.run.failures import INTERRUPTED, warn_of_domains
from redmax.run.left_behind import warn_of_failures
from redmax.run.loop import Loop
from redmax.run.off_motion import motions_left, off_motions
from redmax.run.options import ABSOLUTE, RunOptions, with_defaults
from redmax.run.progress import Progress, Watch, check_progress, showing_progress
from redmax.run.quantities import STORE
from redmax.run.samples import Samples
from redmax.run.simulation import Controller, Simulation
from redmax.run.start import checked_state
from redmax.run.trajectory import Trajectory

ON_FAILURE = OneOf(("continue", "raise"))


@with_defaults
def simulate(
    scene: Scene | Model | str | PathLike[str],
    duration: float | None = None,
    dt: float = 0.01,
    *,
    integrator: str | None = None,
    dynamics: str | None = None,
    rtol: float = 1e-8,
    atol: float | Sequence[float] | None = None,
    solver: str = "auto",
    stabilisation: str = "auto",
    halvings: int = 0,
    every: int = 1,
    controller: Controller | None = None,
    controls: ArrayLike | None = None,
    initial: State | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    backend: str = "llvm",
    dtype: str = "float64",
    progress: Progress | bool | None = None,
    out: str | PathLike[str] | None = None,
    store: Collection[str] = STORE,
    on_failure: str = "continue",
    drift: float = DRIFT,
    friction: str = "exact",
    friction_sides: int = 0,
    group: str | None = None,
    index: int | None = None,
    rho: float | None = None,
    frame: str | None = None,
) -> Trajectory:
    """Run a scene for `duration` seconds and return its samples. What is left out is as the scene's file says in its section `run`.

    scene: what to run; or its name in the catalogue, "windmill" or "redmax:14", or its file, "mine.yaml"
    dt: the step of a fixed-step integrator, or how often `adaptive` is sampled; every: keep each n-th of those
    integrator: "adaptive" unless the scene has deformables, bodies that touch, joints that rub, or rows that only push, then "implicit"
    dynamics: "recursive" (the default unless the scene needs another), "redmax" or "maximal"
    rtol, atol: of `adaptive`, how large the error of each coordinate and rate x may become in a run, about: atol + rtol |x|. atol is rtol
        unless given, a number, or one for each rate, (nv,), with small ones for what stays small
    solver: of the reduced system of dynamics="redmax", and of deformables in implicit steps: "direct", "cg" (conjugate gradients), "auto"
    stabilisation: of dynamics="maximal" and of constraints: "baumgarte", or "project" to end every step on the constraints. "auto": of
        constraints, `adaptive` projects, and fixed steps do where rows are off by more than drift; else "baumgarte". "none": of rk4,
        methods along groups and generalized-alpha of index 1, whose rows then ask for accelerations alone: bodies drift off
    drift: relative to the size of the mechanism
    friction: of contact, "exact" (Coulomb's law), or "convex": fewer iterations, but what slides lifts off a little; or "staggered": normal
        forces and friction in turns, for comparison (docs: Contact); friction_sides: of the cones of the latter two, 0: they are round
    group: of each body in absolute coordinates, for `generalized-alpha`, and `mk4` and its like with dynamics="maximal": "SE3" (twists; the
        default) or "SO3xR3" (rotation and translation apart); "SE3-right", "SO3xR3-right": seen from the world
    index: of the equations of `generalized-alpha`: 3 (positions), 2 (velocities too; the default), 1 (accelerations)
    rho: of `generalized-alpha`, how much of what is fast a step leaves, from 0 to 1; 0.9 unless given
    frame: of bodies, for the same: "body", at the centre of mass (the default), "joint", or the names of frames of the scene, with commas
        between, for the bodies that they are on
    halvings: how often bdf1 and bdf2 may halve a step for which Newton's method finds no solution
    initial: where to begin; leading axes of its q and qdot make a batch of worlds
    controller: (t, q, qdot) -> tau, a Python function that is asked at the beginning of each dt; its torques are held until its end
    controls: (steps, nv) or (steps, ..., nv): torques of every step dt, and of every world, which the compiled loop reads; where initial
        and parameters make no batch of worlds, the axes between do, and all of them begin alike
    parameters: what differs from world to world, by name, such as {"arm.mass": masses}; leading axes make a batch of worlds
    progress: True for a bar, a function (t, end), or None; if it has a method energy(kinetic, potential), that is told the energy of
        the latest sample, of all worlds together, a few times a second
    out: a result file (HDF5) to write as the run goes on, of which the Trajectory then reads what it is asked for: the run may be longer
        than memory, and what was written stays readable whatever ends it; `redmax.load(out)` opens it again
    store: what to compute and write beside the states: "energy", "poses", "twists", "reactions"; on demand also "paths", "muscles",
        "centroidal"
    on_failure: "continue": worlds of a batch that break off are left behind, and the others finish; their samples are not numbers from
        there on, and run.failures says which, when and why. "raise": the first of them ends the run
    A run that blows up, or a batch of which no world is left, raises SimulationError; one that is interrupted by Ctrl-C raises Interrupted,
    a KeyboardInterrupt: each with what was computed until then as its `trajectory`.
    """
    method = integrator, dynamics, rtol, solver, stabilisation, halvings
    asked = RunOptions(duration, dt, *method, every, backend, dtype, atol, drift, friction, friction_sides, group, index, rho, frame)
    options = asked.checked()
    ON_FAILURE.check("on_failure", on_failure)
    count = options.steps() // options.every
    if told := progress is not None and progress is not False:
        check_progress(progress)
    if out is not None:
        from redmax.results import check_target

        check_target(out, store)
    if initial is not None:
        checked_state(initial)  # before anything is compiled
    sim = Simulation(scene, controller=controller, initial=initial, parameters=parameters, **options.of_simulation())
    if controls is not None:
        if controller is not None:
            both = "controls and a controller both say the torques of a run. Give one of them."
            raise SceneError(both, owner="simulate", argument="controls")
        sim.controls = checked_controls(sim, controls, options.steps())
    if sim.model.touches:
        from redmax.run.contact.overlap import warn_of_overlap

        warn_of_overlap(sim)
    sim.leaves_failed = on_failure == "continue" and len(sim.q) > 1
    settings = options.settings(controller is not None or controls is not None)
    settings |= {name: getattr(sim.options, name) for name in ABSOLUTE}  # as they were chosen
    before = off_motions(sim) if any(sim.model.prescribed) else {}
    samples = Samples(sim, count + 1, every, settings) if out is None else stored(sim, count + 1, every, settings, out, store)
    try:
        loop, interrupted = Loop(sim, samples, count, every), False
        try:
            if told:
                with showing_progress(progress) as show:
                    follow(loop, show, float(duration or 0))
            else:
                loop.finish()
        except KeyboardInterrupt:
            interrupted = True
        if sim.failures:
            sim.failures = advised(sim, samples)
        left = motions_left(sim, samples, before) if before else []
        run = samples.finish(loop.failure or (INTERRUPTED if interrupted else ""))
    except BaseException as error:
        samples.abandon(f"{type(error).__name__}: {error}")
        raise
    sim.look_around()
    if loop.failure:
        raise SimulationError(loop.failure, run)
    if interrupted:
        raise Interrupted(run) from None
    if loop.turns:
        from redmax.run.half_turns import warn_of_half_turns

        warn_of_half_turns(loop.turns)
    for sentence in left:
        warn(sentence)
    if run.contact_count is not None and not sim.method.adaptive:
        from redmax.run.contact.sunk import warn_of_sinking

        warn_of_sinking(run)
    if loop.exits:
        warn_of_domains(loop.exits)
    if run.failures:
        warn_of_failures(run.failures, len(sim.q))
    return run


def follow(loop: Loop, show: Progress, duration: float) -> None:
    """To the end, telling how far it is."""
    sim, watch = loop.sim, Watch(show)
    watch.look(sim.energies)
    loop.samples.start_clock()
    begin = sim.t
    while loop.goes_on:
        loop.advance(computing=watch.computing)
        show(sim.t - begin, duration)
        if not loop.failure:
            watch.look(sim.energies, always=not loop.goes_on)


def stored(sim: Simulation, count: int, every: int, settings: dict[str, Any], out: Any, store: Collection[str]) -> Samples:
    from redmax.results import FileSamples

    return FileSamples(sim, count, every, settings, out, store)
