"""What advances the states of a simulation: the compiled program of an integrator over the dynamics, or Python that calls such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redmax.backends.base import Runner, make_plan, make_runner
from redmax.backends.rounded import Rounded
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.program.program import Program
from redmax.run.contact.many_worlds import many_worlds

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation


@dataclass(frozen=True, eq=False)
class Advancing:
    """runner: what advances states; program: of one that is nothing else; rates: that `adaptive` moves, of a map or of bodies (dynamics
    "maximal") as many as these have."""

    runner: Runner
    program: Program | None = None
    rates: int = 0


def advancing(sim: Simulation) -> Advancing:
    """By what was asked for."""
    o, method, model = sim.options, sim.method, sim.model
    if method.runner is not None:
        return Advancing(method.runner(model, o.backend, o.halvings, str(o.dynamics)))
    if method.adaptive and model.touches:
        from redmax.integrators.located.runner import LocatedRunner

        return Advancing(LocatedRunner(model, str(o.dynamics), o.backend, sim.dt, o.solver), rates=model.nv)
    solve = matrix_free_solver(str(o.dynamics), o.solver, model, method.implicit)
    dynamics = system(str(o.dynamics), model, solve, o.backend, o.solver, o.stabilisation, o.drift, o.friction)
    assert method.program is not None
    program = method.program(dynamics)
    plan = make_plan(dynamics.model, program, o.backend)
    inner = make_runner(plan, o.backend, "float64" if dynamics.in_doubles else o.dtype)
    alone = many_worlds(model, o, inner) if model.touches else inner
    rounded = dynamics.in_doubles and o.dtype != "float64"
    runner = dynamics.wrap(Rounded(alone) if rounded else alone)
    rates = len(plan.inputs[plan.names[0].index("floor")]) if method.adaptive else 0
    return Advancing(runner, program if runner is inner else None, rates)
