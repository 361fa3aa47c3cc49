"""One picture on its way, band of rows by band of rows: what is seen at each sample, then pixel by pixel its colour.

Most pixels show nothing but sky and ground, which stay as they are as long as the eye does: only those where there may be something, or
its shade, are found anew. A band is so small that what is there stays in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.clear_light import CLEAR_FACTS
from redmax.view.picture.compiled import Memory
from redmax.view.picture.composed import CLEAREST, compose
from redmax.view.picture.ground import GROUND, scenery, sky
from redmax.view.picture.lamp import CENTRE, disc_points
from redmax.view.picture.layers import Film
from redmax.view.picture.raster import SAMPLES
from redmax.view.picture.scan import CLEAR, FRAGMENT, LINE, SOLID, scan
from redmax.view.picture.sight import Sight, bent_table
from redmax.view.picture.soft_shadow import MORE, SEARCH, TAPS, TURNS
from redmax.view.picture.solids import Solids
from redmax.view.picture.theme import screen_table
from redmax.view.picture.view_facts import THING, VIEW

Single = NDArray[Any]  # of single precision
BAND = 1 << 17  # pixels of a band, about
KEPT = 1 << 21  # pixels of which sky and ground are kept from picture to picture
ROOM = 1.25  # tables are so much longer than they need be at first: arrows and trails grow
FRAGMENTS = 1 << 19  # of what shows through in a band; a band with more is cut in two
LAYERS = 64  # there is room for, across a whole row


@dataclass(eq=False)
class Canvas:
    """What is kept from picture to picture: the memory of the routines, and the picture of sky and ground where the eye stays."""

    memory: Memory
    backdrop: NDArray[np.uint8] | None = None


class Frame:
    """One picture, on a canvas."""

    def __init__(self, sight: Sight, kept: list[Canvas], scene: Solids, lines: tuple[Single, Single], film: Film) -> None:
        self.sight, self.counts = sight, (len(scene.places), len(lines[0]), len(film.triangles))
        things = np.concatenate([scene.things, film.things])
        self.width, self.height = sight.camera.size
        self.rows = min(max(BAND // self.width, 1), self.height)
        self.keeps = sight.stays and self.width * self.height <= KEPT
        needed = {"triangles": self.counts[0], "lines": self.counts[1], "films": self.counts[2], "things": len(things)}
        if not kept or any(kept[0].memory.shapes[name][0] < count for name, count in needed.items()):
            kept[:] = [Canvas(self.memory({name: int(ROOM * count) + 8 if count else 0 for name, count in needed.items()}))]
            tables = {"screen": bent_table(), "plain": screen_table(), "turns": turned(), "disc": looks()}
            kept[0].memory.put(samples=SAMPLES, middle=CENTRE, **tables)
        self.canvas, self.m = kept[0], kept[0].memory
        self.m.put(triangles=scene.triangles, normals=scene.normals, facts=scene.facts, things=things, lines=lines[0], of=lines[1])
        self.m.put(films=film.triangles, film_normals=film.normals, film_facts=film.facts)
        self.m.put(view=sight.facts, ground=sight.ground, sky=sky(self.height, sight.theme))
        self.shaded = (0, 0), (0, 0)

    def memory(self, rooms: dict[str, int]) -> Memory:
        """Room for so many triangles, lines and things, and for a band."""
        lamp, band = self.sight.lamp, self.rows * self.width
        triangles, lines, films = rooms["triangles"], rooms["lines"], rooms["films"]
        samples, scene = len(SAMPLES) * band, self.width * self.height if self.keeps else band
        room = max(FRAGMENTS, LAYERS * len(SAMPLES) * self.width) if films else 1
        return Memory(
            triangles=(triangles, 9), normals=(triangles, 12), facts=(triangles, 4), things=(rooms["things"], THING),
            lines=(lines, 9), of=(lines,), films=(films, 9), film_normals=(films, 9), film_facts=(films, CLEAR_FACTS),
            view=(VIEW,), ground=(GROUND,), sky=(self.height, 3), samples=(len(SAMPLES), 2), middle=(1, 2),
            screen=(len(bent_table()),), plain=(len(screen_table()),), turns=(TURNS, 2), disc=(SEARCH + TAPS + MORE, 2),
            shadow=(lamp.pixels**2,), unused=(lamp.pixels**2,), shade=((lamp.pixels // 2) ** 2,), casting=(2 * triangles + 8, 9),
            cast=(lamp.pixels, 2), reach=(self.rows, 2), nearest=(samples,), owner=(samples,), line=(samples,),
            heads=(samples if films else 1,), fragments=(room, FRAGMENT), used=(1,), seen=(len(SAMPLES), 8), scene=(scene, 8),
            out=(4 * band,),
        )  # fmt: skip

    def scan(self, triangles: str, count: int, kind: int, rows: tuple[int, int, int], map_of: tuple[str, str, str, str]) -> None:
        """Triangles of a kind into samples, (name, how many a pixel has) and where these are. rows: width, top and height."""
        samples, nearest, owner, reach = map_of
        shapes = self.m.shapes
        clear = (shapes["fragments"][0], "heads", "fragments", "used")
        self.m.call(
            scan, triangles, count, samples, shapes[samples][0], *rows, nearest, owner, kind, "of", "line", *clear, reach
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
            self.scan("casting", count, SOLID, (lamp.pixels, 0, lamp.pixels), ("middle", "shadow", "unused", "cast"))
        if self.sight.has_shade:
            shade = lamp.ground_shade(m.part("shadow").reshape(lamp.pixels, -1))
            m.put(shade=shade)
            self.shaded = self.sight.shaded_box(shade)

    def painted(self, is_clear: bool) -> NDArray[np.uint8]:
        """All bands, one below the other."""
        channels = 4 if is_clear else 3
        if self.keeps and self.canvas.backdrop is None:
            self.m.call(scenery, self.width * self.height, self.width, 0, "view", "ground", "sky", "plain", "scene")
            self.canvas.backdrop = as_bytes(self.m.part("scene"), channels).reshape(self.height, self.width, -1)
        kept = self.canvas.backdrop
        picture = np.empty((self.height, self.width, channels), np.uint8) if kept is None else kept.copy()
        for top in range(0, self.height, self.rows):
            self.paint(picture, top, min(self.rows, self.height - top))
        return picture

    def paint(self, picture: NDArray[np.uint8], top: int, height: int) -> None:
        """Some rows of the picture."""
        m, (triangles, lines, films), rows = self.m, self.counts, (self.width, top, height)
        band = ("samples", "nearest", "owner", "reach")
        if not self.keeps:
            m.call(scenery, self.width * height, self.width, top, "view", "ground", "sky", "plain", "scene")
            behind = m.part("scene")[: self.width * height]
            picture[top : top + height] = as_bytes(behind, picture.shape[2]).reshape(height, self.width, -1)
        reach = m.part("reach")[:height]
        reach[:] = self.width, 0
        (left, right), (first, last) = self.shaded
        reach[max(first - top, 0) : max(last - top, 0)] = left, right
        m.part("used")[:] = 0
        self.scan("triangles", triangles, SOLID, rows, band)
        self.scan("lines", lines, LINE, rows, band)
        self.scan("films", films, CLEAR, rows, band)
        if m.part("used")[0] > m.shapes["fragments"][0] and height > 1:
            self.empty(height)
            self.paint(picture, top, height // 2)
            self.paint(picture, top + height // 2, height - height // 2)
            return
        left, right = int(reach[:, 0].min()), int(reach[:, 1].max())
        if right > left:
            self.compose(picture[top : top + height, left:right], (height, self.width, top, left, right))

    def compose(self, part: NDArray[np.uint8], where: tuple[int, ...]) -> None:
        """A part of the picture, from the samples. where: height, width, top, and from which column to which."""
        clear, layers, lamp = int(part.shape[2] == 4), int(self.counts[2] > 0), self.sight.lamp
        seen = ("reach", "nearest", "owner", "line", "heads", "fragments", "samples", "triangles", "normals", "facts")
        tables = ("films", "film_normals", "film_facts", "things", "view", "shadow")
        kept = where[2] if self.keeps else 0
        behind = ("screen", "turns", "disc", "ground", "scene", kept, "shade", "plain", "seen", "out")
        self.m.call(compose, *where, clear, len(SAMPLES), layers, *seen, *tables, lamp.pixels, *behind)
        part[:] = self.m.part("out")[: part.size].reshape(part.shape)

    def empty(self, height: int) -> None:
        """Forget what is at the samples of a band."""
        for name in ("nearest", "owner", "line", "heads"):
            self.m.part(name)[: len(SAMPLES) * height * self.width] = 0


def as_bytes(scene: Single, channels: int) -> NDArray[np.uint8]:
    """(n, channels): red, green and blue, and opacity if it is wanted, of what is behind (n, 8), as `compose` has them."""
    share = np.float32(255) / np.maximum(scene[:, 3:4], np.float32(CLEAREST)) if channels == 4 else np.float32(255)
    scaled = scene[:, :channels] * np.broadcast_to(share, (len(scene), 1))
    if channels == 4:
        scaled[:, 3] = 255 * scene[:, 3]
    return np.minimum(scaled + np.float32(0.5), np.float32(255.5)).astype(np.uint8)


def turned() -> Single:
    """(TURNS, 2): cosines and sines all around."""
    angle = 2 * np.pi * np.arange(TURNS) / TURNS
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def looks() -> Single:
    """(SEARCH + TAPS + MORE, 2): places in the unit disc, those of the search first."""
    return np.concatenate([disc_points(SEARCH), disc_points(TAPS + MORE)])
