"""Which runs have a gradient: the program of their steps, and what goes into it besides states and torques."""

from __future__ import annotations

import numpy as np

from redmax.backends.base import Mechanism, Runner
from redmax.design.gradients import contact_steps
from redmax.dynamics.choose import System, Upkeep, rigid_system, upkeep_of
from redmax.dynamics.common.continued import ContinuedRunner
from redmax.dynamics.contact.reversed import differentiated
from redmax.dynamics.contact.runner import ContactRunner
from redmax.dynamics.maximal.runner import BAUMGARTE, MaximalRunner
from redmax.dynamics.recursive.explained import explained
from redmax.errors import SceneError
from redmax.integrators import METHODS, bdf
from redmax.integrators.absolute.index_1 import IndexOne
from redmax.integrators.backward_differences import BackwardDifferences
from redmax.integrators.bdf import beyond
from redmax.integrators.bdf_samples import Past
from redmax.integrators.charts_due import where_due
from redmax.program.kernel import PARAMETERS
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.run.simulation import Simulation
from redmax.run.start import program_of_index_1, system_of, system_on_group
from redmax.solvers.newton import TOLERANCE

BACKWARD = {"bdf1": False, "bdf2": True}  # backward differences, and whether of order 2
EXPLICIT = ("forward-euler", "euler", "rk4")
FRESH = ("fresh", "closing_fresh", "young", "alpha_fresh")


class ToReverse(Simulation):
    """One whose state and options are asked for: steps of fixed length are run by what goes back too, and are not compiled twice."""

    def prepare(self) -> None:
        """Compile what is run: only `adaptive` is asked for its steps."""
        if self.method.adaptive:
            super().prepare()


def refused(sim: Simulation) -> str:
    """Why a run has no gradient, or what cannot be told of it yet; "" if it has one."""
    o = sim.options
    if why := refused_scene(sim):
        return why
    if o.group is not None or o.index is not None or (sim.method.program is None and o.integrator not in BACKWARD):
        known = [name for name, m in METHODS.items() if m.program is not None or name in BACKWARD]
        return f"integrator {str(o.integrator)!r}. Take one of {', '.join(known)}"
    return ""


def refused_scene(sim: Simulation, mapped: bool = False) -> str:
    """The same of what there is beside the integrator. mapped: whether a map of coordinates is none of it"""
    model, o = sim.model, sim.options
    if model.touches and (why := contact_steps.refused(sim)):
        return why
    if model.rubbing:
        return "joints that rub: where they stick is not smooth. Give them damping instead"
    if model.map is not None and not mapped:
        return "a map of coordinates. Take coupling constraints (redmax.Gear) instead"
    return f"dtype {o.dtype!r}. Take 'float64'" if o.dtype != "float64" else ""


def refuse(why: str, owner: str, what: str) -> None:
    """Raise where there is a reason."""
    if why:
        raise SceneError(f"redmax.{owner} cannot differentiate {what} with {why}.", owner=owner, argument="scene")


def reversible(sim: Simulation, owner: str = "gradient", what: str = "a run") -> tuple[Mechanism, Program]:
    """What the program of its steps is laid out for, and that program. owner: who asks, for the derivative of what."""
    refuse(refused(sim), owner, what)
    if str(sim.options.integrator) in BACKWARD:
        return sim.model, where_due(sim.model, bdf.program(sim.model, BACKWARD[str(sim.options.integrator)], str(sim.options.dynamics)))
    found = system_reversed(sim)
    assert sim.method.program is not None
    return found.model, where_due(sim.model, sim.method.program(found))


def on_groups(sim: Simulation) -> tuple[Mechanism, Program] | None:
    """The same of bodies that step along groups of their own, by accelerations, which is for derivatives along directions alone."""
    if sim.options.group is None:
        return None
    found = system_on_group(sim)
    return found.model, program_of_index_1(sim, found) if sim.method.program is None else sim.method.program(found)


def system_reversed(sim: Simulation) -> System:
    """The dynamics that were asked for, with the way back that is best for them."""
    model, o = sim.model, sim.options
    if is_explained(sim):
        return explained(model)
    if model.touches:
        name, found = str(o.dynamics), rigid_system(str(o.dynamics), model, None, o.backend, o.stabilisation)
        upkeep = upkeep_of(name, model, o.stabilisation, o.drift, found.accelerations) if model.constraints else Upkeep()
        return differentiated(found, model, o.friction == "exact", upkeep)
    return system_of(sim, model)


def is_explained(sim: Simulation) -> bool:
    """Whether accelerations are differentiated by inverse dynamics: along the tree, where nothing but torques and forces acts."""
    model, o = sim.model, sim.options
    momenta = o.integrator == "euler" and any(model.on_group)  # which its steps carry along
    beside = any(model.prescribed) or bool(model.constraints) or bool(model.soft) or model.touches
    return str(o.dynamics) == "recursive" and o.integrator in EXPLICIT and not momenta and not beside


def inputs_of(sim: Simulation, plan: Plan) -> dict[str, np.ndarray]:
    """What a program takes that begins where the simulation is, but for torques."""
    worlds, numbers = len(sim.q), {"t": sim.t, "t0": sim.t, "h": sim.dt, "k": 0.0, "baumgarte": closing_rate(sim.runner)}
    states = {"q": sim.q, "qdot": sim.qdot, "q_older": sim.q, "qdot_older": sim.qdot, **sim.parameters}
    found: dict[str, np.ndarray] = {}
    for name, slots in zip(plan.names[0], plan.inputs, strict=True):
        if name in states:
            found[name] = np.ascontiguousarray(states[name], float)
        elif name in numbers:
            found[name] = np.full(1, numbers[name])
        elif name == "given":
            found[name] = clock_of(sim, np.ones((worlds, 1)))
        elif name != "tau":
            found[name] = np.full((worlds, len(slots)), 1.0 if name in FRESH else 0.0)
    assert not sim.parameters or PARAMETERS in found
    return found


def closing_rate(runner: Runner) -> float:
    """How fast joints close in maximal coordinates (1/s)."""
    inner = runner.inner if isinstance(runner, IndexOne) else runner
    return inner.baumgarte if isinstance(inner, MaximalRunner) else BAUMGARTE


def clock_of(sim: Simulation, young: np.ndarray) -> np.ndarray:
    """The numbers of each world that steps of backward differences take together. young: (worlds, 1), 1 without a state a step before."""
    clock = [sim.t, sim.dt, 0.0, TOLERANCE, beyond(sim.model)]
    return np.concatenate([np.tile(clock, (len(sim.q), 1)), young], axis=1)


def going_on(sim: Simulation) -> dict[str, np.ndarray]:
    """What the next step of a simulation takes from those before it, instead of what `inputs_of` has of a run that begins.

    Of backward differences the state a step before, of loops the places where their joints are closed, of contacts their impulses. In
    maximal coordinates all of it is in bodies, whose own poses and twists are no function of q and qdot: there is no derivative by these.
    """
    runner, found = sim.runner, dict[str, np.ndarray]()
    if isinstance(runner, IndexOne):
        runner = runner.inner
    if isinstance(runner, MaximalRunner):
        if runner.begin(sim.q, sim.qdot)[2].min(initial=1.0) < 0.5:
            why = "goes on from poses and twists of its bodies, which are no function of q and qdot, in dynamics 'maximal'"
            fix = "Linearise from its state, redmax.linearize(scene, initial=sim.state, ...), or take dynamics 'recursive' or 'redmax'"
            raise SceneError(f"redmax.linearize: the simulation {why}. {fix}.", owner="linearize", argument="scene")
        runner = runner.inner
    if isinstance(runner, BackwardDifferences):
        past = runner.continued(Past.fresh(sim.t, sim.q, sim.qdot), sim.dtype)
        found = {"q_older": past.older_q, "qdot_older": past.older_qdot, "given": clock_of(sim, past.young)}
        runner = runner.inner
    found |= carried_on(runner, sim.q, sim.qdot)
    if isinstance(runner, ContactRunner):
        found |= runner.remembered(sim.q, sim.qdot)
    return found


def carried_on(runner: Runner, q: np.ndarray, qdot: np.ndarray) -> dict[str, np.ndarray]:
    """What a runner has kept of where its last portion ended, in worlds that begin there; nothing, where it keeps nothing."""
    if not isinstance(runner, ContinuedRunner) or runner.history is None or not runner.fresh:
        return {}
    on = runner.history.goes_on(q, qdot)[:, None]
    return {name: np.where(on, x, 0.0) for name, x in runner.history.carried.items()} | {runner.fresh: np.where(on, 0.0, 1.0)}
