"""Rotations as elements of SO(3): a unit quaternion, or a matrix."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from redmax.joints.group.base import Element
from redmax.lie import quaternions, so3
from redmax.lie.long_products import quaternion_product, rotation_product
from redmax.lie.three import split
from redmax.math import array
from redmax.types import Array

NOWHERE = np.zeros(3)


class Rotation(Element):
    """A turn: all that the two ways to write it share."""

    dof = 3

    @abstractmethod
    def turn(self, q: Array) -> Any:
        """R (3, 3)."""

    def pose(self, q: Array) -> tuple[Any, Any]:
        return self.turn(q), NOWHERE

    def rate(self, delta: Array, velocity: Array) -> Any:
        return so3.dexp_right_inverse(delta) @ velocity

    def velocity(self, delta: Array, rate: Array) -> Any:
        return so3.dexp_right(delta) @ rate


class UnitQuaternion(Rotation):
    """w, x, y, z, of length 1; R divides by the square of the length, so that it is orthogonal whatever the length is."""

    nq = 4
    identity = (1.0, 0.0, 0.0, 0.0)
    valid = "a quaternion w, x, y, z of length 1"

    def turn(self, q: Array) -> Any:
        return so3.from_quaternion(q)

    def step(self, q: Array, delta: Array) -> Any:
        return self.turned(q, quaternions.exp(delta))

    def turned(self, q: Array, turn: Array, position: Array = NOWHERE) -> Any:
        return quaternion_product(q, turn)

    def difference(self, q: Array, other: Array) -> Any:
        return quaternions.log(quaternions.product(quaternions.conjugate(q), other))

    def tangent(self, q: Array) -> Any:
        """q (0, e) / 2 for each direction e."""
        w, x, y, z = (0.5 * v for v in split(q))
        return array([[0.0 - x, 0.0 - y, 0.0 - z], [w, 0.0 - z, y], [z, w, 0.0 - x], [0.0 - y, x, w]])

    def speeds(self, q: Array, rates: Array) -> Any:
        _, *v = split(quaternions.product(quaternions.conjugate(q), rates))
        return array([2.0 * x for x in v])

    def off(self, q: np.ndarray) -> np.ndarray:
        return np.abs(np.linalg.norm(q, axis=-1) - 1.0)

    def nearest(self, q: np.ndarray) -> np.ndarray:
        return q / np.linalg.norm(q)

    def located(self, quaternion: np.ndarray, position: np.ndarray) -> np.ndarray:
        return quaternion.copy()


class RotationMatrix(Rotation):
    """The nine entries of R, row by row."""

    nq = 9
    identity = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    valid = "a rotation matrix, row by row: R' R = 1 and det R = 1"
    matrices = ((3, 3),)

    def turn(self, q: Array) -> Any:
        q = np.asarray(q)
        return q.reshape(*q.shape[:-1], 3, 3)

    def step(self, q: Array, delta: Array) -> Any:
        return rotation_product(self.turn(q), so3.exp(delta)).ravel()

    def turned(self, q: Array, turn: Array, position: Array = NOWHERE) -> Any:
        return rotation_product(self.turn(q), so3.from_quaternion(turn)).ravel()

    def difference(self, q: Array, other: Array) -> Any:
        return so3.log(self.turn(q).T @ self.turn(other))

    def tangent(self, q: Array) -> Any:
        """R [e] for each direction e: of a row r of R, r x e."""
        lines = [split(q)[3 * i : 3 * i + 3] for i in range(3)]
        return array([turned for a, b, c in lines for turned in ([0.0, 0.0 - c, b], [c, 0.0, 0.0 - a], [0.0 - b, a, 0.0])])

    def speeds(self, q: Array, rates: Array) -> Any:
        return so3.unbracket(self.turn(q).T @ self.turn(rates))

    def off(self, q: np.ndarray) -> np.ndarray:
        R = q.reshape(*q.shape[:-1], 3, 3)
        square = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2))
        return np.maximum(square, np.abs(np.linalg.det(R) - 1.0))

    def nearest(self, q: np.ndarray) -> np.ndarray:
        U, _, V = np.linalg.svd(q.reshape(3, 3))
        return (U @ V).ravel()

    def located(self, quaternion: np.ndarray, position: np.ndarray) -> np.ndarray:
        R = np.asarray(so3.from_quaternion(quaternion), float)
        return R.reshape(*R.shape[:-2], 9)

