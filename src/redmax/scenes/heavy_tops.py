"""Heavy tops: a body that turns about a fixed point under its weight, fast, slowly, and with three different moments of inertia.

The first two are a plate at the end of a stick without mass (Bruels, Cardona and Arnold, Mech. Mach. Theory 48, 2012), the benchmark of
methods on groups. Nothing rubs: the energy and the angular momentum about the vertical stay; where two moments are equal and the centre of
mass is on the third axis, the spin about that axis too. Configurations are unit quaternions; `coordinates` may say "matrix" or "exp".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

Coordinates = Literal["quaternion", "matrix", "exp"]
MOMENTS = (0.234375, 0.46875, 0.234375)  # kg m^2 of the plate, of 15 kg and a radius of 0.25 m


def heavy_top(coordinates: Coordinates = "quaternion", omega: Sequence[float] = (0, 150, -4.61538)) -> rm.Scene:
    """The plate across y, 1 m from the fixed point. omega: angular velocity at the start (rad/s, body axes)"""
    return turning(15, MOMENTS, (0, 1, 0), omega, rm.Cylinder(0.25, 0.05), coordinates)


def heavy_top_slow(coordinates: Coordinates = "quaternion") -> rm.Scene:
    """The same, but that it nods and swings through its lowest place."""
    return heavy_top(coordinates, (0.5, 10, -1))


def asymmetric_top(coordinates: Coordinates = "quaternion") -> rm.Scene:
    """No axis of symmetry, and its centre of mass on none of its axes: the motion is chaotic."""
    return turning(2, (0.1, 0.2, 0.25), (0.1, 0.3, 0.5), (1, 2, 10), rm.Ellipsoid((0.22, 0.14, 0.08)), coordinates)


def turning(
    mass: float, moments: Sequence[float], center: Sequence[float], omega: Sequence[float], shape: rm.Body, coordinates: Coordinates
) -> rm.Scene:
    """About the origin, upright at the start. center: of mass; shape: what is seen there, of a cylinder its axis along the stick"""
    scene, along = rm.Scene(gravity=(0, 0, -9.81)), np.array(center, float)
    length = float(np.linalg.norm(along))
    lying = rm.pose(rm.rotation_about((-along[1], along[0], 0), np.arccos(along[2] / length)), (0, 0, 0))
    stick = rm.pose(lying[:3, :3], -along / 2)
    seen = rm.Composite([(shape, lying if isinstance(shape, rm.Cylinder) else np.eye(4)), (rm.Cylinder(0.015, length), stick)])
    body = rm.MassProperties(mass, np.array(moments), display=seen)
    scene.add_body(body, joint=rm.Spherical(coordinates), com=center, qdot=omega, name="top", color="tomato")
    scene.look = rm.Look(trails=[rm.Trail("top")])
    return scene


FEATURES = ("spherical", "quaternion")
ENTRIES = (
    Entry("heavy-top", "Heavy top", heavy_top, FEATURES, 2.0, 1e-3),
    Entry("heavy-top-slow", "Slow heavy top", heavy_top_slow, FEATURES, 4.0, 1e-3),
    Entry("asymmetric-top", "Asymmetric top", asymmetric_top, FEATURES, 5.0, 1e-3),
)  # fmt: skip
