"""Joints whose position, velocity or acceleration is prescribed: the same motion from each, and the same torques from each dynamics."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import disagreement
from mechanisms import chain
from redmax.dynamics.redmax.hyper_reduced import RedmaxDynamics
from redmax.integrators import backward_differences

MOTIONS = {
    "position": lambda t: [0.4 + np.sin(2 * t)],
    "velocity": lambda t: [2 * np.cos(2 * t)],
    "acceleration": lambda t: [-4 * np.sin(2 * t)],
}
BEAM = rm.Cuboid((0.5, 0.1, 0.1), mass=100)


def driven(level: str, **options: Any) -> rm.Scene:
    scene, parent = rm.Scene(), None
    for i in range(3):
        more = {"motion": MOTIONS[level], "motion_level": level, "q": 0.4, "qdot": 2.0, **options} if i == 1 else {}
        at = (0.5, 0, 0) if i else None
        parent = scene.add_body(BEAM, parent=parent, joint=rm.Revolute("y"), at=at, com=(0.25, 0, 0), **more)
    return scene


@pytest.mark.parametrize(("level", "seed"), [(level, seed) for seed, level in enumerate(MOTIONS)])
def test_torques_of_recursive_and_redmax_dynamics_agree(level, seed):
    mechanism = chain(seed, ("Universal", "Revolute", "Spherical", "Prismatic"))
    scene, state, rng = mechanism.scene(), mechanism.state(seed), np.random.default_rng(seed)
    for i in (1, 2):
        n = scene.links[i].joint.dof
        a, b = rng.normal(size=(2, n))
        scene.links[i] = replace(scene.links[i], motion=lambda t, a=a, b=b: a + b * np.sin(3 * t), motion_level=level, gain=2.0)
    model = scene.model()
    qddot, tau = rm.Dynamics(model).hybrid(state.q, state.qdot, state.tau, t=state.t)
    found = RedmaxDynamics(model)(state.q, state.qdot, state.tau, state.t)
    assert disagreement(found.qddot, qddot) < 1e-9
    assert disagreement(found.tau, tau) < 1e-9


@pytest.mark.parametrize(("dynamics", "duration"), [("recursive", 0.3), ("redmax", 0.1), ("maximal", 0.06)])
def test_each_level_gives_the_same_motion(dynamics, duration):
    runs = {level: rm.simulate(driven(level), duration, 0.01, dynamics=dynamics, rtol=1e-9) for level in MOTIONS}
    for run in runs.values():
        np.testing.assert_allclose(run.q[:, 1], 0.4 + np.sin(2 * run.t), atol=1e-7)
        np.testing.assert_allclose(run.q, runs["position"].q, atol=1e-7)
        np.testing.assert_allclose(run.torque, runs["position"].torque, rtol=1e-4, atol=1e-2)


ORDERS = {"euler": 1, "implicit": 1, "bdf1": 1, "bdf2": 2, "rk4": 4}
SOME = [("euler", "velocity"), ("implicit", "acceleration"), ("bdf1", "position"), ("bdf2", "velocity"), ("rk4", "acceleration")]
OTHERS = [(name, level) for name in ORDERS for level in MOTIONS if (name, level) not in SOME]


@cache
def exact_end() -> np.ndarray:
    return rm.simulate(driven("position"), 0.08, 0.08, rtol=1e-12).q[-1]


@pytest.mark.parametrize(("name", "level"), [*SOME, *[pytest.param(*case, marks=pytest.mark.long) for case in OTHERS]])
def test_integrators_keep_their_order(name, level, monkeypatch):
    monkeypatch.setattr(backward_differences, "TOLERANCE", 1e-13)  # of Newton's method
    order = ORDERS[name]
    dt = 0.02 if order == 4 else 4e-3
    errors = [np.linalg.norm(rm.simulate(driven(level), 0.08, dt / 2**k, integrator=name).q[-1] - exact_end()) for k in range(3)]
    assert np.abs(np.log2(errors[:-1]) - np.log2(errors[1:]) - order).max() < 0.2 * order


def test_what_an_implicit_step_holds():
    """q_p is approached, qdot_p met at the end of the step, qddot_p taken over it."""
    h = 0.05
    ends = {level: rm.Simulation(driven(level), dt=h, integrator="implicit").step() for level in MOTIONS}
    assert ends["position"].qdot[1] == pytest.approx(2 * np.cos(2 * h), abs=1e-13)
    assert ends["velocity"].qdot[1] == pytest.approx(2 * np.cos(2 * h), abs=1e-13)
    assert ends["acceleration"].qdot[1] == pytest.approx(2 - h * 4 * np.sin(2 * h), abs=1e-13)


def test_a_run_starts_where_the_level_says():
    """On the motion as far as it is known; elsewhere where the joint was put."""
    starts = {level: rm.Simulation(driven(level, q=0.7, qdot=9.0)).state for level in MOTIONS}
    assert [starts[level].q[1] for level in MOTIONS] == pytest.approx([0.4, 0.7, 0.7])
    assert [starts[level].qdot[1] for level in MOTIONS] == pytest.approx([2.0, 2.0, 9.0])


def test_a_gain_pulls_the_velocity_back():
    run = rm.simulate(driven("velocity", qdot=5.0, on_motion=False, gain=4.0), 1.0, 0.01)
    off = run.qdot[:, 1] - 2 * np.cos(2 * run.t)
    np.testing.assert_allclose(off, 3.0 * np.exp(-8.0 * run.t), atol=1e-6)


def test_unknown_levels_are_answered():
    with pytest.raises(rm.SceneError, match=r"motion_level of body 'body2' is 'jerk'\. Valid: 'position', 'velocity', 'acceleration'"):
        driven("position", motion_level="jerk")
