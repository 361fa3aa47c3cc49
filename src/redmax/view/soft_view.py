"""What a viewer needs to know about something that deforms: where its vertices were, and the triangles or lines between them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError
from redmax.view.body_view import HEX_COLOUR


@dataclass(frozen=True, eq=False)
class SoftView:
    """A surface of triangles, such as cloth, or, without triangles, a net of lines, such as a chain of springs.

    name: shown when the pointer rests on it
    vertices: (T, n, 3) in the world, one row per time, or (1, n, 3) if it never moves
    faces: (m, 3) vertex indices, seen from both sides; a closed surface is counter-clockwise from outside and keeps its sharp edges
    lines: (m, 2) vertex indices, drawn as rods with a bead at each vertex where there are no faces
    radius: of the rods; by default a small share of the size of the scene
    colour: "#rrggbb", or None for one from the default palette, and for a grey of lines
    opacity: how much of what is behind it hides, 0 to 1; material: what it seems to be made of; both of surfaces
    """

    name: str
    vertices: NDArray[np.float64]
    faces: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    lines: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    radius: float | None = None
    colour: str | None = None
    opacity: float = 1.0
    material: str = "plastic"

    def __post_init__(self) -> None:
        vertices = np.asarray(self.vertices, np.float64)
        if vertices.ndim != 3 or vertices.shape[2] != 3 or vertices.size == 0:
            raise RedmaxError(f"Soft body {self.name!r}: got vertices of shape {vertices.shape}, expected (T, n, 3), T > 0, n > 0.")
        if not np.isfinite(vertices).all():
            first = np.argmin(np.isfinite(vertices).all(axis=(1, 2)))
            raise RedmaxError(f"Soft body {self.name!r}: vertices[{first}] are not finite; show only what comes before them.")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", self._indices("faces", self.faces, 3))
        object.__setattr__(self, "lines", self._indices("lines", self.lines, 2))
        if not len(self.faces) and not len(self.lines):
            raise RedmaxError(f"Soft body {self.name!r}: got neither faces nor lines, expected faces (m, 3) or lines (m, 2) to draw.")
        if self.radius is not None and not 0 < self.radius < np.inf:
            raise RedmaxError(f"Soft body {self.name!r}: got radius {self.radius}, expected a positive length, or None to have one chosen.")
        if self.colour is not None and not HEX_COLOUR.fullmatch(self.colour):
            raise RedmaxError(f"Soft body {self.name!r}: got colour {self.colour!r}, expected a form such as '#4f7cac'.")

    def _indices(self, what: str, value: object, width: int) -> NDArray[np.int64]:
        given = np.asarray(value)
        if given.size == 0:
            return np.zeros((0, width), np.int64)
        if given.ndim != 2 or given.shape[1] != width or given.dtype.kind not in "iu":
            expected = f"expected whole numbers (m, {width})"
            raise RedmaxError(f"Soft body {self.name!r}: got {what} of shape {given.shape} and type {given.dtype}, {expected}.")
        low, high, n = given.min(), given.max(), self.vertices.shape[1]
        if low < 0 or high >= n:
            raise RedmaxError(f"Soft body {self.name!r}: got indices {low} to {high} in {what}, expected 0 to {n - 1}.")
        return given.astype(np.int64)
