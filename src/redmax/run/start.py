"""How a run begins: what advances its states, and the first of these, the scene's own or one that the user gives, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import as_float, as_numbers, brief
from redmax.backends.base import Runner, make_plan, make_runner
from redmax.backends.rounded import Rounded
from redmax.dynamics.choose import System, matrix_free_solver, system
from redmax.dynamics.common.joint_laws import motion_rates
from redmax.dynamics.common.on_group import check_configurations
from redmax.errors import SceneError
from redmax.integrators.absolute.frame import FRAMES, OWN, kind_of
from redmax.memory import check_room
from redmax.model.frames import with_moving
from redmax.model.model import Model
from redmax.model.state import State
from redmax.program.program import Program
from redmax.run.contact.many_worlds import many_worlds
from redmax.trace import Graph, evaluate_numeric

if TYPE_CHECKING:
    from redmax.program.plan import Plan
    from redmax.run.simulation import Simulation

FEWER = "Simulate fewer worlds at a time."


@dataclass(frozen=True, eq=False)
class Advancing:
    """runner: what advances states; program: of one that is nothing else; rates: that `adaptive` moves, of a map or of bodies (dynamics
    "maximal") as many as these have; plan: of a compiled program."""

    runner: Runner
    program: Program | None = None
    rates: int = 0
    plan: Plan | None = None


def advancing(sim: Simulation) -> Advancing:
    """By what was asked for."""
    o, method, model = sim.options, sim.method, sim.model
    if method.runner is not None:
        return Advancing(method.runner(model, o.backend, o.halvings, str(o.dynamics)))
    if method.adaptive and model.touches:
        from redmax.integrators.located.runner import LocatedRunner

        return Advancing(LocatedRunner(model, str(o.dynamics), o.backend, sim.dt, o.solver), rates=model.nv)
    if method.absolute is not None and o.index != 1:
        frame, model = framed(sim)
        return Advancing(method.absolute(model, o.backend, str(o.group), int(o.index or 0), float(o.rho or 0.0), frame))
    dynamics = system_on_group(sim)
    if method.absolute is not None:
        return index_1(sim, dynamics)
    assert method.program is not None
    program = method.program(dynamics)
    plan = make_plan(dynamics.model, program, o.backend)
    inner = make_runner(plan, o.backend, "float64" if dynamics.in_doubles else o.dtype)
    alone = many_worlds(model, o, inner) if model.touches else inner
    rounded = dynamics.in_doubles and o.dtype != "float64"
    runner = dynamics.wrap(Rounded(alone) if rounded else alone)
    rates = len(plan.inputs[plan.names[0].index("floor")]) if method.adaptive else 0
    return Advancing(runner, program if runner is inner else None, rates, plan)


def system_of(sim: Simulation, model: Model) -> System:
    """The dynamics that were asked for."""
    o = sim.options
    solve = matrix_free_solver(str(o.dynamics), o.solver, model, sim.method.implicit)
    return system(str(o.dynamics), model, solve, o.backend, o.solver, o.stabilisation, o.drift, o.friction, o.friction_sides)


def framed(sim: Simulation) -> tuple[str, Model]:
    """Which frame of bodies moves along the group, and the model, with frames of its own if it is one of those."""
    o = sim.options
    frame = FRAMES[0] if o.frame is None else kind_of(o.frame)
    return frame, with_moving(sim.model, str(o.frame)) if frame == OWN else sim.model


def system_on_group(sim: Simulation) -> System:
    """The dynamics that were asked for, of bodies on a group of their own if that was, too."""
    frame, model = framed(sim)
    if sim.options.group is None:
        return system_of(sim, model)
    from redmax.integrators.absolute.explicit import on_group

    return on_group(system_of(sim, model), sim.options.group, frame)


def program_of_index_1(sim: Simulation, dynamics: System) -> Program:
    """Generalized-alpha with rows of accelerations."""
    from redmax.integrators.absolute.index_1 import program

    return program(dynamics, float(sim.options.rho or 0.0))


def index_1(sim: Simulation, dynamics: System) -> Advancing:
    """What runs it."""
    from redmax.integrators.absolute.index_1 import IndexOne

    plan = make_plan(dynamics.model, program_of_index_1(sim, dynamics), sim.backend)
    runner = dynamics.wrap(make_runner(plan, sim.backend, "float64"))
    return Advancing(IndexOne(len(sim.model.links), runner), None, 0, plan)


def initial_state(model: Model, t: float = 0.0) -> State:
    """The scene's initial state; prescribed joints start on their motion unless the scene says otherwise."""
    q, qdot = model.q0, model.qdot0
    for i, link in enumerate(model.links):
        if link.motion is not None and link.on_motion:
            part, own = (slice(ends[i], ends[i + 1]) for ends in (model.offsets, model.q_offsets))
            time_node = Graph().input("t", 0)
            position, rate, _ = motion_rates(link.motion, time_node, link.joint, link.motion_level)
            if link.motion_level == "position":
                q[own] = evaluate_numeric(list(position), lambda base, index: t)
                qdot[part] = evaluate_numeric(list(rate), lambda base, index: t)
            elif link.motion_level == "velocity":
                qdot[part] = evaluate_numeric(list(position), lambda base, index: t)
    return State(t, q, qdot, model.charts)


def first_state(sim: Simulation) -> State:
    """Where a simulation begins: as the scene says, with the parameters of its file where some are given."""
    found, begin = initial_state(sim.model), None if sim.declared is None else sim.declared.begin
    return found if begin is None else replace(found, q=begin[0], qdot=begin[1])


def checked_state(state: Any) -> State:
    """A state whose time is a number; what it is of is checked with the model."""
    if not isinstance(state, State):
        example = "such as redmax.State(0.0, q, qdot), run.state() or simulation.state"
        got = brief(state)
        pair = isinstance(state, list | tuple) and len(state) == 2
        fix = " Write initial=redmax.State(0.0, q, qdot)." if pair else ""
        said = f"A run begins at a redmax.State, {example}. Got {got}.{fix}"
        raise SceneError(said, owner="simulate", argument="initial", got=got, expected="a redmax.State")
    t = as_float(state.t)
    if t is None or not np.isfinite(t):
        raise SceneError(f"t must be finite. Got {brief(state.t)}.", owner="State", argument="t", got=brief(state.t))
    if not isinstance(state.chart, Mapping):
        said = f"chart is a dictionary, joint -> the name of its coordinates. Got {brief(state.chart)}."
        raise SceneError(said, owner="State", argument="chart", got=brief(state.chart))
    return state


def as_state(value: Any, n: int, name: str, dtype: str) -> np.ndarray:
    array = as_numbers(value, name, dtype)
    if array.ndim < 1 or array.shape[-1] != n:
        got, valid = str(array.shape), f"(..., {n})"
        raise SceneError(f"{name} must have shape {valid} for this model. Got {got}.", argument=name, got=got, expected=valid)
    check_room(3 * array.size * array.itemsize, f"{name} of shape {array.shape}", FEWER)
    if not np.isfinite(array).all():
        raise SceneError(f"{name} must be finite. Got {brief(value)}.", argument=name, got=brief(value), expected="finite numbers")
    return array


def as_coordinates(model: Model, value: Any, dtype: str) -> np.ndarray:
    """(..., nq) of a state, on the groups that joints have."""
    found = as_state(value, model.nq, "q", dtype)
    if model.nq != model.nv:
        check_configurations(model, found, "State")
    return found


def assembled(sim: Simulation, given: bool) -> None:
    """Put the state of a simulation on its constraints, if it has some. given: whether it is the user's, not the scene's."""
    if sim.model.constraints:
        from redmax.run.on_constraints import put_on_constraints

        put_on_constraints(sim, given)
