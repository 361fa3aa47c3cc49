"""Joints on curves: motion, S and Sdot against their definitions, and what the geometry promises."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from curves.definitions import CURVES, POINTS
from dynamics.differences import rate
from dynamics.hyperdual import motion_of
from joints import contact_definitions as d
from joints.definitions import about, pose
from joints.evaluated import evaluated
from random_examples import examples

curves = pytest.mark.parametrize("sample", CURVES, ids=lambda c: c.name)
fraction = st.floats(0.0, 1.0)
rates = st.floats(-2.0, 2.0)
BY_NAME = {c.name: c for c in CURVES}


@cache
def made(kind, *args, **options) -> rm.Joint:
    """One joint for many examples: it is traced once."""
    return kind(*args, **options)


def at(sample, x: float) -> float:
    return sample.low + x * (sample.high - sample.low)


def turning_axes(s):
    return rm.rotation_about("y", 0.5 * s)


def check(joint: rm.Joint, motion, q, qdot, tolerance: float = 1e-11) -> np.ndarray:
    q, qdot = np.array(q, float), np.array(qdot, float)
    E, S, Sdot = evaluated(joint, q, qdot)
    E0, S0, Sdot0 = motion_of(motion, q, qdot)
    assert_allclose(E, E0, atol=1e-13)
    assert_allclose(S, S0, atol=tolerance)
    assert_allclose(Sdot, Sdot0, atol=10 * tolerance)
    assert_allclose(np.asarray(joint.transform(q), float), E, atol=1e-13)
    return E


@curves
@examples(8, 40)
@given(x=fraction, spin=st.floats(-3, 3), v=rates, w=rates)
def test_motion_along_the_tangent(sample, x, spin, v, w):
    s = at(sample, x)
    E = check(made(rm.CurveJoint, sample.curve, up=sample.up), d.on_curve(sample.motion, sample.up), [s], [v])
    check(made(rm.CurveJoint, sample.curve, up=sample.up, spin=True), d.on_curve(sample.motion, sample.up, True), [s, spin], [v, w])
    x0, t = (np.array(part, float) for part in sample.motion(s))
    assert_allclose(E[:3, 3], x0, atol=1e-13)
    assert_allclose(np.cross(E[:3, 0], t), 0.0, atol=1e-12)
    assert E[:3, 0] @ t > 0
    assert E[:3, 2] @ sample.up > 0


@curves
@examples(8, 40)
@given(x=fraction, v=rates)
def test_motion_with_a_fixed_or_given_orientation(sample, x, v):
    s = at(sample, x)
    check(made(rm.CurveJoint, sample.curve, "fixed"), lambda q: pose(np.eye(3), sample.motion(q[0])[0]), [s], [v])
    turning = made(rm.CurveJoint, sample.curve, turning_axes, spin=True)
    oracle = lambda q: pose(about((0, 1, 0), 0.5 * q[0]) @ about((1, 0, 0), q[1]), sample.motion(q[0])[0])  # noqa: E731
    check(turning, oracle, [s, 0.3], [v, 0.5])


@pytest.mark.parametrize("degree", [3, 5])
def test_motion_along_a_polyline_by_differences(degree):
    joint = rm.CurveJoint(rm.curves.Polyline(POINTS, degree=degree))
    for s in (0.3, 1.5, 4.9):
        q, qdot = np.array([s]), np.array([0.7])
        E, S, Sdot = evaluated(joint, q, qdot)
        Edot = rate(lambda h, q=q, qdot=qdot: np.asarray(joint.transform(q + h * qdot), float))
        assert_allclose((np.linalg.inv(E) @ Edot)[:3, 3], S[3:] @ qdot, atol=1e-10)
        assert_allclose((np.linalg.inv(E) @ Edot)[[2, 0, 1], [1, 2, 0]], S[:3] @ qdot, atol=1e-9)
        assert_allclose(rate(lambda h, q=q, qdot=qdot: evaluated(joint, q + h * qdot, qdot)[1]), Sdot, atol=1e-8)


PAIRS = [("Ellipse", "Circle"), ("Bezier", "Helix"), ("Curve", "Bezier"), ("Lissajous", "Ellipse")]


@pytest.mark.parametrize(("parent", "child"), PAIRS)
@examples(6, 40)
@given(x=fraction, y=fraction, spin=st.floats(-3, 3), v=st.tuples(rates, rates, rates))
def test_curves_touch_with_aligned_tangents(parent, child, x, y, spin, v):
    one, two = BY_NAME[parent], BY_NAME[child]
    q = [at(one, x), at(two, y), spin]
    ups = {"parent_up": one.up, "child_up": two.up}
    for turning in (False, True):
        joint = made(rm.CurveOnCurve, one.curve, two.curve, spin=turning, **ups)
        E = check(joint, d.curve_on_curve(one.motion, two.motion, one.up, two.up, turning), q[: joint.dof], v[: joint.dof], 1e-10)
        (x1, t1), (x2, t2) = ([np.array(p, float) for p in c.motion(s)] for c, s in ((one, q[0]), (two, q[1])))
        assert_allclose(E[:3, :3] @ x2 + E[:3, 3], x1, atol=1e-13)
        assert_allclose(E[:3, :3] @ t2 / np.linalg.norm(t2), t1 / np.linalg.norm(t1), atol=1e-13)


def test_domains_are_those_of_the_curves():
    bezier = rm.curves.Bezier(POINTS)
    assert rm.CurveJoint(bezier, spin=True).domain == ((0.0, 1.0), (-np.inf, np.inf))
    assert rm.CurveOnCurve(rm.curves.Circle(1), bezier).domain == ((-np.inf, np.inf), (0.0, 1.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rm.CurveJoint("circle"), "curve is 'circle'"),
        (lambda: rm.CurveJoint(rm.curves.Circle(1), "sideways"), "'tangent', 'fixed'"),
        (lambda: rm.CurveJoint(rm.curves.Circle(1), up=(0, 1, 0)), r"at s = .* tangent is along up = \[0.0, 1.0, 0.0\]"),
        (lambda: rm.CurveJoint(rm.curves.Circle(1), up=(0, 0, 0)), "up is zero"),
        (lambda: rm.CurveJoint(rm.curves.Curve(lambda s: [s**2, s**3, s**2], (-1, 1)), up=(0, 1, 0)), "stops at s = "),
        (lambda: rm.CurveJoint(rm.curves.Circle(1), lambda s: np.eye(4)), r"frame\(0\) is .*expected a rotation \(3, 3\)"),
        (lambda: rm.CurveJoint(rm.curves.Circle(1), lambda s: 2.0 * np.eye(3)), "R'R"),
        (lambda: rm.CurveOnCurve(rm.curves.Circle(1), 7), "child is 7"),
        (lambda: rm.CurveOnCurve(rm.curves.Circle(1), rm.curves.Helix(1, 1), parent_up=(1, 0, 0)), "CurveOnCurve: parent"),
    ],
)
def test_what_cannot_be_says_why(make, message):
    with pytest.raises(rm.SceneError, match=message):
        make()


def test_a_run_beyond_the_ends_of_a_curve_says_so():
    path = rm.CurveJoint(rm.curves.Bezier([(0, 0, 0), (1, 0, -0.5), (2, 0, -1)]), up=(0, 1, 0))
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=path, q=0.2, qdot=0.5, name="bead")
    with pytest.warns(rm.RedmaxWarning, match=r"'bead' left the domain .*: q\[0\] was 1\.0\d+ at t = 0\.\d+ s, not between 0 and 1"):
        rm.simulate(scene, 2.0)
    both = rm.State(0.0, np.full((2, 1), 0.2), np.array([[-1.0], [1.0]]))
    with pytest.warns(rm.RedmaxWarning, match=r"q\[0\] was -0\.0\d+ at t"):
        rm.simulate(scene, 0.35, initial=both)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.simulate(scene, 0.3)
