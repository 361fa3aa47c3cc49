"""What the coordinates of a joint are measured in.

A joint is only a function of its coordinates, so its motion is asked: a coordinate that turns the child by one radian for each unit is an
angle, one that moves it by one unit of length is a length. What is neither, as the parameter of a curve, has no unit.
"""

from typing import Any

import numpy as np

STEP, CLOSE = 1e-5, 1e-4


def coordinate_units(joint: Any, start: Any, length_unit: str) -> list[str]:
    """A unit for each coordinate, "" where it has none; start: coordinates where the joint is defined, if not at zero."""
    if joint.nq != joint.dof:  # velocities that are not rates of the coordinates
        return [""] * joint.nq
    zero = np.zeros(joint.nq)
    if joint.domain is not None and not all(low < 0 < high for low, high in joint.domain):
        zero = np.asarray(start, float)
    return [unit_of(joint, zero, i, length_unit) for i in range(joint.nq)]


def unit_of(joint: Any, q: np.ndarray, i: int, length_unit: str) -> str:
    step = STEP * np.eye(joint.nq)[i]
    try:
        before, here, after = (pose_at(joint, x) for x in (q - step, q, q + step))
    except Exception:  # a motion that is not defined there
        return ""
    change = np.linalg.inv(here) @ (after - before) / (2 * STEP)
    turn = np.linalg.norm([change[2, 1], change[0, 2], change[1, 0]])
    if abs(turn - 1) < CLOSE:
        return "rad"
    return length_unit if turn < CLOSE and abs(np.linalg.norm(change[:3, 3]) - 1) < CLOSE else ""


def pose_at(joint: Any, q: np.ndarray) -> np.ndarray:
    """With the first of its charts, where it has a choice."""
    return np.asarray(joint.at("transform", np.concatenate([q, np.zeros(len(joint.discrete))]), 0.0), float)
