"""Runs of many worlds with contact: which runner takes them side by side, or one after the other."""

from __future__ import annotations

from redmax.backends.base import Runner, make_plan
from redmax.backends.world_by_world import WorldByWorld, one_by_one
from redmax.dynamics.choose import matrix_free_solver, system
from redmax.dynamics.contact.slots.fits import slot_system
from redmax.dynamics.contact.slots.runner import SideBySide
from redmax.integrators import METHODS
from redmax.model.model import Model
from redmax.run.contact.conditions import in_turns
from redmax.run.options import RunOptions


def many_worlds(model: Model, o: RunOptions, inner: Runner) -> Runner:
    """inner: of one world."""
    from redmax.backends.llvm.executable import Executable

    alone, slots = one_by_one(inner), slot_system(model)
    if slots is None or in_turns(model, o) or not isinstance(alone, WorldByWorld):
        return alone

    def made() -> Executable:
        method = METHODS[str(o.integrator)]
        assert method.program is not None
        solve = matrix_free_solver(str(o.dynamics), o.solver, model, method.implicit)
        found = system(
            str(o.dynamics), model, solve, o.backend, o.solver, o.stabilisation, o.drift, o.friction, 0, side_by_side=True
        )  # fmt: skip
        return Executable(make_plan(found.model, method.program(found), o.backend), "float64")

    return SideBySide(alone, made, slots)
