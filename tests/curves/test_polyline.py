"""Splines along polylines: through or near the corners, as smooth as they say, at a cost that does not grow with the corners."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

import redmax as rm
from redmax.math import derivatives
from redmax.trace import Graph, reachable

KINDS = [(closed, through, degree) for closed in (False, True) for through in (False, True) for degree in (3, 5)]
kinds = pytest.mark.parametrize(("closed", "through", "degree"), KINDS)


def corners(n: int = 9) -> np.ndarray:
    return np.random.default_rng(4).normal(size=(n, 3))


@kinds
def test_pieces_meet_smoothly(closed, through, degree):
    """A spline of degree d has d - 1 continuous derivatives, also where a closed one begins again."""
    curve = rm.curves.Polyline(corners(), closed=closed, through=through, degree=degree)
    orders = [(0,) * k for k in range(degree)]
    for knot in range(0 if closed else 1, 9 if closed else 8):
        before, after = (derivatives(curve.point, [knot + e], orders) for e in (-1e-13, 1e-13))
        for k, (a, b) in enumerate(zip(before, after)):
            assert_allclose(a, b, atol=1e-9 * 10**k)
        jump = derivatives(curve.point, [knot + 1e-13], [(0,) * degree])[0] - derivatives(curve.point, [knot - 1e-13], [(0,) * degree])[0]
        if not through:
            assert np.abs(jump).max() > 0.1  # and no more than that: these are different pieces


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("closed", [False, True])
def test_through_means_through(closed, degree):
    points = corners()
    curve = rm.curves.Polyline(points, closed=closed, degree=degree)
    assert_allclose(curve.point(np.arange(9.0)), points, atol=1e-13)
    if closed:
        assert_allclose(curve.point(np.arange(9.0) - 18.0), points, atol=1e-13)


@pytest.mark.parametrize("closed", [False, True])
def test_the_cubic_through_the_corners_is_scipys(closed):
    points = corners()
    curve = rm.curves.Polyline(points, closed=closed, degree=3)
    values = np.vstack([points, points[:1]]) if closed else points
    spline = CubicSpline(np.arange(float(len(values))), values, bc_type="periodic" if closed else "not-a-knot")
    s = np.linspace(0, len(values) - 1, 101)
    assert_allclose(curve.point(s), spline(s), atol=1e-13)
    assert_allclose(curve.derivatives(s)[2], spline(s, 2), atol=1e-11)


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("closed", [False, True])
def test_near_means_within_the_hull_of_neighbours(closed, degree):
    """Each piece is an average of degree + 1 corners; on a straight line it is that line, and an open one begins in its first corner."""
    points = corners()
    points[:, 0] = np.clip(points[:, 0], -0.5, 0.5)
    near = rm.curves.Polyline(points, closed=closed, through=False, degree=degree)
    x = near.point(np.linspace(0, 8, 300))
    if closed:
        assert np.abs(x[:, 0]).max() <= 0.5
        assert_allclose(near.point(np.linspace(0, 9, 901)[:-1]).mean(axis=0), points.mean(axis=0), atol=1e-6)
    else:
        assert_allclose(near.point(0.0), points[0], atol=1e-14)
        assert_allclose(near.point(8.0), points[-1], atol=1e-14)
        straight = rm.curves.Polyline(np.outer(np.arange(8.0), [1, 2, 3]), through=False, degree=degree)
        assert_allclose(straight.point(np.linspace(0, 7, 50)), np.outer(np.linspace(0, 7, 50), [1, 2, 3]), atol=1e-13)


def test_the_uniform_cubic_has_its_textbook_weights():
    points = corners()
    near = rm.curves.Polyline(points, closed=True, through=False, degree=3)
    assert_allclose(near.point(4.0), (points[3] + 4 * points[4] + points[5]) / 6, atol=1e-14)
    weights = np.array([1, 23, 23, 1]) / 48
    assert_allclose(near.point(4.5), weights @ points[3:7], atol=1e-14)


@kinds
def test_the_cost_does_not_grow_with_the_corners(closed, through, degree):
    sizes = set()
    for n in (8, 3000):
        s = Graph().input("s", 0)
        curve = rm.curves.Polyline(corners(n), closed=closed, through=through, degree=degree)
        sizes.add(len(reachable(list(curve.point(s)))))
    assert len(sizes) == 1
    assert sizes.pop() < 100


def test_open_ends_go_on():
    curve = rm.curves.Polyline(corners(), degree=3)
    for s, out in ((0.0, -0.5), (8.0, 8.5)):
        x, first, second, third = derivatives(curve.point, [s], [(), (0,), (0, 0), (0, 0, 0)])
        h = out - s
        assert_allclose(curve.point(out), x + h * first + h**2 / 2 * second + h**3 / 6 * third, atol=1e-13)
    assert curve.domain == (0.0, 8.0)


def test_a_first_corner_given_twice_closes_a_line():
    points = corners()
    once, twice = rm.curves.Polyline(points, closed=True), rm.curves.Polyline(np.vstack([points, points[:1]]), closed=True)
    assert once.period == twice.period == 9
    assert_allclose(once.point(3.3), twice.point(3.3), atol=1e-15)
