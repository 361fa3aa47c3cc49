"""The derivatives of what a surface is fitted by, against differences of it; the bands in which its matrices are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline

from design.surface_samples import known_joint, noisy, places
from redmax.design.curves.descent import descend
from redmax.design.curves.knots import clamped
from redmax.design.curves.loss import Cauchy, Squares
from redmax.design.curves.spans import make_spans
from redmax.design.surfaces.bands import Band, Bands
from redmax.design.surfaces.grid import Grid
from redmax.design.surfaces.kinds import misfit
from redmax.design.surfaces.point import AtControl
from redmax.design.surfaces.problem import Problem
from redmax.design.surfaces.smoothness import bending
from redmax.lie import se3

STEPS, FACTORS = (1, 2, 3, 4), (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # of a central difference of the eighth order


def grid_of(counts, orders, cyclic):
    sides = zip(counts, orders, cyclic, strict=True)
    return Grid(tuple(make_spans("test", n, k, clamped(n, k, c, -1.0, 2.0), c) for n, k, c in sides))


def sample(kind, counts, orders, cyclic, known, smoothing, loss, points=False):
    """A point some way off the poses."""
    rng = np.random.default_rng(1)
    joint = known_joint(rng, kind, counts, orders, cyclic)
    q = places(rng, 40, len(counts))
    T = se3.inverse(joint.base) @ noisy(rng, joint.pose(q), 0.1)
    A = rng.normal(size=(40, 6, 6))
    W = A @ np.swapaxes(A, 1, 2) + np.eye(6)
    grid = grid_of(counts, orders, cyclic)
    turns = "xyz" if kind == "angles" else ""
    stiff = np.diag(rng.uniform(0.5, 2.0, 6))
    points = np.arange(40) % 3 == 1 if points else np.zeros(40, bool)
    problem = Problem(grid, misfit(turns), T, points, W, rng.uniform(0.5, 2.0, 40), loss, known, smoothing, stiff)
    control = np.asarray(joint.grid.values, float).reshape(-1, 6)[: grid.size] if not any(cyclic) else 0.3 * rng.normal(size=(grid.size, 6))
    return AtControl(problem, control + 0.02 * rng.normal(size=control.shape), q), rng


def difference(f, h):
    return sum(c * (f(n * h) - f(-n * h)) for n, c in zip(STEPS, FACTORS, strict=True)) / h


def dense(band: Band) -> np.ndarray:
    assert band.lower is not None
    n = band.lower.shape[1]
    full = np.zeros((n, n))
    for d in range(len(band.lower)):
        full += np.diag(band.lower[d, : n - d], -d)
    return full + np.tril(full, -1).T


PLANS = [
    ("twists", (5, 4), (4, 4), (False, False), True, 0.1, Squares()),
    ("angles", (5, 4), (5, 4), (False, False), True, 0.0, Cauchy(0.5)),
    ("twists", (5, 5), (4, 4), (True, False), True, 0.0, Squares()),
    ("twists", (4, 4, 4), (4, 4, 4), (False, False, False), True, 0.1, Squares()),
    ("twists", (4, 4), (4, 4), (False, False), False, 0.1, Squares()),
    ("angles", (6,), (4,), (False,), False, 0.1, Squares()),
]


@pytest.mark.parametrize("points", [False, True], ids=["poses", "positions among them"])
@pytest.mark.parametrize(("kind", "counts", "orders", "cyclic", "known", "smoothing", "loss"), PLANS)
def test_gradient_and_hessian_are_those_of_differences(kind, counts, orders, cyclic, known, smoothing, loss, points):
    """Where parameters are not known, of the objective at the nearest ones, which move, too."""
    point, rng = sample(kind, counts, orders, cyclic, known, smoothing, loss, points)
    if not known:
        point = AtControl(point.problem, point.control, point.state.q)
    gradient, band = point.derivatives(True)
    H = dense(band)
    assert_allclose(gradient, point.gradient(), rtol=0, atol=1e-11 * np.abs(gradient).max())
    for _ in range(3):
        u = rng.normal(size=len(gradient)) / np.sqrt(len(gradient))
        h = 2e-3 if known else 1e-3  # where a pose leaves an end of the range, the second derivative jumps
        slope = difference(lambda x, u=u: point.moved(x * u).value, h)
        assert gradient @ u == pytest.approx(slope, rel=1e-9, abs=1e-9 * np.abs(gradient).max())
        rate = difference(lambda x, u=u: point.moved(x * u).gradient(), h)
        assert_allclose(H @ u, rate, rtol=0, atol=1e-9 * np.abs(H @ u).max())


@pytest.mark.parametrize("count", [10, pytest.param(1_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["twists", "angles"])
def test_fits_that_begin_anywhere_end_at_stationary_points(kind, count):
    """Control values moved by chance, by 0.3 rad and m: nine of ten come to the best minimum, or below it."""
    start, rng = sample(kind, (5, 4), (4, 4), (False, False), True, 0.0, Squares())
    best, there = descend(start, 1e-10, 100).point.value, 0
    for _ in range(count):
        found = descend(start.moved(0.3 * rng.normal(size=6 * 20)), 1e-10, 400)
        assert np.abs(found.gradient).max() < 1e-8, found.reason
        there += found.point.value < best * (1 + 1e-9)
    assert there >= 0.9 * count


def test_gauss_and_newton_leave_out_what_vanishes_with_the_residuals():
    point, _ = sample("twists", (4, 4), (4, 4), (False, False), True, 0.0, Squares())
    exact, approximate = dense(point.derivatives(True)[1]), dense(point.derivatives(False)[1])
    assert np.linalg.eigvalsh(approximate).min() > -1e-9 * np.abs(approximate).max()
    assert 0.001 < np.abs(exact - approximate).max() / np.abs(exact).max() < 0.5
    at = point.problem.grid.spline(point.control, point.near)
    met = AtControl(replace(point.problem, poses=se3.exp(at)), point.control, point.near)
    exact, approximate = dense(met.derivatives(True)[1]), dense(met.derivatives(False)[1])
    assert_allclose(exact, approximate, rtol=0, atol=1e-12 * np.abs(exact).max())


SHAPES = [((9, 6), (False, False)), ((9, 8), (True, False)), ((8, 9), (True, True)), ((5, 4, 7), (False,) * 3)]


@pytest.mark.parametrize(("counts", "cyclic"), SHAPES)
def test_bands_are_the_matrices_that_they_stand_for(counts, cyclic):
    rng = np.random.default_rng(2)
    grid = grid_of(counts, (4,) * len(counts), cyclic)
    bands = Bands(grid, 2)
    cells, K = grid.acting.shape
    A = rng.normal(size=(cells, 3, K, 2)).reshape(cells, 3, 2 * K)
    blocks = (np.swapaxes(A, 1, 2) @ A).reshape(cells, K, 2, K, 2)
    full = np.zeros((grid.size, 2, grid.size, 2))
    for near, block in zip(grid.acting, blocks, strict=True):
        full[np.ix_(near, [0, 1], near, [0, 1])] += block
    a, b = bands.pairs
    pairs = np.moveaxis(blocks[:, a, :, b, :], 0, 1).reshape(cells, len(a), 4)
    band = Band(bands.gathered(pairs))
    order = bands.vector(np.arange(2.0 * grid.size).reshape(-1, 2)).astype(int)
    assert_allclose(dense(band), full.reshape(2 * grid.size, -1)[np.ix_(order, order)], rtol=0, atol=1e-12)
    x = rng.normal(size=(grid.size, 2))
    assert_allclose(bands.control(bands.vector(x)), x)
    more = band.damped(0.5)
    solution = more.solve(bands.vector(x))
    assert_allclose(dense(more) @ solution, bands.vector(x), rtol=0, atol=1e-9)
    assert Band(-band.lower).solve(bands.vector(x)) is None


def test_the_bending_is_the_integral_of_second_derivatives_squared():
    """Of SciPy's B-splines, by a quadrature of more points than needed."""
    rng = np.random.default_rng(3)
    grid = grid_of((6, 5), (4, 4), (False, False))
    c = rng.normal(size=grid.size)
    own = np.sum(c[grid.acting][:, None, :] @ bending(grid) @ c[grid.acting][..., None])
    t = [side.knots for side in grid.sides]

    def spline(x, y, a, b):
        return BSpline(t[0], np.eye(6), 3)(x, nu=a) @ c.reshape(6, 5) @ BSpline(t[1], np.eye(5), 3)(y, nu=b)

    def squared(y, x):
        return spline(x, y, 2, 0) ** 2 + 2 * spline(x, y, 1, 1) ** 2 + spline(x, y, 0, 2) ** 2

    total = 0.0
    for x0, x1 in zip(grid.sides[0].breaks[:-1], grid.sides[0].breaks[1:], strict=True):
        for y0, y1 in zip(grid.sides[1].breaks[:-1], grid.sides[1].breaks[1:], strict=True):
            total += gauss(squared, x0, x1, y0, y1)
    assert own == pytest.approx(total, rel=1e-11)


def gauss(f, x0, x1, y0, y1):
    x, w = np.polynomial.legendre.leggauss(6)
    place = lambda low, high: low + 0.5 * (high - low) * (x + 1)  # noqa: E731
    total = sum(a * b * f(v, u) for a, u in zip(w, place(x0, x1), strict=True) for b, v in zip(w, place(y0, y1), strict=True))
    return 0.25 * (x1 - x0) * (y1 - y0) * total
