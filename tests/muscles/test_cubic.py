"""Piecewise cubics from conditions; those of the RedMax notes against the numbers printed there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.interpolate import CubicHermiteSpline

from muscles.slopes import second, slope
from random_examples import examples
from redmax.errors import SceneError
from redmax.muscles.curves import cubic, joined, redmax, through

PASSIVE = [  # RedMax notes Eq. 1.42, a b c d of each piece
    [2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456],
    [-2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874],
]
ACTIVE = [  # Eq. 1.44
    [-39.881247949014, 68.3443204612586, -35.5324573534802, 5.83029153632759],
    [-0.322674853252855, -1.71744046959073, 4.40290549894003, -1.36279017609645],
    [4.85118460831817, -20.9908796589089, 28.3080866793169, -11.2356843095252],
]
MIDDLE = [-1360 / 3, -360 / 41, 5, 1]  # of the force-velocity curve, whose Eq. 1.46 is not printed

CURVES = [redmax.passive_length(), redmax.active_length(), redmax.velocity()]
curves = pytest.mark.parametrize("curve", CURVES, ids=["passive", "active", "velocity"])


def in_powers_of_x(curve) -> np.ndarray:
    """(pieces, 4): a, b, c, d of a x^3 + b x^2 + c x + d."""
    return np.array([Polynomial(c)(Polynomial([-k, 1])).coef[::-1] for k, c in zip(curve.knots, curve.coefficients)])


def test_coefficients_are_those_printed():
    assert_allclose(in_powers_of_x(redmax.passive_length()), PASSIVE, rtol=5e-13)
    assert_allclose(in_powers_of_x(redmax.active_length()), ACTIVE, rtol=2e-12)
    middle = in_powers_of_x(redmax.velocity())[1]
    assert_allclose(middle, MIDDLE, rtol=1e-12)
    assert_allclose(middle, [-453.33, -8.7805, 5, 1], rtol=1e-5)


def test_conditions_hold():
    f_P, f_L, f_V = CURVES
    assert_allclose(f_P(np.array([1.0, 1.3, 1.7])), [0, 0.126110265892917, 1], atol=1e-15)
    assert_allclose(slope(f_P, np.array([1.0, 1.3, 1.7])), [0, 1.07051016402631, 2.85714285714286], atol=1e-13)
    assert_allclose(f_L(np.array([0.4, 0.7, 1.0, 1.2, 1.81])), [0, 0.767020368396388, 1, 0.89, 0], atol=1e-14)
    assert_allclose(slope(f_L, np.array([0.4, 1.0, 1.81])), 0, atol=1e-13)
    assert_allclose(f_V(np.array([-1.0, 0.0, 1.0])), [0, 1, 1.4], atol=1e-15)
    assert_allclose(slope(f_V, np.array([-1.0, 0.0, 1.0])), [0, 5, 0], atol=1e-13)
    assert_allclose(second(f_V, np.array([-1.0, 1.0 - 1e-15])), 0, atol=1e-12)


@curves
def test_value_and_slope_are_continuous_at_knots(curve):
    for k in curve.knots:
        below, above = np.nextafter(k, -9), np.nextafter(k, 9)
        assert_allclose(curve(below), curve(above), atol=1e-14)
        assert_allclose(slope(curve, below), slope(curve, above), atol=1e-12)


@examples(12, 100)
@given(x=st.floats(-1e6, 1e6))
def test_outside_their_knots(x):
    """Exactly nothing where there should be nothing."""
    f_P, f_L, f_V = CURVES
    if x <= 1:
        assert f_P(x) == 0
    if x >= 1.7:
        assert_allclose(f_P(x), 1 + 2.85714285714286 * (x - 1.7), rtol=1e-14)
    if x <= 0.4:
        assert f_L(x) == 0
    if x >= 1.81:
        assert f_L(x) == 0
    if x <= -1:
        assert f_V(x) == 0
    if x >= 1:
        assert f_V(x) == 1.4


def test_shapes():
    f_P, f_L, f_V = CURVES
    x = np.linspace(-2, 3, 501)
    assert (np.diff(f_P(x)) >= 0).all()
    assert (np.diff(f_V(x)) >= -1e-12).all()
    assert (f_V(x) >= 0).all()
    assert_allclose(f_L(x).max(), 1, atol=1e-6)
    assert (np.diff(f_L(x[(x > 0.4) & (x < 1)])) > 0).all()
    assert (np.diff(f_L(x[(x > 1) & (x < 1.8)])) < 0).all()


@curves
@pytest.mark.parametrize("x", [-1.3, -0.4, 0.03, 0.5, 0.9, 1.1, 1.25, 1.5, 1.8, 2.4])
def test_antiderivative_is_the_integral(curve, x):
    start = float(curve.knots[0])
    whole = curve.antiderivative()
    expected = quad(curve, start, x, points=list(curve.knots), epsabs=1e-13, limit=200)[0]
    assert_allclose(whole(x), expected, atol=1e-12)
    assert_allclose(slope(whole, x), curve(x), atol=1e-14)


@examples(12, 100)
@given(st.lists(st.tuples(st.floats(0.1, 2), st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=6))
def test_hermite_conditions_give_the_hermite_spline(nodes):
    """Value and slope at both ends of each piece, against scipy."""
    x = np.cumsum([h for h, _, _ in nodes])
    y, dy = [y for _, y, _ in nodes], [d for _, _, d in nodes]
    conditions = []
    for i in range(len(x) - 1):
        conditions += [through(i, x[i + e], y[i + e]) for e in (0, 1)]
        conditions += [through(i, x[i + e], dy[i + e], derivative=1) for e in (0, 1)]
    curve = cubic(x, conditions)
    at = np.linspace(x[0], x[-1], 50)
    scale = 1 + np.abs([y, dy]).max()
    assert_allclose(curve(at), CubicHermiteSpline(x, y, dy)(at), atol=1e-12 * scale)


def test_what_does_not_make_a_curve_is_refused():
    line = [through(0, 0, 0), through(0, 1, 1), through(0, 0, 0, derivative=1)]
    with pytest.raises(SceneError, match="got 3 conditions for 1 pieces, expected 4"):
        cubic((0, 1), line)
    with pytest.raises(SceneError, match="do not determine"):
        cubic((0, 1), [*line, through(0, 0, 0)])
    with pytest.raises(SceneError, match="ascending"):
        cubic((1, 1), [*line, through(0, 1, 0, derivative=1)])
    with pytest.raises(SceneError, match="piece 1, expected 0 to 0"):
        cubic((0, 1), [*line[:2], *joined(0, 0.5)])
