"""Every kind of joint: how to make one, what its motion is by definition, and which coordinates it may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from curves.definitions import helix
from joints import contact_definitions as contact
from joints import definitions as d
from joints.regular_coordinates import random_place, well_conditioned
from joints.spline_definitions import basis_piece, spline_curve, spline_surface, twist_surface
from joints.user_joints import Elliptic, Screw, paraboloid, torus
from surfaces.definitions import cylinder, ellipsoid

AXES = ("x", "y", "z", "-x", "-y", "-z")
UNIT = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


@dataclass(frozen=True, eq=False)
class Sample:
    """joint: the library's; motion: the same by definition; coordinates: rng -> q where S is well conditioned."""

    kind: str
    joint: rm.Joint
    motion: d.Motion
    coordinates: Callable[[np.random.Generator], np.ndarray]


def rotation_vector(rng: np.random.Generator, largest: float = 1.4 * np.pi, size: int = 3) -> np.ndarray:
    """Up to where the coordinates would be changed."""
    w = rng.normal(size=size)
    return w / np.linalg.norm(w) * rng.uniform(0.0, largest)


def angles(n: int) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: rng.uniform(-np.pi, np.pi, n)


def lengths(n: int) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: rng.uniform(-0.5, 0.5, n)


def axis_of(rng: np.random.Generator, aligned: bool) -> tuple[Any, Any]:
    """As the user gives it, and as a vector; of any length."""
    if aligned:
        name = AXES[rng.integers(6)]
        return name, UNIT[name]
    axis = rng.normal(size=3)
    return axis, axis


def make_revolute(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    return Sample("Revolute", rm.Revolute(axis), d.revolute(vector), angles(1))


def make_prismatic(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    return Sample("Prismatic", rm.Prismatic(axis), d.prismatic(vector), lengths(1))


def make_helical(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    pitch = 1.0 if aligned else rng.uniform(-0.3, 0.3)
    return Sample("Helical", rm.Helical(axis, pitch), d.helical(vector, pitch), angles(1))


def make_cylindrical(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    return Sample("Cylindrical", rm.Cylindrical(axis), d.cylindrical(vector), lambda rng: rng.uniform([-np.pi, -0.5], [np.pi, 0.5]))


def make_planar(rng: np.random.Generator, aligned: bool) -> Sample:
    """In the xy plane, or along directions between 30 and 150 degrees."""
    if aligned:
        return Sample("Planar", rm.Planar(), d.planar((1, 0, 0), (0, 1, 0)), lengths(2))
    first, side = rng.normal(size=(2, 3))
    first, side = first / np.linalg.norm(first), np.cross(first, side)
    angle = rng.uniform(np.pi / 6, 5 * np.pi / 6)
    second = np.cos(angle) * first + np.sin(angle) * side / np.linalg.norm(side)
    return Sample("Planar", rm.Planar(3.0 * first, second), d.planar(first, second), lengths(2))


def across(vector: Any, directions: np.ndarray) -> np.ndarray:
    """The directions that a joint says are across its axis, in extended precision and perpendicular to it and to each other."""
    axis, first = d.unit(vector), np.asarray(directions[0], np.longdouble)
    first = d.unit(first - (first @ axis) * axis)
    return np.array([first, np.cross(axis, first)])


def plane_and_angle(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform([-0.5, -0.5, -np.pi], [0.5, 0.5, np.pi])


def make_planar_rotating(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    joint = rm.PlanarRotating(axis)
    return Sample("PlanarRotating", joint, d.planar_screw(vector, across(vector, joint.directions)), plane_and_angle)


def make_planar_screw(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    pitch = -1.0 if aligned else rng.uniform(-0.3, 0.3)
    joint = rm.PlanarScrew(axis, pitch)
    return Sample("PlanarScrew", joint, d.planar_screw(vector, across(vector, joint.directions), pitch), plane_and_angle)


def make_schoenflies(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    return Sample("Schoenflies", rm.Schoenflies(axis), d.schoenflies(vector), lambda rng: rng.uniform(-1, 1, 4) * [0.5, 0.5, 0.5, np.pi])


def make_constant_velocity(rng: np.random.Generator, aligned: bool) -> Sample:
    axis, vector = axis_of(rng, aligned)
    joint = rm.ConstantVelocity(axis)
    motion = d.constant_velocity(across(vector, joint.directions))
    return Sample("ConstantVelocity", joint, motion, lambda rng: rotation_vector(rng, size=2))


def make_screw(rng: np.random.Generator, aligned: bool) -> Sample:
    joint = Screw(1.0 if aligned else rng.uniform(-0.3, 0.3))
    return Sample("Screw", joint, joint.transform, angles(1))


def make_elliptic(rng: np.random.Generator, aligned: bool) -> Sample:
    joint = Elliptic(1.0, 0.5) if aligned else Elliptic(*rng.uniform(0.2, 0.6, 2))
    return Sample("Elliptic", joint, joint.transform, angles(1))


def make_paraboloid(rng: np.random.Generator, aligned: bool) -> Sample:
    k = 1.0 if aligned else rng.uniform(0.3, 1.5)
    return Sample("paraboloid", rm.joint(paraboloid, 3, curvature=k), lambda q: paraboloid(q, k), lengths(3))


def make_torus(rng: np.random.Generator, aligned: bool) -> Sample:
    radii = np.array([1.0, 0.25]) if aligned else rng.uniform([0.3, 0.1], [0.6, 0.2])
    return Sample("torus", rm.joint(torus, 2, radii=radii), lambda q: torus(q, radii), angles(2))


def make_curve_joint(rng: np.random.Generator, aligned: bool) -> Sample:
    r, pitch = (1.0, 0.5) if aligned else rng.uniform([0.3, 0.05], [0.6, 0.15])
    up = (0.0, 0.0, 1.0) if aligned else (0.1, -0.2, 1.0)
    joint = rm.CurveJoint(rm.curves.Helix(r, pitch), up=up, spin=True)
    return Sample("CurveJoint", joint, contact.on_curve(helix(r, pitch), up, True), angles(2))


def make_surface_contact(rng: np.random.Generator, aligned: bool) -> Sample:
    """A ball on a cylinder, which has no singular places."""
    r, a = (1.0, 0.5) if aligned else rng.uniform([0.2, 0.2], [0.5, 0.5])
    angle = 0.0 if aligned else 0.3
    joint = rm.SurfaceContact(rm.surfaces.Cylinder(r), rm.surfaces.Sphere(a), angle=angle)
    motion = contact.surface_contact(cylinder(r), ellipsoid(a, a, a), angle)
    return Sample("SurfaceContact", joint, motion, lambda rng: rng.uniform([-3.0, -0.5, -3.0, -1.2], [3.0, 0.5, 3.0, 1.2]))


SIMPLE = ("Revolute", "Prismatic", "Helical", "Universal", "Planar", "Cylindrical", "ConstantVelocity", "Elliptic", "Spherical", "Free2D")


def make_composite(rng: np.random.Generator, aligned: bool, depth: int = 2, kinds: Sequence[str] = SIMPLE) -> Sample:
    """Two or three joints, some of them composite or inverted themselves, with poses between."""
    while True:
        sequence, E = random_place(rng, aligned)
        parts, poses = [], [E]
        for _ in range(rng.integers(2, 4)):
            inner = make_nested if depth > 1 and rng.random() < 0.4 else make_simple
            part = inner(rng, aligned, depth - 1, kinds)
            given, E = random_place(rng, aligned)
            sequence += [part.joint, *given]
            parts.append(part)
            poses.append(E)
        dofs = [part.joint.dof for part in parts]
        if sum(dofs) > 6:
            continue
        motion = d.in_turn([part.motion for part in parts], dofs, poses)
        coordinates = well_conditioned(motion, parts)
        if coordinates is not None:
            return Sample("Composite", rm.CompositeJoint(*sequence), motion, coordinates)


def make_inverted(rng: np.random.Generator, aligned: bool, depth: int = 1, kinds: Sequence[str] = SIMPLE) -> Sample:
    inner = (make_nested if depth > 1 else make_simple)(rng, aligned, depth - 1, kinds)
    return Sample("Inverted", rm.Inverted(inner.joint), d.inverted(inner.motion), inner.coordinates)


def make_simple(rng: np.random.Generator, aligned: bool, depth: int, kinds: Sequence[str]) -> Sample:
    return make(kinds[rng.integers(len(kinds))], rng, aligned)


def make_nested(rng: np.random.Generator, aligned: bool, depth: int, kinds: Sequence[str]) -> Sample:
    return (make_inverted if rng.random() < 0.5 else make_composite)(rng, aligned, depth, kinds)


def ring_of_frames(rng: np.random.Generator, count: int, turns: float, tilt: float) -> np.ndarray:
    """Along a circle of radius 0.4 in the xy plane, turning about z; tilted and shifted a little."""
    frames = np.zeros((count, 4, 4))
    for i in range(count):
        angle = 2 * np.pi * turns * i / count
        R = d.about((0, 0, 1), angle) @ d.exponential(tilt * rng.normal(size=3))
        frames[i] = d.pose(R, [0.4 * np.cos(angle), 0.4 * np.sin(angle), 0.0] + tilt * rng.normal(size=3)).astype(float)
    return frames


def between_knots(low: int, high: int, n: int = 1) -> Callable[[np.random.Generator], np.ndarray]:
    """In pieces low to high - 1 of uniform knots: differences must not cross a knot, where the third derivative jumps."""
    return lambda rng: rng.integers(low, high, n) + rng.uniform(0.2, 0.8, n)


def make_spline_curve(rng: np.random.Generator, aligned: bool) -> Sample:
    """Cyclic, cubic, uniform."""
    frames = ring_of_frames(rng, 5, 1.0, 0.0 if aligned else 0.15)
    return Sample("SplineCurve", rm.SplineCurve(frames, cyclic=True), spline_curve(frames, 4, cyclic=True), between_knots(-2, 2))


def make_knotted_curve(rng: np.random.Generator, aligned: bool) -> Sample:
    """Open, of order 5, clamped at both ends, with a double knot inside."""
    frames = ring_of_frames(rng, 9, 0.8, 0.0 if aligned else 0.15)
    knots = np.array([-2.0] * 5 + [-0.5, 1.0, 1.0, 2.5] + [3.5] * 5)
    joint, motion = rm.SplineCurve(frames, order=5, knots=knots), spline_curve(frames, 5, knots)
    return Sample("KnottedCurve", joint, motion, lambda rng: rng.choice([-1.2, 0.1, 1.7]) + rng.uniform(-0.4, 0.4, 1))


def make_basis_curve(rng: np.random.Generator, aligned: bool) -> Sample:
    """One piece of Bezier's with five frames, given by their matrix; a piece alone has no knots."""
    frames = ring_of_frames(rng, 9, 0.8, 0.0 if aligned else 0.15)[:5]
    matrix = [[1, -4, 6, -4, 1], [0, 4, -12, 12, -4], [0, 0, 6, -12, 6], [0, 0, 0, 4, -4], [0, 0, 0, 0, 1]]
    joint, motion = rm.BasisCurve(frames, matrix, breaks=[-1.0, 2.0]), basis_piece(frames, np.array(matrix, float), -1.0, 3.0)
    return Sample("BasisCurve", joint, motion, lambda rng: rng.uniform(-0.5, 1.5, 1))


def make_spline_surface(rng: np.random.Generator, aligned: bool) -> Sample:
    """Around a ring and along it: cyclic in the first parameter, open with other knots and order in the second one."""
    around, along = np.meshgrid(2 * np.pi * np.arange(5) / 5, np.arange(8) - 3.5, indexing="ij")
    values = np.stack([np.cos(around), np.sin(around), 0.75 * along, *np.zeros((3, 5, 8))], axis=-1)
    values += 0.0 if aligned else 0.05 * rng.normal(size=values.shape)
    base = None if aligned else d.pose(d.exponential(rng.normal(size=3)), rng.normal(size=3)).astype(float)
    knots = np.cumsum([0.0, *rng.uniform(0.9, 1.1, 12)])
    knots -= knots[4] + 1.0
    turns = "xyz" if aligned else str(rng.choice(["xyz", "zyx", "yxz", "zxz", "xyx"]))
    joint = rm.SplineSurface(values, order=(4, 5), knots=[None, knots], rotation_order=turns, base=base, cyclic=(True, False))
    motion = spline_surface(values, (4, 5), (None, knots), (True, False), turns, base)
    middle = (knots[5:7] + knots[6:8]) / 2  # of two pieces

    def coordinates(rng: np.random.Generator) -> np.ndarray:
        return np.array([*between_knots(-2, 2)(rng), rng.choice(middle) + rng.uniform(-0.3, 0.3)])

    return Sample("SplineSurface", joint, motion, coordinates)


def make_twist_surface(rng: np.random.Generator, aligned: bool) -> Sample:
    """Two parameters, far from a quarter of a turn and beyond half of one; other knots and order in the second one."""
    u, v = np.meshgrid(np.arange(6) - 2.5, np.arange(8) - 3.5, indexing="ij")
    values = np.stack([0.3 * u, 0.4 * v, 2.0 + 0.1 * u, 0.4 * u, 0.5 * v, 0.1 * u * v], axis=-1)
    values = values * [0, 0, 1, 1, 1, 0] if aligned else values + 0.05 * rng.normal(size=values.shape)
    base = np.eye(4) if aligned else d.pose(d.exponential(rng.normal(size=3)), rng.normal(size=3)).astype(float)
    knots = [np.cumsum([0.0, *rng.uniform(0.9, 1.1, n)]) for n in (9, 12)]
    knots = [t - t[first] - 0.5 for t, first in zip(knots, (4, 5))]  # zero is inside a piece
    joint = rm.TwistSurface(values, order=(4, 5), knots=knots, base=base)
    motion = twist_surface(values, (4, 5), knots, (False, False), base)
    middles = [(t[k - 1 : k + 2] + t[k : k + 3]) / 2 for t, k in zip(knots, (4, 5))]  # of three pieces

    def coordinates(rng: np.random.Generator) -> np.ndarray:
        return np.array([rng.choice(m) + rng.uniform(-0.3, 0.3) for m in middles])

    return Sample("TwistSurface", joint, motion, coordinates)


def make_euler(rng: np.random.Generator, aligned: bool) -> Sample:
    """One chart, away from where it is singular: the second angle near 0, or near a right angle if the third axis is the first."""
    order = str(rng.choice(["XYZ", "ZYX"] if aligned else ["XZY", "YXZ", "YZX", "ZXY", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"]))
    axes = [UNIT[letter.lower()] for letter in order]
    middle = np.pi / 2 if order[0] == order[2] else 0.0

    def motion(q: Any) -> np.ndarray:
        return d.pose(d.about(axes[0], q[0]) @ d.about(axes[1], q[1]) @ d.about(axes[2], q[2]), np.zeros(3))

    joint = rm.SphericalEuler(order, switching=False)
    return Sample("SphericalEuler", joint, motion, lambda rng: rng.uniform([-3.0, middle - 1.0, -3.0], [3.0, middle + 1.0, 3.0]))


def plain(joint: Callable[[], rm.Joint], motion: d.Motion, coordinates: Any) -> Callable[[np.random.Generator, bool], Sample]:
    return lambda rng, aligned: Sample(joint.__name__, joint(), motion, coordinates)


# Simplest first: Hypothesis shrinks towards the front.
MAKERS: dict[str, Callable[[np.random.Generator, bool], Sample]] = {
    "Fixed": plain(rm.Fixed, d.fixed, lambda rng: np.zeros(0)),
    "Revolute": make_revolute,
    "Prismatic": make_prismatic,
    "Helical": make_helical,
    "Cylindrical": make_cylindrical,
    "Planar": make_planar,
    "Translational": plain(rm.Translational, d.translational, lengths(3)),
    "Universal": plain(rm.Universal, d.universal, lambda rng: rng.uniform([-3.0, -1.2], [3.0, 1.2])),
    "ConstantVelocity": make_constant_velocity,
    "Free2D": plain(rm.Free2D, d.free2d, plane_and_angle),
    "PlanarRotating": make_planar_rotating,
    "PlanarScrew": make_planar_screw,
    "Schoenflies": make_schoenflies,
    "Spherical": plain(rm.Spherical, d.spherical, rotation_vector),
    "SphericalEuler": make_euler,
    "Free": plain(rm.Free, d.free, lambda rng: np.concatenate([rotation_vector(rng), rng.uniform(-0.5, 0.5, 3)])),
    "Free3D": plain(rm.Free3D, d.free3d, lambda rng: np.concatenate([rng.uniform(-0.5, 0.5, 3), rotation_vector(rng)])),
    "CurveJoint": make_curve_joint,
    "SurfaceContact": make_surface_contact,
    "Composite": make_composite,
    "Inverted": make_inverted,
    "Screw": make_screw,
    "Elliptic": make_elliptic,
    "paraboloid": make_paraboloid,
    "torus": make_torus,
    "SplineCurve": make_spline_curve,
    "KnottedCurve": make_knotted_curve,
    "BasisCurve": make_basis_curve,
    "SplineSurface": make_spline_surface,
    "TwistSurface": make_twist_surface,
}
KINDS = tuple(MAKERS)


def make(kind: str, rng: np.random.Generator, aligned: bool = False) -> Sample:
    return MAKERS[kind](rng, aligned)
