"""Sensible calls of what makes joints from data: (function, arguments, named arguments) of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import redmax as rm
from api.specimens_of_gradients import of_gradients
from api.specimens_of_motions import of_motions
from api.specimens_of_targets import of_files, of_targets
from api.worlds import Call, World

ANGLES = np.linspace(0.0, 1.5, 8)
POSES = np.array([rm.pose(rm.rotation_about("y", a), (0.1 * a, 0, 0.02 * a * a)) for a in ANGLES])

SIDES = np.stack(np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 5)), axis=-1).reshape(-1, 2)
SHEET = np.array([rm.pose(rm.rotation_about("y", 0.3 * u), (u, v, 0.1 * u * v)) for u, v in SIDES])


def of_design() -> dict[str, Callable[[World], Call]]:
    """Fits of joints, and the losses that they take."""
    return {
        "fit_curve": lambda _: (
            rm.fit_curve, (POSES, ANGLES),
            {"frames": 5, "order": 4, "knots": "clamped", "cyclic": False, "period": None, "weights": np.ones(8), "metric": np.ones(6),
             "loss": rm.Cauchy(0.1), "smoothing": 1e-3, "initial": None, "tolerance": 1e-9, "iterations": 20},
        ),
        "fit_surface": lambda _: (
            rm.fit_surface, (SHEET, SIDES),
            {"grid": (4, 4), "order": 4, "kind": "angles", "range": [(0, 1), (0, 1)], "knots": None, "cyclic": False,
             "rotation_order": "xyz", "base": None, "weights": np.ones(25), "metric": np.ones(6), "loss": rm.Cauchy(0.1), "smoothing": 1e-6,
             "tolerance": 1e-9, "iterations": 5, "outside": "limit", "limit_stiffness": 1.0, "limit_damping": 1.0},
        ),
        "SplineCurve.through": lambda _: (
            rm.SplineCurve.through, (POSES, ANGLES), {"order": 4, "cyclic": False, "period": None, "outside": "error"},
        ),
        "frame_rows": lambda _: (rm.frame_rows, (POSES,), {}),
        "pose_distances": lambda _: (rm.pose_distances, (POSES[1:], POSES[:-1]), {"metric": np.ones(6)}),
        "natural_knots": lambda _: (rm.natural_knots, (POSES,), {"order": 4, "cyclic": False, "metric": 0.5}),
        "Huber": lambda _: (rm.Huber, (0.1,), {}),
        "Cauchy": lambda _: (rm.Cauchy, (0.1,), {}),
        "Tukey": lambda _: (rm.Tukey, (0.1,), {}),
        **of_gradients(),
        **of_motions(),
        **of_targets(),
        **of_files(),
    }  # fmt: skip
