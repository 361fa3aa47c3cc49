"""Which runs have a gradient: the program of their steps, and what goes into it besides states and torques."""

from __future__ import annotations

import numpy as np

from redmax.backends.base import Mechanism
from redmax.dynamics.maximal.runner import BAUMGARTE
from redmax.dynamics.recursive.explained import explained
from redmax.errors import SceneError
from redmax.integrators import bdf
from redmax.integrators.bdf import beyond
from redmax.program.kernel import PARAMETERS
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.run.simulation import Simulation
from redmax.run.start import system_of
from redmax.solvers.newton import TOLERANCE

BACKWARD = {"bdf1": False, "bdf2": True}  # backward differences, and whether of order 2
EXPLICIT = ("forward-euler", "euler", "rk4")
FRESH = ("fresh", "closing_fresh", "young")


def refused(sim: Simulation) -> str:
    """Why a run has no gradient, or what cannot be told of it yet; "" if it has one."""
    model, o = sim.model, sim.options
    if model.touches:
        return "bodies that touch: who touches whom changes along the run. Leave contact out, or push with springs (redmax.force)"
    if model.rubbing:
        return "joints that rub: where they stick is not smooth. Give them damping instead"
    if model.map is not None:
        return "a map of coordinates. Take coupling constraints (redmax.Gear) instead"
    if o.group is not None or o.index is not None or (sim.method.program is None and o.integrator not in BACKWARD):
        return f"integrator {str(o.integrator)!r}. Take 'euler', 'rk4', 'implicit', 'adaptive', 'bdf1' or 'bdf2'"
    if o.dtype != "float64":
        return f"dtype {o.dtype!r}. Take 'float64'"
    return ""


def reversible(sim: Simulation, owner: str = "gradient", what: str = "a run") -> tuple[Mechanism, Program]:
    """What the program of its steps is laid out for, and that program. owner: who asks, for the derivative of what."""
    if why := refused(sim):
        raise SceneError(f"redmax.{owner} cannot differentiate {what} with {why}.", owner=owner, argument="scene")
    if str(sim.options.integrator) in BACKWARD:
        return sim.model, bdf.program(sim.model, BACKWARD[str(sim.options.integrator)], str(sim.options.dynamics))
    found = explained(sim.model) if is_explained(sim) else system_of(sim, sim.model)
    assert sim.method.program is not None
    return found.model, sim.method.program(found)


def is_explained(sim: Simulation) -> bool:
    """Whether accelerations are differentiated by inverse dynamics: along the tree, where nothing but torques and forces acts."""
    model, o = sim.model, sim.options
    momenta = o.integrator == "euler" and any(model.on_group)  # which its steps carry along
    beside = any(model.prescribed) or bool(model.constraints) or bool(model.soft)
    return str(o.dynamics) == "recursive" and o.integrator in EXPLICIT and not momenta and not beside


def inputs_of(sim: Simulation, plan: Plan) -> dict[str, np.ndarray]:
    """What a program takes that begins where the simulation is, but for torques."""
    worlds, numbers = len(sim.q), {"t": sim.t, "t0": sim.t, "h": sim.dt, "k": 0.0, "baumgarte": BAUMGARTE}
    given: dict[str, np.ndarray] = {name: np.full(1, x) for name, x in numbers.items()}
    given |= {name: np.ones((worlds, 1)) for name in FRESH}
    given |= {"q": sim.q, "qdot": sim.qdot, "q_older": sim.q, "qdot_older": sim.qdot, **sim.parameters}
    clock = [sim.t, sim.dt, 0.0, TOLERANCE, beyond(sim.model), 1.0]
    given["given"] = np.tile(clock, (worlds, 1))
    sizes = zip(plan.names[0], plan.inputs, strict=True)
    found = {name: given.get(name, np.zeros((worlds, len(slots)))) for name, slots in sizes if name != "tau"}
    assert not sim.parameters or PARAMETERS in found
    return {name: np.ascontiguousarray(x, float) for name, x in found.items()}
