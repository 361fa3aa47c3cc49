"""Two boxes on ramps of 20 degrees: one with friction 0.8, which stays where it is to the last digit, and one with 0.2, which slides down.

What sticks does not creep: the impulse that holds it is kept from step to step. Friction of 0.36 = tan 20 degrees would just hold.
"""

from math import radians

import redmax as rm
from redmax.scenes.base import Entry

TILT, SIDE, APART = radians(20), 0.2, 0.6  # m
FRICTIONS = {"sticks": (0.8, "steelblue"), "slides": (0.2, "tomato")}


def build() -> rm.Scene:
    scene, R = rm.Scene(), rm.rotation_about("y", TILT)
    for k, (name, (friction, color)) in enumerate(FRICTIONS.items()):
        y = APART * (k - 0.5)
        ramp = rm.Cuboid((3.0, APART - 0.02, 0.1), mass=1)
        scene.add_obstacle(ramp, at=rm.pose(R, R @ (1.2, y, -0.05)), contact=friction, name=f"where it {name}", color="silver")
        scene.add_body(
            rm.Cuboid((SIDE, SIDE, SIDE), mass=1.0), joint=rm.Free3D(), at=rm.pose(R, R @ (0, y, SIDE / 2)), contact=friction, name=name,
            color=color,
        )  # fmt: skip
    return scene


FEATURES = ("contact", "friction", "obstacles", "free")
ENTRIES = (Entry("slope", "Boxes on a slope", build, FEATURES, 1.5, 0.002, integrator="implicit", conservative=False),)
