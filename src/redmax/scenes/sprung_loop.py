"""A swinging frame of four bars with a pendulum on it: the loop is closed by a spring so stiff that its ends stay together."""

import redmax as rm
from redmax.scenes.base import redmax_diff


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    level, upright, hinge = rm.Cuboid((20, 1, 1), density=1), rm.Cuboid((1, 1, 10), density=1), rm.Revolute("y")
    top = scene.add_body(level, name="top")
    left = scene.add_body(upright, parent=top, joint=hinge, at=(-10, 0, 0), com=(0, 0, -5), name="left")
    right = scene.add_body(upright, parent=top, joint=hinge, at=(10, 0, 0), com=(0, 0, -5), name="right")
    bottom = scene.add_body(level, parent=left, joint=hinge, at=(0, 0, -10), com=(10, 0, 0), name="bottom")
    scene.add_body(upright, parent=bottom, joint=hinge, at=(10, 0, 0), com=(0, 0, -5), qdot=5.0, name="pendulum")
    scene.add_force(rm.PointSpring(right.point(0, 0, -5), bottom.point(10, 0, 0), stiffness=1e7))
    return scene


FEATURES = ("revolute", "tree", "point spring")
ENTRIES = (redmax_diff(10, "diff-sprung-loop", "Loop closed by a stiff spring, fully implicit", build, FEATURES),)
