"""Sheets, and bodies that are not opaque, over what is seen: fragments in front of solid things, sorted by sample and depth, mixed from
the farthest on.

Light changes little across a sheet within a pixel: it is found once for each layer of a pixel and shared by the samples that show it.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.materials import FINISHES, Finish
from redmax.view.picture.camera import Camera
from redmax.view.picture.raster import SAMPLES, edges_from_first, fragments, plane, ranks
from redmax.view.picture.shading import roll_off, rowwise, shaded, unit
from redmax.view.picture.sheets import Sheet, growth
from redmax.view.picture.theme import to_screen
from redmax.view.picture.things import SeenSurface

if TYPE_CHECKING:
    from redmax.view.picture.paint import Band

Array = NDArray[np.float64]
Single = NDArray[Any]  # of single precision
Whole = NDArray[np.int64]
AHEAD = 3e-4  # by so much a sheet is nearer than a body whose surface it is
SAME = 0.01  # difference of nearness within one layer of a pixel
LINE_WIDTH, LINE_COVER = 0.55, 0.85
THROUGH = 0.85  # of the lamp shines through
GRAZING = 0.9  # cover along the line of sight
PORTION = 1 << 17  # fragments shaded at once


@dataclass(frozen=True, eq=False)
class Film:
    """Triangles that show through: places (m, 3, 2) and nearness (m, 3) of their corners, and what their colour is found from.

    tone: (m, 3) linear colours, of bodies; opacity: (m,), nan of sheets; finish: (m, 4), what they seem to be made of
    """

    places: Array
    nearness: Array
    normals: Single
    pattern: Single
    step: Single
    tone: Single
    opacity: Single
    finish: Single

    def rows(self, top: int, height: int) -> "Film":
        """Its triangles in some rows of the picture, counted from the first of these."""
        y = self.places[..., 1]
        keep = np.flatnonzero((y.max(axis=1) >= top) & (y.min(axis=1) < top + height))
        parts = {f.name: getattr(self, f.name)[keep] for f in fields(self)}
        return Film(**(parts | {"places": parts["places"] - (0.0, top)}))


def blend(film: Film, band: "Band") -> None:
    """Put what shows through over the samples of a band; those that it touches then are as if something solid was there."""
    owner, sample, near = in_front(film, band)
    if not len(owner):
        return
    touched, at, layers = np.unique(sample, return_inverse=True, return_counts=True)
    depth = ranks(layers)  # of the fragments, which are sorted
    shown, of = shared(sample, near, depth, band.pixels)
    parts = [shown[i : i + PORTION] for i in range(0, len(shown), PORTION)]
    found = [lit(film, owner[p], sample[p], near[p], band) for p in parts]
    colour, cover = (np.concatenate(part) for part in zip(*found, strict=True))
    mixed = np.where(band.owner[touched, None] >= 0, band.things[touched, :4], band.behind[touched // len(SAMPLES)])
    for k in range(int(depth.max()) + 1):
        here = np.flatnonzero(depth == k)
        mixed[at[here]] += cover[of[here], None] * (colour[of[here]] - mixed[at[here]])
    band.things[touched, :4] = mixed
    band.owner[touched] = 0


def filmed(sheet: Sheet, surfaces: Sequence[SeenSurface], camera: Camera) -> Film:
    """Sheets, and the sides of bodies that are turned to the eye."""
    parts = [sheet_film(sheet, camera), *(surface_film(s, camera) for s in surfaces)]
    return Film(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Film)))


def sheet_film(sheet: Sheet, camera: Camera) -> Film:
    places, nearness = camera.project(sheet.corners)
    front = (nearness > 0).all(axis=1)
    places, pattern = places[front], sheet.pattern[front]
    normals = sheet.normals[front].astype(np.float32)
    step, count = growth(places, pattern).astype(np.float32), len(places)
    none = np.full(count, np.nan, np.float32)
    return Film(
        places,
        nearness[front],
        normals,
        pattern.astype(np.float32),
        step,
        np.zeros((count, 3), np.float32),
        none,
        finishes(FINISHES["plastic"], count),
    )


def surface_film(surface: SeenSurface, camera: Camera) -> Film:
    places, nearness = camera.project(surface.corners)
    flat = np.cross(surface.corners[:, 1] - surface.corners[:, 0], surface.corners[:, 2] - surface.corners[:, 0])
    faces_eye = np.einsum("ij,ij->i", flat, camera.eye - surface.corners[:, 0]) > 0
    front = np.flatnonzero((nearness > 0).all(axis=1) & (faces_eye | (not surface.is_closed)))
    normals, count = surface.normals[front].astype(np.float32), len(front)
    nothing = np.zeros((count, 3, 2), np.float32), np.ones((count, 2), np.float32)
    tone = np.broadcast_to(surface.colour, (count, 3)).astype(np.float32)
    opacity = np.full(count, surface.opacity, np.float32)
    return Film(places[front], nearness[front], normals, *nothing, tone, opacity, finishes(surface.finish, count))


def finishes(finish: Finish, count: int) -> Single:
    """(count, 4)."""
    return np.tile(np.array(astuple(finish), np.float32), (count, 1))


def in_front(film: Film, band: "Band") -> tuple[Whole, Whole, Single]:
    """All fragments of triangles that no solid thing hides, by sample and from the farthest on: triangle, sample, nearness."""
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))]
    for triangle, sample, near in fragments(film.places, plane(film.places, film.nearness), (band.width, band.height)):
        front = near * np.float32(1 + AHEAD) >= band.nearest[sample]
        found.append((triangle[front], sample[front], near[front]))
    triangle, sample, near = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort((sample << 32) | near.view(np.int32), kind="stable")
    return triangle[order], sample[order], near[order]


def shared(sample: Whole, near: Single, depth: Whole, pixels: int) -> tuple[Whole, Whole]:
    """The fragments to find the light of; and for each fragment, which of those has its light.

    A fragment shares that of its pixel's first sample in the same layer, if that is about as near.
    """
    pixel, layers = sample // len(SAMPLES), int(depth.max()) + 1
    first = np.full(pixels * layers, -1, np.int32)
    lead = np.flatnonzero(sample % len(SAMPLES) == 0)  # of the first sample
    first[pixel[lead] * layers + depth[lead]] = lead
    leader = first[pixel * layers + depth]
    alone = (leader < 0) | (np.abs(near[leader] / near - 1) > SAME)
    leader = np.where(alone, np.arange(len(sample)), leader)
    is_shown = np.zeros(len(sample), bool)
    is_shown[leader] = True
    return np.flatnonzero(is_shown), (np.cumsum(is_shown) - 1)[leader]


def lit(film: Film, owner: Whole, sample: Whole, near: Single, band: "Band") -> tuple[Single, Single]:
    """Colours (n, 4) as the screen has them, with 1, and how much they cover (n,), of fragments."""
    around, lamp = band.sight.surroundings, band.sight.lamp
    theme = around.theme
    place = band.places(sample)
    world = band.sight.camera.world(place + np.array([0, band.top], np.float32), near)
    share = shares(film.places, owner, place)
    weights = share * film.nearness[owner].astype(np.float32) / near[:, None]
    n = unit(np.einsum("nk,nkx->nx", weights, film.normals[owner]))
    toward = rowwise(n, unit(around.eye - world))
    n *= np.where(toward < 0, -1, 1).astype(np.float32)[:, None]
    is_sheet = np.isnan(film.opacity[owner])
    away = is_sheet & (np.einsum("ij,j->i", n, around.back) < 0)
    key = lamp.reaches(band.shadow, world, np.where(away[:, None], -n, n), grain(place))
    key = theme.key_light * key * np.where(away, THROUGH, 1).astype(np.float32)
    line = pattern_lines(np.einsum("nk,nkx->nx", weights, film.pattern[owner]), film.step[owner]) * is_sheet
    base = np.where(is_sheet[:, None], theme.sheet + line[:, None] * (theme.sheet_line - theme.sheet), film.tone[owner])
    below = np.float32(0.3 * theme.ambient_light) * np.maximum(-n[:, 2], 0) * is_sheet
    light = shaded(base, n, key, world, around, film.finish[owner]) + below[:, None] * theme.ambient_sky * base
    usual = np.where(is_sheet, theme.sheet_opacity, film.opacity[owner])
    cover = usual + (1 - np.abs(toward)) ** 3 * (np.maximum(GRAZING * (usual > 0), usual) - usual) * np.where(is_sheet, 1, usual)
    colour = np.concatenate([to_screen(roll_off(light)), np.ones((len(n), 1), np.float32)], axis=1)
    return colour, (cover + line * (LINE_COVER - cover)).astype(np.float32)


def shares(places: Array, owner: Whole, place: Single) -> Single:
    """(n, 3): how near a place is to each corner of its triangle, 0 on the edge across to 1."""
    u, v = edges_from_first(places)
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    p = place.astype(np.float64) - places[owner, 0]
    u, v, inverse = u[owner], v[owner], 1 / area[owner]
    second = (p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]) * inverse
    third = (u[:, 0] * p[:, 1] - u[:, 1] * p[:, 0]) * inverse
    return np.stack([1 - second - third, second, third], axis=1).astype(np.float32)


def grain(place: Single) -> Single:
    """(n,) angles that differ between neighbouring places, evenly over any few of them: interleaved gradient noise (Jimenez 2014)."""
    return np.float32(2 * np.pi) * ((52.9829189 * ((place.astype(np.float64) * 2 @ [0.06711056, 0.00583715]) % 1)) % 1).astype(np.float32)


def pattern_lines(at: Single, pixel: Single) -> Single:
    """(n,): how much lines at whole numbers of `at` (n, 2) cover, where it grows by `pixel` (n, 2) from pixel to pixel."""
    drawn = np.clip(LINE_WIDTH * pixel, 0, 0.5)
    off = np.abs((at - np.float32(0.5)) % 1 - np.float32(0.5))
    s = np.clip((off - (drawn - 0.75 * pixel)) / (1.5 * pixel), 0, 1)
    dense = np.clip((pixel.max(axis=1) - 0.15) / 0.35, 0, 1)
    return (1 - s * s * (3 - 2 * s)).max(axis=1) * (1 - dense * dense * (3 - 2 * dense))
