"""Iterations that go on where a solution is found: nothing moves any more, but slopes along them go on to those of the solution.

    x <- x - H^-1 r(x, p):     dx <- (1 - H^-1 dr/dx) dx - H^-1 dr/dp,     which ends at dr/dx dx = -dr/dp

(Griewank and Walther 2008, Sec. 15.3.) One is enough where H is dr/dx; where it is nearly that, they come nearer as Newton's method does.
"""

from __future__ import annotations

from dataclasses import replace

from redmax.math import where
from redmax.program.program import Program, ProgramStage, Repeat
from redmax.program.record import WorldView
from redmax.program.sweep import compiled_together, once

FURTHER, ENDED = "further", "further_ended"


@once
def begin_further(w: WorldView) -> None:
    w.further_left = w.further


@once
def count_further(w: WorldView) -> None:
    w.further_left = w.further_left - 1.0
    w.further_ended = where(w.further_left < 0.5, 1.0, 0.0)


BEGIN, COUNT = compiled_together(begin_further, count_further, name="further iterations")


def iterations(stages: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """So many more of them as the input `further` says, one at least."""
    return BEGIN, Repeat((*stages, COUNT), until=ENDED)


def going_further(program: Program) -> Program:
    """With that input."""
    fields = replace(program.fields, world={**program.fields.world, **dict.fromkeys((FURTHER, "further_left", ENDED), 1)})
    return replace(program, name=f"{program.name}, further", fields=fields, inputs=(*program.inputs, FURTHER))
