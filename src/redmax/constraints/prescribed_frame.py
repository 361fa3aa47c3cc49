"""PrescribedFrame: a frame that goes where a function of time says: six rows.

g = (x - p(t);  2 sin(angle / 2) axis)       of the rotation that is left between the frame and the one that the function gives
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from redmax.arguments import as_objects, brief
from redmax.components.checks import as_pose
from redmax.components.given import CalledWith, ForceLimits, Frame, FromZero, Gain, Pose
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.constraints.weld import turned_by
from redmax.errors import SceneError
from redmax.forces.given import are_numbers, of_time
from redmax.joints.base import name_of
from redmax.types import Value

PoseOfTime = Annotated[Pose | Callable[[Any], Any], CalledWith(t=())]


class PrescribedFrame(Constraint):
    """A frame of a body goes where a function of time says: six rows. What that takes is its multipliers (N, N m).

    frame: a body, a frame, or (body, pose); pose: function of t (s) -> pose (4, 4), or a constant one
    relative_to: in whose axes, from whose origin: a body, a frame, or (body, pose); the world, unless given
    gain (1/s): how quickly drift is taken back; as the run says, unless given. compliance: 0 unless given
    force_limits (N, N m): the most that a row exerts, or (lower, upper), beyond which it gives way; no limit unless given
    """

    size = 6
    held = ("frame", "relative_to")
    oriented = True

    def __init__(
        self, frame: Frame, pose: PoseOfTime, *, relative_to: Frame | None = None, name: str | None = None, gain: Gain | None = None,
        compliance: FromZero = 0.0, force_limits: ForceLimits | None = None,
    ) -> None:  # fmt: skip
        places = frame, (0.0, 0.0, 0.0) if relative_to is None else relative_to
        self.hold(places, name, gain=gain, compliance=compliance, force_limits=force_limits)
        self.pose = of_time(self.label, "pose", pose) if callable(pose) else as_pose(self.label, "pose", pose)

    def target(self, t: Value) -> np.ndarray:
        """The pose at t, (4, 4)."""
        if not callable(self.pose):
            return self.pose
        given = self.pose(t)
        found = as_objects(given)
        if found.shape != (4, 4) or not are_numbers(found):
            got = f"shape {found.shape}" if found.shape != (4, 4) else brief(given)
            said = f"{self.label}: the function {name_of(self.pose)!r} for pose must return a pose, 4x4. Got {got}."
            raise SceneError(said, owner=self.label, argument="pose")
        return found

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        (frame, base), E = sites, self.target(t)
        return np.concatenate([frame.x - base.x - base.R @ E[:3, 3], turned_by((base.R @ E[:3, :3]).T @ frame.R)])
