"""One picture: what is seen at each sample, the light there, edges and sheets over it, and the mean of the samples of each pixel."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.framing import Framing
from redmax.view.picture.camera import Camera
from redmax.view.picture.ground import Backdrop, backdrop, scene_size
from redmax.view.picture.lamp import Lamp, lamp_for
from redmax.view.picture.layers import blended
from redmax.view.picture.lines import tinted
from redmax.view.picture.moment import moment_at
from redmax.view.picture.raster import SAMPLES, Seen, visible
from redmax.view.picture.shading import Surroundings
from redmax.view.picture.sheets import sheets
from redmax.view.picture.solids import Solids, colours, solids
from redmax.view.picture.theme import Theme
from redmax.view.picture.things import Thing, things
from redmax.view.stage import Stage

Single = NDArray[Any]  # of single precision
Whole = NDArray[np.int64]
PORTION = 1 << 17  # samples shaded at once: what fits into the cache is several times faster


@dataclass(frozen=True, eq=False)
class Painter:
    """Paints a stage as one camera sees it; what does not change with time is made once."""

    stage: Stage
    framing: Framing
    camera: Camera
    theme: Theme

    @cached_property
    def things(self) -> list[Thing]:
        return things(self.stage, scene_size(self.framing))

    @cached_property
    def lamp(self) -> Lamp:
        return lamp_for(self.framing, 2 * int(np.clip(0.55 * max(self.camera.size), 256, 1024)))

    @cached_property
    def backdrop(self) -> Backdrop:
        return backdrop(self.camera, self.framing, self.lamp, self.theme)

    @cached_property
    def surroundings(self) -> Surroundings:
        eye, back, fill = (x.astype(np.float32) for x in (self.camera.eye, self.lamp.axes[2], self.lamp.fill))
        return Surroundings(self.theme, eye, back, fill, self.framing.ground, 0.12 * scene_size(self.framing))

    def paint(self, t: float) -> NDArray[np.uint8]:
        """(height, width, 3): the picture at time t, s."""
        moment = moment_at(self.stage.times, t)
        surfaces = [thing.at(moment, self.theme) for thing in self.things]
        shadow_map = self.lamp.shadow_map(np.concatenate([s.corners for s in surfaces]))
        pixels = self.behind(shadow_map)
        scene = solids(surfaces, self.camera)
        seen = visible(scene.places, scene.nearness, self.camera.size)
        where = np.flatnonzero(seen.owner >= 0)
        light = np.concatenate([self.light(scene, seen, part, shadow_map) for part in parts(where)])
        light = tinted(light, where, seen, surfaces, self.camera)
        where, light = blended(light, where, seen, pixels, sheets(self.stage.drawings, moment), self, shadow_map)
        return self.resolved(pixels, where, light)

    def behind(self, shadow_map: Single) -> Single:
        """(pixels, 3): sky and ground as the screen has them."""
        back = self.backdrop
        pixels = back.sky.reshape(-1, 3).copy()
        floor, cover = back.painted(self.lamp.ground_shade(shadow_map), self.theme)
        pixels[back.where] += cover[:, None] * (floor - pixels[back.where])
        return pixels

    def light(self, scene: Solids, seen: Seen, where: Whole, shadow_map: Single) -> Single:
        """(n, 3): colours of the solid things seen at samples `where` (n,), as the screen has them."""
        place, near = self.places(where), seen.nearness[where]
        world = self.world(place, near)
        return colours(scene, seen.owner[where], place, near, world, (self.lamp, shadow_map, self.surroundings))

    def places(self, where: Whole) -> Single:
        """(n, 2): where samples are in the picture."""
        width, height = self.camera.size
        s, pixel = np.divmod(where, width * height)
        y, x = np.divmod(pixel, width)
        return (np.stack([x, y], axis=1) + SAMPLES[s]).astype(np.float32)

    def world(self, place: Single, near: Single) -> Single:
        """(n, 3): points of the world at places (n, 2) and nearness (n,)."""
        return (self.camera.eye + self.camera.rays(place.astype(np.float64)) / near[:, None]).astype(np.float32)

    def resolved(self, pixels: Single, where: Whole, light: Single) -> NDArray[np.uint8]:
        """The mean over the samples of each pixel; those that are not in `where` show what is behind."""
        width, height = self.camera.size
        at, count = where % (width * height), width * height
        share = 1 - np.bincount(at, minlength=count) / len(SAMPLES)
        total = share[:, None] * pixels
        for k in range(3):
            total[:, k] += np.bincount(at, light[:, k], minlength=count) / len(SAMPLES)
        return np.clip(np.rint(255 * total), 0, 255).astype(np.uint8).reshape(height, width, 3)


def parts(where: Whole) -> list[Whole]:
    """Portions; at least one, which may be empty."""
    return np.array_split(where, max(1, -(-len(where) // PORTION)))
