"""What the solver says of itself, from sample to sample: the worst residual of the steps between, and how much they took together."""

from __future__ import annotations

from dataclasses import replace

from redmax.dynamics.contact.fields import SINCE
from redmax.math import maximum, where
from redmax.program.program import Program, Repeat
from redmax.program.record import WorldView
from redmax.program.sweep import once, recursion


@once
def begin_sum(w: WorldView) -> None:
    w.contact_since = [0.0, 0.0, 0.0, 0.0]


@once
def add_step(w: WorldView) -> None:
    """Residual, convex problems, Newton steps, and steps since the last sample; a run begins at one."""
    _, _, residual, problems, steps, _ = w.contact_counts
    worst, sum_of_problems, sum_of_steps, taken = w.contact_since
    on = where(taken > w.contact_every - 0.5, 0.0, 1.0)  # 0 in the first step behind a sample
    w.contact_since = [maximum(residual, on * worst), problems + on * sum_of_problems, steps + on * sum_of_steps, 1.0 + on * taken]


def added_up(program: Program) -> Program:
    """The same with the sums as an output: they are complete where it saves."""
    *first, loop = program.stages
    assert isinstance(loop, Repeat)
    *body, save = loop.body
    begin, step = recursion(begin_sum, name="begin sums of contact"), recursion(add_step, name="sums of contact")
    stages = (begin, *first, replace(loop, body=(*body, step, save)))
    return replace(program, stages=stages, outputs=(*program.outputs, SINCE))
