"""A cube thrown upwards in weak gravity, turning."""

import redmax as rm
from redmax.scenes.base import redmax


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -1))
    scene.add_body(rm.Cuboid((1, 1, 1), density=1), joint=rm.Free3D(), qdot=(0, 0, 3, 0.2, 0.4, 0.6), name="cube")
    return scene


ENTRIES = (redmax(18, "free-cube", "Cube in free flight", build, ("free",), duration=7.0),)
