"""Limits of motors: the torque that acts is never larger than the motor's, and drives no further than its speed; braking is free."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from random_examples import examples

NUMBERS = st.floats(-20, 20)


@examples(40, 400)
@given(tau=NUMBERS, qdot=NUMBERS, effort=st.floats(0, 10), velocity=st.floats(0.1, 10), fade=st.floats(0.01, 1))
def test_what_acts_is_within_the_limits_and_never_more_than_asked(tau, qdot, effort, velocity, fade):
    limits = rm.MotorLimits(effort, velocity, fade=fade)
    acts = float(limits.applied(np.array([tau]), np.array([qdot]))[0])
    assert abs(acts) <= min(effort, abs(tau))
    assert acts * tau >= 0.0
    cut = np.clip(tau, -effort, effort)
    if tau * qdot <= 0.0:
        assert acts == cut  # it brakes, or stands still
    elif abs(qdot) >= velocity:
        assert acts == 0.0
    elif abs(qdot) <= (1.0 - fade) * velocity * (1 - 1e-12):
        assert acts == cut
    else:
        assert np.isclose(acts, cut * (1.0 - abs(qdot) / velocity) / fade, rtol=1e-6, atol=1e-12)


def wheel(force) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cylinder(0.2, 0.1, mass=2.0), joint=rm.Revolute("z"), name="wheel", armature=0.01)
    scene.add_force(force)
    return scene


def test_a_motor_at_constant_voltage_runs_up_exponentially():
    """tau = T (1 - qdot / v): I qddot = tau has qdot = v (1 - exp(-T t / (I v)))."""
    scene = wheel(rm.Actuator("wheel", lambda t, q, qdot: [99.0], limits=rm.MotorLimits(0.5, 8.0, fade=1.0), name="motor"))
    run = rm.simulate(scene, 2.0, rtol=1e-10, progress=False)
    inertia = 0.5 * 2.0 * 0.2**2 + 0.01
    assert np.allclose(run.qdot[:, 0], 8.0 * (1.0 - np.exp(-0.5 * run.t / (inertia * 8.0))), atol=1e-8)


def test_limits_differ_from_world_to_world():
    scene = wheel(rm.Actuator("wheel", lambda t, q, qdot: [99.0], limits=rm.MotorLimits(0.5, 8.0, fade=1.0), name="motor"))
    worlds = {"motor.limits.effort": [0.5, 2.0], "motor.limits.velocity": [8.0, 4.0], "motor.limits.fade": [1.0, 0.5]}
    found = rm.Dynamics(scene.model(), "interpret", parameters=worlds).forward([0.0], [3.0])
    assert np.allclose(found[:, 0] * 0.05, [0.5 * (1 - 3 / 8), 2.0 * (1 - 3 / 4) / 0.5])
    with pytest.raises(rm.SceneError, match="a number from 0 up"):
        rm.Dynamics(scene.model(), "interpret", parameters={"motor.limits.effort": [-1.0]})


@pytest.mark.parametrize("integrator", ["implicit", *[pytest.param(name, marks=pytest.mark.long) for name in ("rk4", "bdf1")]])
def test_a_servo_keeps_to_its_speed(integrator):
    scene = wheel(rm.Servo("wheel", 30.0, kp=50.0, kd=1.0, limits=rm.MotorLimits(effort=3.0, velocity=4.0), name="servo"))
    run = rm.simulate(scene, 2.0, dt=2e-3, integrator=integrator, progress=False)
    assert 3.8 < run.qdot.max() < 4.0 + 1e-9
    assert np.abs(run.qddot).max() * 0.05 < 3.0 + 1e-9


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (rm.MotorLimits, "limits nothing"),
        (lambda: rm.MotorLimits(velocity=0.0), "velocity"),
        (lambda: rm.MotorLimits(effort=-1.0), "a number from 0 up"),
        (lambda: rm.MotorLimits(1.0, fade=2.0), "above 0, at most 1"),
        (lambda: rm.Servo("wheel", 0.0, kp=1.0, limits=3.0), r"limits are redmax.MotorLimits\(effort=..., velocity=...\). Got 3.0"),
        (lambda: wheel(rm.Servo("wheel", 0.0, kp=1.0, limits=rm.MotorLimits((1.0, 2.0)))), "effort of its limits has 2 numbers"),
    ],
)
def test_limits_that_make_no_sense_get_a_sentence(make, said):
    with pytest.raises(rm.SceneError, match=said):
        make()
