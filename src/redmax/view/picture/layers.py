"""Sheets over what is seen: fragments in front of solid things, sorted by sample and depth, mixed from the farthest on.

Light changes little across a sheet within a pixel: it is found once for each layer of a pixel and shared by the samples that show it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.raster import Seen, fragments, plane, ranks
from redmax.view.picture.shading import roll_off, rowwise, shaded, unit
from redmax.view.picture.sheets import Sheet, growth
from redmax.view.picture.solids import grain, shares
from redmax.view.picture.theme import to_screen

if TYPE_CHECKING:
    from redmax.view.picture.paint import Painter

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
    """Triangles of sheets in a picture: places (m, 3, 2) and nearness (m, 3) of their corners, and what their colour is found from."""

    places: Array
    nearness: Array
    normals: Single
    pattern: Single
    step: Single


def blended(
    light: Single, where: Whole, seen: Seen, pixels: Single, sheet: Sheet, painter: "Painter", shadow_map: Single
) -> tuple[Whole, Single]:
    """Samples (n,) that differ from what is behind, and their colours (n, 3), with the sheet over those of solid things."""
    film = filmed(sheet, painter)
    owner, sample, near = in_front(film, seen, painter.camera.size)
    if not len(owner):
        return where, light
    is_touched = np.zeros(len(seen.owner), bool)
    is_touched[sample] = is_touched[where] = True
    touched = np.flatnonzero(is_touched)
    layers = np.bincount(sample, minlength=len(is_touched))[touched]
    depth = ranks(layers)  # of the fragments, which are sorted
    shown, of = shared(sample, near, depth, len(pixels))
    parts = [shown[i : i + PORTION] for i in range(0, len(shown), PORTION)]
    found = [lit(film, owner[p], sample[p], near[p], painter, shadow_map) for p in parts]
    colour, cover = (np.concatenate(part) for part in zip(*found, strict=True))
    mixed = pixels[touched % len(pixels)]
    mixed[np.searchsorted(touched, where)] = light
    at = np.repeat(np.arange(len(touched)), layers)
    for k in range(int(depth.max()) + 1):
        here = np.flatnonzero(depth == k)
        mixed[at[here]] += cover[of[here], None] * (colour[of[here]] - mixed[at[here]])
    return touched, mixed


def filmed(sheet: Sheet, painter: "Painter") -> Film:
    places, nearness = painter.camera.project(sheet.corners)
    front = (nearness > 0).all(axis=1)
    places, pattern = places[front], sheet.pattern[front]
    normals = sheet.normals[front].astype(np.float32)
    return Film(places, nearness[front], normals, pattern.astype(np.float32), growth(places, pattern).astype(np.float32))


def in_front(film: Film, seen: Seen, size: tuple[int, int]) -> tuple[Whole, Whole, Single]:
    """All fragments of triangles that no solid thing hides, by sample and from the farthest on: triangle, sample, nearness."""
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))]
    for triangle, sample, near in fragments(film.places, plane(film.places, film.nearness), size):
        front = near * np.float32(1 + AHEAD) >= seen.nearness[sample]
        found.append((triangle[front], sample[front], near[front]))
    triangle, sample, near = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort((sample << 32) | near.view(np.int32), kind="stable")
    return triangle[order], sample[order], near[order]


def shared(sample: Whole, near: Single, depth: Whole, pixels: int) -> tuple[Whole, Whole]:
    """The fragments to find the light of; and for each fragment, which of those has its light.

    A fragment shares that of its pixel's first sample in the same layer, if that is about as near.
    """
    pixel, layers = sample % pixels, int(depth.max()) + 1
    first = np.full(pixels * layers, -1, np.int32)
    lead = np.flatnonzero(sample < pixels)  # of the first sample
    first[pixel[lead] * layers + depth[lead]] = lead
    leader = first[pixel * layers + depth]
    alone = (leader < 0) | (np.abs(near[leader] / near - 1) > SAME)
    leader = np.where(alone, np.arange(len(sample)), leader)
    is_shown = np.zeros(len(sample), bool)
    is_shown[leader] = True
    return np.flatnonzero(is_shown), (np.cumsum(is_shown) - 1)[leader]


def lit(film: Film, owner: Whole, sample: Whole, near: Single, painter: "Painter", shadow_map: Single) -> tuple[Single, Single]:
    """Colours (n, 3) as the screen has them, and how much they cover (n,), of fragments of sheets."""
    theme, around, lamp = painter.theme, painter.surroundings, painter.lamp
    place = painter.places(sample)
    world = painter.world(place, near)
    share, _ = shares(film.places, owner, place)
    weights = share * film.nearness[owner].astype(np.float32) / near[:, None]
    n = unit(np.einsum("nk,nkx->nx", weights, film.normals[owner]))
    toward = rowwise(n, unit(around.eye - world))
    n *= np.where(toward < 0, -1, 1).astype(np.float32)[:, None]
    away = np.einsum("ij,j->i", n, around.back) < 0
    key = lamp.reaches(shadow_map, world, np.where(away[:, None], -n, n), grain(place)) * np.where(away, THROUGH, 1).astype(np.float32)
    line = pattern_lines(np.einsum("nk,nkx->nx", weights, film.pattern[owner]), film.step[owner])
    base = theme.sheet + line[:, None] * (theme.sheet_line - theme.sheet)
    below = np.float32(0.3 * theme.ambient_light) * np.maximum(-n[:, 2], 0)
    light = shaded(base, n, theme.key_light * key, world, around) + below[:, None] * theme.ambient_sky * base
    cover = theme.sheet_opacity + (1 - np.abs(toward)) ** 3 * (GRAZING - theme.sheet_opacity)
    return to_screen(roll_off(light)), cover + line * (LINE_COVER - cover)


def pattern_lines(at: Single, pixel: Single) -> Single:
    """(n,): how much lines at whole numbers of `at` (n, 2) cover, where it grows by `pixel` (n, 2) from pixel to pixel."""
    drawn = np.clip(LINE_WIDTH * pixel, 0, 0.5)
    off = np.abs((at - np.float32(0.5)) % 1 - np.float32(0.5))
    s = np.clip((off - (drawn - 0.75 * pixel)) / (1.5 * pixel), 0, 1)
    dense = np.clip((pixel.max(axis=1) - 0.15) / 0.35, 0, 1)
    return (1 - s * s * (3 - 2 * s)).max(axis=1) * (1 - dense * dense * (3 - 2 * dense))
