"""A body by itself in the world: its configuration is its pose, its velocity its body twist (RedMax notes Secs. 1.1-1.8).

A step goes along the group, E exp([delta]), so that E stays a pose (RedMax notes Eq. 1.29). Within a step, delta changes at the rate
dexp^-1(delta) phi, which keeps Runge-Kutta methods at their order (Munthe-Kaas).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.joints.group.motions import PoseMatrix
from redmax.lie import se3, so3
from redmax.math import array


class BodyFrame(Joint):
    """q: the first three rows of the pose, (12,); qdot: the body twist (angular; linear), (6,)."""

    dof = 6
    proven = True

    @property
    def nq(self) -> int:
        return 12

    def transform(self, q: Any) -> Any:
        return array([list(q[0:4]), list(q[4:8]), list(q[8:12]), [0.0, 0.0, 0.0, 1.0]])

    def tangent(self, q: Any) -> Any:
        """R [e] and R e, for the angular and the linear directions."""
        return PoseMatrix().tangent(q)

    def jacobian(self, q: Any) -> Any:
        return np.eye(6).astype(object)

    def retract(self, q: Any, delta: Any) -> Any:
        return (self.transform(q) @ se3.exp(delta))[:3].ravel()

    def rate(self, delta: Any, velocity: Any) -> Any:
        return se3.dexp_right_inverse(delta) @ velocity

    def velocity(self, delta: Any, rate: Any) -> Any:
        return se3.dexp_right(delta) @ rate


class PlacedFrame(BodyFrame):
    """The same on SO(3) x R^3: qdot is (Omega in body axes; xdot in the world's), and a step goes on with each by itself."""

    def retract(self, q: Any, delta: Any) -> Any:
        E = self.transform(q)
        R = E[:3, :3] @ so3.exp(delta[:3])
        return array([x for i in range(3) for x in (*R[i], E[i, 3] + delta[3 + i])])

    def rate(self, delta: Any, velocity: Any) -> Any:
        return np.concatenate([so3.dexp_right_inverse(delta[:3]) @ velocity[:3], velocity[3:]])

    def velocity(self, delta: Any, rate: Any) -> Any:
        return np.concatenate([so3.dexp_right(delta[:3]) @ rate[:3], rate[3:]])


class SpatialFrame(BodyFrame):
    """On SE(3), seen from the world: qdot is the spatial twist, and a step goes on from the other side, exp([delta]) E."""

    def retract(self, q: Any, delta: Any) -> Any:
        return (se3.exp(delta) @ self.transform(q))[:3].ravel()

    def rate(self, delta: Any, velocity: Any) -> Any:
        return se3.dexp_left_inverse(delta) @ velocity

    def velocity(self, delta: Any, rate: Any) -> Any:
        return se3.dexp_left(delta) @ rate


class SpatialPlacedFrame(BodyFrame):
    """On SO(3) x R^3, seen from the world: qdot is (angular velocity; xdot), both in the world's axes."""

    def retract(self, q: Any, delta: Any) -> Any:
        E = self.transform(q)
        R = so3.exp(delta[:3]) @ E[:3, :3]
        return array([x for i in range(3) for x in (*R[i], E[i, 3] + delta[3 + i])])

    def rate(self, delta: Any, velocity: Any) -> Any:
        return np.concatenate([so3.dexp_left_inverse(delta[:3]) @ velocity[:3], velocity[3:]])

    def velocity(self, delta: Any, rate: Any) -> Any:
        return np.concatenate([so3.dexp_left(delta[:3]) @ rate[:3], rate[3:]])
