"""What a viewer needs to know about the mark of a joint, or of a frame: a small solid, where it sits on a body, and what carries it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

INSIDE = 0.97  # of its size, a mark is drawn: behind the surface of a body of the same shape, not in and out of it


@dataclass(frozen=True, eq=False)
class MarkView:
    """A pin, a ball or a rail that shows what a joint lets move, or an axis of a frame.

    name: of the joint; kind: of the joint, such as "Revolute"; body: the name of the body that the joint moves
    vertices: (n, 3); faces: (m, 3) vertex indices, counter-clockwise seen from outside
    place: (4, 4) of the mark in the frame that carries it
    poses: (T, 4, 4) of that frame in the world, one per time, or (1, 4, 4) if it never moves
    carrier: the number of the body that has this frame, -1 for the world, for those who hang the mark on it
    colour: "#rrggbb", or None for that of the theme
    """

    name: str
    kind: str
    body: str
    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    place: NDArray[np.float64]
    poses: NDArray[np.float64]
    carrier: int = -1
    colour: str | None = None
