"""The curves of De Groote et al. 2016 against their formulas in many digits, and against what the article says of them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad

from muscles.slopes import slope
from random_examples import examples
from redmax.muscles.curves import degroote_fregly as curves

PRINTED = [(0.815, 1.055, 0.162, 0.063), (0.433, 0.717, -0.030, 0.200), (0.100, 1.000, 0.354, 0.000)]  # in the article, to three digits


def article_active(x):
    return sum(b1 * mpmath.exp(-((x - b2) ** 2) / (2 * (b3 + b4 * x) ** 2)) for b1, b2, b3, b4 in PRINTED)


def article_velocity(v):
    return -0.318 * mpmath.asinh(-8.149 * v - 0.374) + 0.886


def article_passive(x):
    return (mpmath.exp(4 * (x - 1) / 0.6) - 1) / (mpmath.exp(4) - 1)


@examples(12, 100)
@given(x=st.floats(0.3, 1.8))
def test_close_to_the_article(x):
    """Up to the digits that it prints; the passive exponential is another multiple of the same one, less another constant."""
    assert_allclose(curves.active_length(x), float(article_active(x)), atol=4e-3)
    assert_allclose(curves.velocity(x - 1), float(article_velocity(x - 1)), atol=1.3e-2)
    low, high = np.exp(-4 * 0.8 / 0.6), np.exp(4)
    assert_allclose(low + (high - low) * curves.passive_length(x), float(1 + (high - 1) * article_passive(x)), rtol=1e-12)


def test_published_values():
    assert_allclose(curves.velocity(0.0), 1, atol=1e-14)
    assert_allclose(curves.velocity(-1.0), 0, atol=1e-14)
    assert_allclose(curves.velocity(1.0), 1.794, atol=1e-3)
    assert_allclose(curves.active_length(1.0), 1, atol=1e-5)
    assert_allclose(curves.passive_length(1.6), 1, atol=1e-14)
    assert_allclose(curves.passive_length(0.2), 0, atol=1e-16)


@examples(12, 100)
@given(v=st.floats(-3, 3), x=st.floats(0.2, 2.5))
def test_slopes_in_many_digits(v, x):
    with mpmath.workdps(30):
        d = [mpmath.mpf(c) for c in (curves.D1, curves.D2, curves.D3, curves.D4)]
        assert_allclose(curves.velocity(v), float(d[0] * mpmath.asinh(d[1] * v + d[2]) + d[3]), atol=1e-14)
        assert_allclose(slope(curves.velocity, v), float(d[0] * d[1] / mpmath.sqrt((d[1] * v + d[2]) ** 2 + 1)), rtol=1e-12)

        def f_L(x):
            return sum(h * mpmath.exp(-(((x - c) / (w + g * x)) ** 2) / 2) for h, c, w, g in curves.GAUSSIANS)

        assert_allclose(curves.active_length(x), float(f_L(mpmath.mpf(x))), atol=1e-14)
        assert_allclose(slope(curves.active_length, x), float(mpmath.diff(f_L, mpmath.mpf(x))), atol=1e-12)


def test_finite_where_the_width_of_a_gaussian_is_zero():
    _, _, width, growth = curves.GAUSSIANS[1]
    zero = -width / growth
    for x in (zero, np.nextafter(zero, 0), np.nextafter(zero, 1)):
        assert np.isfinite(curves.active_length(x))
        assert abs(slope(curves.active_length, x)) < 1


def test_fast_motion_does_not_cancel():
    for v in (1e9, -1e9):
        assert_allclose(curves.velocity(v), curves.D1 * np.arcsinh(curves.D2 * v + curves.D3) + curves.D4, rtol=1e-14)


def test_monotonic():
    x = np.linspace(0.2, 2, 1000)
    assert (np.diff(curves.passive_length(x)) > 0).all()
    assert (np.diff(curves.velocity(x - 1.2)) > 0).all()
    assert_allclose(x[np.argmax(curves.active_length(x))], 1, atol=0.02)
    assert_allclose(curves.active_length(x).max(), 1, atol=2e-3)


@pytest.mark.parametrize("x", [0.1, 0.2, 0.9, 1.3, 1.9])
def test_stored_energy_is_the_integral(x):
    assert_allclose(curves.passive_energy(x), quad(curves.passive_length, 0.2, x, epsabs=1e-14)[0], atol=1e-13)
    assert_allclose(slope(curves.passive_energy, x), curves.passive_length(x), atol=1e-14)
