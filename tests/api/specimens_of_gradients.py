"""Sensible calls of gradients of runs, for random calls to spoil: as in specimens.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import redmax as rm
from api.worlds import Call, World

STATE = rm.State(0.0, np.array([0.1, 0.2]), np.zeros(2))


def missed(now: rm.Moment) -> Any:
    return now.q @ now.q


def made(w: World) -> rm.Gradient:
    return rm.gradient(w.scene, missed, 0.02, 0.01, by=["q", "qdot", "tau", "upper.mass"], integrator="euler")


def of_gradients() -> dict[str, Callable[[World], Call]]:
    """What makes one, and what it is called with."""
    return {
        "gradient": lambda w: (
            rm.gradient, (w.scene, missed, 0.02, 0.01),
            {"running": lambda now: now.tau @ now.tau + now.data[0], "by": ["tau", "upper.mass"], "data": np.zeros((3, 1)),
             "controls": np.zeros((2, 2)), "initial": STATE, "integrator": "rk4", "dynamics": "recursive", "solver": "auto",
             "stabilisation": "auto", "drift": 1e-4, "backend": "llvm"},
        ),
        "gradient of adaptive steps": lambda w: (
            rm.gradient, (w.scene, missed, 0.02), {"by": ["q"], "integrator": "adaptive", "rtol": 1e-6, "atol": 1e-6},
        ),
        "linearize": lambda w: (
            rm.linearize, (w.scene, STATE, np.zeros(2), 0.01),
            {"integrator": "euler", "dynamics": "recursive", "rtol": 1e-8, "solver": "auto", "stabilisation": "auto",
             "parameters": {"upper.mass": 2.0}, "backend": "llvm"},
        ),
        "gradient at": lambda w: (
            made(w).__call__, (), {"q": (0.1, 0.2), "qdot": (0, 1), "tau": np.ones((2, 2)), "parameters": {"upper.mass": 2.0},
                                      "out": {"tau": np.zeros((2, 2))}},
        ),
        "value of a gradient": lambda w: (made(w).value, (), {"q": np.zeros((3, 2)), "parameters": {"upper.mass": np.ones(3)}}),
        "flat gradient": lambda w: (made(w).flat, (np.full(9, 0.5),), {}),
    }  # fmt: skip
