"""The curves of Millard et al. 2013: their defining properties, the Bezier curves themselves, numbers of the original implementation."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from muscles.slopes import second, slope
from redmax.muscles.curves import millard
from redmax.muscles.curves.bezier import STEPS, Place, bend

CURVES = {"active": millard.active_length(), "velocity": millard.velocity(), "passive": millard.passive_length()}
curves = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)


def casteljau(points, u):
    while len(points) > 1:
        points = [a + (b - a) * u for a, b in pairwise(points)]
    return points[0]


def places_of(curve) -> list[Place]:
    """What the curve goes through: between them it is one bend."""
    return [Place(float(x), float(curve(x)), float(slope(curve, x))) for x in curve.knots[::STEPS]]


CURVINESS = {"active": [1.0] * 5, "velocity": [0.6, 0.6, 0.9, 0.9], "passive": [0.75] * 2}


def test_numbers_of_the_original_implementation():
    """RedMax notes Eqs. 1.41 and 1.43 quote two of OpenSim's values and a slope, which solves x(u) = x to about 1e-6."""
    assert_allclose(CURVES["active"](0.7), 0.767020368396388, atol=1e-9)
    assert_allclose(CURVES["passive"](1.3), 0.126110265892917, atol=2e-6)
    assert_allclose(slope(CURVES["passive"], 1.3), 1.07051016402631, atol=1e-5)


@pytest.mark.parametrize("name", CURVES)
def test_table_is_the_bezier_curve(name):
    curve = CURVES[name]
    places = places_of(curve)
    for a, b, c in zip(places, places[1:], CURVINESS[name]):
        points = bend(a, b, c)
        x, y = np.array([casteljau(list(points), u) for u in np.linspace(0, 1, 101)]).T
        assert (np.diff(x) > 0).all()
        assert_allclose(curve(x), y, atol=1e-8)


@pytest.mark.parametrize(("name", "x"), [("active", 0.6), ("active", 1.37), ("velocity", -0.31), ("velocity", 0.07), ("passive", 1.44)])
def test_value_and_slope_against_the_solved_bezier_curve(name, x):
    """In forty digits, from x(u) = x and dy/dx = y'(u) / x'(u)."""
    curve = CURVES[name]
    places = places_of(curve)
    i = next(i for i, p in enumerate(places[1:]) if x < p.x)
    px, py = ([mpmath.mpf(v) for v in column] for column in bend(places[i], places[i + 1], CURVINESS[name][i]).T.tolist())
    with mpmath.workdps(40):
        u = mpmath.findroot(lambda u: casteljau(px, u) - x, (0, 1), solver="anderson")
        exact = mpmath.diff(lambda u: casteljau(py, u), u) / mpmath.diff(lambda u: casteljau(px, u), u)
        assert_allclose(curve(x), float(casteljau(py, u)), atol=1e-8)
    assert_allclose(slope(curve, x), float(exact), atol=2e-6)


@curves
def test_two_continuous_derivatives_at_every_knot(curve):
    below, above = np.nextafter(curve.knots, -9), np.nextafter(curve.knots, 9)
    assert_allclose(curve(below), curve(above), atol=1e-13)
    assert_allclose(slope(curve, below), slope(curve, above), atol=1e-11)
    bend_there = second(curve, above)
    assert_allclose(second(curve, below), bend_there, atol=1e-9 * (1 + np.abs(bend_there).max()))


@curves
def test_slopes_are_rates_of_the_curve(curve):
    x = np.linspace(curve.knots[0] - 0.1, curve.knots[-1] + 0.1, 200)
    h = 1e-6
    assert_allclose(slope(curve, x), (curve(x + h) - curve(x - h)) / (2 * h), atol=3e-8 * (1 + np.abs(slope(curve, x)).max()))


def test_active_length():
    f = CURVES["active"]
    assert f(1.0) == 1
    assert slope(f, 1.0) == 0
    assert f(0.4441) == f(0.1) == f(-5.0) == 0
    assert f(1.8123) == f(2.5) == f(50.0) == 0
    x = np.linspace(0.4441, 1, 200)
    assert (np.diff(f(x)) >= 0).all()
    assert (np.diff(f(np.linspace(1, 1.8123, 200))) <= 1e-13).all()
    assert_allclose(slope(f, 0.84), 0.8616, atol=1e-12)
    assert_allclose(millard.active_length(minimum=0.1)(np.array([0.2, 3.0])), 0.1, atol=1e-12)


def test_velocity():
    f = CURVES["velocity"]
    assert f(0.0) == 1
    assert f(-1.0) == f(-3.0) == 0
    assert f(1.0) == f(4.0) == 1.4
    assert_allclose(slope(f, np.array([-1.0, -0.9, 0.0, 0.9, 1.0])), [0, 0.25, 5, 0.15, 0], atol=1e-12)
    assert (np.diff(f(np.linspace(-1, 1, 401))) >= -1e-14).all()


def test_passive_length():
    f = CURVES["passive"]
    assert f(1.0) == f(0.3) == 0
    assert f(1.7) == 1
    assert_allclose(slope(f, np.array([1.0, 1.7, 2.4])), [0, 2 / 0.7, 2 / 0.7], atol=1e-11)
    assert_allclose(f(2.4), 1 + 2, atol=1e-11)
    assert (second(f, np.linspace(1.001, 1.699, 100)) >= 0).all()
    stiffer = millard.passive_length(strain_at_zero=0.1, strain_at_one=0.5, stiffness_at_one=6.0)
    assert stiffer(1.1) == 0
    assert_allclose(stiffer(1.5), 1, atol=1e-14)


@pytest.mark.parametrize("x", [0.8, 1.01, 1.2, 1.6, 2.2])
def test_stored_energy_is_the_integral(x):
    f = CURVES["passive"]
    assert_allclose(f.antiderivative()(x), quad(f, 1.0, x, epsabs=1e-13, limit=400)[0], atol=1e-11)
