"""A gripper lifts a box by friction: two fingers on rails close with servos that push no harder than they are told, and the palm goes up.

Fingers press with 15 N each and friction is 0.6, so that up to 18 N hold the box of 1 kg: it neither falls nor creeps out of the grip.
"""

from typing import Any

import redmax as rm
from redmax.math import maximum, minimum
from redmax.scenes.base import Entry

SIDE, FINGER, OPEN = 0.08, (0.02, 0.04, 0.12), 0.02  # m: of the box, of a finger, and how far off it begins
PRESS, LIFT = 15.0, 0.25  # N, m
CLOSE, UP = (0.1, 0.3), (0.6, 1.4)  # s: from and to


def risen(t: Any) -> list[Any]:
    """How far the palm has gone up at the time t."""
    s = minimum(maximum((t - UP[0]) / (UP[1] - UP[0]), 0.0), 1.0)
    return [LIFT * s * s * (3 - 2 * s)]


def closed(t: Any) -> list[Any]:
    """Where the fingers are told to be: within the box, so that they press."""
    s = minimum(maximum((t - CLOSE[0]) / (CLOSE[1] - CLOSE[0]), 0.0), 1.0)
    return [(OPEN + 0.02) * s]


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.6)
    scene.add_body(rm.Cuboid((SIDE, SIDE, SIDE), mass=1.0), joint=rm.Free3D(), at=(0, 0, SIDE / 2), contact=0.6, name="box", color="tomato")
    palm = scene.add_body(
        rm.Cuboid((0.22, 0.05, 0.03), mass=0.8), joint=rm.Prismatic("z"), at=(0, 0, SIDE / 2 + FINGER[2] - 0.01), name="palm",
        color="dimgray", material="metal",
    )  # fmt: skip
    scene.add_force(rm.Servo(palm, risen, kp=2e4, kd=600.0))
    for name, side in (("left", -1), ("right", 1)):
        x = side * (SIDE / 2 + OPEN + FINGER[0] / 2)
        finger = scene.add_body(
            rm.Cuboid(FINGER, mass=0.1), joint=rm.Prismatic((-side, 0, 0)), parent=palm, at=(x, 0, -FINGER[2] / 2 - 0.015), contact=0.6,
            name=f"{name} finger", color="steelblue",
        )  # fmt: skip
        scene.add_force(rm.Servo(finger, closed, kp=5e3, kd=50.0, limit=PRESS))
    return scene


FEATURES = ("contact", "friction", "ground", "prismatic", "servo", "free")
ENTRIES = (Entry("gripper", "Gripper", build, FEATURES, 2.0, 0.002, integrator="implicit", conservative=False),)
