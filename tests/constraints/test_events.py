"""Rows that only push, with adaptive steps: events at the times that closed forms have, energy that no event adds to."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm

DYNAMICS = ("recursive", "redmax", "maximal")


def coordinates(run: rm.Trajectory) -> np.ndarray:
    return run.q.reshape(len(run.t), -1)


@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_a_fall_ends_at_the_limit(dynamics):
    """z = -g t^2 / 2 until it is -1, and then -1: samples on both sides of the event are right to roundings."""
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Prismatic("z"))
    scene.add_constraint(rm.HardLimit(body, -1.0, 5.0))
    run = rm.simulate(scene, 1.0, dt=0.05, integrator="adaptive", dynamics=dynamics, rtol=1e-10, progress=False)
    assert np.abs(coordinates(run)[:, 0] - np.maximum(-0.5 * 9.81 * run.t**2, -1.0)).max() < 1e-9


def test_a_limit_lets_go_where_its_force_vanishes():
    """A body of weight 10 N that is pulled up by 30 t N stays until t = 1/3 s, and then z = 5 (t - 1/3)^3."""
    scene = rm.Scene(gravity=(0, 0, -10))
    body = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("z"), torque=lambda t, q, qdot: [30.0 * t])
    scene.add_constraint(rm.HardLimit(body, 0.0, 5.0))
    run = rm.simulate(scene, 1.0, dt=0.05, integrator="adaptive", rtol=1e-10, progress=False)
    assert np.abs(coordinates(run)[:, 0] - 5.0 * np.maximum(run.t - 1 / 3, 0.0) ** 3).max() < 1e-9


def double_pendulum() -> rm.Scene:
    scene, body = rm.Scene(), None
    for i in range(2):
        body = scene.add_body(
            rm.Cuboid((1, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), parent=body, at=(1, 0, 0) if i else None, com=(0.5, 0, 0)
        )
    assert body
    scene.add_constraint(rm.HardLimit(body, -0.5, 0.5))
    return scene


def test_impacts_take_energy_and_give_none():
    runs = [rm.simulate(double_pendulum(), 2.0, dt=0.01, integrator="adaptive", dynamics=d, rtol=1e-9, progress=False) for d in DYNAMICS]
    for run in runs:
        assert np.abs(coordinates(run)[:, 1]).max() < 0.5 + 1e-9
        energy = run.energy.total.ravel()
        assert energy[-1] < energy[0] - 0.1
        assert np.diff(energy).max() < 1e-8 * np.abs(energy).max() + 1e-8
        assert np.abs(coordinates(run) - coordinates(runs[0])).max() < 1e-6


@pytest.mark.parametrize("integrator", ["implicit", "euler"])
def test_fixed_steps_come_to_the_same_motion(integrator):
    """With order one, though impacts are where steps end."""
    exact = coordinates(rm.simulate(double_pendulum(), 0.8, dt=0.1, integrator="adaptive", rtol=1e-10, progress=False))[-1]
    steps = [rm.simulate(double_pendulum(), 0.8, dt=dt, integrator=integrator, progress=False) for dt in (1e-3, 2.5e-4)]
    errors = [np.abs(coordinates(run)[-1] - exact).max() for run in steps]
    assert errors[1] < 0.4 * errors[0] < 0.02
    assert all(np.abs(coordinates(run)[:, 1]).max() < 0.5 + 1e-6 for run in steps)


@pytest.mark.parametrize("integrator", ["forward-euler", "rk4"])
def test_methods_that_know_no_impacts_say_so(integrator):
    with pytest.raises(rm.RedmaxError, match=r"only pushes.*HardLimit"):
        rm.simulate(double_pendulum(), 0.1, dt=0.01, integrator=integrator, progress=False)


def test_limits_that_are_reached_together_do_not_chatter():
    """A chain that stiffens as all its limits are reached: impacts follow each other, and rows let go where others take over."""
    scene, body = rm.Scene(), None
    for i in range(8):
        body = scene.add_body(
            rm.Cuboid((0.3, 0.05, 0.05), density=500.0),
            joint=rm.Revolute("y"),
            parent=body,
            at=(0.3, 0, 0) if i else None,
            com=(0.15, 0, 0),
        )
        scene.add_constraint(rm.HardLimit(body, -0.4, 0.4))
    run = rm.simulate(scene, 1.0, dt=0.01, integrator="adaptive", progress=False)
    assert run.steps < 2000
    assert np.abs(coordinates(run)).max() < 0.4 + 1e-9
    assert np.diff(run.energy.total.ravel()).max() < 1e-7
