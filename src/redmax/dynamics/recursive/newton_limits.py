"""Rows with limited force beside Newton's matrix, as stages: how far they are off, which are held, and at which limits the others are.

See solvers/limited_steps.py, and newton_rows.py for all rows.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from redmax.dynamics.common.islands import Rows
from redmax.program.program import ProgramStage
from redmax.program.routines.call import Addresses, Call, Data
from redmax.solvers.limited_steps import add_squares_limited, ask_beside, choose_held
from redmax.solvers.reduced_matrix import clear


class NewtonLimits:
    """Of the rows of all constraints of a model; nothing where no force is limited."""

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        """Of each constraint."""
        raise NotImplementedError

    @cached_property
    def m(self) -> int:
        """How many rows."""
        raise NotImplementedError

    def vector(self, name: str) -> Data:
        """A number for each row."""
        raise NotImplementedError

    def square(self, name: str, columns: int | None = None) -> Data:
        """A matrix with a row for each row."""
        raise NotImplementedError

    @property
    def limited(self) -> list[Rows]:
        """Those of constraints with limited force."""
        return [r for r in self.rows if r.kept.limited]

    def weigh_limited(self) -> tuple[ProgramStage, ...]:
        """How far they are off."""
        d = self.vector("d")

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in self.limited:
                kept, k = at.kept(r.acting, r.k), r.kept
                places = kept + k.right, kept + k.multipliers, at[d] + r.first, kept + k.lower, kept + k.upper
                found.append((*places, k.size, r.number, *(at.world(name) for name in ("row_square", "row_marks", "row_beyond"))))
            return found

        return (Call(add_squares_limited, rows, (d,)),) if self.limited else ()

    def held(self) -> tuple[ProgramStage, ...]:
        """Which are held, and at which limits the others are."""
        vectors = off, x, d, was, active, bound = [*map(self.vector, ("off", "lambda", "d", "was", "active", "bound"))]

        def rows(at: Addresses) -> list[tuple[Any, ...]]:
            found: list[tuple[Any, ...]] = []
            for r in self.limited:
                kept = at.kept(r.acting, r.k)
                first, last = ([at[v] + r.first for v in part] for part in ((off, x, d), (was, active, bound)))
                found.append((*first, kept + r.kept.lower, kept + r.kept.upper, *last, r.kept.size, at.world("size")))
            return found

        none = Call(clear, lambda at: [(at[bound], bound.size)], (bound,))
        return (none, Call(choose_held, rows, tuple(vectors))) if self.limited else ()

    def beside(self) -> tuple[ProgramStage, ...]:
        """What is asked for beside those at their limits."""
        row = (self.square("A"), *map(self.vector, ("bound", "lambda", "right")))
        return (Call(ask_beside, lambda at: [(*row, self.m)], row),) if self.limited else ()
