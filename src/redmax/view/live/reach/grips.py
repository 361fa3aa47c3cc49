"""What of a target can be dragged: a point along some axes, a turn, or both; and where it is at first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.design.targets.base import Target
from redmax.design.targets.center_of_mass import CenterOfMassTarget
from redmax.design.targets.frame import FrameTarget
from redmax.design.targets.look_at import LookAtTarget
from redmax.design.targets.marker import MarkerTarget
from redmax.design.targets.orientation import OrientationTarget
from redmax.design.targets.position import PositionTarget
from redmax.dynamics.dynamics import Dynamics

AHEAD = 0.5  # of the mechanism's size: where something is to look at first


@dataclass(frozen=True, eq=False)
class Grip:
    """target: its name; number: of a marker among its target's, else -1; pose: (4, 4) where it is at first

    moves: along which of the world's axes; turns: whether it turns
    """

    target: str
    pose: np.ndarray
    moves: tuple[bool, bool, bool] = (True, True, True)
    turns: bool = False
    number: int = -1

    @property
    def name(self) -> str:
        """Of it alone."""
        return self.target if self.number < 0 else f"{self.target} {self.number}"


def grips_of(ik: InverseKinematics, q: np.ndarray) -> list[Grip]:
    """Of all targets, with the mechanism at q, (nq,): at their goals, or at what they are of where they have none."""
    dynamics = Dynamics(ik.model)
    return [grip for target in ik.targets for grip in of_target(ik, dynamics, target, q)]


def of_target(ik: InverseKinematics, dynamics: Dynamics, target: Target, q: np.ndarray) -> list[Grip]:
    """Of one; of a posture there is nothing to drag."""
    goal = target.goal if target.goal is not None and target.goal.shape == target.shape else None
    if isinstance(target, FrameTarget):
        return [Grip(target.name, dynamics.pose(q, target.of) if goal is None else goal, turns=True)]
    if isinstance(target, OrientationTarget):
        pose = np.array(dynamics.pose(q, target.of))
        pose[:3, :3] = pose[:3, :3] if goal is None else goal
        return [Grip(target.name, pose, (False, False, False), turns=True)]
    if isinstance(target, PositionTarget):
        return [Grip(target.name, at(dynamics.pose(q, target.of)[:3, 3] if goal is None else goal), along(target.axes))]
    if isinstance(target, LookAtTarget):
        pose = dynamics.pose(q, target.of)
        return [Grip(target.name, at(pose[:3, 3] + AHEAD * ik.size * pose[:3, :3] @ target.axis if goal is None else goal))]
    if isinstance(target, CenterOfMassTarget):
        return [Grip(target.name, at(dynamics.center_of_mass(q, body=target.body) if goal is None else goal), along(target.axes))]
    if isinstance(target, MarkerTarget):
        places = [
            dynamics.pose(q, of)[:3, 3] if goal is None else g for of, g in zip(target.of, [0] * len(target.of) if goal is None else goal)
        ]
        return [Grip(target.name, at(np.nan_to_num(place)), number=k) for k, place in enumerate(places)]
    return []


def at(place: np.ndarray) -> np.ndarray:
    """(4, 4)."""
    pose = np.eye(4)
    pose[:3, 3] = place
    return pose


def along(axes: str) -> tuple[bool, bool, bool]:
    return "x" in axes, "y" in axes, "z" in axes


def first_goals(ik: InverseKinematics, grips: list[Grip]) -> dict[str, np.ndarray]:
    """target -> its goal, where what is dragged is at first."""
    goals: dict[str, np.ndarray] = {}
    for grip in grips:
        goals = with_goal(ik, goals, grip, grip.pose)
    return goals


def with_goal(ik: InverseKinematics, goals: dict[str, np.ndarray], grip: Grip, pose: np.ndarray) -> dict[str, np.ndarray]:
    """The goals with what is dragged at another pose (4, 4)."""
    target = next(t for t in ik.targets if t.name == grip.target)
    if isinstance(target, FrameTarget):
        return goals | {grip.target: pose}
    if isinstance(target, OrientationTarget):
        return goals | {grip.target: pose[:3, :3]}
    if grip.number < 0:
        return goals | {grip.target: pose[:3, 3]}
    places = np.array(goals.get(grip.target, np.full(target.shape, np.nan)))
    places[grip.number] = pose[:3, 3]
    return goals | {grip.target: places}
