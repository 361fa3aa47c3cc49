"""Natural splines through noisy samples: what they minimise, what they let through, and the frequency that cross-validation finds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from redmax.design.smoothing_spline import Smoother, SmoothingSpline, SplineSpace


@pytest.fixture
def uneven() -> np.ndarray:
    return np.sort(np.random.default_rng(1).uniform(0, 2, 60))


def test_parabolas_stay_what_they_are_however_strongly_they_are_smoothed(uneven):
    y = np.column_stack([1 + 2 * uneven - uneven**2, np.full(60, 3.0)])
    for cutoff in (0.3, 3.0, np.inf):
        spline = Smoother(uneven).smoothed(y, cutoff)
        assert_allclose(spline.at(uneven), y, atol=1e-9)
        assert_allclose(spline.at(uneven, 2)[:, 0], -2.0, atol=1e-5)


def test_the_integral_of_the_squared_jerk_is_that_of_a_quadrature(uneven):
    space = SplineSpace(uneven)
    c = np.random.default_rng(0).normal(size=(len(uneven) + 4, 1))
    spline = SmoothingSpline(uneven[0] + space.unit * space.knots, c, 0.0)
    x, w = np.polynomial.legendre.leggauss(4)
    middle, half = 0.5 * (uneven[1:] + uneven[:-1]), 0.5 * np.diff(uneven)
    squares = spline.at(middle[:, None] + half[:, None] * x, 3)[..., 0] ** 2
    mean = (squares @ w * half).sum() / (uneven[-1] - uneven[0])
    assert (c.T @ (space.jerk @ c)).item() * space.unit**-6 == pytest.approx(mean, rel=1e-9)


def test_no_other_spline_has_a_smaller_sum(uneven):
    rng = np.random.default_rng(0)
    y, space, cutoff = np.sin(5 * uneven)[:, None] + 0.1 * rng.normal(size=(60, 1)), SplineSpace(uneven), 2.0

    def objective(c: np.ndarray) -> float:
        return float(((y - space.values @ c) ** 2).mean() + space.stiffness(cutoff) * (c * (space.jerk @ c)).sum())

    c = space.smoothed(y, cutoff).coefficients
    least = objective(c)
    for _ in range(20):
        assert objective(c + 1e-3 * rng.normal(size=c.shape)) > least


def test_half_of_the_cutoff_frequency_is_left_and_no_phase_is_turned():
    t = np.arange(0, 12, 0.01)
    middle = (t > 4) & (t < 8)
    for cutoff, f in ((1.0, 1.0), (1.0, 0.5), (3.0, 6.0)):
        waves = np.exp(2j * np.pi * f * t)
        y = np.column_stack([waves.real, waves.imag])
        left = Smoother(t).smoothed(y, cutoff).at(t) @ (1, 1j)
        gain = (left / waves)[middle].mean()
        assert gain == pytest.approx(1 / (1 + (f / cutoff) ** 6), rel=2e-3)
        assert abs(gain.imag) < 1e-3


def test_the_trace_is_that_of_the_matrix_from_samples_to_smoothed_samples(uneven):
    for cutoff in (1.0, 5.0, 20.0):
        space = SplineSpace(uneven)
        A = space.smoothed(np.eye(60), cutoff).at(uneven)
        assert space.trace(cutoff) == pytest.approx(np.trace(A), rel=1e-7)


def test_the_frequency_found_predicts_samples_that_were_left_out_best():
    """Ordinary cross-validation, sample by sample, of which the generalised one is the rotation."""
    rng, t = np.random.default_rng(2), np.linspace(0, 3, 61)
    y = (np.sin(2 * np.pi * t) + 0.1 * rng.normal(size=61))[:, None]
    smoother = Smoother(t)
    found = smoother.best(y)

    def score(cutoff: float) -> float:
        A = smoother.smoothed(np.eye(61), cutoff).at(t)
        return float((((y[:, 0] - A @ y[:, 0]) / (1 - np.diag(A))) ** 2).mean())

    assert score(found) < 1.05 * min(score(f) for f in np.geomspace(0.3, 10, 15))


def test_knots_are_left_out_where_nobody_would_see_it():
    t = np.arange(0, 20, 0.005)
    y = np.sin(2 * np.pi * 0.4 * t)[:, None]
    found, others = Smoother(t).smoothed(y, 1.2), [SplineSpace(t, every).smoothed(y, 1.2) for every in (4, 1)]
    assert len(found.coefficients) == 2004
    assert_allclose(found.at(t), others[0].at(t), atol=1e-8)
    assert_allclose(found.at(t, 2), others[0].at(t, 2), atol=1e-5)
    assert_allclose(found.at(t), others[1].at(t), atol=1e-6)  # which has lost more to roundings than knots bring
