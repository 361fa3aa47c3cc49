"""Changes of charts for methods that keep a history and run from Python: the state and the one before it, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from redmax.backends.base import make_plan, make_runner
from redmax.model.model import Model
from redmax.model.parameters import default_columns
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView
from redmax.program.sweep import Recursion, forward, recursion

States: TypeAlias = "list[tuple[np.ndarray, np.ndarray]]"  # configuration and rates, now and before
NAMES = ("q", "qdot", "q_older", "qdot_older")
FIELDS = Fields(state={"q": "q", "qdot": "v", "q_older": "q", "qdot_older": "v"})


def sweep(chosen: bool) -> Recursion:
    @forward
    def change(j: JointView) -> None:
        """A prescribed motion is given in coordinates of its own, which stay."""
        if j.prescribed or bool(j.joint.discrete) != chosen or not j.joint.has_own("rechart"):
            return
        new = j.joint.rechart([(j.q, j.qdot), (j.q_older, j.qdot_older)])
        if new is not None:
            (j.q, j.qdot), (j.q_older, j.qdot_older) = new

    return recursion(change, name="change of charts" if chosen else "rewinding", core=False)


def changes_charts(model: Model, chosen: bool) -> bool:
    """Whether some joint changes its coordinates; `chosen`: of joints with charts, or of the others."""
    joints = [link.joint for link, given in zip(model.links, model.prescribed, strict=True) if not given]
    return any(bool(joint.discrete) == chosen and joint.has_own("rechart") for joint in joints)


def chart_change(model: Model, backend: str, chosen: bool) -> Callable[[States], States] | None:
    """What takes two states to better coordinates; `chosen`: of joints with charts, or of the others. None if no joint needs it."""
    if not changes_charts(model, chosen):
        return None
    program = Program("change of charts", (sweep(chosen),), FIELDS, NAMES, NAMES)
    runner = make_runner(make_plan(model, program, backend), backend, "float64")
    unused = default_columns(model)  # coordinates change in the same way whatever these are

    def change(states: States) -> States:
        inputs = [np.ascontiguousarray(x) for state in states for x in state]
        outputs = [np.empty((1, 1, len(x))) for x in inputs]
        runner.run([*inputs, *unused], outputs, 1)
        q, qdot, q_older, qdot_older = (o[0, 0] for o in outputs)
        return [(q, qdot), (q_older, qdot_older)]

    return change
