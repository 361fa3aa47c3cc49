"""Joints drawn as what they are: the axes they turn about, the rails they slide along, the balls that turn every way.

Each column of S is a screw (RedMax supplement Eqs. 15-17). One that stays in place on the child's or on the parent's side, whatever the
coordinates are, is an axis of the joint. What has a curve or a surface of its own is drawn by that instead (view/joint_view.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError
from redmax.joints.base import Joint
from redmax.joints.motion import jacobian_of
from redmax.joints.swept import drawings
from redmax.lie.se3 import Ad
from redmax.model.links import Link, stepped

SAME = 1e-6
LOOKS = ((0.0, 0.0, 0.0), (0.31, -0.23, 0.17), (-0.41, 0.37, 0.29))  # steps from q at which a screw is compared


@dataclass(frozen=True, eq=False)
class JointAxis:
    """A line through a point (3,) in a direction (3,), in the frame of the joint on one side; kind: "turn", "slide" or "ball"."""

    kind: str
    on: str
    point: NDArray[np.float64]
    direction: NDArray[np.float64]


def axes(link: Link) -> list[JointAxis]:
    """The axes of a link's joint; none where it is drawn by a curve or a surface, is fixed, or moves freely."""
    found = screw_axes(link)
    return [] if found and drawings(link.joint) else found


def screw_axes(link: Link) -> list[JointAxis]:
    """The axes that stay in place, of any joint."""
    joint = link.joint
    if not 0 < joint.dof <= 3:
        return []
    try:
        seen = [screws(joint, stepped(link, np.array(step)[: joint.dof])) for step in LOOKS]
    except (RedmaxError, ArithmeticError, ValueError):  # outside of its domain
        return []
    if not all(np.isfinite(S).all() for pair in seen for S in pair):
        return []
    child, parent = (np.array([pair[side] for pair in seen]) for side in (0, 1))
    first = child[0]
    if joint.dof == 3 and np.linalg.matrix_rank(first[:3], 1e-9) == 3:
        if np.abs(first[3:]).max() < SAME * max(np.abs(first[:3]).max(), 1.0):
            return [JointAxis("ball", "child", np.zeros(3), np.array([0.0, 0.0, 1.0]))]
        return []
    found = []
    for k in range(joint.dof):
        for on, S in (("parent", parent), ("child", child)):
            if all(same(S[0, :, k], other) for other in S[1:, :, k]):
                found.append(axis(S[0, :, k], on))
                break
    return [a for a in found if a is not None]


def screws(joint: Joint, q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """S, (6, dof), in the child's frame, and the same twists in the parent's."""
    q = np.concatenate([q, np.asarray(joint.start, float)])
    E = np.asarray(joint.at("transform", q, 0.0), float)
    S = np.asarray(jacobian_of(joint, E, q, 0.0), float)
    return S, np.asarray(Ad(E), float) @ S


def same(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    return bool(np.abs(a - b).max() <= SAME * max(np.abs(a).max(), 1.0))


def axis(screw: NDArray[np.float64], on: str) -> JointAxis | None:
    """The line of a screw: where its points move along it, and not around."""
    omega, v = screw[:3], screw[3:]
    turning = float(np.linalg.norm(omega))
    if turning > SAME:
        return JointAxis("turn", on, np.cross(omega, v) / turning**2, omega / turning)
    sliding = float(np.linalg.norm(v))
    return JointAxis("slide", on, np.zeros(3), v / sliding) if sliding > SAME else None
