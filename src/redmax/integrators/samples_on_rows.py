"""Samples within a step, put on the constraints: the state makes room for the sample, which is projected, saved, and leaves again."""

from __future__ import annotations

from redmax.program.fields import Size
from redmax.program.program import ProgramStage, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, once, recursion

EXTRA: dict[str, Size] = {"q_kept": "q", "v_kept": "v"}


@forward
def show(j: JointView) -> None:
    j.q_kept, j.v_kept = j.q, j.qdot
    j.q, j.qdot = j.q_sample, j.v_sample


@once
def show_time(w: WorldView) -> None:
    w.t = w.t_sample


@forward
def go_back(j: JointView) -> None:
    j.q_sample, j.v_sample = j.q, j.qdot
    j.q, j.qdot = j.q_kept, j.v_kept


SHOW, TIME, BACK = (recursion(s, name=f"sample {s.name}", core=False) for s in (show, show_time, go_back))


def saved(project: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """Save q_sample and v_sample, on the constraints where there are any."""
    return (SHOW, TIME, *project, BACK, Save()) if project else (Save(),)
