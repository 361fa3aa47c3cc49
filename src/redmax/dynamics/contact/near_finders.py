"""Pairs of shapes that are near (near_shapes.py), and the points where they meet: as a look at all pairs of their kinds finds them."""

from __future__ import annotations

from redmax.contact.pairs.capsule import capsule_capsule
from redmax.contact.pairs.capsule_solids import capsule_cuboid, capsule_cylinder
from redmax.contact.pairs.cuboids import cuboid_cuboid
from redmax.contact.pairs.cylinder_cuboid import cylinder_cuboid
from redmax.contact.pairs.cylinders import cylinder_cylinder
from redmax.contact.pairs.sphere import sphere_capsule, sphere_cuboid, sphere_cylinder, sphere_sphere
from redmax.dynamics.contact.detect import add_points, margin_of
from redmax.dynamics.contact.near_shapes import FIRST, KIND, NUMBER, SECOND
from redmax.program.routines.routine import Routine, routine
from redmax.program.routines.views import Matrix, Vector, Whole, whole


@routine
def near_sphere_sphere(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a sphere."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = sphere_sphere(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_sphere_capsule(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a capsule."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = sphere_capsule(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_sphere_cylinder(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a cylinder."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = sphere_cylinder(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_sphere_cuboid(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a cuboid."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = sphere_cuboid(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_capsule_capsule(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A capsule and a capsule."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = capsule_capsule(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_capsule_cylinder(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A capsule and a cylinder."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = capsule_cylinder(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_capsule_cuboid(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A capsule and a cuboid."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = capsule_cuboid(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_cylinder_cylinder(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A cylinder and a cylinder."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = cylinder_cylinder(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_cylinder_cuboid(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A cylinder and a cuboid."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = cylinder_cuboid(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


@routine
def near_cuboid_cuboid(
    S: Matrix, pairs: Matrix, many: Vector, kind: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A cuboid and a cuboid."""
    for k in range(whole(many[0])):
        if abs(pairs[k, KIND] - float(kind)) < 0.5:
            a, b = S[whole(pairs[k, FIRST])], S[whole(pairs[k, SECOND])]
            n = cuboid_cuboid(a, b, margin_of(a, b), found)
            add_points(a, b, whole(pairs[k, NUMBER]), found, n, raw, counts, capacity)


KINDS = ("sphere", "capsule", "cylinder", "cuboid")  # whose pairs are found so
NEAR_FINDERS: dict[tuple[str, str], Routine] = {
    ("sphere", "sphere"): near_sphere_sphere,
    ("sphere", "capsule"): near_sphere_capsule,
    ("sphere", "cylinder"): near_sphere_cylinder,
    ("sphere", "cuboid"): near_sphere_cuboid,
    ("capsule", "capsule"): near_capsule_capsule,
    ("capsule", "cylinder"): near_capsule_cylinder,
    ("capsule", "cuboid"): near_capsule_cuboid,
    ("cylinder", "cylinder"): near_cylinder_cylinder,
    ("cylinder", "cuboid"): near_cylinder_cuboid,
    ("cuboid", "cuboid"): near_cuboid_cuboid,
}
