"""Marbles that fall into a bowl of planks, roll about in it, and come to rest on each other."""

from math import pi

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

PLANKS, TILT, PLANK = 8, 0.6, (0.36, 0.30, 0.02)  # rad from the ground; m: along the slope, across, thick
MARBLES, RADIUS, BOTTOM = 30, 0.03, 0.10  # m: how far from the middle the planks begin


def build() -> rm.Scene:
    scene, random = rm.Scene(), np.random.default_rng(1)
    glass = rm.ContactMaterial(friction=0.3, restitution=0.3)
    scene.add_ground(contact=glass)
    for k in range(PLANKS):
        R = rm.rotation_about("z", 2 * pi * k / PLANKS) @ rm.rotation_about("y", -TILT)
        middle = rm.rotation_about("z", 2 * pi * k / PLANKS) @ (BOTTOM, 0, 0) + R @ (PLANK[0] / 2, 0, -PLANK[2] / 2)
        scene.add_obstacle(rm.Cuboid(PLANK, mass=1), at=rm.pose(R, middle), contact=glass, name=f"plank {k + 1}", color="burlywood")
    for k in range(MARBLES):
        ring, layer = 2 * pi * (k % 6 + 0.5 * (k // 6 % 2)) / 6, k // 6
        place = np.array([0.12 * np.cos(ring), 0.12 * np.sin(ring), 0.3 + 0.09 * layer]) + random.uniform(-0.01, 0.01, 3)
        scene.add_body(
            rm.Sphere(RADIUS, density=2500), joint=rm.Free3D(), at=place, contact=glass, name=f"marble {k + 1}",
            color=("tomato", "steelblue", "goldenrod", "seagreen")[k % 4],
        )  # fmt: skip
    return scene


FEATURES = ("contact", "friction", "restitution", "obstacles", "free")
ENTRIES = (Entry("marbles", "Marbles in a bowl", build, FEATURES, 3.0, 0.002, integrator="implicit", conservative=False),)
