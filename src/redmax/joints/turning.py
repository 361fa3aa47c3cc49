"""What a joint does to its child, whatever its coordinates: whether it is a ball joint, or a free one; and whether its coordinates last.

Coordinates of rotations are singular somewhere, so that a run exchanges them (Joint.rechart): their rates mean another thing afterwards.
What is said along the angular velocity, or along the twist, is not touched by this.
"""

from __future__ import annotations

import numpy as np

from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.joints.motion import checked_pose, jacobian_of

GENERIC = (0.3, -0.2, 0.4, 0.1, -0.5, 0.2)  # a step from home to where nothing is zero by chance
NEGLIGIBLE = 1e-12


def has_lasting_rates(joint: Joint) -> bool:
    """Whether its rates are those of coordinates that mean the same during a whole run, never exchanged for others."""
    if joint.nq != joint.dof or any(joint.changing):
        return False
    return not joint.has_own("rechart") or joint.rechart([(generic(joint), np.zeros(joint.dof))]) is None


def is_ball(joint: Joint) -> bool:
    """Whether it turns its child in all directions about one point, and does nothing else."""
    if joint.dof != 3 or joint.timed:
        return False
    S = columns(joint)
    return bool(np.abs(S[3:]).max() < NEGLIGIBLE and np.linalg.matrix_rank(S[:3]) == 3)


def is_free(joint: Joint) -> bool:
    """Whether it moves its child in all six directions."""
    return joint.dof == 6 and not joint.timed and bool(np.linalg.matrix_rank(columns(joint)) == 6)


def check_on_twist(joint: Joint, owner: str, said: str) -> None:
    """Raise unless its twist has as many numbers as it has rates: the angular velocity, or all six. said: who asks, in words"""
    if not is_ball(joint) and not is_free(joint):
        why = f"which ball joints and free ones have; {type(joint).__name__} has {joint.dof} rates"
        parts = {"owner": owner, "argument": "acts_on", "got": "'twist'", "expected": "'rates'"}
        raise SceneError(f"{said}: acts_on is 'twist', the angular velocity or all of the twist, {why}. Use 'rates'.", **parts)


def columns(joint: Joint) -> np.ndarray:
    """S, (6, dof), somewhere."""
    q = generic(joint)
    return np.asarray(jacobian_of(joint, checked_pose(joint, joint.at("transform", q, 0.0)), q, 0.0), float)


def generic(joint: Joint) -> np.ndarray:
    """A configuration in the chart in use at first."""
    home = np.array([*joint.home, *joint.start], float)
    return np.asarray(joint.retract(home, np.array(GENERIC[: joint.dof])), float)
