"""Two rods on ball joints. Where a rotation vector grows beyond 1.5 pi, it changes to the equal rotation nearer zero."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    rod = rm.Cuboid((1, 1, 10), density=1)
    upper = scene.add_body(rod, joint=rm.Spherical(), com=(0, 0, -5), q=(pi / 8, 0, 0), qdot=(0, 0, 2))
    scene.add_body(rod, parent=upper, joint=rm.Spherical(), at=(0, 0, -10), com=(0, 0, -5), q=(pi / 8, 0, 0))
    return scene


ENTRIES = (redmax(3, "spherical-chain", "Two rods on ball joints", build, ("spherical", "change of coordinates"), duration=3.0),)
