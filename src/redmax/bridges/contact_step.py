"""A step of a scene with contact across a bridge, with what contacts remember as part of the state.

    (q, qdot, tau, t, contact_held, contact_table, h, parameters) -> (q, qdot, contact_held, contact_table)

Nothing is remembered where these are not given, or zeros: a run begins. Derivatives are those of the converged step, backwards (jax.grad,
jax.vjp, backward()), with worlds one after the other. Where there is none, at the edge of two states of a contact, they are not finite.
"""

from __future__ import annotations

from redmax.bridges.function import Function
from redmax.bridges.operand import number_operand, parameter_operands, state_operand
from redmax.design.gradients.reversible import ToReverse, reversible
from redmax.dynamics.contact.fields import carried
from redmax.errors import RedmaxError
from redmax.integrators.one_step import one_step
from redmax.model.model import Model

ONE_WAY = "touches, and has derivatives backwards alone. Take jax.grad or jax.vjp, or backward(); not jvp, jacfwd or Hessians"


def contact_step(model: Model, h: float, integrator: str, dynamics: str | None, dtype: str) -> Function:
    """Of a model in which bodies touch."""
    if dtype != "float64":
        raise RedmaxError("A step of a scene with contact is computed in doubles. Take dtype='float64'.")
    sim = ToReverse(model, dt=h, integrator=integrator, dynamics=dynamics)
    laid, program = reversible(sim, "step", "a step")
    if program.hosted:
        raise RedmaxError("A step of this scene calls Python on the way, and cannot cross a bridge.")
    sizes = carried(model)
    at = model.configurations
    first = [state_operand("q", at.size, at.join(model.q0.copy())), state_operand("qdot", model.nv), state_operand("tau", model.nv)]
    told = [state_operand(name, size) for name, size in sizes.items()]
    given = [*first, number_operand("t", 0.0), *told, number_operand("h", h), *parameter_operands(model)]
    results = {"q": at.size, "qdot": model.nv, **sizes}
    turns = max(100, model.contact_capacity + 1)
    return Function(f"step of {integrator}", model, laid, one_step(program), given, results, {}, dtype, None, ONE_WAY, turns)
