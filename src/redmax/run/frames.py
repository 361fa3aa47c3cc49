"""How bodies, joints, points and named frames moved during a run: the functions of one frame (dynamics/frames.py) at every sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.components.checks import flag
from redmax.dynamics.common.twist_kinds import TwistKind, check_kind
from redmax.model.frames import Framed, located
from redmax.run.known_samples import where_known

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory


class FrameHistories:
    """The methods of a Trajectory that are of one frame. name: of a frame, a body or a joint, or what the scene returned for it."""

    def pose(self, name: Framed) -> np.ndarray:
        """(time, ..., 4, 4): the pose in the world of a body (or of the body that a joint of this name carries), or of a frame.

        name: or "NAME.joint" for the frame that the joint itself carries, or what `add_frame`, `add_body`, `body.point(...)`,
            `body.frame(...)` or `body.joint_frame` returned
        """
        run, link = as_run(self), body_of(as_run(self), name)
        if link is not None:
            return self.body_pose(link)
        return where_known(run, lambda q, qdot, t: run.engine.pose(q, name, t))

    def body_pose(self, link: int) -> np.ndarray:
        """(time, ..., 4, 4): of a body's own frame, by its number."""
        return as_run(self).observed.pose[..., link, :, :]

    def body_twist(self, link: int) -> np.ndarray:
        """(time, ..., 6): of a body's own frame, in its axes."""
        return as_run(self).observed.twist[..., link, :]

    def twist(self, name: Framed, kind: TwistKind = "body") -> np.ndarray:
        """(time, ..., 6): angular; linear velocity of a body or a frame. name: as of `pose`.

        kind: "body" (at its origin, in its axes), "hybrid" (at its origin, in world axes), "spatial" (at the world's origin, in world
            axes) or "mixed" (angular in its axes, linear in the world's)
        """
        run, link = as_run(self), body_of(as_run(self), name)
        if link is not None and check_kind("twist", kind) == "body":
            return self.body_twist(link)
        return where_known(run, lambda q, qdot, t: run.engine.twist(q, qdot, name, kind, t))

    def acceleration(self, name: Framed, kind: TwistKind = "body", classical: bool = False) -> np.ndarray:
        """(time, ..., 6): the rate of the twist of a body or a frame, with `qddot`. name, kind: as of `twist`.

        classical: the linear part is the acceleration of the point instead, which the rates of "body" and "spatial" twists are not
        """
        run, plain = as_run(self), flag("acceleration", "classical", classical)
        located(run.model, name)
        check_kind("acceleration", kind)
        return where_known(run, lambda q, qdot, t, qddot: run.engine.acceleration(q, qdot, qddot, name, kind, plain, t), run.qddot)

    def jacobian(self, name: Framed, kind: TwistKind = "body") -> tuple[np.ndarray, np.ndarray]:
        """J and Jdot of a body or a frame, (time, ..., 6, nv): its twist is J qdot, the rate of that J qddot + Jdot qdot.

        Joints that depend on time add to both. name, kind: as of `twist`.
        """
        run = as_run(self)
        return where_known(run, lambda q, qdot, t: run.engine.frame_jacobian(q, qdot, name, kind, t))


def as_run(histories: FrameHistories) -> Trajectory:
    """Itself: only a Trajectory has these methods."""
    found: Any = histories
    return found


def body_of(run: Trajectory, name: Framed) -> int | None:
    """The number of the body whose own frame is meant; that of most: it is in what was observed of all of them."""
    at = located(run.model, name)
    return at.link if at.relative_to == "body" and np.array_equal(at.pose, np.eye(4)) else None
