"""What pose six numbers phi stand for, and how far it is from a measured one, with two derivatives.

    d(phi) = log(G(phi)^-1 G_k)       J = dd / dphi = -dexp^-1_left(d) A(phi)       c . d^2 d / dphi^2

of the base's frame, which both have in front; A dphi is the body twist that G moves with. The second derivatives are those of the traced
expression, with nothing left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np

from redmax.design.curves.misfit import residuals
from redmax.joints.checks.batch import Batch
from redmax.lie import se3, so3
from redmax.lie.many_twists import ManyTwists
from redmax.math import array
from redmax.trace import Graph, gradient, jvp
from redmax.types import Array

Kind: TypeAlias = Literal["twists", "angles"]
UPPER = [(i, j) for i in range(6) for j in range(i, 6)]
PLACE = {(i, j): n for n, (i, j) in enumerate(UPPER)}
SYMMETRIC = [[PLACE[min(i, j), max(i, j)] for j in range(6)] for i in range(6)]


@dataclass(frozen=True)
class Misfit:
    """Of poses T (N, 4, 4) in the base's frame and six numbers each (N, 6). turns: the rotation order of angles; "" for twists

    points: (N,) whether only their positions are known, which are as far away as they are in space: d = (0; R(phi)^T (p_k - p(phi)))
    """

    turns: str
    bend: Batch
    bend_of_points: Batch

    def residuals(self, phi: Array, T: Array, points: Array) -> Array:
        """d, (N, 6)."""
        return -self.back(phi, T, points).x

    def linear(self, phi: Array, T: Array, points: Array) -> tuple[Array, Array]:
        """d (N, 6) and J (N, 6, 6)."""
        back = self.back(phi, T, points)
        return -back.x, -back.dexp_inverse @ (body_twists(phi, self.turns) if self.turns else ManyTwists(phi).dexp)

    def back(self, phi: Array, T: Array, points: Array) -> ManyTwists:
        """-d, from measured poses to those of the numbers: dexp^-1_right of it is dexp^-1_left of d."""
        G = turned(phi, self.turns) if self.turns else ManyTwists(phi).exp
        return residuals(T, G, points if points.any() else None)

    def curvature(self, phi: Array, T: Array, points: Array, c: Array) -> Array:
        """sum_i c_i d^2 d_i / dphi^2, (N, 6, 6)."""
        given = np.concatenate([phi, T[:, :3].reshape(-1, 12), c], axis=1)
        found = self.bend(given)
        if points.any():
            found[points] = self.bend_of_points(given[points])
        return found[:, SYMMETRIC]


@lru_cache
def misfit(turns: str) -> Misfit:
    """turns: the rotation order of angles; "" for twists."""
    x = np.array([*Graph().inputs("x", 24)], object)
    phi, T, c = x[:6], se3.pose(x[6:18].reshape(3, 4)[:, :3], x[6:18].reshape(3, 4)[:, 3]), x[18:]
    G = pose_of(list(phi), turns)
    return Misfit(turns, bent(se3.log(se3.inverse(G) @ T), c, phi), bent(G[:3, :3].T @ (T[:3, 3] - G[:3, 3]), c[3:], phi))


def bent(d: Any, c: Any, phi: Any) -> Batch:
    """The second derivatives of c . d by phi."""
    along = gradient(sum((a * b for a, b in zip(c, d, strict=True)), 0.0), list(phi))
    columns = [jvp(list(along), {p: 1.0}) for p in phi]
    return Batch([columns[j][i] for i, j in UPPER])


def pose_of(phi: list[Any], turns: str) -> Array:
    """exp of a twist; or a translation, then three turns."""
    if not turns:
        return se3.exp(array(phi))
    a, b, c = (so3.rotation_about(axis, angle) for axis, angle in zip(turns, phi[3:], strict=True))
    return se3.pose(a @ b @ c, array(phi[:3]))


def turned(phi: Array, turns: str) -> Array:
    """(N, 4, 4) of positions and angles."""
    a, b, c = (so3.rotation_about(axis, angle) for axis, angle in zip(turns, phi[:, 3:].T, strict=True))
    return se3.pose(a @ b @ c, phi[:, :3])


def body_twists(phi: Array, turns: str) -> Array:
    """A (N, 6, 6) of positions and angles: each turn is about an axis that the later ones move back, positions are in the parent's axes."""
    a, b, c = (so3.rotation_about(axis, angle) for axis, angle in zip(turns, phi[:, 3:].T, strict=True))
    later = b @ c
    first, second, third = ("xyz".index(axis) for axis in turns)
    A = np.zeros((len(phi), 6, 6))
    A[:, :3, 3], A[:, :3, 4], A[:, third, 5] = later[:, first], c[:, second], 1.0
    A[:, 3:, :3] = np.swapaxes(a @ later, 1, 2)
    return A


def numbers_of(T: Array, turns: str) -> Array:
    """The six numbers (N, 6) of poses."""
    if not turns:
        return se3.log(T)
    from scipy.spatial.transform import Rotation

    return np.concatenate([T[:, :3, 3], Rotation.from_matrix(T[:, :3, :3]).as_euler(turns.upper())], axis=1)


def middle(poses: Array) -> Array:
    """A pose amid others: their mean, from which logarithms add up to nothing."""
    C = poses[len(poses) // 2]
    for _ in range(50):
        step = se3.log(se3.inverse(C) @ poses).mean(axis=0)
        C = C @ se3.exp(step)
        if np.abs(step).max() < 1e-14:
            break
    return C
