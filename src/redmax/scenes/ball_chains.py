"""Chains on ball joints, whose configurations are unit quaternions: thrown into motion, and through every place where Euler angles fail.

Euler angles about axes i, j, k are singular where the child's axis k is along the parent's axis i, and with i again as the third where i
stays: one of the nine entries of the rotation is 1 or -1. Turned by a quarter about x, y and z, the joints of the second chain are at all
nine at once, so that no sequence of three axes can say how fast they go on; quaternions, matrices and rotation vectors notice nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

import redmax as rm
from redmax.lie import quaternions
from redmax.scenes.base import Entry
from redmax.scenes.heavy_tops import Coordinates

COLORS = ("tomato", "goldenrod", "steelblue")


def ball_chain(coordinates: Coordinates = "quaternion") -> rm.Scene:
    """Three equal links that hang and turn, each against the one before, at angular velocities in its own axes."""
    spins = ((1, 2, 3), (-2, 1.5, 0.5), (0, -4, 2.5))
    return hung(rm.Cuboid((0.1, 0.2, 0.4), density=1000), 0.4, [(0.0, 0.0, 0.0)] * 3, spins, coordinates)


def euler_singularities(coordinates: Coordinates = "quaternion") -> rm.Scene:
    """Three links, turned by a quarter about x, y and z at the start, which they go through."""
    spins = ((2, 0.5, -1), (-0.5, 3, 1), (1, -1.5, 4))
    return hung(rm.Cuboid((0.05, 0.1, 0.3), density=1000), 0.3, np.eye(3) * pi / 2, spins, coordinates)


def hung(
    body: rm.Body, length: float, turns: Sequence[Sequence[float]] | np.ndarray, spins: Sequence[Sequence[float]], coordinates: Coordinates
) -> rm.Scene:
    """Links below each other. turns: rotation vectors at the start (rad); spins: angular velocities against the link before (rad/s)"""
    scene, link = rm.Scene(gravity=(0, 0, -9.81)), None
    for i, (turn, spin) in enumerate(zip(turns, spins, strict=True)):
        joint = rm.Spherical(coordinates)
        q = joint.coordinates(quaternions.exp(np.array(turn)))
        link = scene.add_body(
            body, joint=joint, parent=link, at=(0, 0, -length) if link else None, com=(0, 0, -length / 2), q=q,
            qdot=joint.rates(q, spin), name=f"link{i + 1}", color=COLORS[i % 3],
        )  # fmt: skip
    scene.look = rm.Look(trails=[rm.Trail(f"link{len(turns)}")])
    return scene


FEATURES = ("spherical", "quaternion")
ENTRIES = (
    Entry("ball-chain", "Chain on ball joints", ball_chain, FEATURES, 3.0),
    Entry("euler-singularities", "Ball joints through every Euler singularity", euler_singularities, FEATURES, 3.0),
)  # fmt: skip
