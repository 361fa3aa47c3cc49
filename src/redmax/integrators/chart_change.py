"""Changes of charts for methods that keep a history: of the state and of the one before it."""

from __future__ import annotations

from redmax.model.model import Model
from redmax.program.record import JointView
from redmax.program.sweep import Recursion, forward, recursion


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
