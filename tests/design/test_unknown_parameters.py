"""Curves through poses whose parameters are not known: nearest points, exact derivatives, and joints that come back."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from design.test_curve_derivatives import problem, slope
from design.test_fit_curve import knee, orbit
from redmax.design.curves.chains import chain
from redmax.design.curves.free import AtNearest
from redmax.design.curves.loss import Cauchy, Huber, Squares, Tukey
from redmax.design.curves.nearest import along, nearest_of_all
from redmax.lie import se3

RNG = np.random.default_rng(8)


def swing(count: int, noise: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a knee at angles that nobody wrote down, as measured and as they were."""
    rng = np.random.default_rng(seed)
    clean = np.array([knee(a) for a in np.sort(rng.uniform(0, 2, count))])
    return clean @ se3.exp(noise * rng.normal(size=(count, 6))), clean


def distance(fit: rm.CurveFit, poses: np.ndarray) -> float:
    """Root mean square of the distances of poses from a curve."""
    q = nearest_of_all(fit.spans, chain(fit.spans, fit.frames), poses, np.eye(6))
    return float(np.sqrt(np.mean(np.sum(se3.log(se3.inverse(poses) @ fit.poses(q)) ** 2, axis=1))))


@pytest.mark.parametrize(("n", "order", "cyclic"), [(8, 4, False), (9, 5, False), (12, 4, True)])
def test_poses_are_nearest_where_the_slope_is_nothing_and_nowhere_nearer(n, order, cyclic):
    point = problem(n, order, cyclic, Squares())
    spans, poses, W = point.of.spans, point.of.misfit.poses, np.eye(6)
    q = nearest_of_all(spans, point.chain, poses, W)
    value, gradient, curvature = along(spans, point.chain, poses, W, q)
    low, high = spans.range
    inside = (q > low) & (q < high)
    assert np.abs(gradient[inside]).max() < 1e-9 * curvature.max()
    for other in np.linspace(low, high, 9):
        assert (along(spans, point.chain, poses, W, np.full(30, other))[0] > value).all()
    at = np.full(30, 0.3 * low + 0.7 * high)
    expected = slope(lambda h: along(spans, point.chain, poses, W, at + h)[0])
    np.testing.assert_allclose(along(spans, point.chain, poses, W, at)[1], expected, rtol=1e-9, atol=1e-7)
    expected = slope(lambda h: along(spans, point.chain, poses, W, at + h)[1])
    np.testing.assert_allclose(along(spans, point.chain, poses, W, at)[2], expected, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("loss", [Squares(), Cauchy(0.8)])
@pytest.mark.parametrize(("n", "order", "cyclic"), [(8, 4, False), (9, 6, False), (12, 4, True)])
def test_derivatives_are_exact_with_parameters_that_follow(n, order, cyclic, loss):
    fixed = problem(n, order, cyclic, loss, noise=0.05)
    point = AtNearest(fixed.of, fixed.C)
    g, H = point.derivatives(exact=True)
    u = RNG.normal(size=6 * n)
    assert g @ u == pytest.approx(slope(lambda h: point.moved(h * u).value, 1e-4), rel=1e-9)
    assert u @ H.dense() @ u == pytest.approx(slope(lambda h: point.moved(h * u).gradient() @ u, 1e-4), rel=1e-9)


@pytest.mark.parametrize(("count", "frames", "noise"), [(60, 7, 0.01), (300, 10, 0.02)])
def test_a_motion_is_found_without_parameters(count, frames, noise):
    """Nearer to the truth than the noise is, and with the length of the way as its coordinate."""
    poses, clean = swing(count, noise)
    fit = rm.fit_curve(poses, frames=frames)
    assert fit.converged, fit.reason
    assert distance(fit, clean) < 1.2 * noise * np.sqrt(5 * frames / count)
    way = float(np.sum(np.linalg.norm(se3.log(se3.inverse(clean[:-1]) @ clean[1:]), axis=1)))
    low, high = fit.joint.range
    assert high - low == pytest.approx(way, rel=0.05)
    assert np.abs(se3.log(se3.inverse(fit.poses(fit.parameters)) @ poses) - fit.residuals).max() < 1e-12
    values = [step.objective for step in fit.log] + [fit.objective]
    assert (np.diff(values) <= 1e-14 * values[0]).all()


FAR = {"one at the end": ([60], 1.0), "one amid the others": ([30], 1.0), "one of ten": (range(3, 60, 10), 0.5)}


@pytest.mark.parametrize("loss", [Huber(0.01), Cauchy(0.02), Tukey(0.03)])
@pytest.mark.parametrize("where", FAR)
def test_outliers_hardly_matter_under_robust_losses(where, loss):
    """Neither for the curve, nor for how long it is: poses far off are no part of the way."""
    poses, clean = swing(60, 0.005)
    rows, size = FAR[where]
    rng = np.random.default_rng(3)
    for row in rows:
        far = clean[min(row, 59)] @ se3.exp(size * np.sign(rng.normal(size=6)))
        poses = np.insert(poses, row, far, axis=0)
    fit = rm.fit_curve(poses, frames=7, loss=loss)
    assert fit.converged, fit.reason
    assert len(fit.frames) == 7
    assert distance(fit, clean) < (0.012 if isinstance(loss, Huber) else 0.005)  # under Huber's each pulls as hard as others
    way = float(np.sum(np.linalg.norm(se3.log(se3.inverse(clean[:-1]) @ clean[1:]), axis=1)))
    assert np.ptp(fit.joint.range) == pytest.approx(way, rel=0.05)


def test_the_way_to_a_far_pose_is_a_straight_one():
    """Between the motion and a pose far off no pose says where the curve goes: it does not go all around."""
    clean = np.array([knee(a) for a in np.linspace(0, 2 * np.pi / 3, 80)])
    poses = clean @ se3.exp(0.02 * np.random.default_rng(0).normal(size=(80, 6)))
    far = rm.pose(np.eye(3), (1.0, 1.0, 1.0))[None]
    fit = rm.fit_curve(np.append(poses, far, axis=0), frames=7)
    way = np.linalg.norm(se3.log(se3.inverse(clean) @ np.append(clean[1:], far, axis=0)), axis=1).sum()
    assert np.ptp(fit.joint.range) < 4 * way


def test_poses_in_no_order_are_put_in_one():
    poses, clean = swing(60, 0.002)
    fit = rm.fit_curve(poses, frames=7)
    shuffled = np.random.default_rng(1).permutation(60)
    other = rm.fit_curve(poses[shuffled], frames=7)
    assert np.ptp(other.joint.range) == pytest.approx(np.ptp(fit.joint.range), rel=0.05)
    assert abs(np.corrcoef(other.parameters, fit.parameters[shuffled])[0, 1]) > 0.999
    assert distance(other, clean) < 0.002


def test_a_closed_motion_is_found_without_parameters():
    turns = np.sort(RNG.uniform(0, 2 * np.pi, 120))
    poses = np.array([orbit(a) for a in turns]) @ se3.exp(0.005 * RNG.normal(size=(120, 6)))
    fit = rm.fit_curve(poses, frames=16, cyclic=True, period=1.0)
    assert fit.converged, fit.reason
    assert np.ptp(fit.joint.range) == pytest.approx(1.0)
    assert fit.angle + fit.distance < 0.03


def test_through_all_poses_the_coordinate_is_the_way_between_them():
    poses = np.array([knee(a) for a in np.linspace(0, 2, 9)])
    fit = rm.fit_curve(poses)
    assert np.abs(fit.residuals).max() < 1e-12
    assert np.diff(fit.parameters) == pytest.approx(np.linalg.norm(se3.log(se3.inverse(poses[:-1]) @ poses[1:]), axis=1))
    scaled = rm.fit_curve(np.repeat(poses, 3, axis=0) @ se3.exp(1e-3 * RNG.normal(size=(27, 6))), knots=[0, 0, 0, 0, 0.5, 1, 1, 1, 1])
    assert scaled.joint.range == (0, 1)
    assert 0 <= scaled.parameters.min() <= scaled.parameters.max() <= 1
