"""Dynamics with contact: what a step of `implicit` or `euler` has behind its accelerations, and what a program begins with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from redmax.constraints.law import DOWN
from redmax.dynamics.choose import System
from redmax.dynamics.common.flown_trees import DOWN as TREE_DOWN
from redmax.dynamics.common.flown_trees import UP as TREE_UP
from redmax.dynamics.common.flown_trees import step_trees
from redmax.dynamics.constrained import RowStages
from redmax.dynamics.contact.added_up import added_up
from redmax.dynamics.contact.fields import COUNTS, EVERY, carried, world
from redmax.dynamics.contact.in_turns import ContactKind
from redmax.dynamics.contact.rest import rests_alone, step_where_needed, tried_at_rest
from redmax.dynamics.contact.runner import ContactRunner
from redmax.dynamics.contact.stages import ContactSystem
from redmax.dynamics.contact.terms import STATE
from redmax.dynamics.soft import contact as soft
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage
from redmax.program.sweep import Part


def touching(found: System, model: Model, exact: bool = True, kind: ContactKind = ContactSystem) -> System:
    """The same with contact; constraints that there are are held by the same solver, and beside joints that rub it is asked by turns."""
    symplectic = kind(model, False, exact)
    implicit = implicit_contact(model, exact) if kind is ContactSystem else kind(model, True, exact)
    stepped = not model.constraints and not model.rubbing
    rests = kind is ContactSystem and rests_alone(found, model)
    fields, own = (soft.STATE, {**world(model), **soft.WORLD}) if model.soft else (STATE, world(model, rests))
    fields = {**fields, "pressed": 6} if rests else fields
    linked = any(model.linked)
    moving = step_where_needed if rests else (step_trees,)

    def with_contact(known: Callable[..., Fields]) -> Callable[..., Fields]:
        def widened(**extra: Any) -> Fields:
            f = known(**extra)
            down, up = ({**f.down, **DOWN}, f.up) if not linked else ({**f.down, **DOWN, **TREE_DOWN}, {**f.up, **TREE_UP})
            return replace(f, down=down, up=up, state={**f.state, **fields}, world={**f.world, **own})

        return widened

    def begun(program: Program, is_implicit: bool) -> Program:
        program = added_up(program)
        inputs, outputs = (*program.inputs, EVERY, *carried(model, rests)), (*program.outputs, COUNTS, *carried(model, rests))
        begin = (implicit if is_implicit or model.soft else symplectic).begin()
        told = replace(program, stages=(*begin, *program.stages), inputs=inputs, outputs=outputs)
        return found.complete(told, is_implicit)

    def step(free: tuple[ProgramStage, ...], contact: ContactSystem) -> tuple[ProgramStage, ...]:
        return tried_at_rest(contact, free) if rests else (*free, *contact.stages())

    return replace(
        found,
        symplectic=step(found.symplectic or found.accelerations, symplectic) if stepped and not model.soft else found.symplectic,
        implicit=step(found.implicit, implicit) if stepped else found.implicit,
        fields=with_contact(found.fields),
        implicit_fields=with_contact(found.implicit_fields or found.fields),
        complete=begun,
        moving=moving if linked else found.moving,
        wrap=lambda runner: ContactRunner(carried(model, rests), found.wrap(runner)),
        in_doubles=True,
    )


def implicit_contact(model: Model, exact: bool) -> ContactSystem:
    """Of implicit steps: along trees and between them, or with the matrix of joints and nodes."""
    return soft.ContactBesideNodes(model, True, exact) if model.soft else ContactSystem(model, True, exact)


def rows_with_contact(model: Model, rows: RowStages, exact: bool) -> RowStages:
    """Rows of constraints: of steps, those with contact."""

    def stages(part: Part, implicit: bool) -> tuple[ProgramStage, ...]:
        if part is not Part.VELOCITY_ROWS or (model.soft and not implicit):  # beside deformables, only implicit steps have contact
            return rows(part, implicit)
        return (implicit_contact(model, exact) if implicit else ContactSystem(model, False, exact)).stages()

    return stages
