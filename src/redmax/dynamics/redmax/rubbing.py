"""What friction in joints changes of accelerations, by the matrix of RedMax: H^-1 J' f_b, with H eliminated already."""

from __future__ import annotations

from redmax.dynamics.redmax.dense import DenseSystem
from redmax.dynamics.redmax.joints import place_columns
from redmax.model.model import Model
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Call, Data
from redmax.solvers.elimination import solve
from redmax.solvers.pivoted import solve_pivoted
from redmax.solvers.reduced_matrix import copy


def solve_by_matrix(model: Model) -> tuple[ProgramStage, ...]:
    """From rub_push to rub_y = H^-1 rub_push, of the joints whose acceleration is not given."""
    system = DenseSystem(model, True, place_columns.name)
    x, A, order, free = Data("rub right", system.n), system.A, Data("order", system.free), system.free
    found = Call(copy, lambda at: system.field_rows(at, "rub_push", x), (x,))
    eliminated = (
        Call(solve, lambda at: [(A, x, free)], (A, x))
        if system.symmetric
        else Call(solve_pivoted, lambda at: [(A, order, x, free)], (A, order, x))
    )
    return found, eliminated, Call(copy, lambda at: [(b, a, d) for a, b, d in system.field_rows(at, "rub_y", x)], (x,))
