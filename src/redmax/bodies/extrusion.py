"""A flat region extruded along z, such as a letter; mass, centre and inertia by exact integration over its polygons (polygons.py).

With C the mean of x x' over the region about its centre and d the depth, for unit mass

    Ixx = Cyy + d^2 / 12,   Iyy = Cxx + d^2 / 12,   Ixy = -Cxy,   Izz = Cxx + Cyy
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.bodies import polygons
from redmax.bodies.base import Array, Solid, Triangles
from redmax.bodies.triangulation import triangulate
from redmax.components.checks import positive
from redmax.components.given import Length, Polygons
from redmax.errors import Phrase, SceneError


@dataclass(frozen=True, eq=False, repr=False)
class Extrusion(Solid):
    """Solid prism of height `depth` (m) over the region inside `outline` and outside `holes`.

    outline: corners (n, 2) (m) of a closed polygon, either way around; or several such polygons, apart from each other
    holes: one or more polygons inside the outline; a further outline may lie within one
    It reaches from z = -depth/2 to depth/2, and may lie anywhere in x and y: `frame` is the pose of the body frame (centre of mass, axes of
    the outline) in the frame of the corners.
    """

    outline: Polygons
    depth: Length
    holes: Polygons | None = None

    def __post_init__(self) -> None:
        d = positive("Extrusion", "depth", self.depth, "m")
        outlines, holes = checked_loops(self.outline, self.holes)
        region = polygons.integrate([*outlines, *holes])
        frame = np.eye(4)
        frame[:2, 3] = region.centre
        (xx, xy), (_, yy) = region.second
        edge = d * d / 12
        inertia = np.array([[yy + edge, -xy, 0], [-xy, xx + edge, 0], [0, 0, xx + yy]])
        for loop in (*outlines, *holes):
            loop.setflags(write=False)
        self._set(outline=outlines, holes=holes, depth=d)
        self._fill(region.area * d, inertia, frame)

    def loops(self) -> tuple[list[Array], list[Array]]:
        """Outlines, counterclockwise, and holes, clockwise, about the centre of mass."""
        centre = self.frame[:2, 3]
        return [loop - centre for loop in self.outline], [loop - centre for loop in self.holes or ()]

    def geometry(self) -> dict[str, Any]:
        outlines, holes = ([loop.tolist() for loop in loops] for loops in self.loops())
        return {"kind": "extrusion", "outline": outlines, "depth": self.depth, "holes": holes}

    def mesh(self, segments: int = 24) -> Triangles:
        outlines, holes = self.loops()
        inside: list[list[Array]] = [[] for _ in outlines]
        for k, hole in zip(owners(outlines, holes), holes, strict=True):
            inside[k].append(hole)
        parts = list(zip(outlines, inside, strict=True))
        vertices, faces, offset = [], [], 0
        for outline, within in parts:
            v, f = prism(outline, within, self.depth)
            vertices.append(v)
            faces.append(f + offset)
            offset += len(v)
        return np.concatenate(vertices), np.concatenate(faces)


def prism(outline: Array, holes: Sequence[Array], depth: float) -> Triangles:
    """Two caps, and walls around the outline and the holes; the corners at the bottom come first, then those at the top."""
    corners = np.concatenate([outline, *holes])
    n = len(corners)
    low, high = (np.column_stack([corners, np.full(n, z)]) for z in (-depth / 2, depth / 2))
    cap = triangulate(outline, holes)
    starts = np.cumsum([0, len(outline), *map(len, holes)])
    i = np.arange(n)
    j = np.concatenate([np.roll(i[a:b], -1) for a, b in pairwise(starts)])
    walls = [np.column_stack([i, j, n + j]), np.column_stack([i, n + j, n + i])]
    return np.concatenate([low, high]), np.concatenate([cap[:, ::-1], cap + n, *walls])


def checked_loops(outline: Any, holes: Any) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Outlines, counterclockwise, and holes, clockwise, that together bound a region, or an error."""
    outlines = named_polygons(outline, "outline", "outline")
    no_holes = holes is None or (isinstance(holes, list | tuple) and not holes)
    inner = [] if no_holes else named_polygons(holes, "hole", "holes")
    loops = [polygons.checked_loop("Extrusion", name, loop, clockwise=False) for name, loop in outlines]
    loops += [polygons.checked_loop("Extrusion", name, loop, clockwise=True) for name, loop in inner]
    names = [name for name, _ in outlines + inner]
    polygons.check_region("Extrusion", loops, names)
    check_nesting(loops[: len(outlines)], loops[len(outlines) :], names)
    return tuple(loops[: len(outlines)]), tuple(loops[len(outlines) :])


def named_polygons(value: Any, name: str, argument: str) -> list[tuple[Phrase, Any]]:
    """(name, corners) of one polygon, or of each of several."""
    if depth(value) != 3:
        return [(Phrase(name, argument), value)]
    return [(Phrase(f"{name} {k}", argument), loop) for k, loop in enumerate(value)]


def depth(value: Any) -> int:
    """How deeply lists are nested: 2 for the corners of one polygon, 3 for several."""
    if isinstance(value, np.ndarray):
        return value.ndim if value.size else 0
    return 1 + depth(value[0]) if isinstance(value, list | tuple) and value else 0


def check_nesting(outlines: Sequence[Array], holes: Sequence[Array], names: Sequence[str]) -> None:
    """Raise unless every hole is within material, and every outline outside of it."""
    loops = [*outlines, *holes]
    found = polygons.Around(loops)
    for k, loop in enumerate(loops):
        around = [j for j in found(loop[0]) if j != k]
        material = sum(1 if j < len(outlines) else -1 for j in around)
        if k < len(outlines) and material:
            inside = names[next(j for j in around if j < len(outlines))]
            raise SceneError(
                f"Extrusion: {names[k]} lies within {inside}, expected outlines apart; pass it in holes=[...] to cut it out.",
                owner="Extrusion",
                argument=names[k],
            )
        if k >= len(outlines) and material != 1:
            raise SceneError(
                f"Extrusion: {names[k]} lies in a hole or outside every outline, expected it inside the material.",
                owner="Extrusion",
                argument=names[k],
            )


def owners(outlines: Sequence[Array], holes: Sequence[Array]) -> list[int]:
    """The outline that each hole lies in: the smallest one around it."""
    around, areas = polygons.Around(outlines), [polygons.signed_area(loop) for loop in outlines]
    return [min(around(hole[0]), key=lambda k: areas[k]) for hole in holes]
