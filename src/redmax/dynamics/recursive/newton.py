"""Newton's step of an implicit method: along the tree where that is exact, by a matrix where forces couple bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redmax.dynamics.recursive import newton_matrix, newton_step
from redmax.dynamics.recursive.linearised import linearised_fields, width
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.interaction import coupled_pairs
from redmax.program.program import ProgramStage
from redmax.program.sweep import Part

if TYPE_CHECKING:
    from redmax.dynamics.recursive.newton_rows import NewtonRows


def matrix_of(model: Model) -> newton_matrix.NewtonMatrix:
    """Newton's matrix, of the joints that are not prescribed."""
    return newton_matrix.NewtonMatrix(tuple(link.joint.dof for link in model.links), model.prescribed, width(model))


def rows_of(model: Model, matrix: newton_matrix.NewtonMatrix | None = None) -> NewtonRows:
    """The rows of its constraints, beside Newton's matrix."""
    from redmax.dynamics.recursive.newton_rows import NewtonRows

    return NewtonRows(model, matrix or matrix_of(model))


def couples(model: Model) -> bool:
    """Whether a force acts between two bodies, or reads the state of another; or reactions of constraints do."""
    return bool(model.constraints) or bool(coupled_pairs(model.acting, Part.NEWTON))


def stages(model: Model, dense: bool | None = None, matrix: newton_matrix.NewtonMatrix | None = None) -> tuple[ProgramStage, ...]:
    """At what transmitted.py leaves: dx with dr/dx dx = -r, -r the forces that are missing.

    dense: by the matrix, whatever acts; matrix: another that stands for it
    """
    if couples(model) if dense is None else dense:
        H = matrix or matrix_of(model)
        return (*H.assemble(), *H.solve()) if not model.constraints else (*H.assemble(True), *rows_of(model, H).solve())
    return (newton_step.newton_step(width(model)),)


def fields(model: Model, state: dict[str, Any], world: dict[str, int], dense: bool | None = None) -> Fields:
    """The record of a program with these stages, and with further fields."""
    W = width(model)
    if couples(model) if dense is None else dense:
        up, kept = newton_matrix.fields_of(W)
        return linearised_fields(model, {"dx": "v"} | kept | state, up, {}, world)
    up, down = newton_step.fields_of(W)
    return linearised_fields(model, {"dx": "v"} | newton_step.KEPT | state, up, down, world)
