"""Gradients and Hessians of what fits make small, against differentiation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.design.curves.knots import clamped, uniform
from redmax.design.curves.loss import Cauchy, Huber, Loss, Squares, Tukey
from redmax.design.curves.misfit import Misfit
from redmax.design.curves.objective import AtFrames, Objective
from redmax.design.curves.smoothing import Motion, bending
from redmax.design.curves.spans import make_spans
from redmax.design.curves.windows import Windows, places, windows
from redmax.lie import se3
from redmax.lie.many_twists import ManyTwists, inverse_adjoints, inverses, logarithms
from redmax.lie.second_differentials import bracket_form

RNG = np.random.default_rng(3)
SHAPES = [(8, 4, False), (9, 5, False), (4, 4, False), (12, 4, True), (3, 4, True), (9, 5, True)]


def slope(f, h: float = 5e-4):
    """Central differences with an error of h^8."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (f(i * h) - f(-i * h)) for i, w in enumerate(weights, 1)) / h


@pytest.mark.parametrize(
    ("J", "change"), [(se3.dexp_right, ManyTwists.dexp_change), (se3.dexp_right_inverse, ManyTwists.dexp_inverse_change)]
)
def test_differentials_change_as_their_differences_do(J, change):
    x, covector, a, b = RNG.normal(size=(4, 20, 6))
    x[0], x[1] = 0.0, 1e-6 * x[1]
    x[2, :3] *= 3.1 / np.linalg.norm(x[2, :3])
    expected = slope(lambda h: np.einsum("ni,nij,nj->n", covector, J(x + h * a), b))
    np.testing.assert_allclose(np.einsum("ni,nij,nj->n", a, change(ManyTwists(x), covector), b), expected, rtol=1e-9, atol=1e-9)


def test_many_twists_are_what_one_is():
    x = RNG.normal(size=(3, 7, 6))
    x[0, :2] *= 1e-9
    many, E = ManyTwists(x), se3.exp(x)
    for mine, its in ((many.exp, E), (many.dexp, se3.dexp_right(x)), (many.dexp_inverse, se3.dexp_right_inverse(x))):
        np.testing.assert_allclose(mine, its, atol=1e-14)
    near = np.concatenate([x[0], x[1] / 2])
    np.testing.assert_allclose(logarithms(se3.exp(near)).x, near, atol=1e-14)
    half = se3.exp(np.array([[np.pi - 1e-9, 0, 0, 1, 2, 3.0], [0, 1e-200, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0]]))
    np.testing.assert_allclose(logarithms(half).x, se3.log(half), atol=1e-14)
    many = logarithms(half)
    np.testing.assert_allclose(np.stack([*many.parts[0], *many.parts[1]], axis=-1), many.x, atol=0)
    np.testing.assert_allclose(inverses(E), se3.inverse(E), atol=1e-15)
    np.testing.assert_allclose(inverse_adjoints(E), se3.Ad(se3.inverse(E)), atol=1e-14)


def test_brackets_as_bilinear_forms():
    covector, a, b = RNG.normal(size=(3, 20, 6))
    expected = np.einsum("ni,nij,nj->n", covector, se3.ad(a), b)
    np.testing.assert_allclose(np.einsum("ni,nij,nj->n", a, bracket_form(covector), b), expected, atol=1e-13)


def problem(n: int, order: int, cyclic: bool, loss: Loss, noise: float = 0.2) -> AtFrames:
    make = uniform if cyclic else clamped
    spans = make_spans("test", n, order, make(n, order, cyclic, 0.0, 2.0), cyclic)
    turns = np.linspace(0, 2 * np.pi, n, endpoint=False)
    C = np.array([rm.pose(rm.rotation_about("z", 0.9 * t), (np.cos(t), np.sin(t), 0.1 * t)) for t in turns])
    C = C @ se3.exp(0.2 * RNG.normal(size=(n, 6)))
    at, _ = places(spans, RNG.uniform(0, 2, 30))
    root = RNG.normal(size=(6, 6))
    first = AtFrames(Objective(spans, Misfit(at, np.arange(30), np.tile(np.eye(4), (30, 1, 1)), root @ root.T, np.ones(30), loss)), C)
    poses = first.window.G @ se3.exp(noise * RNG.normal(size=(30, 6)))
    misfit = Misfit(at, np.arange(30), poses, root @ root.T, RNG.uniform(0.5, 2, 30), loss)
    return AtFrames(Objective(spans, misfit), C)


@pytest.mark.parametrize("loss", [Squares(), Cauchy(0.8), Huber(1e-3), Tukey(30.0)])
@pytest.mark.parametrize(("n", "order", "cyclic"), SHAPES)
def test_gradients_and_hessians_are_exact(n, order, cyclic, loss):
    point = problem(n, order, cyclic, loss)
    g, H = point.derivatives(exact=True)
    np.testing.assert_allclose(point.gradient(), g, atol=1e-12 * np.abs(g).max())
    u = RNG.normal(size=6 * n)
    expected = slope(lambda h: point.moved(h * u).value)
    assert abs(g @ u - expected) < 1e-9 * np.linalg.norm(g) * np.linalg.norm(u) / np.sqrt(6 * n)

    def along(h: float) -> float:  # d/dh of the objective where all frames move by exp(h u)
        return float(point.moved(h * u).gradient() @ u)

    curvature = u @ H.dense() @ u
    assert abs(curvature - slope(along)) < 1e-9 * max(abs(curvature), 1.0)


def test_derivatives_are_exact_with_points_among_the_poses():
    point = problem(8, 4, False, Cauchy(0.8))
    metric = np.tile(np.eye(6), (30, 1, 1))
    some = np.arange(30) % 2 == 0
    metric[some, :3] = 0.0
    point = AtFrames(replace(point.of, misfit=replace(point.of.misfit, W=metric, points=some)), point.C)
    g, H = point.derivatives(exact=True)
    u = RNG.normal(size=48)
    assert g @ u == pytest.approx(slope(lambda h: point.moved(h * u).value), rel=1e-9)
    assert u @ H.dense() @ u == pytest.approx(slope(lambda h: float(point.moved(h * u).gradient() @ u)), rel=1e-9)


@pytest.mark.parametrize(("n", "order", "cyclic"), SHAPES)
def test_banded_and_bordered_solutions(n, order, cyclic):
    H = problem(n, order, cyclic, Squares()).derivatives(exact=False)[1].damped(1e-3)
    g = RNG.normal(size=6 * n)
    np.testing.assert_allclose(H.dense() @ H.solve(g), g, atol=1e-9)


@pytest.mark.parametrize("loss", [Cauchy(0.3), Huber(0.3), Tukey(0.3)])
def test_losses_are_squares_where_residuals_are_small(loss):
    s = np.linspace(0.0, 0.3, 50)
    assert abs(loss.value(np.array([1e-9]))[0] - 1e-9) < 1e-16
    np.testing.assert_allclose(slope(lambda h: loss.value(s[1:] + h), 1e-4)[12:14], loss.slope(s[1:])[12:14], rtol=1e-9)
    assert (loss.value(s) <= s + 1e-15).all()


@pytest.mark.parametrize(("n", "order", "cyclic"), SHAPES)
def test_joint_hessians_and_the_derivatives_of_their_integral(n, order, cyclic):
    point = problem(n, order, cyclic, Squares())
    spans, chain = point.of.spans, point.chain
    bends = bending(spans, np.diag(RNG.uniform(0.5, 2, 6)))
    joint = rm.SplineCurve(point.C, order=order, knots=spans.knots, cyclic=cyclic)

    def at(twists: np.ndarray) -> Windows:
        return windows(chain.starts, twists, bends.at)

    for i in (0, len(bends.at.q) // 2):
        expected = slope(lambda h, i=i: np.asarray(joint.jacobian(bends.at.q[i : i + 1] + h), float)[:, 0], 1e-4)
        np.testing.assert_allclose(Motion(bends, at(chain.twists)).hessian[i], expected, atol=1e-9)
    u = RNG.normal(size=chain.twists.shape)
    along = u.reshape(spans.pieces, -1)
    g, H = bends.both(at(chain.twists), spans.pieces, exact=True)
    first = slope(lambda h: bends.value(at(chain.twists + h * u)))
    assert np.sum(g[:, 6:] * along) == pytest.approx(first, rel=1e-9, abs=1e-7)
    second = slope(lambda h: np.sum(bends.both(at(chain.twists + h * u), spans.pieces, exact=False)[0][:, 6:] * along))
    assert np.einsum("pi,pij,pj->", along, H[:, 6:, 6:], along) == pytest.approx(second, rel=1e-9)
