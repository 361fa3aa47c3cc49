"""A sensible call of what motions are asked for, for random calls to spoil: as in specimens.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import redmax as rm
from api.worlds import Call, World

T = np.linspace(0.0, 1.0, 12)
ANGLES = np.stack([np.sin(3 * T), 0.5 * T], axis=1)
PATH = np.stack([0.3 + 0.1 * np.cos(T), 0 * T, -0.2 - 0.1 * T], axis=1)


def muscled() -> rm.Scene:
    """An arm of two links with a muscle."""
    scene = rm.Scene()
    a = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="a")
    b = scene.add_body(rm.Sphere(0.1), parent=a, joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.3, 0, 0), name="b")
    scene.add_force(rm.Muscle([a.point(0, 0, 0.1), b.point(0, 0, 0.1)], force=100.0, optimal_length=0.3, name="m"))
    return scene


def motion(scene: rm.Scene) -> rm.SmoothedMotion:
    return rm.smoothed_motion(scene, T, ANGLES, 5.0)


def of_motions() -> dict[str, Callable[[World], Call]]:
    """Functions that take samples and motions."""
    return {
        "smoothed_motion": lambda w: (rm.smoothed_motion, (w.scene, T, ANGLES), {"cutoff": {"upper": 3.0}}),
        "motion at": lambda w: (motion(w.scene).at, (np.linspace(0.2, 0.8, 5),), {}),
        "inverse_dynamics": lambda w: (
            rm.inverse_dynamics, (w.scene, motion(w.scene)), {"wrenches": {"lower": (0, 0, 0, 0, 0, 5.0)}, "driven": None},
        ),
        "track": lambda w: (
            rm.track, (rm.InverseKinematics(w.scene, rm.PositionTarget(w.b, name="tip")), T, {"tip": PATH}),
            {"cutoff": {"upper": 3.0}, "start": (0.1, 0.2), "restarts": 2, "tolerance": 1e-5},
        ),
        "static_optimisation": lambda _: (
            rm.static_optimisation, (s := muscled(), motion(s)),
            {"exponent": 3.0, "reserves": {"a": 1.0}, "wrenches": {"b": (0, 0, 0, 0, 0, 5.0)}},
        ),
    }  # fmt: skip
