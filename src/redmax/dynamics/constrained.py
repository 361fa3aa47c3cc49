"""Which elimination takes the rows of constraints, by the dynamics and by what couples bodies in implicit steps.

recursive: along the tree, O(n) a row; where forces couple bodies in implicit steps, beside the matrix that these have
redmax: beside its matrix, or that of the coordinates of a map; along the tree where it has none, as beside limits of coordinates alone
maximal: along the tree of joints, between bodies that move by themselves
both of the former, in implicit steps of scenes with deformables: beside the system of joints and nodes
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from redmax.dynamics.choose import couples
from redmax.dynamics.common.rows import RowSystem
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.sweep import Part

RowStages: TypeAlias = Callable[[Part, bool], tuple[ProgramStage, ...]]


def rows_of(name: str, model: Model) -> RowStages:
    """(level, whether of an implicit step) -> stages, for dynamics of this name."""
    return {"recursive": recursive_rows, "redmax": redmax_rows, "maximal": maximal_rows}[name](model)


def acceleration_rows(name: str, model: Model) -> RowSystem:
    """At the level of accelerations, for dynamics of this name."""
    if name == "redmax":
        return dense_system(model, Part.ACCELERATION_ROWS, False)
    from redmax.dynamics.recursive.rows import RowsAlongTree

    if name == "recursive":
        return RowsAlongTree(model, Part.ACCELERATION_ROWS)
    from redmax.dynamics.maximal.rows import RowsBetweenBodies, free_row_places, free_row_terms

    return RowsBetweenBodies(model, Part.ACCELERATION_ROWS, sweep=free_row_terms, place=free_row_places)


def recursive_rows(model: Model) -> RowStages:
    from redmax.dynamics.recursive.rows import RowsAlongTree

    def stages(part: Part, implicit: bool) -> tuple[ProgramStage, ...]:
        if implicit and model.soft:
            return soft_rows(model, part)
        if implicit and any(f.implicit and f.stiffness_kind == "exact" for f in model.forces):
            return dense_rows(model, part, implicit)
        if implicit and couples(model):
            return matrix_rows(model, part)
        return RowsAlongTree(model, part, implicit=implicit).stages()

    return stages


def redmax_rows(model: Model) -> RowStages:
    return lambda part, implicit: soft_rows(model, part) if implicit and model.soft else dense_rows(model, part, implicit)


def soft_rows(model: Model, part: Part) -> tuple[ProgramStage, ...]:
    """Beside the system of joints and nodes."""
    from redmax.dynamics.soft.rows import rows_beside_nodes

    return rows_beside_nodes(model, part)


def dense_rows(model: Model, part: Part, implicit: bool) -> tuple[ProgramStage, ...]:
    """Beside the matrix of RedMax."""
    return dense_system(model, part, implicit).stages()


def dense_system(model: Model, part: Part, implicit: bool) -> RowSystem:
    """The same, as what has these stages."""
    if model.map is not None:
        from redmax.dynamics.redmax.rows_through_map import mapped_rows

        return mapped_rows(model, part, implicit)
    from redmax.dynamics.redmax.dense import DenseSystem
    from redmax.dynamics.redmax.joints import place_columns
    from redmax.dynamics.redmax.rows import RowsByMatrix
    from redmax.program.routines.call import Data

    system = DenseSystem(model, implicit, place_columns.name)
    order = None if system.symmetric else Data("order", system.free)
    return RowsByMatrix(model, part, H=system.A, order=order, start=system.matrix.start, free=system.free)


def matrix_rows(model: Model, part: Part) -> tuple[ProgramStage, ...]:
    """Beside the reduced matrix of composite bodies."""
    from redmax.dynamics.redmax.rows import RowsByMatrix
    from redmax.solvers.reduced_matrix import ReducedMatrix

    H = ReducedMatrix(tuple(link.joint.dof for link in model.links), tuple(model.prescribed))
    return RowsByMatrix(model, part, H=H.H, start=H.start, free=H.free).stages()


def maximal_rows(model: Model) -> RowStages:
    from redmax.dynamics.maximal.rows import RowsBetweenBodies, free_row_places, free_row_terms
    from redmax.dynamics.maximal.system import coupled_beyond_tree

    def stages(part: Part, implicit: bool) -> tuple[ProgramStage, ...]:
        if implicit and coupled_beyond_tree(model):
            return coupled_maximal_rows(model, part)
        return RowsBetweenBodies(model, part, implicit=implicit, sweep=free_row_terms, place=free_row_places).stages()

    return stages


def coupled_maximal_rows(model: Model, part: Part) -> tuple[ProgramStage, ...]:
    """Beside the matrix of accelerations that joints allow; then the bodies' own follow anew."""
    from redmax.dynamics.maximal.coupled import finish, reduced_system
    from redmax.dynamics.maximal.rows import free_row_places
    from redmax.dynamics.redmax.rows import RowsByMatrix
    from redmax.program.routines.call import Data

    H = reduced_system(model)
    order = Data("order", H.n)
    rows = RowsByMatrix(model, part, dynamics="maximal", H=H.H, order=order, start=H.start, free=H.n, sweep=free_row_places)
    return *rows.stages(), finish
