"""Two ways to say one limit agree: a number for all coordinates or one for each, None or infinity, of a joint or of a spline's range, in
Python or in a file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from random_examples import examples
from redmax.forces.joint_force import JointForce

NUMBER = st.floats(-3, 3)


def acting(force: JointForce, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, float]:
    """What it exerts in a joint with so many coordinates, and its energy."""
    joint = rm.Planar() if len(q) == 2 else rm.Revolute("z")
    fitted = force.fitted(joint, "joint", np.zeros(len(q)))
    return np.asarray(fitted.torque(q, qdot, 0.0), float), float(fitted.potential(q))


FORMS = {
    "a number, or one for each": ({"lower": -1.0, "upper": 0.5}, {"lower": [-1.0, -1.0], "upper": (0.5, 0.5)}),
    "one left out, or infinite": ({"lower": -1.0}, {"lower": -1.0, "upper": np.inf}),
    "None in a list, or infinity": ({"lower": [None, -1.0], "upper": 0.5}, {"lower": [-np.inf, -1.0], "upper": [0.5, 0.5]}),
}


@pytest.mark.parametrize("forms", FORMS)
@examples(20, 200)
@given(q=st.tuples(NUMBER, NUMBER), qdot=st.tuples(NUMBER, NUMBER))
def test_forms_of_a_joint_limit(forms, q, qdot):
    one, other = (rm.JointLimit("body", **form, stiffness=70.0, damping=3.0) for form in FORMS[forms])
    for a, b in zip(acting(one, np.array(q), np.array(qdot)), acting(other, np.array(q), np.array(qdot)), strict=True):
        np.testing.assert_array_equal(a, b)


@examples(20, 200)
@given(q=st.floats(-2, 8), qdot=NUMBER)
def test_the_range_of_a_spline_is_the_limit_that_a_joint_limit_says(q, qdot):
    frames = [rm.pose(np.eye(3), (0.1 * k, 0, 0.01 * k**2)) for k in range(6)]
    spline = rm.SplineCurve(frames, outside="limit", limit_stiffness=70.0, limit_damping=3.0)
    low, high = spline.range
    limit = rm.JointLimit("body", low, high, stiffness=70.0, damping=3.0)
    tau, V = acting(limit, np.array([q]), np.array([qdot]))
    np.testing.assert_allclose(np.asarray(spline.force(np.array([q]), np.array([qdot])), float), tau, rtol=1e-14)
    assert float(spline.potential(np.array([q]))) == pytest.approx(V, rel=1e-14)


@examples(20, 200)
@given(q=st.tuples(NUMBER, NUMBER), qdot=st.tuples(NUMBER, NUMBER))
def test_forms_of_the_limit_of_a_servo(q, qdot):
    forms = (1.5, [1.5, 1.5]), (None, 1e300), (None, np.inf), ([None, 1.5], [np.inf, 1.5])
    for form in forms:
        a, b = (rm.Servo("body", 0.2, kp=5.0, kd=0.1, limit=limit) for limit in form)
        np.testing.assert_array_equal(acting(a, np.array(q), np.array(qdot))[0], acting(b, np.array(q), np.array(qdot))[0])


MOTORS = {
    "one left out, or infinite": ({"velocity": 2.0}, {"effort": np.inf, "velocity": (2.0, 2.0)}),
    "the other": ({"effort": 0.5}, {"effort": [0.5, 0.5], "velocity": np.inf}),
    "None in a list, or infinity": ({"effort": [None, 0.5], "velocity": [2.0, None]}, {"effort": (np.inf, 0.5), "velocity": (2.0, np.inf)}),
}


@pytest.mark.parametrize("forms", MOTORS)
@examples(20, 200)
@given(q=st.tuples(NUMBER, NUMBER), qdot=st.tuples(NUMBER, NUMBER))
def test_forms_of_the_limits_of_a_motor(forms, q, qdot):
    one, other = (rm.Servo("body", 0.2, kp=5.0, kd=0.1, limits=rm.MotorLimits(**form)) for form in MOTORS[forms])
    np.testing.assert_array_equal(*(acting(servo, np.array(q), np.array(qdot))[0] for servo in (one, other)))


def test_a_motor_with_infinite_limits_has_none():
    with pytest.raises(rm.SceneError, match="MotorLimits limits nothing"):
        rm.MotorLimits(np.inf, np.inf)


LIMITS = {"lower: -1, upper: 0.5", "lower: [-1], upper: [0.5]", "lower: -1.0, upper: 1/2"}
OPEN = {"lower: -1", "lower: -1, upper: null", "lower: -1, upper: .inf", "lower: [-1], upper: [null]"}


@pytest.mark.parametrize("forms", [LIMITS, OPEN])
def test_forms_in_files(forms):
    text = "redmax: 1\nbodies: [{name: a, joint: {Revolute: {axis: y}}, shape: {Sphere: {radius: 1}}}]\nforces:\n"
    scenes = [rm.io.loads(f"{text}- JointLimit: {{joint: a, stiffness: 70, {form}}}\n") for form in sorted(forms)]  # type: ignore[attr-defined]
    found = [acting(scene.forces[0], np.array([q]), np.array([1.0])) for scene in scenes for q in (-2.0, 0.0, 3.0)]
    for k in range(3, len(found)):
        assert found[k] == found[k % 3]


@pytest.mark.parametrize("forms", [("limit: 3", "limit: [3]"), ("limit: null", "limit: .inf", "kd: 0")])
def test_forms_of_a_servo_in_files_and_saved(forms, tmp_path):
    text = "redmax: 1\nbodies: [{name: a, joint: {Revolute: {axis: y}}, shape: {Sphere: {radius: 1}}}]\nforces:\n"
    scenes = [rm.io.loads(f"{text}- Servo: {{joint: a, target: 0, kp: 70, {form}}}\n") for form in forms]  # type: ignore[attr-defined]
    scenes[0].save(tmp_path / "saved.yaml")
    found = [acting(scene.forces[0], np.array([1.0]), np.array([0.0]))[0] for scene in (*scenes, rm.Scene.load(tmp_path / "saved.yaml"))]
    assert all(tau == found[0] for tau in found)
