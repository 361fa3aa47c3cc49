"""Where the eye, the lamp and the ground are, and the numbers that the routines have of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import Look
from redmax.view.framing import Framing
from redmax.view.picture import light as parts
from redmax.view.picture.camera import Camera
from redmax.view.picture.ground import ground_facts, scene_size
from redmax.view.picture.lamp import SOFTNESS, Lamp, lamp_for
from redmax.view.picture.shading import Surroundings, roll_off
from redmax.view.picture.theme import Theme, to_screen

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
FAR = 3.0  # times as large as what is followed: from there on lamp and ground go with it


@dataclass(frozen=True, eq=False)
class Sight:
    """framing: of what the lamp and the ground are made for; camera: the eye; stays: whether many pictures are made from there.

    scenery: then what is behind, by the first row of each band
    """

    framing: Framing
    camera: Camera
    theme: Theme
    look: Look
    stays: bool = False
    scenery: dict[int, Single] = field(default_factory=dict)

    @cached_property
    def lamp(self) -> Lamp:
        return lamp_for(self.framing, 2 * int(np.clip(0.55 * max(self.camera.size), 256, 1024)))

    @property
    def has_shade(self) -> bool:
        """Whether shadows on the ground can be seen."""
        return self.look.has_ground and bool(self.camera.eye[2] > self.framing.ground)

    @cached_property
    def surroundings(self) -> Surroundings:
        eye, back, fill = (x.astype(np.float32) for x in (self.camera.eye, self.lamp.axes[2], self.lamp.fill))
        return Surroundings(self.theme, eye, back, fill, self.framing.ground, 0.12 * scene_size(self.framing))

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
        around = self.surroundings
        for at, value in (
            (parts.EYE, camera.eye), (parts.RIGHT, camera.axes), (parts.SLOPES, camera.slopes), (parts.SIZE, camera.size),
            (parts.LAMP, lamp.axes), (parts.CORNER, lamp.corner), (parts.SCALE, (lamp.width, lamp.width, -lamp.depth)),
            (parts.FILL, lamp.fill), (parts.TEXEL, lamp.texel), (parts.SOFT, SOFTNESS * lamp.depth / lamp.width),
            (parts.STEEP, lamp.width / lamp.depth), (parts.KEY, theme.key_light), (parts.AMBIENT, theme.ambient_light),
            (parts.SKY, theme.ambient_sky), (parts.FLOOR, theme.ambient_floor), (parts.HEIGHT, around.floor), (parts.REACH, around.reach),
        ):  # fmt: skip
            given = np.ravel(np.asarray(value, np.float32))
            found[at : at + len(given)] = given
        return found


@cache
def bent_table() -> Single:
    """Light from 0 to 4 as the screen has it, bent where it is too bright."""
    return to_screen(roll_off(np.linspace(0, parts.BRIGHTEST, parts.STEPS + 1).astype(np.float32)))
