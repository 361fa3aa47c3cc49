"""From where a live page looks at a sample, as the look of the scene says: its camera rests, follows a body, goes around, or passes
through key frames. The moves are those of pictures and pages (view/camera_path.py); what is followed is where the sample has it, since a
simulation that goes on has no last one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.model.cameras import as_camera
from redmax.model.look import Look
from redmax.view.camera_path import CameraPath, camera_path
from redmax.view.followed import Followed, followed
from redmax.view.framing import Framing
from redmax.view.live.look import Viewpoint, first_view
from redmax.view.live.recording import Recording
from redmax.view.looks import place_of

Array = NDArray[np.float64]
STEEPEST = np.radians(89.9)  # straight down there is no upwards on the screen


@dataclass(frozen=True, eq=False)
class LiveCamera:
    """path: of the camera, without what it follows; seen: the samples; follow: the body and the point of it that it looks at, if any;
    is_given: whether somebody chose it"""

    path: CameraPath
    seen: Recording
    follow: tuple[int, Array] | None
    is_given: bool

    @property
    def moves(self) -> bool:
        """Whether it moves by itself."""
        return self.path.moving

    @property
    def home(self) -> Viewpoint:
        """Where it is but for its moves; of one that follows, around the origin."""
        path = self.path
        view = first_view(path.framing, target=path.target)
        away = view.position - view.look_at
        away = away / path.zoom if path.distance is None else away * (path.distance / np.linalg.norm(away))
        return moved(Viewpoint(view.look_at + away, view.look_at), np.zeros(6))

    def move(self, sample: int) -> Array:
        """(x, y, z, azimuth, elevation, log of how many times closer) from home."""
        found = self.path.moves(float(self.seen.t[sample])).copy()
        if self.follow is not None:
            body, point = self.follow
            E = self.seen.pose[sample, body]
            found[:3] += E[:3, :3] @ point + E[:3, 3]
        return found

    def view(self, sample: int) -> Viewpoint:
        return moved(self.home, self.move(sample))


def live_camera(look: Look, framing: Framing, seen: Recording, preview: Recording) -> LiveCamera:
    """framing: of the motion; preview: samples that show how far what is followed reaches."""
    camera = as_camera(look.camera)
    ahead = followed(seen.model, look, preview.pose, preview.t)
    around = None if ahead is None else Followed(np.zeros((1, 3)), ahead.around)
    watched = None if camera is None or camera.follow is None else place_of(seen.model, camera.follow)
    return LiveCamera(camera_path(look, framing, seen.t[:1], around), seen, watched, camera is not None)


def moved(view: Viewpoint, move: Array) -> Viewpoint:
    """A view moved by a vector, turned by two angles about what it looks at, and brought closer."""
    x, y, z = view.position - view.look_at
    azimuth = np.arctan2(y, x) + move[3]
    elevation = np.clip(np.arctan2(z, np.hypot(x, y)) + move[4], -STEEPEST, STEEPEST)
    level = np.cos(elevation)
    back = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
    target = view.look_at + move[:3]
    return Viewpoint(target + back * np.linalg.norm([x, y, z]) * np.exp(-move[5]), target)
