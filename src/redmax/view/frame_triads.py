"""The frames that a scene names as triads: three arrows along x, y and z, in red, green and blue, that move with the bodies.

    pose of an arrow = pose of the body * frame in the body * (the rotation that takes z to the axis)

A triad is small beside the mechanism as it is at first, so that one that flies far away keeps its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from redmax.model.frames import located
from redmax.model.look import Look
from redmax.view.geometry.sizes import ARROW_HEAD
from redmax.view.geometry.skins import Array, Triangles, turned_profile
from redmax.view.joint_marks import size_of
from redmax.view.mark_view import MarkView

if TYPE_CHECKING:
    from redmax.model.model import Model

LENGTH, RADIUS = 0.075, 0.055  # of the size of the mechanism; of the length
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


def frames_on_bodies(model: Model, look: Look) -> list[tuple[str, int, Array]]:
    """(name, number of the body, pose (4, 4) in its frame) of each frame that a look shows."""
    found = []
    for name in frame_names(model, look):
        at = located(model, name)
        pose = at.pose if at.relative_to == "body" else np.linalg.inv(model.links[at.link].body) @ at.pose
        found.append((name, at.link, pose))
    return found


def triad_length(model: Model, start: Array) -> float:
    """Of each of its arrows. start: (links, 4, 4), poses of the bodies at first."""
    corners = [np.asarray(link.shape.mesh()[0], float).reshape(-1, 3) for link in model.bodies]
    return LENGTH * (size_of(corners, start[None]) or 1.0)


def frame_triads(model: Model, look: Look, poses: Array) -> list[MarkView]:
    """Three arrows for each frame that a look shows. poses: (T, links, 4, 4) of the bodies."""
    shown = frames_on_bodies(model, look)
    mesh = axis_arrow(triad_length(model, poses[0])) if shown else None
    found = []
    for name, link, frame in shown:
        for axis, turn in TURNS.items():
            place = frame.copy()
            place[:3, :3] = frame[:3, :3] @ turn
            assert mesh is not None
            found.append(MarkView(name, f"{axis} axis", model.links[link].name, *mesh, place, poses[:, link], link, COLOURS[axis]))
    return found


def axis_arrow(length: float) -> Triangles:
    """Along z, from the origin."""
    r = RADIUS * length
    wide, neck = ARROW_HEAD[0] * r, length - 0.6 * ARROW_HEAD[1] * r
    return turned_profile([(0.0, 0.0), (r, 0.0), (r, neck), (wide, neck), (0.0, length)])
