"""A walker without motors, on a slope of a little more than a degree: two straight legs on round feet, and a hip that rubs (McGeer 1990).

Legs without knees scuff as they pass each other. As McGeer's walker did, this one steps on tiles, in two lanes: where one foot stands, the
other lane has a gap. The gait is stable: it begins near the one that two equations for the legs, with impacts and a constant torque in the
hip, lead to.
"""

from math import cos, pi, sin
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

SLOPE, STEPS = 0.025, 14  # rad
LEG, FOOT, HIP = 0.8, 0.25, 0.05  # m: from the hip to the ground, radius of the foot, of the hip
LEAN, STANCE, SWING, STRIDE = 0.33, 1.262, 0.857, 0.51  # rad, rad/s and m, of the gait as a step begins
TILE, THICK, LANE = 0.42, 0.05, 0.1  # m
GRIP = 0.8


def leg(scene: rm.Scene, name: str, side: float, parent: rm.BodyHandle | None, color: str, **joint: Any) -> rm.BodyHandle:
    """From the hip down, y up along it; its foot is a disc."""
    found = scene.add_body(
        rm.Cuboid((0.03, 0.7, 0.03), mass=1.6), parent=parent, com=(0, -0.33, side * LANE), name=name, color=color, **joint
    )
    scene.add_body(
        rm.Cylinder(FOOT, 0.04, mass=0.4), parent=found, at=(0, FOOT - LEG, side * LANE), contact=GRIP, contact_group=1,
        name=f"{name} foot", color=color, opacity=0.5,
    )  # fmt: skip
    return found


def build() -> rm.Scene:
    scene = rm.Scene()
    slope = rm.pose(rm.rotation_about("y", SLOPE), (0, 0, 0))
    for k in range(-1, STEPS + 1):
        where = slope @ rm.pose(np.eye(3), (k * STRIDE, (1 if k % 2 else -1) * -LANE, -THICK / 2))
        scene.add_obstacle(rm.Cuboid((TILE, 0.12, THICK)), at=where, contact=GRIP, name=f"tile {k + 2}", color="slategray")
    plane = slope @ rm.pose(rm.rotation_about("x", pi / 2), (0, 0, 0))  # x down the slope, y away from it
    reach = LEG - FOOT
    hip = (-FOOT * LEAN - reach * sin(LEAN), FOOT + reach * cos(LEAN))
    moving = (STANCE * (FOOT + reach * cos(LEAN)), STANCE * reach * sin(LEAN))
    first = leg(scene, "left", -1, None, "tomato", joint=rm.Free2D(), at=plane, q=(*hip, LEAN), qdot=(*moving, -STANCE))
    scene.add_body(rm.Sphere(HIP, mass=6), parent=first, name="hip", color="goldenrod")
    second = leg(scene, "right", 1, first, "steelblue", joint=rm.Revolute("z"), q=-2 * LEAN, qdot=STANCE - SWING)
    scene.add_force(rm.JointFriction(second, 0.04, radius=0.01, height=0.1, name="rub"))
    scene.look = rm.Look(trails=[rm.Trail("hip")], ground=False)
    return scene


FEATURES = ("contact", "friction", "friction in joints", "free in a plane", "revolute")
ENTRIES = (Entry("passive-walker", "Passive walker", build, FEATURES, 8.0, 0.002, integrator="implicit", conservative=False),)
