"""Changes of charts for methods that keep a history: of the state and of the one before it."""

from __future__ import annotations

from typing import Any

from redmax.model.model import Model
from redmax.program.record import JointView
from redmax.program.sweep import Recursion, forward, recursion

CHOSEN, PLAIN = "change of charts", "rewinding"


def changed_states(j: JointView, chosen: bool) -> Any:
    """Both states of a joint in better coordinates; None where it never changes them. A prescribed motion is in coordinates of its own."""
    if j.prescribed or bool(j.joint.discrete) != chosen or not j.joint.has_own("rechart"):
        return None
    return j.joint.rechart([(j.q, j.qdot), (j.q_older, j.qdot_older)])


def sweep(chosen: bool) -> Recursion:
    @forward
    def change(j: JointView) -> None:
        new = changed_states(j, chosen)
        if new is not None:
            (j.q, j.qdot), (j.q_older, j.qdot_older) = new

    return recursion(change, name=CHOSEN if chosen else PLAIN, core=False)


def changes_charts(model: Model, chosen: bool) -> bool:
    """Whether some joint changes its coordinates; `chosen`: of joints with charts, or of the others."""
    joints = [link.joint for link, given in zip(model.links, model.prescribed, strict=True) if not given]
    return any(bool(joint.discrete) == chosen and joint.has_own("rechart") for joint in joints)
