"""The functions that cross bridges: forward dynamics, inverse dynamics, and a step of an integrator, by state and named parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from redmax.bridges.function import Function
from redmax.bridges.operand import Operand, number_operand, parameter_operands, state_operand
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.dynamics.common.inverse import inverse_dynamics as inverse_sweeps
from redmax.dynamics.common.inverse import inverse_fields
from redmax.dynamics.common.parametrised import parametrised
from redmax.dynamics.dynamics import Dynamics
from redmax.dynamics.programs import model_of
from redmax.dynamics.recursive.forward_derivatives import ForwardProgram
from redmax.dynamics.recursive.inverse_derivatives import InverseProgram
from redmax.errors import RedmaxError
from redmax.integrators import METHODS
from redmax.integrators.one_step import one_step
from redmax.model.model import Model
from redmax.model.scene import Scene
from redmax.program.program import Program
from redmax.run.combinations import chosen
from redmax.run.options import RunOptions

SceneLike: TypeAlias = "Model | Scene | str | PathLike[str]"


def forward_dynamics(scene: SceneLike, parameters: Sequence[str] = (), dtype: str = "float64") -> Function:
    """qddot of (q, qdot, tau, t, parameters); with constraints where they act."""
    model = model_with(scene, parameters)
    solvable(model, "forward dynamics")
    _, program = Dynamics(model).motion_program(False)
    matrices = ForwardProgram(model, False).program if by_matrices(model) else None
    return Function("forward dynamics", model, model, program, operands(model, "tau"), {"qddot": model.nv}, {}, dtype, matrices)


def inverse_dynamics(scene: SceneLike, parameters: Sequence[str] = (), dtype: str = "float64") -> Function:
    """tau of (q, qdot, qddot, t, parameters)."""
    model = model_with(scene, parameters)
    solvable(model, "inverse dynamics")
    if model.constraints:
        said = f"constraints ({model.constraints[0].name!r}) hold the scene, and joint forces of a motion are not unique there"
        raise RedmaxError(f"The inverse dynamics of this scene cannot cross a bridge: {said}. Its forward dynamics and steps can.")
    program = Program("inverse dynamics", (inverse_sweeps,), inverse_fields(False, model), ("q", "qdot", "qddot", "t"), ("tau",))
    matrices = InverseProgram(model, False).program if by_matrices(model) else None
    return Function("inverse dynamics", model, model, program, operands(model, "qddot"), {"tau": model.nv}, {}, dtype, matrices)


def step(
    scene: SceneLike,
    h: float,
    integrator: str = "euler",
    dynamics: str | None = None,
    parameters: Sequence[str] = (),
    dtype: str = "float64",
) -> Function:
    """(q, qdot) a step later, of (q, qdot, tau, t, h, parameters). integrator, dynamics: as of `redmax.simulate`, of fixed steps."""
    model = model_with(scene, parameters)
    if model.rubbing:
        why = "it has kinks. Push with springs and dampers instead"
        raise RedmaxError(f"A step of a scene with friction in joints cannot cross a bridge: {why}.")
    if model.touches:
        from redmax.bridges.contact_step import contact_step

        return contact_step(model, h, integrator, dynamics, dtype)
    o = chosen(model, RunOptions(None, h, integrator, dynamics, dtype=dtype))
    method = METHODS[str(o.integrator)]
    if method.program is None or method.adaptive or method.absolute is not None:
        possible = [m.name for m in METHODS.values() if m.program is not None and not m.adaptive and m.absolute is None]
        why = "is no function of q, qdot and tau alone that could cross a bridge"
        raise RedmaxError(f"One step of {method.name!r} {why}. Valid: {', '.join(possible)}.")
    solve = matrix_free_solver(str(o.dynamics), o.solver, model, method.implicit)
    found = system(str(o.dynamics), model, solve, "llvm", o.solver, o.stabilisation, o.drift, o.friction, o.friction_sides)
    if found.in_doubles and dtype != "float64":
        raise RedmaxError(f"A step of this scene with dynamics {o.dynamics!r} is computed in doubles. Take dtype='float64'.")
    program = one_step(method.program(found))
    size = {"q": model.configurations.size, "qdot": model.nv}
    given = [*operands(model, "tau"), number_operand("h", h)]
    given = [*[x for x in given if x.of != "parameters"], *[x for x in given if x.of == "parameters"]]
    held = {"closing_fresh": np.ones(1)}
    return Function(f"step of {o.integrator}", model, found.model, program, given, size, held, dtype)


def model_with(scene: SceneLike, parameters: Sequence[str]) -> Model:
    """The model, with these beside the parameters that it has."""
    names: Mapping[str, Any] = dict.fromkeys([parameters] if isinstance(parameters, str) else parameters)
    return parametrised(model_of(scene), names)


def solvable(model: Model, what: str) -> None:
    """Raise where coordinates follow from others, or accelerations are given."""
    if model.map is not None:
        raise RedmaxError(f"The {what} of a scene with a map of coordinates cannot cross a bridge; a step of it can.")
    if any(p and link.motion is None for p, link in zip(model.prescribed, model.links, strict=True)):
        raise RedmaxError(f"The {what} of a scene whose joints take accelerations with each call cannot cross a bridge.")


def by_matrices(model: Model) -> bool:
    """Whether there are recursions for all slopes at once, by the numbers of q as they are."""
    return not model.constraints and model.configurations.size == model.nv > 0


def operands(model: Model, third: str) -> list[Operand]:
    """q, qdot, a third of as many numbers, the time, and the parameters. q is a configuration: coordinates, and charts where there are."""
    at = model.configurations
    first = [state_operand("q", at.size, at.join(model.q0.copy())), state_operand("qdot", model.nv), state_operand(third, model.nv)]
    return [*first, number_operand("t", 0.0), *parameter_operands(model)]
