"""Curves against their definitions; their derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from curves.definitions import CURVES, POINTS, bezier, casteljau
from dynamics.differences import rate
from random_examples import examples
from redmax.trace import Graph, evaluate_numeric

curves = pytest.mark.parametrize("sample", CURVES, ids=lambda c: c.name)


@curves
@examples(12, 100)
@given(fraction=st.floats(0.0, 1.0))
def test_points_and_tangents_are_those_of_the_definition(sample, fraction):
    s = sample.low + fraction * (sample.high - sample.low)
    x, tangent, bend = sample.curve.derivatives(s)
    x0, tangent0 = sample.motion(s)
    assert_allclose(sample.curve.point(s).astype(float), x0, atol=1e-14)
    assert_allclose(x, x0, atol=1e-14)
    assert_allclose(tangent, np.array(tangent0, float), atol=1e-13)
    assert_allclose(bend, rate(lambda h: np.array(sample.motion(s + h)[1], float)), atol=1e-10)


@curves
def test_traced_called_and_called_with_many_agree(sample):
    s = np.linspace(sample.low, sample.high, 7)
    graph = Graph()
    traced = sample.curve.derivatives(2.0 * graph.input("s", 0))  # of an expression, by the curve's own parameter
    many = sample.curve.derivatives(s)
    for k, x in enumerate(s):
        for part, called, all_ in zip(traced, sample.curve.derivatives(float(x)), many):
            found = evaluate_numeric(list(part), lambda _, i, x=x: 0.5 * x)
            assert_allclose(np.array([float(f) for f in found]), called, atol=1e-14)
            assert_allclose(all_[k], called, atol=1e-14)


@pytest.mark.parametrize("sample", [c for c in CURVES if c.curve.period], ids=lambda c: c.name)
@examples(12, 100)
@given(s=st.floats(-5, 5))
def test_a_period_repeats_the_shape(sample, s):
    """All derivatives come back; the point of a helix has moved along its axis."""
    now, later = (sample.curve.derivatives(t) for t in (s, s + sample.curve.period))
    assert_allclose(later[1], now[1], atol=1e-13)
    assert_allclose(later[2], now[2], atol=1e-12)
    shift = np.array([0, 0, 2 * np.pi * 0.2]) if sample.name == "Helix" else np.zeros(3)
    assert_allclose(later[0] - now[0], shift, atol=1e-13)


@examples(12, 100)
@given(seed=st.integers(0, 999), degree=st.integers(1, 24), s=st.floats(0, 1))
def test_bezier_curves_are_de_casteljaus(seed, degree, s):
    points = np.random.default_rng(seed).uniform(-1, 1, (degree + 1, 3))
    curve = rm.curves.Bezier(points)
    assert_allclose(curve.point(s), casteljau(points, s), atol=1e-13)
    assert_allclose(curve.point(0.0), points[0], atol=1e-13)
    assert_allclose(curve.derivatives(1.0)[1], bezier(points)(1.0)[1], atol=1e-10)
    if degree <= 10:
        assert_allclose(curve.points, points, atol=1e-9)


def test_a_helix_keeps_its_distance_and_slope():
    s = np.linspace(-9, 9, 50)
    x, tangent, bend = rm.curves.Helix(0.5, 0.2).derivatives(s)
    assert_allclose(np.hypot(x[:, 0], x[:, 1]), 0.5, atol=1e-15)
    assert_allclose(tangent[:, 2] / np.linalg.norm(tangent, axis=1), 0.2 / np.hypot(0.5, 0.2), atol=1e-15)
    curvature = np.linalg.norm(np.cross(tangent, bend), axis=1) / np.linalg.norm(tangent, axis=1) ** 3
    assert_allclose(curvature, 0.5 / (0.5**2 + 0.2**2), atol=1e-14)


def test_an_ellipse_is_a_conic():
    x = rm.curves.Ellipse(1.0, 0.4).point(np.linspace(0, 6, 50))
    assert_allclose((x[:, 0] / 1.0) ** 2 + (x[:, 1] / 0.4) ** 2, 1.0, atol=1e-14)


C = rm.curves


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: C.Bezier([(0, 0, 0)]), "at least two"),
        (lambda: C.Bezier(np.zeros((26, 3))), "Polyline"),
        (lambda: C.Bezier([(0, 0), (1, 1)]), r"\(n, 3\)"),
        (lambda: C.Bezier([(0, 0, np.nan), (1, 1, 1)]), "finite"),
        (lambda: C.Circle(-1), "greater than 0"),
        (lambda: C.Ellipse(1, 0), r"Ellipse: b"),
        (lambda: C.Helix("wide", 1), "Helix: radius"),
        (lambda: C.Helix(1, np.inf), "Helix: pitch"),
        (lambda: C.Lissajous((1, 2), (1, 2, 3)), "Lissajous: amplitudes"),
        (lambda: C.Curve(3.0), "function"),
        (lambda: C.Curve(lambda s: [s, s]), r"shape \(2,\)"),
        (lambda: C.Curve(lambda s: [s, s, s], (1, 0)), "low < high"),
        (lambda: C.Curve(lambda s: [s, s, s], 3), "two numbers"),
        (lambda: C.Polyline(POINTS[:3], degree=3), "at least 4"),
        (lambda: C.Polyline(POINTS[:5]), "at least 6 for degree 5, or degree=3"),
        (lambda: C.Polyline(POINTS[[0, 1, 2, 3, 0]], closed=True, degree=5), "at least 6"),
        (lambda: C.Polyline(POINTS, degree=4), "3 or 5"),
        (lambda: C.Polyline(POINTS[:, :2]), "Polyline: points"),
    ],
)
def test_what_is_no_curve_says_why(make, message):
    with pytest.raises(rm.SceneError, match=message):
        make()
