"""What a camera that follows looks at: a point of a body, and the size of what the body is joined with, seen from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.model.cameras import as_camera
from redmax.model.look import Look
from redmax.view.framing import in_world, outermost, sphere_directions
from redmax.view.looks import path_of, place_of
from redmax.view.sampling import frame_indices

if TYPE_CHECKING:
    from redmax.model.model import Model

Array = NDArray[np.float64]
LOOKS = 60  # at the motion


@dataclass(frozen=True, eq=False)
class Followed:
    """points: (T, 3) in the world; around: (k, 3) extreme points of what is to be seen, from there, as many on one side as on the other."""

    points: Array
    around: Array


def followed(model: Model, look: Look, poses: Array, times: Array) -> Followed | None:
    """What the camera of a look follows. poses: (T, links, 4, 4)."""
    camera = as_camera(look.camera)
    if camera is None or camera.follow is None:
        return None
    body, point = place_of(model, camera.follow)
    points = path_of(poses[:, body], point)
    some = frame_indices(times, np.inf, LOOKS)
    directions = np.vstack([np.eye(3), -np.eye(3), sphere_directions(42)])
    hull = np.zeros((0, 3))
    for i in joined_with(model, body):
        vertices = np.asarray(model.bodies[i].shape.mesh()[0], float)
        if len(vertices):
            seen = in_world(outermost(vertices), poses[some, i]).reshape(len(some), -1, 3) - points[some, None]
            hull = np.concatenate([hull, seen.reshape(-1, 3)])
            hull = hull[np.unique(np.argmax(hull @ directions.T, axis=0))]
    hull = hull if len(hull) else np.eye(3)
    return Followed(points, np.concatenate([hull, -hull]))


def joined_with(model: Model, body: int) -> list[int]:
    """The bodies that hang on the same one as a body does, in the world."""
    roots: list[int] = []
    for i, link in enumerate(model.bodies):
        roots.append(i if link.parent < 0 else roots[link.parent])
    return [i for i, root in enumerate(roots) if root == roots[body]]
