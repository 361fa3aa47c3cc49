"""A row of dominoes around a bend: the first leans too far and takes all others with it, one after the other."""

from math import cos, pi, sin

import redmax as rm
from redmax.scenes.base import Entry

COUNT, RADIUS = 24, 0.22  # m: of the bend
THICK, WIDE, HIGH = 0.008, 0.03, 0.06  # m
LEANING = 0.2  # rad: beyond what it could come back from


def build() -> rm.Scene:
    scene, piece = rm.Scene(), rm.Cuboid((THICK, WIDE, HIGH), mass=0.015)
    scene.add_ground(contact=0.4)
    for k in range(COUNT):
        angle = -pi / 4 + 1.5 * pi * k / (COUNT - 1)
        R = rm.rotation_about("z", angle)
        place, height = R @ (0, -RADIUS, 0), HIGH / 2
        if k == 0:  # on its edge
            R, height = R @ rm.rotation_about("y", LEANING), HIGH / 2 * cos(LEANING) + THICK / 2 * sin(LEANING)
        scene.add_body(
            piece, joint=rm.Free3D(), at=rm.pose(R, place + (0, 0, height)), contact=0.4, name=f"domino {k + 1}",
            color="tomato" if k == 0 else "goldenrod",
        )  # fmt: skip
    return scene


ENTRIES = (
    Entry("dominoes", "Dominoes", build, ("contact", "friction", "ground", "free"), 2.0, 0.002, integrator="implicit", conservative=False),
)
