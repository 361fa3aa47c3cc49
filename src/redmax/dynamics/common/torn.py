"""Steps that a singular position tears off their way: there, putting rates back on the rows must change them little, or the run ends.

    |qdot - qdot0|^2 > part^2 |qdot0|^2     over all joints, while rows are faint (faded.py)

Steps of bodies that move by themselves leave gaps of the second order in h; a loop that is open by g has a corner of the size of sqrt(g),
as long as the step itself, and is thrown about there whatever h is. Nobody knows where such a mechanism goes on.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from redmax.math import where
from redmax.program.program import ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, forward, once, recursion

STATE = {"row_v": "v"}
WORLD = {"row_changed": 1, "row_moving": 1}
OF_STEPS, OF_SMOOTH = 0.05, 0.02  # part: of fixed steps, and of adaptive ones, whose rates are right to their tolerance


@forward
def note(j: JointView) -> None:
    j.row_v = j.qdot


@once
def nothing_changed(w: WorldView) -> None:
    w.row_changed, w.row_moving = 0.0, 0.0


@forward
def compare(j: JointView, w: WorldView) -> None:
    if j.joint.dof:
        change = j.qdot - j.row_v
        w.gather("row_changed", change @ change)
        w.gather("row_moving", j.row_v @ j.row_v)


@lru_cache(maxsize=4)
def judging(part: float) -> Recursion:
    """Whether the change is too much."""

    @once
    def judge(w: WorldView) -> None:
        torn = (w.row_changed > part * part * w.row_moving) & (w.row_faint > 0.0)
        w.row_lost, w.row_faint = where(torn, np.nan, 0.0), 0.0

    return recursion(judge, name=f"torn by {part}")


@forward
def end(j: JointView, w: WorldView) -> None:
    j.qdot = j.qdot + w.row_lost


FIRST, CLEAR, COMPARE, END = (recursion(s, name=f"torn {s.name}") for s in (note, nothing_changed, compare, end))


def guarded(project: tuple[ProgramStage, ...], part: float) -> tuple[ProgramStage, ...]:
    """A projection that ends the run where it changes rates too much, near a singular position."""
    return FIRST, *project, CLEAR, COMPARE, judging(part), END
