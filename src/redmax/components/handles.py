"""Names for a body, a point or a frame on it, a joint: what forces, constraints and users refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import as_pose, choice, finite
from redmax.errors import Phrase, SceneError, called

Base: TypeAlias = Literal["body", "joint"]  # frames of a link: at the centre of mass, or where its joint carries it
Rows: TypeAlias = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class BodyHandle:
    """A body of a scene, and the joint that carries it."""

    name: str
    index: int
    joint: str
    scene: str = field(default="", compare=False, repr=False)  # which it is of; copies of a scene are that scene too. "": nobody knows

    def point(self, x: float, y: float, z: float) -> Point:
        """A point fixed to the body, in its body frame (m)."""
        valid = "three finite numbers (m): body.point(x, y, z)"
        x, y, z = finite(called("Body", self.name), "point", (x, y, z), ((3,),), valid).tolist()
        return Point(self, (x, y, z))

    def frame(self, pose: ArrayLike = (0.0, 0.0, 0.0), relative_to: Base = "body") -> FrameHandle:
        """A frame fixed to the body, without a name. pose: a translation (3,) or a pose (4, 4), in the "body" or the "joint" frame."""
        return frame_on(self, None, pose, relative_to)

    @property
    def joint_frame(self) -> FrameHandle:
        """The frame that the joint carries, to which the body is fixed: the link's frame."""
        return self.frame(relative_to="joint")


@dataclass(frozen=True)
class Point:
    """A point of a body, in its body frame (m)."""

    body: BodyHandle
    position: tuple[float, float, float]


@dataclass(frozen=True)
class FrameHandle:
    """A frame fixed to a body.

    name: as `scene.add_frame` was told, or None; pose: its rows, 4x4, in the frame of the body ("body") or of its joint ("joint")
    in_body: its pose in the body frame, where that is known
    """

    name: str | None
    body: BodyHandle
    pose: Rows
    relative_to: Base = "body"
    in_body: Rows | None = field(default=None, compare=False, repr=False)

    @property
    def matrix(self) -> np.ndarray:
        """The pose, (4, 4)."""
        return np.array(self.pose)

    @property
    def on_body(self) -> tuple[BodyHandle, np.ndarray]:
        """The body, and the pose in its frame: where a force holds on."""
        if self.in_body is None:
            why = "is given from the joint, and where the body is from there only the scene knows"
            raise SceneError(f"The frame {self.name or 'without a name'} {why}. Use what scene.add_frame(...) returned.", owner="frame")
        return self.body, np.array(self.in_body)

    @property
    def point(self) -> Point:
        """Its origin, as a point of the body."""
        x, y, z = self.on_body[1][:3, 3].tolist()
        return Point(self.body, (x, y, z))


def frame_on(body: BodyHandle, name: str | None, pose: ArrayLike, relative_to: Base, place: np.ndarray | None = None) -> FrameHandle:
    """A frame of a body, checked. place: the body frame in the joint frame, (4, 4), where that is known."""
    owner = called("The frame", name) if name else called("A frame of body", body.name)
    base = choice(owner, "relative_to", relative_to, ("body", "joint"))
    E = as_pose(owner, Phrase("pose", "pose"), pose)
    if base == "body":
        return FrameHandle(name, body, rows_of(E), "body", rows_of(E))
    return FrameHandle(name, body, rows_of(E), "joint", None if place is None else rows_of(np.linalg.inv(place) @ E))


def rows_of(E: np.ndarray) -> Rows:
    return tuple(tuple(row) for row in E.tolist())
