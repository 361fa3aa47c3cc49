"""The frames that a scene names as triads: three arrows along x, y and z, in red, green and blue, that move with the bodies.

    pose of an arrow = pose of the body * frame in the body * (the rotation that takes z to the axis)

A triad is small beside the mechanism as it is at first, so that one that flies far away keeps its size; those along the motion of a joint,
on its curve or surface, are also smaller than what is between them, and what carries the joint carries them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from redmax.joints.swept import frames_along
from redmax.model.frames import MOTION, located
from redmax.model.look import Look
from redmax.view.geometry.sizes import ARROW_HEAD
from redmax.view.geometry.skins import Array, Triangles, turned_profile
from redmax.view.joint_marks import size_of
from redmax.view.joint_view import joint_side
from redmax.view.mark_view import MarkView

if TYPE_CHECKING:
    from redmax.model.model import Model

LENGTH, RADIUS = 0.075, 0.055  # of the size of the mechanism; of the length
SHARE = 0.6  # of what is between frames along a motion
COLOURS = {"x": "#d9534f", "y": "#4fa35a", "z": "#4a86d0"}  # as those of the small cross in the corner of a page
TURNS = {  # which take z to the axis
    "x": np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    "y": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "z": np.eye(3),
}


def frame_names(model: Model, look: Look) -> list[str]:
    """Of those that a look shows."""
    if isinstance(look.frames, Sequence):
        return [str(name) for name in look.frames]
    return [str(frame.name) for frame in model.scene.frames] if look.frames and model.scene is not None else []


def frames_on_bodies(model: Model, look: Look, most: float) -> list[tuple[str, int, Array, float]]:
    """(name, number of the body or -1 for the world, pose (4, 4) in its frame, length) of each frame that a look shows.

    most: the length of a triad that has room for it
    """
    found: list[tuple[str, int, Array, float]] = []
    for name in frame_names(model, look):
        if name.endswith(MOTION) and name.removesuffix(MOTION) in model.places:
            found += frames_of_motion(model, name, most)
            continue
        at = located(model, name)
        pose = at.pose if at.relative_to == "body" else np.linalg.inv(model.links[at.link].body) @ at.pose
        found.append((name, at.link, pose, most))
    return found


def frames_of_motion(model: Model, name: str, most: float) -> list[tuple[str, int, Array, float]]:
    """Those along the range of a joint."""
    link = model.links[model.places[name.removesuffix(MOTION)]]
    frames = frames_along(link.joint)
    if frames is None:
        return []
    gaps = [np.linalg.norm(np.diff(frames[..., :3, 3], axis=i), axis=-1) for i in range(frames.ndim - 2)]
    between = float(np.median(np.concatenate([g.ravel() for g in gaps])))
    length = min(most, SHARE * between) if between > 1e-6 * most else most
    carried = joint_side(model.links, link, "parent") @ frames.reshape(-1, 4, 4)
    return [(f"{name} {k}", link.parent, E, length) for k, E in enumerate(carried)]


def triad_length(model: Model, start: Array) -> float:
    """Of each of its arrows. start: (links, 4, 4), poses of the bodies at first."""
    corners = [np.asarray(link.shape.mesh()[0], float).reshape(-1, 3) for link in model.bodies]
    return LENGTH * (size_of(corners, start[None]) or 1.0)


def frame_triads(model: Model, look: Look, poses: Array) -> list[MarkView]:
    """Three arrows for each frame that a look shows. poses: (T, links, 4, 4) of the bodies."""
    names = frame_names(model, look)
    shown = frames_on_bodies(model, look, triad_length(model, poses[0])) if names else []
    meshes = {length: axis_arrow(length) for *_, length in shown}
    found = []
    for name, link, frame, length in shown:
        body, along = (model.links[link].name, poses[:, link]) if link >= 0 else ("", np.eye(4)[None])
        for axis, turn in TURNS.items():
            place = frame.copy()
            place[:3, :3] = frame[:3, :3] @ turn
            found.append(MarkView(name, f"{axis} axis", body, *meshes[length], place, along, link, COLOURS[axis]))
    return found


def axis_arrow(length: float) -> Triangles:
    """Along z, from the origin."""
    r = RADIUS * length
    wide, neck = ARROW_HEAD[0] * r, length - 0.6 * ARROW_HEAD[1] * r
    return turned_profile([(0.0, 0.0), (r, 0.0), (r, neck), (wide, neck), (0.0, length)])
