"""Which triangle is seen where, by the compiled routines of scan.py."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.view.picture.compiled import Memory
from redmax.view.picture.scan import SOLID, scan

Array = NDArray[np.float64]
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
    shapes = {"triangles": (max(len(places), 1), 9), "samples": (len(samples), 2), "reach": (height, 2), "none": (1, 1)}
    memory = Memory(**shapes, nearest=(count,), owner=(count,))
    memory.put(triangles=np.concatenate([places, nearness[..., None]], axis=2), samples=samples)
    rest = ("none", "none", 0, "none", "none", "none", "reach")
    memory.call(scan, "triangles", len(places), "samples", len(samples), width, 0, height, "nearest", "owner", SOLID, *rest)
    return Seen(memory.part("owner").astype(np.int32) - 1, memory.part("nearest"))


def edges_from_first(places: Array) -> tuple[Array, Array]:
    return places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
