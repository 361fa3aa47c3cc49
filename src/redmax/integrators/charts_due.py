"""Changes of charts that run only where one is due: a step asks first, and hardly ever changes any.

Kernels that change charts compute both what is and what would be, and choose. That is some hundred operations a joint, and three times as
many reversed; whether they choose the other is often one comparison. It is read from their trace: select(due, new, old).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from redmax.integrators.base import change_charts, rechart_of
from redmax.integrators.chart_change import CHOSEN, PLAIN, changed_states
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import Branch, Program, ProgramStage, Repeat
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, forward, once, recursion
from redmax.trace import Scalar

DUE = "charts_due"


@once
def nothing_due(w: WorldView) -> None:
    w.charts_due = 0.0


none_yet = recursion(nothing_due, name="no charts due", core=False)


def pairs_now(j: JointView) -> Any:
    """(old, new) of a joint's state; None where it never changes."""
    new = rechart_of(j)
    return None if new is None else [((j.q, j.qdot), new)]


def pairs_with_past(chosen: bool) -> Callable[[JointView], Any]:
    """The same of the states of a method that keeps some."""

    def pairs(j: JointView) -> Any:
        new = changed_states(j, chosen)
        return None if new is None else list(zip([(j.q, j.qdot), (j.q_older, j.qdot_older)], new, strict=True))

    return pairs


def due(pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
    """When one of the new numbers is another than the old one, as 1.0 or 0.0; [1.0] where their traces do not say."""
    found: dict[int, Any] = {}
    for old, new in pairs:
        for x, y in zip(np.concatenate([np.ravel(v) for v in old]), np.concatenate([np.ravel(v) for v in new]), strict=True):
            if y is x:
                continue
            if not (isinstance(y, Scalar) and y.op == "select" and any(x is side for side in y.args[1:])):
                return [1.0]
            found[y.args[0].id] = where(y.args[0], 1.0, 0.0) if y.args[2] is x else where(y.args[0], 0.0, 1.0)
    return list(found.values())


@lru_cache(maxsize=8)
def asking(name: str) -> Recursion:
    """What asks before a change of charts of this name."""
    pairs = pairs_now if name == change_charts.name else pairs_with_past(name == CHOSEN)

    @forward
    def ask(j: JointView, w: WorldView) -> None:
        for flag in due(pairs(j) or []):
            w.gather(DUE, flag)

    return recursion(ask, name=f"{name} asked", core=False)


def where_due(model: Model, program: Program) -> Program:
    """The program in which charts are changed where that is due; the same where no joint has several."""
    if not any(link.joint.has_own("rechart") for link in model.links):
        return program
    return replace(program, stages=asked(program.stages), fields=replace(program.fields, world={**program.fields.world, DUE: 1}))


def asked(stages: Sequence[ProgramStage]) -> tuple[ProgramStage, ...]:
    """With a question before each change."""
    found: list[ProgramStage] = []
    for stage in stages:
        if isinstance(stage, Recursion) and stage.name in (change_charts.name, CHOSEN, PLAIN):
            found += [none_yet, asking(stage.name), Branch(DUE, (stage,))]
        else:
            found.append(replace(stage, body=asked(stage.body)) if isinstance(stage, Repeat | Branch) else stage)
    return tuple(found)
