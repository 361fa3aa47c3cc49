"""Rigid motions as elements of SE(3): a rotation with a position, a pose, or a unit dual quaternion."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.joints.group.base import Element
from redmax.joints.group.rotations import Rotation, RotationMatrix, UnitQuaternion
from redmax.lie import dual_quaternions, quaternions, se3, so3
from redmax.lie.long_products import dual_product, quaternion_product, rotation_product
from redmax.lie.three import rows, split
from redmax.math import array
from redmax.types import Array


def times_transposed(R: Any, x: Any) -> Any:
    """R' x."""
    return np.asarray(R).T @ x


class RigidMotion(Element):
    """What the ways to write an element of SE(3) share: a step is exp of a twist, and within it delta changes by dexp^-1."""

    dof = 6

    def rate(self, delta: Array, velocity: Array) -> Any:
        return se3.dexp_right_inverse(delta) @ velocity

    def velocity(self, delta: Array, rate: Array) -> Any:
        return se3.dexp_right(delta) @ rate


class TurnAndPlace(RigidMotion):
    """A rotation, written in one of its ways, then the position in the parent's axes."""

    def __init__(self, rotation: Rotation) -> None:
        self.rotation, self.n = rotation, rotation.nq
        self.nq, self.identity = rotation.nq + 3, (*rotation.identity, 0.0, 0.0, 0.0)
        self.valid = f"{rotation.valid}, then three numbers of a position"

    def pose(self, q: Array) -> tuple[Any, Any]:
        return self.rotation.turn(q[: self.n]), q[self.n :]

    def step(self, q: Array, delta: Array) -> Any:
        R, p = self.pose(q)
        return array([*self.rotation.step(q[: self.n], delta[:3]), *(p + R @ (so3.dexp_left(delta[:3]) @ delta[3:]))])

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        return array([*self.rotation.turned(q[: self.n], turn, position), *position])

    def difference(self, q: Array, other: Array) -> Any:
        R, p = self.pose(q)
        w = self.rotation.difference(q[: self.n], other[: self.n])
        return array([*w, *(so3.dexp_left_inverse(w) @ times_transposed(R, other[self.n :] - p))])

    def tangent(self, q: Array) -> Any:
        turned, R = rows(self.rotation.tangent(q[..., : self.n])), rows(self.rotation.turn(q[..., : self.n]))
        return array([*([*row, 0.0, 0.0, 0.0] for row in turned), *([0.0, 0.0, 0.0, *row] for row in R)])

    def speeds(self, q: Array, rates: Array) -> Any:
        R, _ = self.pose(q)
        return array([*self.rotation.speeds(q[: self.n], rates[: self.n]), *times_transposed(R, rates[self.n :])])

    def off(self, q: np.ndarray) -> np.ndarray:
        return self.rotation.off(q[..., : self.n])

    def nearest(self, q: np.ndarray) -> np.ndarray:
        return np.concatenate([self.rotation.nearest(q[: self.n]), q[self.n :]])

    def located(self, quaternion: np.ndarray, position: np.ndarray) -> np.ndarray:
        return np.concatenate([self.rotation.located(quaternion, position), position], axis=-1)


class PoseMatrix(RigidMotion):
    """The first three rows of the pose, one after the other."""

    nq = 12
    identity = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    valid = "the first three rows of a pose: [R p] with R' R = 1 and det R = 1"
    matrices = ((3, 4), (4, 4))
    matrix = RotationMatrix()

    def pose(self, q: Array) -> tuple[Any, Any]:
        E = np.asarray(q).reshape(3, 4)
        return E[:, :3], E[:, 3]

    def step(self, q: Array, delta: Array) -> Any:
        R, p = self.pose(q)
        turn, shift = so3.exp(delta[:3]), so3.dexp_left(delta[:3]) @ delta[3:]
        return self.written(rotation_product(R, turn), p + R @ shift)

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        return self.written(rotation_product(self.pose(q)[0], so3.from_quaternion(turn)), position)

    def written(self, R: Array, p: Array) -> Any:
        return array([x for row, y in zip(rows(R), split(p), strict=True) for x in (*row, y)])

    def difference(self, q: Array, other: Array) -> Any:
        (R, p), (R1, p1) = self.pose(q), self.pose(other)
        return se3.log(se3.pose(R.T @ R1, times_transposed(R, p1 - p)))

    def tangent(self, q: Array) -> Any:
        entries = split(q)
        straight = [entries[4 * i : 4 * i + 3] for i in range(3)]
        turned = rows(self.matrix.tangent(array([x for row in straight for x in row])))
        lines: list[list[Any]] = []
        for i in range(3):
            lines += [[*row, 0.0, 0.0, 0.0] for row in turned[3 * i : 3 * i + 3]] + [[0.0, 0.0, 0.0, *straight[i]]]
        return array(lines)

    def speeds(self, q: Array, rates: Array) -> Any:
        (R, _), (turning, moving) = self.pose(q), self.pose(rates)
        return array([*so3.unbracket(R.T @ turning), *times_transposed(R, moving)])

    def off(self, q: np.ndarray) -> np.ndarray:
        R = q.reshape(*q.shape[:-1], 3, 4)[..., :3]
        return self.matrix.off(R.reshape(*R.shape[:-2], 9))

    def nearest(self, q: np.ndarray) -> np.ndarray:
        E = q.reshape(3, 4)
        return np.column_stack([self.matrix.nearest(E[:, :3].ravel()).reshape(3, 3), E[:, 3]]).ravel()

    def located(self, quaternion: np.ndarray, position: np.ndarray) -> np.ndarray:
        R = np.asarray(so3.from_quaternion(quaternion), float)
        E = np.concatenate([R, np.broadcast_to(position, R.shape[:-1])[..., None]], axis=-1)
        return E.reshape(*E.shape[:-2], 12)


class UnitDualQuaternion(RigidMotion):
    """r + e d: a unit quaternion of the rotation, then half of the position's product with it, d = p r / 2, across r."""

    nq = 8
    identity = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    valid = "a dual quaternion r, d: |r| = 1 and r . d = 0, with d = p r / 2 of the position p"

    def pose(self, q: Array) -> tuple[Any, Any]:
        E = dual_quaternions.to_pose(q)
        return E[:3, :3], E[:3, 3]

    def step(self, q: Array, delta: Array) -> Any:
        return dual_product(q, dual_quaternions.exp(delta))

    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        r = split(quaternion_product(q[:4], turn))
        return array([*r, *(0.5 * x for x in quaternions.times([0.0, *split(position)], r))])

    def difference(self, q: Array, other: Array) -> Any:
        return dual_quaternions.log(dual_quaternions.product(dual_quaternions.inverse(q), other))

    def tangent(self, q: Array) -> Any:
        r, d = (rows(TURN.tangent(part)) for part in (q[..., :4], q[..., 4:]))
        return array([*([*row, 0.0, 0.0, 0.0] for row in r), *([*low, *row] for low, row in zip(d, r, strict=True))])

    def speeds(self, q: Array, rates: Array) -> Any:
        r, d = dual_quaternions.halves(dual_quaternions.product(dual_quaternions.inverse(q), rates))
        return array([2.0 * x for x in (*r[1:], *d[1:])])

    def off(self, q: np.ndarray) -> np.ndarray:
        """Of r . d beside the size of d: far away its roundings are as large."""
        along = np.abs((q[..., :4] * q[..., 4:]).sum(axis=-1)) / np.maximum(np.linalg.norm(q[..., 4:], axis=-1), 1.0)
        return np.maximum(TURN.off(q[..., :4]), along)

    def nearest(self, q: np.ndarray) -> np.ndarray:
        r = TURN.nearest(q[:4])
        return np.concatenate([r, q[4:] - (r @ q[4:]) * r])

    def located(self, quaternion: np.ndarray, position: np.ndarray) -> np.ndarray:
        w, v = quaternion[..., :1], quaternion[..., 1:]
        scalar = -(position * v).sum(axis=-1, keepdims=True)
        return np.concatenate([quaternion, 0.5 * scalar, 0.5 * (w * position + np.cross(position, v))], axis=-1)


TURN = UnitQuaternion()
