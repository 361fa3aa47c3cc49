"""Six degrees of freedom, in the two orders of rotation and translation (RedMax supplement Sec. 5.1: two joints in a chain).

S = (Ad(Q2^-1) S1, S2) (Eq. 45) with S of the rotation the dexp of exponential coordinates; or, of an element of a group (joints/group),
the identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from redmax.joints.base import Joint
from redmax.joints.group.base import Element
from redmax.joints.group.joint import OnGroup
from redmax.joints.group.motions import PoseMatrix, TurnAndPlace, UnitDualQuaternion
from redmax.joints.group.rotations import RotationMatrix, UnitQuaternion
from redmax.joints.orientation import rotation_vector, turned_back
from redmax.joints.spherical import rewind, stack_rows, turned_further
from redmax.lie import se3, so3
from redmax.math import array
from redmax.types import Array


class Free(OnGroup):
    """All motions.

    coordinates: what q is. "exp": rotation by q[:3] (exponential coordinates), then translation by q[3:] along the rotated axes; far from
        its frame it loses digits, as (distance / size of the body)^2: use `Free3D`, or one of the others, for what travels.
        Others have more numbers than velocities, which are then the body twist (angular; linear, in the child's axes), and are never
        singular: "quaternion" (w, x, y, z of length 1, then the position, 7), "matrix" (R row by row, then the position, 12), "pose" (the
        rows of [R p], 12) and "dual-quaternion" (r, then p r / 2, 8); the steps of all are screws, those of SE(3)
    """

    dof = 6
    proven = True
    elements: ClassVar[Mapping[str, Element]] = {
        "quaternion": TurnAndPlace(UnitQuaternion()), "matrix": TurnAndPlace(RotationMatrix()), "pose": PoseMatrix(),
        "dual-quaternion": UnitDualQuaternion(),
    }  # fmt: skip

    def __init__(self, coordinates: Literal["exp", "quaternion", "matrix", "pose", "dual-quaternion"] = "exp") -> None:
        self.choose(coordinates)

    def transform(self, q: Array) -> Any:
        if self.element is not None:
            return se3.pose(*self.element.pose(q))
        R = so3.exp(q[:3])
        return se3.pose(R, R @ q[3:])

    def jacobian(self, q: Array) -> Any:
        if self.element is not None:
            return self.identity_columns()
        S = so3.dexp_right(q[:3])
        return side_by_side(stack_rows(S, -(so3.bracket(q[3:]) @ S)), stack_rows(np.zeros((3, 3)), np.eye(3)))

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        if self.element is not None:
            return None
        turned = rewind([(q[:3], qdot[:3]) for q, qdot in states])
        return [(array([*w, *q[3:]]), array([*wdot, *qdot[3:]])) for (w, wdot), (q, qdot) in zip(turned, states, strict=True)]

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        if self.element is not None:
            return self.element.turned(q, turn, position)
        w = turned_further(q[:3], turn)
        return array([*w, *(so3.exp(w).T @ position)])

    def rates_of_twist(self, q: Array, twist: Array) -> Any:
        if self.element is not None:
            return twist
        return array([*(so3.dexp_right_inverse(q[:3]) @ twist[:3]), *(twist[3:] + so3.bracket(q[3:]) @ twist[:3])])

    def located(self, quaternion: np.ndarray, position: np.ndarray, charts: Sequence[int], near: np.ndarray | None) -> np.ndarray:
        found = self.placed(quaternion, position, near)
        if found is not None:
            return found
        turn = rotation_vector(quaternion, None if near is None else near[..., :3])
        return np.concatenate([turn, turned_back(quaternion, position)], axis=-1)


class Free3D(Joint):
    """Translation by q[:3] along the parent's axes, then rotation by q[3:] (exponential coordinates)."""

    dof = 6
    proven = True
    chart = "exp"

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.exp(q[3:]), q[:3])

    def jacobian(self, q: Array) -> Any:
        R = so3.exp(q[3:])
        return side_by_side(stack_rows(np.zeros((3, 3)), R.T), stack_rows(so3.dexp_right(q[3:]), np.zeros((3, 3))))

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        turned = rewind([(q[3:], qdot[3:]) for q, qdot in states])
        return [(array([*q[:3], *w]), array([*qdot[:3], *wdot])) for (w, wdot), (q, qdot) in zip(turned, states, strict=True)]

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        return array([*position, *turned_further(q[3:], turn)])

    def rates_of_twist(self, q: Array, twist: Array) -> Any:
        return array([*(so3.exp(q[3:]) @ twist[3:]), *(so3.dexp_right_inverse(q[3:]) @ twist[:3])])

    def located(self, quaternion: np.ndarray, position: np.ndarray, charts: Sequence[int], near: np.ndarray | None) -> np.ndarray:
        turn = rotation_vector(quaternion, None if near is None else near[..., 3:])
        return np.concatenate([np.broadcast_to(position, turn.shape), turn], axis=-1)


def side_by_side(left: Any, right: Any) -> Any:
    return array([[*a, *b] for a, b in zip(left, right, strict=True)])
