"""Two gears that turn against each other, each with an axle and a bar: one coordinate for two joints (RedMax notes Sec. 2.6).

The gears' mass properties are the integrals over the published mesh; they are drawn as wheels with teeth.
"""

from math import cos, pi, sin

import numpy as np

import redmax as rm
from redmax.scenes.base import redmax

DENSITY, TEETH = 0.1, 16
VOLUME, CENTRE = 5.008080292188966, (0.00083809, 0.00091396, 0.25550476)
INERTIA = np.array([
    [4.649187085, -0.000386651, -0.002126627],
    [-0.000386651, 4.648431774, -0.002334553],
    [-0.002126627, -0.002334553, 8.877246057],
])  # of unit density, about the centre  # fmt: skip
UPRIGHT = rm.rotation_about("x", pi / 2)  # what lies along z, along -y


def wheel() -> rm.Body:
    """Teeth at a distance of 2 from the axis, where the gears meet."""
    around = [2 * pi * k / TEETH for k in range(TEETH)]
    teeth = [(rm.Cuboid((0.4, 0.3, 0.5)), rm.pose(rm.rotation_about("z", a), (1.9 * cos(a), 1.9 * sin(a), 0.0))) for a in around]
    return rm.Composite([(rm.Cylinder(1.8, 0.5), np.eye(4)), *teeth])


def wheels() -> rm.Scene:
    """Both gears on their axles, which nothing ties together."""
    scene = rm.Scene(gravity=(0, 0, -980))
    gear = rm.MassProperties(DENSITY * VOLUME, DENSITY * INERTIA, display=wheel())
    gear_in_joint, along_y = rm.pose(UPRIGHT, UPRIGHT @ np.array(CENTRE)), rm.pose(UPRIGHT, (0, 0, 0))
    post = scene.add_body(rm.Cuboid((1, 1, 6), density=1), at=rm.pose(rm.rotation_about("z", pi), (0, 0, 0)), name="post")
    hinge = rm.Revolute("y")
    top = scene.add_body(rm.Cylinder(0.2, 3.5, density=1), parent=post, joint=hinge, at=(0, -0.25, 2), body=along_y, name="top axle")
    scene.add_body(gear, parent=top, at=(0, -0.35, 0), body=gear_in_joint, name="top gear")
    bottom = scene.add_body(rm.Cylinder(0.2, 3, density=1), parent=post, joint=hinge, at=(0, -0.5, -2), body=along_y, name="bottom axle")
    scene.add_body(gear, parent=bottom, at=(0, -0.1, 0), body=gear_in_joint, name="bottom gear")
    scene.add_body(rm.Cuboid((5, 0.25, 0.25), density=1), parent=bottom, com=(0, 1.5, 0), name="bottom bar")
    scene.add_body(rm.Cuboid((7, 0.25, 0.25), density=1), parent=top, com=(2, 1.75, 0), name="top bar")
    return scene


def build() -> rm.Scene:
    scene = wheels()
    scene.set_map([1, -1])
    return scene


ENTRIES = (redmax(34, "gears", "Gears", build, ("revolute", "hyper-reduced coordinates"), duration=1.0),)
