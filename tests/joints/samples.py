"""Every kind of joint: how to make one, what its motion is by definition, and which coordinates it may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import redmax as rm
from joints import definitions as d
from joints.spline_definitions import spline_curve, spline_surface
from joints.user_joints import Elliptic, Helical, paraboloid, torus

AXES = ("x", "y", "z", "-x", "-y", "-z")
UNIT = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


@dataclass(frozen=True, eq=False)
class Sample:
    """joint: the library's; motion: the same by definition; coordinates: rng -> q where S is well conditioned."""

    kind: str
    joint: rm.Joint
    motion: d.Motion
    coordinates: Callable[[np.random.Generator], np.ndarray]


def rotation_vector(rng: np.random.Generator, largest: float = 1.4 * np.pi) -> np.ndarray:
    """Up to where the coordinates would be changed."""
    w = rng.normal(size=3)
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
    joint = Helical(1.0 if aligned else rng.uniform(-0.3, 0.3))
    return Sample("Helical", joint, joint.transform, angles(1))


def make_elliptic(rng: np.random.Generator, aligned: bool) -> Sample:
    joint = Elliptic(1.0, 0.5) if aligned else Elliptic(*rng.uniform(0.2, 0.6, 2))
    return Sample("Elliptic", joint, joint.transform, angles(1))


def make_paraboloid(rng: np.random.Generator, aligned: bool) -> Sample:
    k = 1.0 if aligned else rng.uniform(0.3, 1.5)
    return Sample("paraboloid", rm.joint(paraboloid, 3, curvature=k), lambda q: paraboloid(q, k), lengths(3))


def make_torus(rng: np.random.Generator, aligned: bool) -> Sample:
    radii = np.array([1.0, 0.25]) if aligned else rng.uniform([0.3, 0.1], [0.6, 0.2])
    return Sample("torus", rm.joint(torus, 2, radii=radii), lambda q: torus(q, radii), angles(2))


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


def plain(joint: Callable[[], rm.Joint], motion: d.Motion, coordinates: Any) -> Callable[[np.random.Generator, bool], Sample]:
    return lambda rng, aligned: Sample(joint.__name__, joint(), motion, coordinates)


# Simplest first: Hypothesis shrinks towards the front.
MAKERS: dict[str, Callable[[np.random.Generator, bool], Sample]] = {
    "Fixed": plain(rm.Fixed, d.fixed, lambda rng: np.zeros(0)),
    "Revolute": make_revolute,
    "Prismatic": make_prismatic,
    "Planar": plain(rm.Planar, d.planar, lengths(2)),
    "Translational": plain(rm.Translational, d.translational, lengths(3)),
    "Universal": plain(rm.Universal, d.universal, lambda rng: rng.uniform([-3.0, -1.2], [3.0, 1.2])),
    "Spherical": plain(rm.Spherical, d.spherical, rotation_vector),
    "Free": plain(rm.Free, d.free, lambda rng: np.concatenate([rotation_vector(rng), rng.uniform(-0.5, 0.5, 3)])),
    "Free3D": plain(rm.Free3D, d.free3d, lambda rng: np.concatenate([rng.uniform(-0.5, 0.5, 3), rotation_vector(rng)])),
    "Helical": make_helical,
    "Elliptic": make_elliptic,
    "paraboloid": make_paraboloid,
    "torus": make_torus,
    "SplineCurve": make_spline_curve,
    "KnottedCurve": make_knotted_curve,
    "SplineSurface": make_spline_surface,
}
KINDS = tuple(MAKERS)


def make(kind: str, rng: np.random.Generator, aligned: bool = False) -> Sample:
    return MAKERS[kind](rng, aligned)
