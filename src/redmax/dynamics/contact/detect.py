"""Pairs of shapes that may meet, and the points where they do, in rows of a raw table that the solver's rows are made of.

A pair is looked at where the balls around its shapes come nearer than both may move in the step, and a margin: contacts are found before
they close (speculative contact), so that nothing fast passes through something thin.
"""

from __future__ import annotations

from typing import Any

from redmax.contact.law import BODY, CENTRE, INVERSE_INERTIA, INVERSE_MASS, MASS_CENTRE, MATERIAL, RADIUS, REACH
from redmax.contact.pairs.capsule import capsule_capsule
from redmax.contact.pairs.capsule_solids import capsule_cuboid, capsule_cylinder
from redmax.contact.pairs.cuboids import cuboid_cuboid
from redmax.contact.pairs.cylinder_cuboid import cylinder_cuboid
from redmax.contact.pairs.cylinders import cylinder_cylinder
from redmax.contact.pairs.plane import plane_capsule, plane_cuboid, plane_cylinder, plane_ellipsoid, plane_sphere
from redmax.contact.pairs.sphere import sphere_capsule, sphere_cuboid, sphere_cylinder, sphere_sphere
from redmax.dynamics.contact.mean import mean
from redmax.math import where
from redmax.program.routines.routine import Routine, routine
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, whole

POINT, NORMAL, GAP, KEY, BODY_A, BODY_B, FRICTION, RESTITUTION, EASE_A, EASE_B, SOFTNESS, COMPLIANCE, DAMPING = (
    0, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
)  # fmt: skip
RAW = 17
FEATURES = 64.0  # of a pair
MARGIN = 0.02  # of the smaller radius, which contacts are found before they close


@routine
def margin_of(a: Vector, b: Vector) -> Any:
    """How far apart surfaces may be to be looked at."""
    return a[REACH] + b[REACH] + MARGIN * where(a[RADIUS] > 0.0, min(a[RADIUS], b[RADIUS]), b[RADIUS])


@routine
def ease(shape: Vector, point: Vector, side: Number) -> Any:
    """The mean of J M^-1 J', 1 / m + (tr(I^-1) r^2 - r' I^-1 r) / 3, near a point. side: 1 where the normal leads to the shape, else -1"""
    away = side * max(0.5 * point[GAP], 0.0)
    r = point[0] + away * point[NORMAL] - shape[MASS_CENTRE]
    s = point[1] + away * point[NORMAL + 1] - shape[MASS_CENTRE + 1]
    t = point[2] + away * point[NORMAL + 2] - shape[MASS_CENTRE + 2]
    K = shape[INVERSE_INERTIA:]
    inside = K[0] * r * r + K[3] * s * s + K[5] * t * t + 2.0 * (K[1] * r * s + K[2] * r * t + K[4] * s * t)
    return shape[INVERSE_MASS] + ((K[0] + K[3] + K[5]) * (r * r + s * s + t * t) - inside) / 3.0


@routine
def add_points(a: Vector, b: Vector, number: Whole, found: Matrix, n: Number, raw: Matrix, counts: Vector, capacity: Whole) -> None:
    """Behind those that are there, as far as there is room; what does not fit is counted."""
    m = a[MATERIAL:]
    o = b[MATERIAL:]
    for k in range(whole(n)):
        if counts[0] < float(capacity) - 0.5:
            row = raw[whole(counts[0])]
            row[0:8] = found[k, 0:8]
            row[KEY] = FEATURES * float(number) + found[k, 7]
            row[BODY_A] = a[BODY]
            row[BODY_B] = b[BODY]
            row[FRICTION] = mean(m[0] * o[0])
            row[RESTITUTION] = mean(m[1] * o[1])
            row[EASE_A] = ease(a, found[k], -1.0)
            row[EASE_B] = ease(b, found[k], 1.0)
            row[SOFTNESS] = min(m[2], o[2])
            row[COMPLIANCE] = m[3] + o[3]
            row[DAMPING] = max(m[4], o[4])
            counts[0] += 1.0
        else:
            counts[5] += 1.0


@routine
def near(a: Vector, b: Vector, margin: Number) -> Any:
    """Whether balls around two shapes come near enough."""
    x, y, z = b[CENTRE] - a[CENTRE], b[CENTRE + 1] - a[CENTRE + 1], b[CENTRE + 2] - a[CENTRE + 2]
    reach = a[RADIUS] + b[RADIUS] + margin
    return where(x * x + y * y + z * z < reach * reach, 1.0, 0.0)


@routine
def above(a: Vector, b: Vector, margin: Number) -> Any:
    """Whether a ball comes near enough to a plane, whose normal is the third of its axes."""
    x, y, z = b[CENTRE] - a[CENTRE], b[CENTRE + 1] - a[CENTRE + 1], b[CENTRE + 2] - a[CENTRE + 2]
    return where(a[2] * x + a[5] * y + a[8] * z < b[RADIUS] + margin, 1.0, 0.0)


@routine
def find_plane_sphere(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A plane and a sphere."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = above(a[p], b[p], margin)
        if close > 0.5:
            n = plane_sphere(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_plane_capsule(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A plane and a capsule."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = above(a[p], b[p], margin)
        if close > 0.5:
            n = plane_capsule(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_plane_cylinder(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A plane and a cylinder."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = above(a[p], b[p], margin)
        if close > 0.5:
            n = plane_cylinder(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_plane_cuboid(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A plane and a cuboid."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = above(a[p], b[p], margin)
        if close > 0.5:
            n = plane_cuboid(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_plane_ellipsoid(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A plane and an ellipsoid."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = above(a[p], b[p], margin)
        if close > 0.5:
            n = plane_ellipsoid(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_sphere_sphere(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a sphere."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = sphere_sphere(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_sphere_capsule(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a capsule."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = sphere_capsule(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_sphere_cylinder(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a cylinder."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = sphere_cylinder(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_sphere_cuboid(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A sphere and a cuboid."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = sphere_cuboid(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_capsule_capsule(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A capsule and a capsule."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = capsule_capsule(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_cuboid_cuboid(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A cuboid and a cuboid."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = cuboid_cuboid(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_capsule_cylinder(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A capsule and a cylinder."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = capsule_cylinder(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_capsule_cuboid(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A capsule and a cuboid."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = capsule_cuboid(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_cylinder_cylinder(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A cylinder and a cylinder."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = cylinder_cylinder(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


@routine
def find_cylinder_cuboid(
    a: Places, b: Places, number: Wholes, pairs: Whole, found: Matrix, raw: Matrix, counts: Vector, capacity: Whole
) -> None:
    """A cylinder and a cuboid."""
    for p in range(pairs):
        margin = margin_of(a[p], b[p])
        close = near(a[p], b[p], margin)
        if close > 0.5:
            n = cylinder_cuboid(a[p], b[p], margin, found)
            add_points(a[p], b[p], number[p], found, n, raw, counts, capacity)


FINDERS: dict[tuple[str, str], Routine] = {
    ("plane", "sphere"): find_plane_sphere,
    ("plane", "capsule"): find_plane_capsule,
    ("plane", "cylinder"): find_plane_cylinder,
    ("plane", "cuboid"): find_plane_cuboid,
    ("sphere", "sphere"): find_sphere_sphere,
    ("sphere", "capsule"): find_sphere_capsule,
    ("sphere", "cylinder"): find_sphere_cylinder,
    ("sphere", "cuboid"): find_sphere_cuboid,
    ("capsule", "capsule"): find_capsule_capsule,
    ("capsule", "cylinder"): find_capsule_cylinder,
    ("capsule", "cuboid"): find_capsule_cuboid,
    ("cylinder", "cylinder"): find_cylinder_cylinder,
    ("cylinder", "cuboid"): find_cylinder_cuboid,
    ("cuboid", "cuboid"): find_cuboid_cuboid,
    ("plane", "ellipsoid"): find_plane_ellipsoid,
}
