"""Dynamics with contact whose steps can be reversed: their programs, beside constraints or without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from redmax.dynamics.choose import System, Upkeep, constrained, rows_of
from redmax.dynamics.contact.differentiated import DOUBT, MET, DifferentiatedContact
from redmax.dynamics.contact.system import touching
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program, ProgramStage
from redmax.program.sweep import Part
from redmax.solvers.contact.converged import DOUBTS


def differentiated(found: System, model: Model, exact: bool, upkeep: Upkeep) -> System:
    """Dynamics with contact whose steps can be reversed. upkeep: of constraints"""
    if model.constraints:

        def rows(part: Part, implicit: bool) -> tuple[ProgramStage, ...]:
            own = DifferentiatedContact(model, implicit, exact) if part is Part.VELOCITY_ROWS else None
            return rows_of(found.name, model)(part, implicit) if own is None else own.stages()

        found = replace(constrained(found, model, rows), upkeep=upkeep)
    touched = touching(found, model, exact, DifferentiatedContact)

    def widened(known: Callable[..., Fields]) -> Callable[..., Fields]:
        def fields(**extra: Any) -> Fields:
            f = known(**extra)
            return replace(f, state={**f.state, "alone_qddot": "v"}, world={**f.world, DOUBT: DOUBTS, MET: 1})

        return fields

    def complete(program: Program, implicit: bool) -> Program:
        told = touched.complete(program, implicit)
        return replace(told, outputs=(*told.outputs, DOUBT))

    implicit = widened(touched.implicit_fields or touched.fields)
    return replace(touched, fields=widened(touched.fields), implicit_fields=implicit, complete=complete)
