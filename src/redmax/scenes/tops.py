"""Tops that touch the ground: one that turns over and stands on its stem, and a rattleback that turns back by itself.

The tippe top is a ball, heavier on one side, with a stem on the other. Friction where it slides lifts its centre of mass: it inverts where
1 - a < I1 / I3 < 1 + a, a from the middle to the centre of mass in radii (Rauch-Wojciechowski, Skoldstam & Glad, Regular and Chaotic
Dynamics 10, 2005; mass, size and inertia are theirs). While one point of the ball touches, Jellett's number -L . r stays, L about the
centre of mass and r from there to the point. Its angles are precession, tilt and spin, in which a top moves steadily; with others steps of
the first order gain energy at such speeds.
"""

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.rolling import AXES, INERTIA, LOW

MASS, RADIUS, BELOW = 0.02, 0.02, 0.3  # kg, m; how far its centre of mass is below the middle, in radii
MOMENTS = np.array([131 / 350, 131 / 350, 2 / 5]) * MASS * RADIUS**2  # kg m^2
STEM, LONG = 0.005, 0.018  # m: its radius, and how far from the middle its rounded end begins


def tippe_top(spin: float = 250.0, tilt: float = 0.2, friction: float = 0.3) -> rm.Scene:
    """Stem up and a little aside, with a spin (rad/s) about the vertical."""
    scene, middle = rm.Scene(), BELOW * RADIUS
    scene.add_ground(contact=friction)
    seen = rm.Composite([(rm.Sphere(RADIUS), (0, 0, middle)), (rm.Capsule(STEM, LONG), (0, 0, middle + LONG / 2))])
    carried = scene.add_body(
        rm.MassProperties(0, np.zeros(3)), joint=rm.CompositeJoint(rm.Translational(), rm.Revolute("z")), name="precession",
        at=(0, 0, RADIUS - middle * np.cos(tilt)), qdot=(0, 0, 0, spin),
    )  # fmt: skip
    scene.add_body(
        rm.MassProperties(MASS, MOMENTS, display=seen), joint=rm.CompositeJoint(rm.Revolute("x"), rm.Revolute("z")), parent=carried,
        q=(tilt, 0), contact=friction, name="top", color="tomato",
    )  # fmt: skip
    return scene


def rattleback(spin: float = -5.0, skew: float = 1.0) -> rm.Scene:
    """The stone of `rattleback` on ground that it touches. skew: how far its inertia is turned against its shape, -1 for its mirror."""
    scene, rocking, height = rm.Scene(), 0.2, AXES[2] - LOW
    inertia = INERTIA * np.array([[1, skew, 1], [skew, 1, 1], [1, 1, 1]])
    stone = rm.MassProperties(1.0, inertia, display=rm.Composite([(rm.Ellipsoid(tuple(AXES)), (0, 0, LOW))]))
    omega = np.array([rocking, 0.0, spin])
    scene.add_ground(contact=1.0)
    scene.add_body(
        stone, joint=rm.Free3D(), at=(0, 0, height), qdot=(*np.cross(omega, (0, 0, height)), *omega), contact=1.0, name="stone",
        color="steelblue",
    )  # fmt: skip
    scene.look = rm.Look(trails=[rm.Trail("stone", seconds=3.0)])
    return scene


FEATURES = ("contact", "friction", "free")
ENTRIES = (
    Entry("tippe-top", "Tippe top", tippe_top, (*FEATURES, "composite"), 3.0, 5e-5, integrator="implicit", conservative=False),
    Entry("rattleback-on-ground", "Rattleback on the ground", rattleback, (*FEATURES, "ellipsoid"), 10.0, 2e-4, integrator="implicit",
          conservative=False),
)  # fmt: skip
