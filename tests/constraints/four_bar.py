"""A planar four-bar linkage, whose angles and rates at the start follow from the law of cosines."""

from __future__ import annotations

import numpy as np

import redmax as rm
from redmax.constraints.point import PointClosure

LENGTHS = (0.5, 2.0, 1.2, 1.8)  # crank, coupler, follower, ground: the crank can turn all the way


def angles(crank: float, lengths: tuple[float, ...] = LENGTHS) -> tuple[float, float]:
    """Of coupler and follower, against the ground."""
    a, b, c, d = lengths
    end = np.array([a * np.cos(crank), a * np.sin(crank)])
    across = np.array([d, 0.0]) - end
    r = np.hypot(*across)
    coupler = np.arctan2(across[1], across[0]) + np.arccos((b * b + r * r - c * c) / (2 * b * r))
    tip = end + b * np.array([np.cos(coupler), np.sin(coupler)]) - np.array([d, 0.0])
    return float(coupler), float(np.arctan2(tip[1], tip[0]))


def rates(crank: float, speed: float, lengths: tuple[float, ...] = LENGTHS) -> tuple[float, float]:
    """Of the same, from a closed loop of velocities."""
    (coupler, follower), (a, b, c, _) = angles(crank, lengths), lengths
    A = np.array([[-b * np.sin(coupler), c * np.sin(follower)], [b * np.cos(coupler), -c * np.cos(follower)]])
    found = np.linalg.solve(A, -speed * a * np.array([-np.sin(crank), np.cos(crank)]))
    return float(found[0]), float(found[1])


def four_bar(crank: float = 0.7, speed: float = 6.0, lengths: tuple[float, ...] = LENGTHS, **options: float) -> rm.Scene:
    """crank: its angle; closed by three rows, one of which asks for nothing that the hinges do not do already."""
    a, b, c, d = lengths
    coupler, follower = angles(crank, lengths)
    w_coupler, w_follower = rates(crank, speed, lengths)
    scene = rm.Scene()
    hinge = rm.Revolute("y")  # turns x towards -z
    bars = [rm.Cuboid((x, 0.05, 0.05), density=1000) for x in (a, b, c)]
    first = scene.add_body(bars[0], joint=hinge, com=(a / 2, 0, 0), q=-crank, qdot=-speed, name="crank")
    second = scene.add_body(
        bars[1], joint=hinge, parent=first, at=(a, 0, 0), com=(b / 2, 0, 0), q=crank - coupler, qdot=speed - w_coupler, name="coupler"
    )
    third = scene.add_body(bars[2], joint=hinge, at=(d, 0, 0), com=(c / 2, 0, 0), q=-follower, qdot=-w_follower, name="follower")
    scene.add_constraint(PointClosure(second.point(b / 2, 0, 0), third.point(c / 2, 0, 0), name="closure", **options))
    return scene


def gaps(run: rm.Trajectory, lengths: tuple[float, ...] = LENGTHS) -> np.ndarray:
    """How far the loop is open at each sample, relative to its size (m)."""
    tips = [run.pose(name) @ np.array([x / 2, 0, 0, 1]) for name, x in (("coupler", lengths[1]), ("follower", lengths[2]))]
    return np.linalg.norm(tips[0] - tips[1], axis=-1) / 3.0
