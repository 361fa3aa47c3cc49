"""The mechanism that tests of bridges share: two bars, three coordinates."""

from __future__ import annotations

import numpy as np

import redmax as rm

NAMES = ["upper.mass", "upper.inertia", "gravity"]


def two_bars(coupled: bool = False, **hinge: float) -> rm.Scene:
    """A hinge, and a universal joint that hangs on it; a spring between the bodies if they are coupled."""
    scene, bar = rm.Scene(), rm.Cuboid((0.4, 0.05, 0.1), mass=1.0)
    upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="upper", **hinge)
    lower = scene.add_body(bar, joint=rm.Universal(), parent=upper, at=(0.4, 0, 0), com=(0.2, 0, 0.01), name="lower")
    if coupled:
        scene.add_force(rm.SpringDamper(upper.point(0, 0, 0.1), lower.point(0, 0, -0.1), stiffness=50.0))
    return scene


def run_of_bars() -> rm.Gradient:
    """An objective of ten steps, by the torques of all, by rates at the beginning and by a mass."""
    by, effort = ["qdot", "tau", "upper.mass"], lambda now: 0.1 * now.tau @ now.tau
    return rm.gradient(two_bars(), lambda now: now.q @ now.q, 0.2, 0.02, running=effort, by=by, integrator="euler")


def state(seed: int, *lead: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qdot, and what drives it, (..., 3) each."""
    rng = np.random.default_rng(seed)
    q, qdot, tau = (rng.normal(size=(*lead, 3)) for _ in range(3))
    return q, qdot, tau


def values() -> dict[str, np.ndarray]:
    """Of the parameters NAMES, beside those of the scene."""
    turned = np.array([[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.025]])
    return {"upper.mass": np.array(1.3), "upper.inertia": turned, "gravity": np.array([0.1, 0.2, -9.0])}
