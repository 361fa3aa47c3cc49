"""Bodies that roll on the ground without slipping: a disc that goes in circles, and a rattleback, which turns back by itself.

What rolls touches the ground, one row of positions, and the point of it that touches stands still, two rows of velocities that hold no
place: v + omega x r = 0, r from the centre of mass to the ground. Where a convex body touches follows from how it stands: the disc
of radius a with axis n at -a u, u along z - (z . n) n; an ellipsoid with half axes A, seen from its middle, at -A^2 n / |A n|, n up.
Joints with rolling=True have such rows by themselves; here they are written out.
"""

from collections.abc import Callable
from math import cos, sin
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

G = 9.81
UP = np.array([0.0, 0.0, 1.0])


def roll(scene: rm.Scene, body: rm.BodyHandle, touching: Callable[[Any], Any]) -> None:
    """On the plane z = 0, which is shown. touching: axes of the body (3, 3) -> from its centre of mass to where it touches (world axes)."""

    def slip(site: rm.Site) -> Any:
        r = touching(site.R)
        return (site.v + np.cross(site.omega, r))[:2]

    scene.look = rm.Look(ground_height=0.0, trails=[rm.Trail(body, seconds=3.0)])
    scene.add_constraint(rm.constraint(lambda site: site.x[2] + touching(site.R)[2], bodies=[body], name="ground"))
    scene.add_constraint(rm.constraint(slip, bodies=[body], rows=2, velocities=True, name="no slip"))


RADIUS, THICKNESS = 0.2, 0.012  # m


def under_the_disc(R: Any) -> Any:
    """n: the axis; u: up in the plane of the disc."""
    n = R[:, 2]
    u = UP - n[2] * n
    return -RADIUS / np.sqrt(1 - n[2] * n[2]) * u


def spin_of(shape: rm.Body, lean: float, turning: float) -> float:
    """About its axis (rad/s), with which a disc that leans rolls around a circle and neither falls nor rises.

    k Omega^2 sin a cos a - (k_n + 1) Omega w sin a = g / r cos a, a between the disc and the ground, Omega about z, w about the axis
    """
    size = shape.mass * RADIUS**2
    across, along = shape.inertia[0, 0] / size, shape.inertia[2, 2] / size
    return (across * turning**2 * sin(lean) - G / RADIUS) * cos(lean) / ((along + 1) * turning * sin(lean))


def disc_with(lean: float, turning: float, nodding: float = 0.0) -> rm.Scene:
    """Its axis leans towards y; it goes around z with `turning`, and falls over with `nodding` (rad/s)."""
    scene, shape = rm.Scene(), rm.Cylinder(RADIUS, THICKNESS, mass=1.0)
    n, u, forward = np.array([0, -sin(lean), cos(lean)]), np.array([0, cos(lean), sin(lean)]), np.array([1.0, 0, 0])
    R = np.column_stack([forward, u, n])
    omega = spin_of(shape, lean, turning) * n + turning * sin(lean) * u + nodding * forward
    v = np.cross(omega, RADIUS * u)
    disc = scene.add_body(
        shape, joint=rm.Free3D(), at=rm.pose(R, RADIUS * u), qdot=(*(R.T @ v), *(R.T @ omega)), name="disc", color="goldenrod"
    )
    roll(scene, disc, under_the_disc)
    return scene


def rolling_disc() -> rm.Scene:
    """A little off the steady circle, so that it nods on its way."""
    return disc_with(1.1, 2.0, 0.6)


AXES, LOW = np.array([0.2, 0.03, 0.02]), 0.01  # of the rattleback (m), and how far its centre of mass is below the middle
INERTIA = np.array([[2e-4, 8e-5, 0], [8e-5, 16e-4, 0], [0, 0, 17e-4]])  # kg m^2: not along the axes of its shape


def under_the_stone(R: Any) -> Any:
    n = AXES * R[2]
    return R @ (LOW * UP - AXES * n / np.sqrt(n @ n))


def rattleback() -> rm.Scene:
    """As it spins it begins to rattle, stops, and turns back (after Kane & Levinson, Int. J. Non-Linear Mech. 17, 1982)."""
    scene, spin, rocking = rm.Scene(), -5.0, 0.2
    stone = rm.MassProperties(1.0, INERTIA, display=rm.Composite([(rm.Ellipsoid(tuple(AXES)), (0, 0, LOW))]))
    height = AXES[2] - LOW
    omega = np.array([rocking, 0.0, spin])
    body = scene.add_body(
        stone, joint=rm.Free3D(), at=(0, 0, height), qdot=(*np.cross(omega, height * UP), *omega), name="stone", color="steelblue"
    )
    roll(scene, body, under_the_stone)
    return scene


ENTRIES = (
    Entry("rolling-disc", "Rolling disc", rolling_disc, ("free", "rolling", "rows of velocities"), 6.0),
    Entry("rattleback", "Rattleback", rattleback, ("free", "rolling", "rows of velocities"), 10.0),
)
