"""How poses move with velocities of a group, from either side, for equations that are made of a user's Lagrangian (lagrangian.py).

    SE3            E' = E [v]                E exp([d])                 ad_v of twists
    SO3xR3         R' = R [v_w], x' = v_x    R exp([d_w]), x + d_x      ad_v of the angular parts
    SE3-right      E' = [v] E                exp([d]) E                 -ad_v
    SO3xR3-right   R' = [v_w] R, x' = v_x    exp([d_w]) R, x + d_x      -ad_v of the angular parts

A displacement s moves a pose as a velocity does; v then changes by s' + ad_v s, from the right by s' - ad_v s (Mueller and Terze
Eqs. 40-43), and the steps d of a displacement by dexp^-1. Rotations stay rotations for long (lie/long_products.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import minus_ad_transposed
from redmax.joints.group.motions import PoseMatrix
from redmax.lie import se3, so3, so3xr3
from redmax.lie.long_products import rotation_product
from redmax.lie.three import cross
from redmax.trace.vector import vector_of

SHIFTS = [3, 7, 11]  # of a pose's entries


@dataclass(frozen=True)
class Side:
    """tangent: of poses (12,), how they change with a velocity, (12, 6); bent: (v, p) -> what turns a momentum, -ad_v^T p from the left and
    ad_v^T p from the right; step: (E, d) -> the pose (3, 4) a step further; displaced: d -> the displacement of a change of d, (6, 6);
    spin: (R, v) -> the angular velocity in world axes."""

    tangent: Callable[[Any], Any]
    bent: Callable[[Any, Any], Any]
    step: Callable[[np.ndarray, np.ndarray], np.ndarray]
    displaced: Callable[[np.ndarray], np.ndarray]
    spin: Callable[[Any, Any], Any]


def tangent_of_twists(pose: Any) -> Any:
    """E [v]."""
    return np.array(PoseMatrix().tangent(pose), object)


def tangent_seen_from_the_world(pose: Any) -> Any:
    """[v] E: w x (column) for each column, and v_x for the last."""
    E, T = np.asarray(pose, object).reshape(3, 4), np.zeros((12, 6), object)
    for k in range(4):
        for i, e in enumerate(np.eye(3)):
            T[[k, 4 + k, 8 + k], i] = cross(list(e), list(E[:, k]))
    T[SHIFTS, 3:] = np.eye(3)
    return T


def apart(tangent: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same rotation, and a translation that knows nothing of it."""

    def of(pose: Any) -> Any:
        T = tangent(pose)
        T[SHIFTS, :3], T[SHIFTS, 3:] = 0.0, np.eye(3)
        return T

    return of


def bent_alone(v: Any, p: Any) -> Any:
    """Of the angular parts."""
    return vector_of([*cross(list(v[:3]), list(p[:3])), 0.0, 0.0, 0.0])


def reversed_sign(bent: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda v, p: -1.0 * bent(v, p)


def screwed(E: np.ndarray, d: np.ndarray) -> np.ndarray:
    moved = se3.exp(d)
    return np.column_stack([rotation_product(E[:, :3], moved[:3, :3]), E[:, :3] @ moved[:3, 3] + E[:, 3]])


def screwed_in_the_world(E: np.ndarray, d: np.ndarray) -> np.ndarray:
    moved = se3.exp(d)
    return np.column_stack([turned_in_the_world(E, moved[:3, :3]), moved[:3, :3] @ E[:, 3] + moved[:3, 3]])


def turned_and_shifted(E: np.ndarray, d: np.ndarray) -> np.ndarray:
    return np.column_stack([rotation_product(E[:, :3], so3.exp(d[:3])), E[:, 3] + d[3:]])


def turned_and_shifted_in_the_world(E: np.ndarray, d: np.ndarray) -> np.ndarray:
    return np.column_stack([turned_in_the_world(E, so3.exp(d[:3])), E[:, 3] + d[3:]])


def turned_in_the_world(E: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """turn R."""
    return rotation_product(E[:, :3].T, turn.T).T


def spin_of_the_body(R: Any, v: Any) -> Any:
    return R @ v[:3]


def spin_in_the_world(R: Any, v: Any) -> Any:
    return v[:3]


SIDES: Mapping[str, Side] = {
    "SE3": Side(tangent_of_twists, minus_ad_transposed, screwed, se3.dexp_right, spin_of_the_body),
    "SO3xR3": Side(apart(tangent_of_twists), bent_alone, turned_and_shifted, so3xr3.dexp_right, spin_of_the_body),
    "SE3-right": Side(
        tangent_seen_from_the_world, reversed_sign(minus_ad_transposed), screwed_in_the_world, se3.dexp_left, spin_in_the_world,
    ),
    "SO3xR3-right": Side(
        apart(tangent_seen_from_the_world), reversed_sign(bent_alone), turned_and_shifted_in_the_world, so3xr3.dexp_left, spin_in_the_world,
    ),
}  # fmt: skip
