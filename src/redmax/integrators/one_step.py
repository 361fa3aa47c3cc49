"""One step of a method as a program of its own: (q, qdot, tau, t, h) -> (q, qdot), without a loop and without a past."""

from __future__ import annotations

from dataclasses import replace

from redmax.integrators.base import counted_loop
from redmax.program.program import Program, Save
from redmax.program.record import WorldView
from redmax.program.sweep import once, recursion


@once
def begin_clock(w: WorldView) -> None:
    """The step begins at the time that is given."""
    w.t0, w.k = w.t, 0.0 * w.t


clock_from_here = recursion(begin_clock, name="clock from here", core=False)


def one_step(program: Program) -> Program:
    """The body of the loop over steps, once."""
    loop = counted_loop(program)
    stages = (clock_from_here, *program.stages[:-1], *[stage for stage in loop.body if not isinstance(stage, Save)])
    found = replace(program, stages=stages, inputs=tuple(name for name in program.inputs if name not in ("t0", "k")))
    return found if found.straight else replace(found, stages=(*stages, Save()))
