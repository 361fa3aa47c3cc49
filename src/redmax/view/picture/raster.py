"""Which triangle is seen where, by the compiled routines of scan.py; and all fragments, those that others hide included, with NumPy.

A triangle is cut into spans, one for each row of samples that it crosses; a span into fragments. Ends of rows and spans are half open
and the crossing of an edge with a row is found from its lower end upwards, so that triangles with a common edge leave no gap between
them and never share a sample.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.compiled import Memory
from redmax.view.picture.scan import scan

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
PORTION = 1 << 20  # fragments at once
ROWS = 1 << 20  # spans at once
CORNERS = np.array([[0, 1], [1, 2], [2, 0]])  # of the edges of a triangle
SAMPLES = np.array([[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]])  # of a pixel: no two in one row or column


@dataclass(frozen=True, eq=False)
class Seen:
    """What is seen at each of `count` samples: owner, (count,) the number of a triangle, or -1; nearness (count,), 0 where nothing is."""

    owner: NDArray[np.int32]
    nearness: NDArray[np.float32]


def visible(places: Array, nearness: Array, size: tuple[int, int], samples: Array = SAMPLES) -> Seen:
    """The nearest triangle at every sample. places: (m, 3, 2) of the corners, pixels; nearness: (m, 3) of them, positive.

    Samples are numbered pixel by pixel, row by row: (y, x, sample).
    """
    width, height = size
    count = width * height * len(samples)
    memory = Memory(triangles=(max(len(places), 1), 9), samples=(len(samples), 2), nearest=(count,), owner=(count,))
    memory.put(triangles=np.concatenate([places, nearness[..., None]], axis=2), samples=samples, owner=np.full(count, -1))
    memory.call(scan, "triangles", len(places), "samples", len(samples), width, 0, height, "nearest", "owner", 0, "owner", "owner")
    return Seen(memory.part("owner").astype(np.int32), memory.part("nearest"))


def plane(places: Array, values: Array) -> Array:
    """(m, 3): a, b, c of the linear function a x + b y + c with given values (m, 3) at the corners (m, 3, 2) of triangles.

    Of a triangle without area, the constant mean of its values.
    """
    (u, v), (du, dv) = edges_from_first(places), np.moveaxis(values[:, 1:] - values[:, :1], -1, 0)
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    flat = area == 0
    inverse = np.where(flat, 0.0, 1 / np.where(flat, 1.0, area))
    a, b = (du * v[:, 1] - dv * u[:, 1]) * inverse, (dv * u[:, 0] - du * v[:, 0]) * inverse
    c = np.where(flat, values.mean(axis=1), values[:, 0] - a * places[:, 0, 0] - b * places[:, 0, 1])
    return np.stack([a, b, c], axis=1)


def edges_from_first(places: Array) -> tuple[Array, Array]:
    return places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]


def fragments(
    places: Array, planes: Array, size: tuple[int, int], samples: Array = SAMPLES
) -> Iterator[tuple[Whole, Whole, NDArray[np.float32]]]:
    """Portions of (triangle, sample, nearness) of all samples inside the triangles, those hidden by others included."""
    width, _ = size
    for s, offset in enumerate(samples):
        for triangle, y, first, count in spans(places - offset, size):
            for part in portions(count):
                row = np.repeat(np.arange(part.start, part.stop), count[part])
                x = first[row] + ranks(count[part])
                owner, line = triangle[row], y[row]
                a, b, c = planes[owner].T
                near = np.maximum(a * (x + offset[0]) + b * (line + offset[1]) + c, np.finfo(np.float32).tiny)
                yield owner, (line * width + x) * len(samples) + s, near.astype(np.float32)


def spans(places: Array, size: tuple[int, int]) -> Iterator[tuple[Whole, Whole, Whole, Whole]]:
    """Portions of (triangle, y, first x, count): the points of the whole-number grid inside triangles at places (m, 3, 2)."""
    width, height = size
    low, high = places[..., 1].min(axis=1), places[..., 1].max(axis=1)
    first = np.clip(np.ceil(low), 0, height).astype(np.int64)
    rows = np.clip(np.ceil(high), 0, height).astype(np.int64) - first
    left, right = places[..., 0].min(axis=1), places[..., 0].max(axis=1)
    rows[(right < 0) | (left > width)] = 0
    drawn = np.flatnonzero(rows > 0)
    for part in portions(rows[drawn], ROWS):
        some = drawn[part]
        triangle = np.repeat(some, rows[some])
        y = first[triangle] + ranks(rows[some])
        start, stop = crossings(places, triangle, y)
        x = np.clip(np.ceil(start), 0, width)
        count = np.clip(np.ceil(stop), 0, width) - x
        full = count > 0
        yield triangle[full], y[full], x[full].astype(np.int64), count[full].astype(np.int64)


def crossings(places: Array, triangle: Whole, y: Whole) -> tuple[Array, Array]:
    """Where triangles begin and end along rows at y."""
    start, stop = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    for corners in CORNERS:
        ends = places[:, corners]
        swap = (ends[:, 0, 1] > ends[:, 1, 1])[:, None, None]
        (px, py), (qx, qy) = np.moveaxis(np.where(swap, ends[:, ::-1], ends), 0, -1)  # the same for both triangles of an edge
        slope = (qx - px) / np.where(qy > py, qy - py, 1.0)
        at = px[triangle] + (y - py[triangle]) * slope[triangle]
        crosses = (py[triangle] <= y) & (y < qy[triangle])
        start = np.where(crosses, np.minimum(start, at), start)
        stop = np.where(crosses, np.maximum(stop, at), stop)
    return start, stop


def ranks(counts: Whole) -> Whole:
    """0, 1, ..., count - 1 for each count, one after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def portions(counts: Whole, most: int = PORTION) -> Iterator[slice]:
    """Slices of consecutive entries with at most so many in all, or one entry each that has more."""
    ends, start = np.cumsum(counts), 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield slice(start, stop)
        start = stop
