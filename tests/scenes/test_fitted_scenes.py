"""Scenes with joints that are fitted to noisy poses: the joints are nearer to what was measured than the measurements are."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.lie import se3
from redmax.scenes import hand, measured_scapula, ribs
from scenes.runs import run_of

CASES = {  # the fit, its range, the true poses, and the standard deviations of what was measured (rad, m)
    "scapula": (measured_scapula.fit, measured_scapula.RANGE, ribs.gliding, measured_scapula.DEGREE, measured_scapula.MILLIMETRE),
    "wrist": (lambda: hand.fit("socket"), hand.WRIST, hand.on_socket, hand.DEGREES, hand.MILLIMETRES),
    "thumb": (lambda: hand.fit("saddle"), hand.THUMB, hand.on_saddle, hand.DEGREES, hand.MILLIMETRES),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fitted_joint_is_nearer_to_the_truth_than_what_it_is_fitted_to(name):
    make, spans, true, angle, distance = CASES[name]
    fit = make()
    assert fit.converged
    assert fit.angle == pytest.approx(np.sqrt(3) * angle, rel=0.15)  # of three components each
    assert fit.distance == pytest.approx(np.sqrt(3) * distance, rel=0.15)
    places = np.random.default_rng(3).uniform(*np.transpose(spans), (300, len(spans)))
    off = se3.log(se3.inverse(fit.joint.pose(places)) @ np.array([true(*x) for x in places.tolist()]))
    assert np.sqrt(np.mean(off[:, :3] ** 2)) < 0.6 * angle
    assert np.sqrt(np.mean(off[:, 3:] ** 2)) < 0.6 * distance
    np.testing.assert_allclose(fit.joint.range, spans)


def test_the_carpal_bones_touch_their_socket():
    """The ellipsoid's lowest plane: no point of it is above the socket, and one is on it."""
    rng = np.random.default_rng(4)
    points = rng.normal(size=(4000, 3))
    points = points / np.linalg.norm(points, axis=1)[:, None] * hand.CARPALS
    for f, d in rng.uniform(*hand.WRIST.T, (10, 2)):
        E = hand.on_socket(f, d)
        heights = points @ E[2, :3] + E[2, 3]
        assert heights.max() < 1e-12
        assert heights.max() > -2e-4


def test_the_saddle_has_one_axis_on_either_side():
    """Turning about either axis leaves a point of that axis where it is."""
    low, high = np.array((0, 0, -hand.BELOW, 1.0)), np.array((0, 0, hand.ABOVE, 1.0))
    for f in (-0.5, 0.3):
        np.testing.assert_allclose(hand.on_saddle(f, 0.0) @ low, low, atol=1e-15)
        np.testing.assert_allclose(hand.on_saddle(f, 0.4) @ high, hand.on_saddle(f, -0.2) @ high, atol=1e-15)


def test_the_blade_stays_on_the_ribs():
    run = run_of("measured-scapula")
    frames = [run.pose(n) @ np.linalg.inv(run.model.links[run.model.index(n)].body) for n in ("ribs", "scapula")]
    place = (np.linalg.inv(frames[0]) @ frames[1])[:, :3, 3]
    level = np.sqrt(np.sum((place / (np.array(ribs.RIBS) + ribs.OUTSIDE)) ** 2, axis=1))
    assert np.abs(level - 1).max() < 0.02
    assert np.linalg.norm(np.ptp(place, axis=0)) > 0.01  # and it does move


def test_the_wrist_swings_within_its_range():
    run = run_of("hand")
    q = run.q[:, :2]
    assert np.ptp(q[:, 0]) > 1.0
    assert (q > hand.WRIST[:, 0] - 0.2).all()
    assert (q < hand.WRIST[:, 1] + 0.2).all()
    assert isinstance(run.model.links[run.model.index("hand")].joint, rm.TwistSurface)
