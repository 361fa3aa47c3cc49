"""Curves whose coordinate is the way along them."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

import redmax as rm
from joints.spline_oracles import own_motions
from joints.spline_samples import pose
from redmax.joints.followed import along
from redmax.lie import se3


def bent(count=8, seed=1):
    rng = np.random.default_rng(seed)
    C, z = [np.eye(4)], rng.normal(size=6)
    for i in range(count - 1):
        z = z + 0.3 * rng.normal(size=6)
        C.append(C[-1] @ se3.exp(z * (0.25 + 0.1 * np.sin(i)) / np.linalg.norm(z)))
    return np.array(C)


def ring():
    angles = 2 * np.pi * np.arange(9) / 9
    return [rm.pose(rm.rotation_about("z", a) @ rm.rotation_about("x", 0.2 * np.sin(a)), (np.cos(a), 0.6 * np.sin(a), 0)) for a in angles]


CURVES = {
    "uniform": rm.SplineCurve(bent()),
    "knots": rm.SplineCurve(bent(), order=5, knots=np.cumsum(np.random.default_rng(2).uniform(0.5, 1.5, 13))),
    "cyclic": rm.SplineCurve(ring(), cyclic=True),
    "ends": rm.SplineCurve(bent(), knots=[0, 0, 0, 0, 1, 1.5, 2, 3, 4, 4, 4, 4], outside="limit", limit_stiffness=1.0),
    "catmull-rom": rm.BasisCurve(bent(), "catmull-rom"),
    "hermite": rm.BasisCurve.through(bent(), [0, 1, 1.7, 2.5, 4, 5, 5.5, 7]),
}


@pytest.mark.parametrize("name", CURVES)
def test_many_values_at_once_are_what_the_joint_has_at_each(name):
    joint = CURVES[name]
    low, high = joint.range
    q = low + (high - low) * np.array([0.0, 0.21, 0.5, 0.83, 0.99])
    E, S, dS = along(joint, q)
    expected = own_motions(joint, q[:, None])
    assert_allclose(E, expected[0], rtol=0, atol=1e-13)
    assert_allclose(S, expected[1][..., 0], rtol=0, atol=1e-12)
    assert_allclose(dS, expected[2][..., 0, 0] if expected[2].ndim == 4 else expected[2][..., 0], rtol=0, atol=1e-11)


def speed(joint, q, metric=None):
    S = np.asarray(joint.jacobian(np.array([q])), float)[:, 0]
    return float(np.sqrt(S @ rm.design.metric.metric_matrix(metric) @ S)) if metric is not None else float(np.linalg.norm(S))


@pytest.mark.parametrize("name", ["uniform", "knots", "cyclic"])
def test_its_speed_is_one_and_its_length_that_of_the_curve(name):
    joint = CURVES[name]
    found = rm.unit_speed(joint, tolerance=1e-4)
    low, high = found.range
    assert low == 0.0
    breaks = np.linspace(*joint.range, 40)
    length = sum(quad(lambda q: speed(joint, q), a, b)[0] for a, b in pairwise(breaks))
    assert_allclose(high, length, rtol=1e-7)
    for s in np.random.default_rng(3).uniform(0, high, 40):
        assert abs(speed(found, s) - 1) < 1.2e-4
    middle = joint.range[0] + 0.4 * (joint.range[1] - joint.range[0])
    way = quad(lambda q: speed(joint, q), joint.range[0], middle, limit=200, epsabs=1e-11)[0]
    assert_allclose(pose(found, way), pose(joint, middle), rtol=0, atol=1e-5)


def test_a_smaller_tolerance_is_kept_too_and_takes_more_frames():
    rough, fine = (rm.unit_speed(CURVES["uniform"], tolerance=t) for t in (1e-3, 1e-6))
    assert fine.axis.count > rough.axis.count
    assert max(abs(speed(fine, s) - 1) for s in np.linspace(0, fine.range[1], 101)) < 1.2e-6


def test_under_the_inertia_of_a_body_its_kinetic_energy_is_half():
    body = rm.Cuboid((0.5, 0.3, 0.2), mass=1.5)
    found = rm.unit_speed(CURVES["uniform"], metric=body, outside="limit", limit_stiffness=10.0)
    for s in np.linspace(0, found.range[1], 7):
        S = np.asarray(found.jacobian(np.array([s])), float)[:, 0]
        assert_allclose(0.5 * S @ body.mass_matrix @ S, 0.5, rtol=3e-4)
    assert found.limits is not None


def test_what_is_beyond_the_ends_stays():
    """A screw at two rad for each unit: pushed back by the same wrench, wherever it is beyond its range."""
    frames = [rm.pose(rm.rotation_about("z", 2 * a), (0, 0, 0)) for a in np.arange(6.0) / 3]
    joint = rm.SplineCurve.through(np.array(frames), np.arange(6.0) / 3, outside="limit", limit_stiffness=12.0, limit_damping=0.4)
    found = rm.unit_speed(joint)
    assert found.range == pytest.approx((0.0, 10 / 3))
    for beyond, rate in ((0.1, 0.0), (0.2, -0.7)):
        force, other = joint.force([5 / 3 + beyond], [rate])[0], found.force([10 / 3 + 2 * beyond], [2 * rate])[0]
        assert force == pytest.approx(-12 * beyond - 0.4 * rate)
        assert 2 * other == pytest.approx(force, rel=1e-4)  # power is the same
    assert rm.unit_speed(joint, outside="error").limits is None


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: rm.unit_speed(rm.Revolute("x")), "curve is .*expected a SplineCurve or a BasisCurve"),
    (lambda: rm.unit_speed(CURVES["uniform"], tolerance=0), "tolerance is 0, expected a number above 0"),
])  # fmt: skip
def test_bad_input_is_said(call, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        call()


def test_a_tolerance_that_is_not_met_is_said(monkeypatch):
    monkeypatch.setattr(import_module("redmax.design.unit_speed"), "MOST", 50)
    with pytest.raises(
        rm.SceneError, match=r"with 40 frames the speed still misses 1 by .* than the tolerance 1e-09\. Raise the tolerance"
    ):
        rm.unit_speed(CURVES["catmull-rom"], tolerance=1e-9)
