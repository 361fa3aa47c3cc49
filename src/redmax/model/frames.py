"""Frames fixed to bodies: those that a scene names, and what a user may mean by the name of something that has a pose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import brief
from redmax.components.handles import Base, BodyHandle, FrameHandle, Point, frame_on
from redmax.errors import About, SceneError, unknown
from redmax.joints.frames import cleaned

if TYPE_CHECKING:
    from redmax.model.model import Model

Framed: TypeAlias = str | FrameHandle | BodyHandle | Point  # what has a pose, a twist and a Jacobian
JOINT = ".joint"  # behind the name of a body or a joint: the frame that the joint carries
MOTION = ".motion"  # likewise: where that frame comes to over the range of the joint


class SceneFrames:
    """The methods of a Scene that name frames."""

    frames: list[FrameHandle]

    def add_frame(self, name: str, body: BodyHandle | str, pose: ArrayLike = (0.0, 0.0, 0.0), relative_to: Base = "body") -> FrameHandle:
        """Name a frame that is fixed to a body, such as a tool, a sensor or a marker: it moves with the body, and weighs nothing.

        pose: where it is, a translation (3,) or a pose (4, 4), in the frame of the body ("body", at the centre of mass) or of its
            joint ("joint", where `at` and `com` are given from)

        Its pose, twist, acceleration and Jacobian: `run.pose(name)`, `rm.Dynamics(scene).pose(q, name)` and so on (docs: Conventions).
        """
        scene: Any = self
        with About("Scene", "body"):
            handle = scene.find(body)
        name = scene._names.fresh_frame(name, scene.links, self.frames)
        self.frames.append(frame_on(handle, name, pose, relative_to, scene.links[handle.index].body))
        return self.frames[-1]

    def find_frame(self, name: str) -> FrameHandle:
        """The frame of this name, as `add_frame` returned it."""
        found = self.named_frame(name) if isinstance(name, str) else None
        if found is None:
            raise SceneError(unknown("frame", name, [str(frame.name) for frame in self.frames]), owner="Scene", argument="name")
        return found

    def named_frame(self, name: str) -> FrameHandle | None:
        """The frame of this name, or None."""
        scene: Any = self
        i = scene._names.frames.place(self.frames, name)
        return None if i is None else self.frames[i]


@dataclass(frozen=True, eq=False)
class Located:
    """A frame of a model. link: the number of the body; pose: (4, 4), in the frame of the body or of its joint."""

    link: int
    pose: np.ndarray
    relative_to: Base


def located(model: Model, of: Framed) -> Located:
    """The frame that is meant: of a body or a joint, that of the body; of a point, one with the body's axes."""
    if isinstance(of, str):
        return located_by_name(model, of)
    if isinstance(of, BodyHandle):
        return Located(body_in(model, of).index, np.eye(4), "body")
    if isinstance(of, Point | FrameHandle):
        at = (of.position, "body") if isinstance(of, Point) else (of.pose, of.relative_to)
        frame = frame_on(body_in(model, of.body), None, *at)
        return Located(frame.body.index, frame.matrix, frame.relative_to)
    valid = "the name of a frame, a body or a joint, or what add_frame, add_body or body.point(...) returned"
    raise SceneError(f"A frame is named by {valid}. Got {brief(of)}.", owner="frame", argument="of", got=brief(of), expected=valid)


def check_named(**given: Any) -> None:
    """Raise where a frame stands in the place of numbers: a Jacobian may be of all bodies, so that a frame is told by name."""
    for name, value in given.items():
        if isinstance(value, str | FrameHandle | BodyHandle | Point):
            got = brief(value if isinstance(value, str) else getattr(value, "name", value))
            fix = f"Name what it is of with of=: dynamics.jacobian(q, qdot, of={got})"
            raise SceneError(f"Dynamics.jacobian: {name} is {got}. {fix}.", owner="Dynamics.jacobian", argument=name, got=got)


def located_by_name(model: Model, name: str) -> Located:
    if name in model.places:
        return Located(model.places[name], np.eye(4), "body")
    frame = None if model.scene is None else model.scene.named_frame(name)
    if frame is not None:
        return Located(frame.body.index, frame.matrix, frame.relative_to)
    if name.endswith(JOINT) and name.removesuffix(JOINT) in model.places:
        return Located(model.places[name.removesuffix(JOINT)], np.eye(4), "joint")
    frames = [] if model.scene is None else [str(frame.name) for frame in model.scene.frames]
    known = [*frames, *dict.fromkeys([*model.body_names, *model.joint_names])]
    raise SceneError(unknown("frame, body or joint", name, known), owner="frame", argument="of")


def with_moving(model: Model, names: str) -> Model:
    """The same model for bodies in absolute coordinates that move by frames of the scene, named with commas between: "grip", "grip, tip".

    Those that none is named of move by that at their centre of mass.
    """
    whole = model.scene is not None and model.scene.named_frame(names) is not None
    found: dict[int, np.ndarray] = {}
    for name in [names] if whole else [part.strip() for part in names.split(",")]:
        frame = located_by_name(model, name)
        if frame.link in found:
            said = f"Body {model.links[frame.link].name!r} moves by one frame. Got two of it in frame={names!r}."
            raise SceneError(said, owner="simulate", argument="frame", got=names)
        found[frame.link] = model.links[frame.link].body @ frame.pose if frame.relative_to == "body" else frame.pose
    return replace(model, moving=tuple(found.get(i, link.body) for i, link in enumerate(model.links)))


def moving_constants(model: Model, i: int, C: np.ndarray) -> dict[str, np.ndarray]:
    """R and p of that of a link, in its canonical frame C."""
    place = cleaned(C.T @ model.moving[i])
    return {"moving_R": place[:3, :3], "moving_p": place[:3, 3]}


def body_in(model: Model, body: BodyHandle) -> BodyHandle:
    """A body of the model's scene; that of another is refused."""
    return body if model.scene is None else model.scene.find(body)
