"""Where the eye, the lamp and the ground are, and the numbers that the routines have of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import Look
from redmax.view.framing import Framing
from redmax.view.picture import view_facts as parts
from redmax.view.picture.camera import Camera
from redmax.view.picture.ground import ground_facts, scene_size
from redmax.view.picture.lamp import SOFTNESS, Lamp, lamp_for
from redmax.view.picture.light import BRIGHTEST, STEPS
from redmax.view.picture.shading import roll_off
from redmax.view.picture.theme import Theme, to_screen

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
Box = tuple[tuple[int, int], tuple[int, int]]
OPENING = 0.12  # of the size of the scene, up to where the ground darkens what is above it
FAR = 3.0  # times as large as what is followed: from there on lamp and ground go with it


@dataclass(frozen=True, eq=False)
class Sight:
    """framing: of what the lamp and the ground are made for; camera: the eye; stays: whether many pictures are made from there."""

    framing: Framing
    camera: Camera
    theme: Theme
    look: Look
    stays: bool = False

    @cached_property
    def lamp(self) -> Lamp:
        return lamp_for(self.framing, 2 * int(np.clip(0.45 * max(self.camera.size), 256, 1024)))

    @property
    def has_shade(self) -> bool:
        """Whether shadows on the ground can be seen."""
        return self.look.has_ground and bool(self.camera.eye[2] > self.framing.ground)

    def shaded_box(self, shade: Single) -> Box:
        """From where to where in the picture, across and down, there is shade on the ground. shade: of the lamp, v by u."""
        width, height = self.camera.size
        rows, columns = (np.flatnonzero(shade.any(axis=k)) for k in (1, 0))
        if not len(rows):
            return (0, 0), (0, 0)
        u, v = ((np.array([x[0] - 1, x[-1] + 2]) / len(shade)) for x in (columns, rows))  # between entries it is mixed
        places, nearness = self.camera.project(self.lamp.on_ground(*(x.ravel() for x in np.meshgrid(u, v))))
        if not nearness.all():
            return (0, width), (0, height)
        low, high = np.floor(places.min(axis=0)) - 1, np.ceil(places.max(axis=0)) + 1
        (left, top), (right, bottom) = (np.clip(x, 0, (width, height)).astype(int).tolist() for x in (low, high))
        return (left, right), (top, bottom)

    def moved(self, camera: Camera, around: Framing, shift: Array) -> Sight:
        """The same with the eye elsewhere. around: what a camera that follows sees, at the origin; shift: where that is."""
        if self.framing.size > FAR * around.size:
            framing = replace(self.framing, hull=around.hull + shift)
            return Sight(framing, camera, self.theme, self.look)
        other = Sight(self.framing, camera, self.theme, self.look)
        other.__dict__["lamp"] = self.lamp  # which stays
        return other

    @cached_property
    def ground(self) -> Single:
        """Numbers of the ground."""
        shown = {"shown": self.look.has_ground, "opaque": not self.look.is_clear}
        return ground_facts(self.camera, self.framing, self.lamp, self.theme, **shown)

    @cached_property
    def facts(self) -> Single:
        """Numbers of the eye and of the lights."""
        found, camera, lamp, theme = np.zeros(parts.VIEW, np.float32), self.camera, self.lamp, self.theme
        for at, value in (
            (parts.EYE, camera.eye), (parts.RIGHT, camera.axes), (parts.SLOPES, camera.slopes), (parts.SIZE, camera.size),
            (parts.LAMP, lamp.axes), (parts.CORNER, lamp.corner), (parts.SCALE, (lamp.width, lamp.width, -lamp.depth)),
            (parts.FILL, lamp.fill), (parts.TEXEL, lamp.texel), (parts.SOFT, SOFTNESS * lamp.depth / lamp.width),
            (parts.STEEP, lamp.width / lamp.depth), (parts.KEY, theme.key_light), (parts.AMBIENT, theme.ambient_light),
            (parts.SKY, theme.ambient_sky), (parts.FLOOR, theme.ambient_floor), (parts.HEIGHT, self.framing.ground),
            (parts.REACH, OPENING * scene_size(self.framing)),
        ):  # fmt: skip
            given = np.ravel(np.asarray(value, np.float32))
            found[at : at + len(given)] = given
        return found


@cache
def bent_table() -> Single:
    """Light from 0 to 4 as the screen has it, bent where it is too bright."""
    return to_screen(roll_off(np.linspace(0, BRIGHTEST, STEPS + 1).astype(np.float32)))
