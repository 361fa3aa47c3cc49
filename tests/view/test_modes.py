"""Moving points are as few modes as hold them to the precision of a picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redmax.view.modes import PRECISION, modes

X = np.linspace(-1, 1, 40)


def rebuilt(points, times):
    mean, weights, basis = modes(points, times)
    return (mean + weights @ basis).reshape(len(times), -1, 3), weights.shape[1]


def curve(height):
    """Points (x, 0, height(x, t)) at times."""
    return lambda t: np.stack(np.broadcast_arrays(X, 0.0, height(X, t[:, None])), axis=-1)


@pytest.mark.parametrize(
    ("height", "count"),
    [
        (lambda x, t: 0 * t * x, 0),
        (lambda x, t: x * t, 1),
        (lambda x, t: np.sin(3 * x - 5 * t), 2),  # sin a cos b - cos a sin b
        (lambda x, t: np.sin(3 * x - 5 * t) + x**2 * np.sqrt(t), 3),
    ],
)
@pytest.mark.parametrize("times", [1, 2, 7, 256, 257, 3000])
def test_separable_motions_have_as_many_modes_as_terms(height, count, times):
    t = np.linspace(0, 4, times)
    points = curve(height)
    found, number = rebuilt(points, t)
    assert number == min(count, times - 1) or (count == 3 and times == 2)
    np.testing.assert_allclose(found, points(t), atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), width=st.floats(0.02, 1.0), speed=st.floats(0.1, 3.0))
def test_no_point_is_farther_off_than_the_precision(seed, width, speed):
    """A bump that travels, and a jerk so short that the sampled times miss it."""
    t = np.linspace(0, 4, 1000)
    at = np.random.default_rng(seed).uniform(0, 4)
    points = curve(lambda x, t: np.exp(-(((x + 1 - speed * t) / width) ** 2)) + np.sin(9 * x) * (np.abs(t - at) < 0.005))
    found, number = rebuilt(points, t)
    assert np.abs(found - points(t)).max() <= 2 * PRECISION * 2.5  # of the size, at most 2 along x
    assert number <= 40


def test_fewer_modes_than_points_of_a_moving_spline_surface():
    """Nine controls that wander independently: at most as many modes as there are."""
    rng = np.random.default_rng(0)
    phases = rng.uniform(0, 6, (9, 1))
    basis = rng.normal(size=(500, 9))
    t = np.linspace(0, 20, 1200)
    points = lambda t: np.stack(np.broadcast_arrays(X[0], 0.0, (basis @ np.sin(phases + np.arange(1, 10)[:, None] * t)).T), axis=-1)  # noqa: E731
    found, number = rebuilt(points, t)
    assert number <= 9
    np.testing.assert_allclose(found, points(t), atol=1e-2)
