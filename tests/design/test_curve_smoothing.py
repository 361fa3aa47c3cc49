"""Smoothed curves: the joint Hessian falls, one screw is what is left of strong smoothing, and the weight is found from the poses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

import redmax as rm
from design.test_fit_curve import FLEXION, knee
from redmax.lie import se3

ANGLES = np.linspace(FLEXION[0], FLEXION[-1], 50)
CLEAN = np.array([knee(a) for a in ANGLES])
NOISY = CLEAN @ se3.exp(0.02 * np.random.default_rng(1).normal(size=(50, 6)))


def error(fit: rm.CurveFit) -> float:
    return float(np.sqrt(np.mean(np.sum(se3.log(se3.inverse(CLEAN) @ fit.poses(ANGLES)) ** 2, axis=1))))


def test_smoothing_trades_misfit_for_bending_at_a_minimum():
    fits = [rm.fit_curve(NOISY, ANGLES, frames=15, smoothing=weight) for weight in (0, 1e-4, 1e-2, 1)]
    assert all(fit.converged for fit in fits)
    misfits = [float(np.sum(fit.residuals**2)) for fit in fits]
    assert (np.diff(misfits) > 0).all()
    assert (np.diff([fit.bending for fit in fits]) < 0).all()
    for fit, misfit in zip(fits, misfits):
        assert fit.objective == pytest.approx(misfit + fit.smoothing * fit.bending, rel=1e-12)


def test_one_screw_is_left_of_strong_smoothing():
    fit = rm.fit_curve(NOISY, ANGLES, frames=10, smoothing=1e4)
    S = np.array([np.asarray(fit.joint.jacobian(np.array([a])))[:, 0] for a in ANGLES])
    assert np.abs(S - S[0]).max() < 1e-3


def test_the_screw_that_is_left_is_the_best_one():
    """SciPy's among all motions C exp(q S), at weights up to where digits end, also where parameters are not known."""
    start = np.concatenate([np.zeros(6), se3.log(se3.inverse(NOISY[0]) @ NOISY[-1]) / np.ptp(ANGLES)])

    def residuals(u: np.ndarray) -> np.ndarray:
        screw = NOISY[0] @ se3.exp(u[:6]) @ se3.exp((ANGLES - ANGLES[0])[:, None] * u[6:])
        return se3.log(se3.inverse(screw) @ NOISY).ravel()

    best = 2 * least_squares(residuals, start, xtol=1e-15, ftol=1e-15, gtol=1e-13).cost
    for weight, near in ((1e6, 1e-5), (1e9, 1e-8), (1e12, 1e-8)):
        fit = rm.fit_curve(NOISY, ANGLES, frames=10, smoothing=weight)
        assert fit.converged, fit.reason
        assert fit.objective == pytest.approx(best, rel=near)
        assert best - fit.objective + 1e-8 * best > 0
        for options in ({"loss": rm.Cauchy(0.05)}, {"loss": rm.Tukey(0.3)}, {"parameters": None}):
            assert rm.fit_curve(**{"poses": NOISY, "parameters": ANGLES, "frames": 10, "smoothing": weight} | options).converged


@pytest.mark.parametrize("frames", [12, 80])
@pytest.mark.parametrize("way", ["cross-validation", "l-curve"])
def test_the_weight_is_found_from_the_poses(way, frames):
    """Also with more frames than poses: nearer to the truth than without smoothing, and nearly as near as with the best weight."""
    by_hand = min(error(rm.fit_curve(NOISY, ANGLES, frames=frames, smoothing=w)) for w in (0.01, 0.03, 0.1, 0.3))
    fit = rm.fit_curve(NOISY, ANGLES, frames=frames, smoothing=way)
    assert fit.converged, fit.reason
    assert error(fit) < 1.15 * by_hand
    assert error(fit) < 0.8 * error(rm.fit_curve(NOISY, ANGLES, frames=12))


@pytest.mark.parametrize("frames", [12, 60])
def test_exact_poses_are_not_smoothed_away_by_the_l_curve(frames):
    """Whether its corner is where the spline ends to meet them, or there is none as it meets them all, which is said then."""
    poses = CLEAN.copy()
    poses[7] = np.nan
    fit = rm.fit_curve(poses, ANGLES, frames=frames, smoothing="l-curve")
    assert np.nanmax(np.abs(fit.residuals)) < 1e-4
    assert fit.smoothing < 1e-4
    assert ("no corner" in fit.reason) == (frames == 60)


def test_little_noise_is_smoothed_little_by_the_l_curve():
    poses = CLEAN @ se3.exp(1e-5 * np.random.default_rng(3).normal(size=(50, 6)))
    fit = rm.fit_curve(poses, ANGLES, frames=12, smoothing="l-curve")
    assert np.abs(fit.residuals).max() < 1e-3
    assert "corner" not in fit.reason


def test_poses_are_met_by_a_smooth_curve_of_more_frames():
    poses, q = CLEAN[::7], ANGLES[::7]
    few = rm.fit_curve(poses, q, frames=25, smoothing=1e-9)
    assert np.abs(few.residuals).max() < 1e-5
    assert few.bending < 1.1 * rm.fit_curve(CLEAN, ANGLES, frames=25).bending


@pytest.mark.parametrize("smoothing", [-1.0, "much", np.nan, [1.0, 2.0]])
def test_what_is_no_weight_is_refused(smoothing):
    with pytest.raises(rm.SceneError, match="smoothing"):
        rm.fit_curve(NOISY, ANGLES, frames=10, smoothing=smoothing)
