"""Ground that is not flat: heights over a grid, two triangles to a cell. It stands in the world, as planes do."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

import numpy as np

from redmax.bodies.base import Array, Triangles
from redmax.components.checks import finite
from redmax.components.given import Range, Shape, Unit
from redmax.components.kept_arguments import Made
from redmax.components.one_line import OneLine
from redmax.errors import SceneError

HEIGHTS = "an (n, m) array of finite heights (m), along x and y, n and m from 2 up"


@dataclass(frozen=True, eq=False, repr=False)
class HeightField(OneLine, Made):
    """Solid below heights (n, m) (m) over the rectangle of `size` (x, y) (m) about the origin: the shape of an obstacle, never of a body.

    heights[i, j] is at x = (i / (n - 1) - 1/2) size[0] and y = (j / (m - 1) - 1/2) size[1]; between them are two triangles to a cell,
    along the diagonal from (i, j) to (i + 1, j + 1). Beyond its border there is nothing. span, step: (2,), its size and that of a cell
    """

    heights: Annotated[Array, Shape((-1, -1)), Unit("m")]
    size: Annotated[tuple[float, float], Shape((2,)), Range(above=0), Unit("m")]
    span: Array = field(init=False, repr=False)
    step: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        heights = finite("HeightField", "heights", self.heights, ((-1, -1),), HEIGHTS)
        size = finite("HeightField", "size", self.size, ((2,),), "two lengths above 0 (m), along x and y")
        if min(heights.shape) < 2:
            said = f"HeightField: heights is {heights.shape[0]} by {heights.shape[1]}, expected {HEIGHTS}"
            raise SceneError(f"{said}; for flat ground take redmax.Plane().", owner="HeightField", argument="heights")
        if not (size > 0).all():
            said = f"HeightField: size is {size.tolist()}, expected two lengths above 0 (m), along x and y."
            raise SceneError(said, owner="HeightField", argument="size")
        for name, value in (("heights", heights), ("span", size), ("step", size / (np.array(heights.shape) - 1))):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "size", tuple(size.tolist()))

    @cached_property
    def vertices(self) -> Array:
        """(n, m, 3)."""
        x, y = (step * (np.arange(count) - (count - 1) / 2) for step, count in zip(self.step, self.heights.shape, strict=True))
        return np.stack([*np.meshgrid(x, y, indexing="ij"), self.heights], axis=-1)

    @cached_property
    def corners(self) -> Array:
        """(n - 1, m - 1, 2, 3, 3): of the triangles of each cell, seen counterclockwise from above."""
        v = self.vertices
        here, ahead, across, beside = v[:-1, :-1], v[1:, :-1], v[1:, 1:], v[:-1, 1:]
        return np.stack([np.stack([here, ahead, across], axis=2), np.stack([here, across, beside], axis=2)], axis=2)

    @cached_property
    def normals(self) -> Array:
        """(n - 1, m - 1, 2, 3): of triangles, upward."""
        a, b, c = (self.corners[..., k, :] for k in range(3))
        n = np.cross(b - a, c - a)
        return n / np.linalg.norm(n, axis=-1, keepdims=True)

    def mesh(self) -> Triangles:
        """The triangles that are seen from above: vertices (n, 3), faces (m, 3)."""
        n, m = self.heights.shape
        i, j = (k.ravel() for k in np.indices((n - 1, m - 1)))
        here, ahead, across, beside = i * m + j, (i + 1) * m + j, (i + 1) * m + j + 1, i * m + j + 1
        faces = np.concatenate([np.column_stack([here, ahead, across]), np.column_stack([here, across, beside])])
        return self.vertices.reshape(-1, 3).copy(), faces
