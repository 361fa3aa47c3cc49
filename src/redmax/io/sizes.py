"""How much a kind asks for by its arguments: what the budget is charged before it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from redmax.bodies.extrusion import named_polygons
from redmax.bodies.near_edges import Shadows, edges_of

Costs = Iterator[tuple[str, float]]
Arguments = Mapping[str, Any]


def costs(kind: str, given: Arguments) -> Costs:
    """(what, how many) of all that is dear. Arguments that are no sizes cost nothing: the constructor says what is wrong with them."""
    yield "objects", 1
    if kind in SIZES:
        yield from SIZES[kind](given)
    name = given.get("name")
    if isinstance(name, str):
        yield "characters of names", len(name)


def count(value: Any) -> int:
    """Entries of a list."""
    return len(value) if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim) else 0


def product(value: Any, more: float) -> float:
    """Of the entries, each with so much more."""
    try:
        return float(np.prod(np.abs(np.asarray(value, float)) + more))
    except (TypeError, ValueError, OverflowError):
        return 0.0


def deformable(given: Arguments, nodes: float, elements: float, what: str = "elements of deformables") -> Costs:
    """What any deformable with so many nodes and elements takes."""
    yield "deformables", 1
    yield "nodes of deformables", nodes
    yield what, elements
    yield "characters of names", nodes * len(str(given.get("name") or ""))  # each node is called after it


def cloth(given: Arguments) -> Costs:
    """A grid of nodes, and six elements for each cell."""
    nodes = product(given.get("cells"), 1.0)
    yield from deformable(given, nodes, 6 * nodes)


def box(given: Arguments) -> Costs:
    """A grid of nodes, and six tetrahedra for each cell."""
    yield from deformable(given, product(given.get("cells"), 1.0), 6 * product(given.get("cells"), 0.0), "tetrahedra")


def chain(given: Arguments) -> Costs:
    """As many nodes as springs."""
    nodes = product(given.get("count"), 0.0)
    yield from deformable(given, nodes, nodes)


def solid(given: Arguments) -> Costs:
    """The tetrahedra that are given."""
    yield from deformable(given, count(given.get("nodes")), count(given.get("tets")), "tetrahedra")


def any_deformable(given: Arguments) -> Costs:
    """Nodes, triangles and lines that are given."""
    yield from deformable(given, count(given.get("nodes")), count(given.get("surface")) + count(given.get("lines")))


def elements(given: Arguments) -> Costs:
    """One for each row of nodes."""
    yield "elements of deformables", count(given.get("nodes"))


def mesh(given: Arguments) -> Costs:
    """Vertices and faces that are given."""
    yield "faces of meshes", count(given.get("vertices")) + count(given.get("faces"))


def extrusion(given: Arguments) -> Costs:
    """Corners first, so that those which may be looked at to find the pairs are few enough."""
    loops: list[np.ndarray] = []
    for part in ("outline", "holes"):
        found = named_polygons(given.get(part), part, part) if count(given.get(part)) else []
        yield "polygons", len(found)
        yield "corners of polygons", sum(count(loop) for _, loop in found)
        loops += [corners for _, loop in found if (corners := flat(loop)) is not None]
    if loops:
        yield "pairs of edges to compare", Shadows(*edges_of(loops), 0.0).count
        yield "pairs of edges to compare", len(loops) * sum(map(len, loops)) / 50  # to find which loop lies in which


def flat(loop: Any) -> np.ndarray | None:
    """The corners of a polygon, (n, 2); None if they are anything else, which is found later."""
    try:
        corners = np.asarray(loop, float)
    except (TypeError, ValueError, OverflowError):
        return None
    return corners if corners.ndim == 2 and corners.shape[1] == 2 and len(corners) and np.isfinite(corners).all() else None


def path(*arguments: str) -> Callable[[Arguments], Costs]:
    """The points of these arguments."""

    def of(given: Arguments) -> Costs:
        yield "points of paths", sum(count(given.get(argument)) for argument in arguments)

    return of


def points(argument: str, axes: int = 1, what: str = "control points") -> Callable[[Arguments], Costs]:
    """Control points in a grid of so many axes."""

    def of(given: Arguments) -> Costs:
        shape: list[int] = []
        value = given.get(argument)
        while len(shape) < axes and count(value):
            shape.append(count(value))
            value = value[0]  # type: ignore[index]
        yield what, float(np.prod(shape)) if shape else 0.0

    return of


SIZES: dict[str, Callable[[Arguments], Costs]] = {
    "Cloth": cloth,
    "Tetrahedra.box": box,
    "Tetrahedra.beam": box,
    "Tetrahedra": solid,
    "SpringChain": chain,
    "Deformable": any_deformable,
    "Elements": elements,
    "Mesh": mesh,
    "Extrusion": extrusion,
    "HeightField": points("heights", 2),
    "Cable": path("points"),
    "Muscle": path("path"),
    "force": path("path", "bodies"),
    "Composite": points("parts", 1, "frames"),
    "CompositeJoint": points("sequence", 1, "frames"),
    "BasisCurve": points("frames", 1, "frames"),
    "SplineCurve": points("frames", 1, "frames"),
    "SplineSurface": points("values", 2),
    "DeformingSplineSurface": points("values", 2),
    "TwistSurface": points("values", 2),
    "curves.Bezier": points("points"),
    "curves.Polyline": points("points"),
    "surfaces.BezierPatch": points("points", 2),
}
