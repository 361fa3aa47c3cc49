"""One picture of a stage: all that is there at a moment, seen from where the camera is then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import USUAL, Look
from redmax.view.camera_path import CameraPath
from redmax.view.framing import Framing
from redmax.view.picture.camera import Camera, camera_at
from redmax.view.picture.contact_words import with_words
from redmax.view.picture.frame import Canvas, Frame
from redmax.view.picture.ground import scene_size
from redmax.view.picture.lamp import Lamp
from redmax.view.picture.layers import filmed
from redmax.view.picture.level_scale import coloured_by_level, with_scale
from redmax.view.picture.moment import moment_at
from redmax.view.picture.sheets import sheets
from redmax.view.picture.sight import Sight
from redmax.view.picture.solids import line_triangles, solids
from redmax.view.picture.theme import Theme
from redmax.view.picture.things import Thing, things
from redmax.view.stage import Stage


@dataclass(frozen=True, eq=False)
class Painter:
    """Paints a stage; what does not change with time is made once. camera: where it is; or path: where it is at each moment."""

    stage: Stage
    framing: Framing
    camera: Camera
    theme: Theme
    look: Look = USUAL
    path: CameraPath | None = None

    @cached_property
    def things(self) -> list[Thing]:
        return things(self.stage, scene_size(self.framing))

    @cached_property
    def sight(self) -> Sight:
        """Of a camera that stays."""
        return Sight(self.framing, self.camera, self.theme, self.look, stays=True)

    @property
    def lamp(self) -> Lamp:
        return self.sight.lamp

    def sight_at(self, t: float) -> Sight:
        """The camera, the lamp and the ground at time t."""
        if self.path is None or not self.path.moving:
            return self.sight
        return self.sight.moved(camera_at(self.path, t, self.camera.size), self.path.framing, self.path.moves(t)[:3])

    def paint(self, t: float, memory: list[Canvas] | None = None) -> NDArray[np.uint8]:
        """(height, width, 3), or 4 with the opacity where the background is transparent: the picture at time t, s.

        memory: kept from picture to picture by who paints many, and by nobody else meanwhile
        """
        moment, sight = moment_at(self.stage.times, t), self.sight_at(t)
        sight = sight if memory is not None else replace(sight, stays=False)
        surfaces = [thing.at(moment, self.theme) for thing in self.things]
        opaque = [s for s in surfaces if s.opacity >= 1]
        clear = [s for s in surfaces if 0 < s.opacity < 1]
        scene = solids(opaque, sight.camera)
        film = filmed(sheets(self.stage.drawings, moment), clear, sight.camera, self.theme, len(opaque))
        lines = line_triangles(opaque, scene.things, sight.camera)
        frame = Frame(sight, memory if memory is not None else [], scene, lines, film)
        frame.cast([s.corners for s in surfaces if s.casts and s.opacity > 0])
        picture = frame.painted(self.look.is_clear)
        scaled = self.look.marks and coloured_by_level(self.stage.paths)
        picture = with_scale(picture, self.theme) if scaled else picture
        return with_words(picture, self.theme, line=int(scaled)) if self.look.marks and self.stage.contacts is not None else picture
