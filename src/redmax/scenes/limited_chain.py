"""A hanging chain whose joints bend to one side only: springs and dampers push them back from the ends of their ranges."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax_diff


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    link, parent = rm.Cuboid((10, 1, 1), density=1), None
    for angle in (0.0, -pi / 6, -pi / 6):
        at = (10, 0, 0) if parent else rm.pose(rm.rotation_about("y", pi / 2), (0, 0, 0))
        parent = scene.add_body(link, parent=parent, joint=rm.Revolute("y"), at=at, com=(5, 0, 0), q=angle, damping=100)
        scene.add_force(rm.JointLimit(parent, -pi / 2, 0.0, stiffness=1e5, damping=1e2))
    return scene


FEATURES = ("revolute", "joint limits", "damping")
ENTRIES = (
    redmax_diff(14, "diff-limited-chain", "Chain with limited joints, fully implicit", build, FEATURES, dt=0.005, conservative=False),
)
