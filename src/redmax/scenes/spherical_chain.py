"""Two rods on ball joints, in coordinates that change on the way.

Where a rotation vector grows beyond 1.5 pi, it changes to the equal rotation nearer zero; where Euler angles near their singularity, they
change to those of other axes.
"""

from math import pi
from typing import Any

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def two_rods(upper: dict[str, Any], lower: dict[str, Any]) -> rm.Scene:
    """upper, lower: the joints, and where they start."""
    scene = rm.Scene(gravity=(0, 0, -980))
    rod = rm.Cuboid((1, 1, 10), density=1)
    first = scene.add_body(rod, com=(0, 0, -5), **upper)
    scene.add_body(rod, parent=first, at=(0, 0, -10), com=(0, 0, -5), **lower)
    return scene


def rotation_vectors() -> rm.Scene:
    ball = rm.Spherical()
    return two_rods({"joint": ball, "q": (pi / 8, 0, 0), "qdot": (0, 0, 2)}, {"joint": ball, "q": (pi / 8, 0, 0)})


def euler_angles() -> rm.Scene:
    ball = rm.SphericalEuler()
    return two_rods({"joint": ball, "q": (pi / 8, 0, 0), "qdot": (2, 2, 2)}, {"joint": ball, "q": (pi / 2, 0, 0)})


ENTRIES = (
    redmax(3, "spherical-chain", "Two rods on ball joints", rotation_vectors, ("spherical", "change of coordinates"), duration=3.0),
    redmax_diff(7, "diff-spherical-chain", "Two rods on ball joints, fully implicit", euler_angles,
                ("spherical", "Euler angles", "change of coordinates"), dt=0.002),
)  # fmt: skip
