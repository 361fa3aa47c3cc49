"""PostureTarget: coordinates that are to be near given ones: what is comfortable, or where an arm was before.

r = q - g,     along groups r = log(g^-1 q), with rdot = dexp^-1 qdot (`Joint.rate`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.handles import BodyHandle
from redmax.design.targets.base import Block, Seen, Slopes, Target, Unit
from redmax.errors import SceneError, wrong
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class CoordinateBlock(Block):
    """Of one joint. goals: its coordinates."""

    joint: int
    size: int
    goals: int
    unit: Unit = "1"

    def links(self, model: Model) -> Sequence[int]:
        return ()

    def joints(self, model: Model) -> list[int]:
        return [self.joint]

    def rows(self, model: Model, seen: Seen, goal: np.ndarray) -> tuple[Sequence[Any], Slopes]:
        joint = model.links[self.joint].joint
        q = seen.q[self.joint][: joint.nq]
        r = np.asarray(joint.difference(goal, q), object)
        columns = [np.asarray(joint.rate(r, e), object) for e in np.eye(joint.dof).astype(object)]
        return list(r), {self.joint: np.array(columns, object).T}


class PostureTarget(Target):
    """Coordinates that are to be near `goal`, those of `joints` one behind the other, as in q (rad or m); of all by default.

    joints: names of joints or bodies, or bodies
    weight: a number, or one for each of their velocities; priority: 0 is met first; name: "posture" unless given

    Among other targets of its priority it is a compromise with them; with one of its own it takes the freedom that they leave.
    """

    def __init__(
        self, goal: Given = None, *, joints: Sequence[str | BodyHandle] | None = None, weight: ArrayLike = 1.0, priority: int = 0,
        name: str = "posture",
    ) -> None:  # fmt: skip
        if isinstance(joints, str) or not (joints is None or (isinstance(joints, Sequence) and len(joints))):
            raise wrong("PostureTarget", "joints", joints, "a list of names of joints or bodies")
        self.joints = None if joints is None else [j.name if isinstance(j, BodyHandle) else j for j in joints]
        self.shape, self.given = (-1,), goal
        self.hold(name, None, weight, priority)

    def bound(self, model: Model) -> PostureTarget:
        """The same, knowing how many coordinates its joints have."""
        found = PostureTarget(joints=self.joints, weight=self.weight, priority=self.priority, name=self.name)
        found.shape = (sum(model.links[i].joint.nq for i in self.chosen(model)),)
        found.given = self.given
        found.goal = None if self.given is None else found.checked(self.given)
        return found

    def chosen(self, model: Model) -> list[int]:
        """The numbers of its joints."""
        if self.joints is None:
            return [i for i, link in enumerate(model.bodies) if link.joint.dof]
        found = [model.index(name) for name in self.joints]
        for i in found:
            if i >= len(model.bodies) or not model.links[i].joint.dof:
                raise SceneError(f"{self.label}: the joint of {model.body_names[i]!r} does not move.", owner=self.label, argument="joints")
        return found

    def blocks(self, model: Model) -> list[Block]:
        joints = [(i, model.links[i].joint) for i in self.chosen(model)]
        return [CoordinateBlock(i, joint.dof, joint.nq) for i, joint in joints]
