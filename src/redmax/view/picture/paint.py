"""One picture, band of rows by band of rows: what is seen at each sample, the light there, what shows through over it, and the mean of
the samples of each pixel. A band is so small that all of it stays in the cache."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.model.look import USUAL, Look
from redmax.view.camera_path import CameraPath
from redmax.view.framing import Framing
from redmax.view.picture.camera import Camera, camera_at
from redmax.view.picture.compiled import Memory
from redmax.view.picture.composed import compose
from redmax.view.picture.ground import GROUND, behind, scene_size, scenery, sky
from redmax.view.picture.lamp import CENTRE, Lamp, disc_points
from redmax.view.picture.layers import Film, blend, filmed
from redmax.view.picture.level_scale import coloured_by_level, with_scale
from redmax.view.picture.light import SEARCH, TAPS, TURNS, VIEW, light
from redmax.view.picture.moment import moment_at
from redmax.view.picture.raster import SAMPLES
from redmax.view.picture.scan import scan
from redmax.view.picture.sheets import sheets
from redmax.view.picture.sight import Sight, bent_table
from redmax.view.picture.solids import Solids, line_triangles, solids
from redmax.view.picture.theme import Theme, screen_table
from redmax.view.picture.things import Thing, things
from redmax.view.stage import Stage

Single = NDArray[Any]  # of single precision
BAND = 1 << 17  # pixels of a band, about
ROOM = 1.25  # tables are so much longer than they need be at first: arrows and trails grow


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

    def paint(self, t: float, memory: list[Memory] | None = None) -> NDArray[np.uint8]:
        """(height, width, 3), or 4 with the opacity where the background is transparent: the picture at time t, s.

        memory: kept from picture to picture by who paints many, and by nobody else meanwhile
        """
        moment, sight = moment_at(self.stage.times, t), self.sight_at(t)
        sight = sight if memory is not None else replace(sight, stays=False)
        surfaces = [thing.at(moment, self.theme) for thing in self.things]
        opaque = [s for s in surfaces if s.opacity >= 1]
        clear = [s for s in surfaces if 0 < s.opacity < 1]
        scene, film = solids(opaque, sight.camera), filmed(sheets(self.stage.drawings, moment), clear, sight.camera)
        lines = line_triangles(opaque, scene.things, sight.camera)
        frame = Frame(sight, memory if memory is not None else [], scene, lines)
        frame.cast([s.corners for s in surfaces if s.casts and s.opacity > 0])
        picture = frame.painted(film, self.look.is_clear)
        return with_scale(picture, self.theme) if self.look.marks and coloured_by_level(self.stage.paths) else picture


class Frame:
    """One picture on its way, in the memory of the routines."""

    def __init__(self, sight: Sight, kept: list[Memory], scene: Solids, lines: tuple[Single, Single]) -> None:
        self.sight, self.counts = sight, (len(scene.places), len(lines[0]), len(scene.things))
        width, height = sight.camera.size
        self.rows = min(max(BAND // width, 1), height)
        needed = {"triangles": self.counts[0], "lines": self.counts[1], "things": self.counts[2]}
        if not kept or any(kept[0].shapes[name][0] < count for name, count in needed.items()):
            kept[:] = [self.memory({name: int(ROOM * count) + 8 for name, count in needed.items()})]
            kept[0].put(samples=SAMPLES, middle=CENTRE, screen=bent_table(), plain=screen_table(), turns=turned(), disc=looks())
        self.kept, self.m = kept, kept[0]
        self.m.put(triangles=scene.triangles, normals=scene.normals, facts=scene.facts, things=scene.things, lines=lines[0], of=lines[1])
        self.m.put(view=sight.facts, ground=sight.ground, sky=sky(height, sight.theme))

    def memory(self, rooms: dict[str, int]) -> Memory:
        """Room for so many triangles, lines and things, and for a band."""
        (width, height), lamp = self.sight.camera.size, self.sight.lamp
        triangles, lines, band = rooms["triangles"], rooms["lines"], self.rows * width
        return Memory(
            triangles=(triangles, 9), normals=(triangles, 12), facts=(triangles, 4), things=(rooms["things"], 25),
            lines=(lines, 9), of=(lines,), view=(VIEW,), ground=(GROUND,), sky=(height, 3), samples=(len(SAMPLES), 2), middle=(1, 2),
            screen=(len(bent_table()),), plain=(len(screen_table()),), turns=(TURNS, 2), disc=(SEARCH + TAPS, 2),
            shadow=(lamp.pixels**2,), unused=(lamp.pixels**2,), shade=((lamp.pixels // 2) ** 2,), casting=(2 * triangles, 9),
            nearest=(4 * band,), owner=(4 * band,), line=(4 * band,), seen=(4 * band, 8), scene=(band, 8), behind=(band, 4), out=(band, 4),
        )  # fmt: skip

    def cast(self, corners: list[Single]) -> None:
        """The shadow map, and the shade on the ground."""
        lamp, m = self.sight.lamp, self.m
        at = lamp.inside(np.concatenate([np.zeros((0, 3, 3)), *corners]))
        triangles = np.concatenate([at[..., :2] * lamp.pixels, 2 - at[..., 2:]], axis=2).reshape(-1, 9)
        m.part("shadow")[:] = 0
        room = len(m.part("casting"))
        for k in range(0, len(triangles), room):
            m.put(casting=triangles[k : k + room])
            count = min(room, len(triangles) - k)
            m.call(scan, "casting", count, "middle", 1, lamp.pixels, 0, lamp.pixels, "shadow", "unused", 0, "of", "line")
        if self.sight.has_shade:
            m.put(shade=lamp.ground_shade(self.shadow))

    @property
    def shadow(self) -> Single:
        return self.m.part("shadow").reshape(self.sight.lamp.pixels, -1)

    def painted(self, film: Film, is_clear: bool) -> NDArray[np.uint8]:
        """All bands, one below the other."""
        width, height = self.sight.camera.size
        picture = np.empty((height, width, 4 if is_clear else 3), np.uint8)
        for top in range(0, height, self.rows):
            rows = min(self.rows, height - top)
            band = Band(self, top, rows)
            band.fill(film, is_clear)
            picture[top : top + rows] = self.m.part("out")[: rows * width, : picture.shape[2]].reshape(rows, width, -1)
        return picture


@dataclass(frozen=True, eq=False)
class Band:
    """Some rows of a picture, `height` of them from `top` on."""

    frame: Frame
    top: int
    height: int

    @property
    def sight(self) -> Sight:
        return self.frame.sight

    @property
    def shadow(self) -> Single:
        return self.frame.shadow

    @property
    def width(self) -> int:
        return self.sight.camera.size[0]

    @property
    def pixels(self) -> int:
        return self.width * self.height

    @property
    def nearest(self) -> Single:
        return self.frame.m.part("nearest")

    @property
    def owner(self) -> Single:
        """Of each sample, the number of a triangle, or -1."""
        return self.frame.m.part("owner")

    @property
    def things(self) -> Single:
        """(samples, 8): red, green, blue and opacity of solid things, and what else the routine notes."""
        return self.frame.m.part("seen")

    @property
    def behind(self) -> Single:
        return self.frame.m.part("behind")

    def places(self, sample: NDArray[np.int64]) -> Single:
        """(n, 2): where samples are, from the upper left corner of the band."""
        pixel, s = np.divmod(sample, len(SAMPLES))
        y, x = np.divmod(pixel, self.width)
        return (np.stack([x, y], axis=1) + SAMPLES[s]).astype(np.float32)

    def fill(self, film: Film, is_clear: bool) -> None:
        """The pixels of the band, into the memory."""
        m, (triangles, lines, _) = self.frame.m, self.frame.counts
        for name, value in (("nearest", 0), ("owner", -1), ("line", 0)):
            m.part(name)[: 4 * self.pixels] = value
        where = (self.width, self.top, self.height)
        m.call(scan, "triangles", triangles, "samples", 4, *where, "nearest", "owner", 0, "of", "line")
        m.call(scan, "lines", lines, "samples", 4, *where, "nearest", "owner", 1, "of", "line")
        near = (self.pixels, self.width, self.top, 4)
        tables = ("samples", "triangles", "normals", "facts", "things", "view", "shadow")
        m.call(light, *near, "nearest", "owner", "line", *tables, self.sight.lamp.pixels, "screen", "turns", "disc", "seen")
        self.place_scenery()
        m.call(behind, self.pixels, 4, "owner", "ground", "scene", "shade", self.sight.lamp.pixels // 2, "plain", "behind")
        if len(film.places):
            blend(film.rows(self.top, self.height), self)
        m.call(compose, self.pixels, 4, int(is_clear), "owner", "seen", "behind", "out")

    def place_scenery(self) -> None:
        """Sky and ground, from the picture before where the eye stays."""
        m, kept, scene = self.frame.m, self.sight.scenery, self.frame.m.part("scene")
        if self.top not in kept:
            m.call(scenery, self.pixels, self.width, self.top, "view", "ground", "sky", "plain", "scene")
            if self.sight.stays:
                kept[self.top] = scene[: self.pixels].copy()
        else:
            scene[: self.pixels] = kept[self.top]


def turned() -> Single:
    """(TURNS, 2): cosines and sines all around."""
    angle = 2 * np.pi * np.arange(TURNS) / TURNS
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def looks() -> Single:
    """(SEARCH + TAPS, 2): places in the unit disc, those of the search first."""
    return np.concatenate([disc_points(SEARCH), disc_points(TAPS)])
