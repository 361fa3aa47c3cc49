"""The frame of a body whose pose is its configuration: the body's, at its centre of mass, that of its joint, wherever that is, or one that
the scene has on it (model/frames.py: with_moving)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.integrators.variational.relative import Pose
from redmax.lie import Adjoint
from redmax.program.record import JointView

FRAMES = ("body", "joint")
OWN = "own"  # of the scene


@dataclass(frozen=True)
class Frame:
    """of: "body", "joint" or OWN."""

    of: str

    def offset(self, j: JointView) -> Pose:
        """R and p of the frame in the joint frame."""
        if self.of == OWN:
            return j.moving_R, j.moving_p
        return (j.body_R, j.body_p) if self.of == "body" else (np.eye(3), np.zeros(3))

    def pose(self, j: JointView) -> Pose:
        """In the world, of a joint frame that is placed."""
        R, (own, p) = np.asarray(j.R, object).reshape(3, 3), self.offset(j)
        return R @ own, j.x + R @ p

    def joint(self, j: JointView, pose: Pose) -> Pose:
        """The joint frame, of one that is there."""
        own, p = self.offset(j)
        R = pose[0] @ own.T
        return R, pose[1] - R @ p

    def beside(self, j: JointView) -> Pose:
        """R and p of the frame in the body's own."""
        own, p = self.offset(j)
        return j.body_R.T @ own, j.body_R.T @ (p - j.body_p)

    def adjoint(self, j: JointView) -> Adjoint:
        """From twists in the joint frame to those in this one."""
        return Adjoint(*self.offset(j))

    def twist(self, j: JointView, V: Any) -> Any:
        """Of the joint frame's."""
        return self.adjoint(j) @ V

    def back(self, j: JointView, V: Any) -> Any:
        """The joint frame's, of one in this."""
        own, p = self.offset(j)
        return Adjoint(own.T, -(own.T @ p)) @ V


def kind_of(frame: str) -> str:
    """What `of` is, of what a run was asked for."""
    return frame if frame in FRAMES else OWN
