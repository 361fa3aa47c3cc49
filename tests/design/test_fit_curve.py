"""Joints fitted to poses: known joints come back, the objective never rises, and what passes through poses passes through them."""

from __future__ import annotations

import re
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import least_squares

import redmax as rm
from redmax.design.curves.determined import undetermined
from redmax.design.curves.knots import clamped, uniform
from redmax.design.curves.spans import make_spans
from redmax.design.curves.start import basis, dense
from redmax.lie import se3

RNG = np.random.default_rng(5)
FLEXION = np.radians(np.linspace(0, 120, 13))


def knee(a: float) -> np.ndarray:
    turn = rm.rotation_about("y", a) @ rm.rotation_about("x", 0.1 * np.sin(2 * a))
    return np.asarray(rm.pose(turn, (0.02 * np.sin(a), 0.003 * a, -0.4 - 0.01 * a * a)), float)


def orbit(a: float) -> np.ndarray:
    turn = rm.rotation_about("z", a) @ rm.rotation_about("x", 0.2 * np.sin(2 * a))
    return np.asarray(rm.pose(turn, (np.cos(a), np.sin(a), 0.1 * np.sin(3 * a))), float)


def at(joint: rm.Joint, q: np.ndarray) -> np.ndarray:
    return np.array([joint.transform(np.array([x])) for x in q])


def random_joint(n: int = 9, order: int = 4, cyclic: bool = False) -> rm.SplineCurve:
    steps = se3.exp(0.3 * RNG.normal(size=(n, 6)))
    turns = [orbit(x) for x in np.linspace(0, 2 * np.pi, n, endpoint=False)]
    frames = [turn @ step for turn, step in zip(turns, steps)]
    return rm.SplineCurve(np.array(frames), order=order, cyclic=cyclic)


@pytest.mark.parametrize("order", [4, 5, 6])
def test_a_curve_passes_through_every_pose_with_the_coordinate_of_its_user(order):
    poses = np.array([knee(a) for a in FLEXION])
    joint = rm.SplineCurve.through(poses, FLEXION, order=order)
    assert joint.range == (FLEXION[0], FLEXION[-1])
    assert np.abs(at(joint, FLEXION) - poses).max() < 1e-12


@pytest.mark.parametrize("order", [4, 5, 6])
def test_a_closed_curve_passes_through_every_pose(order):
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False) + 0.05 * RNG.normal(size=12)
    poses = np.array([orbit(a) for a in turns])
    shuffled = RNG.permutation(12)
    joint = rm.SplineCurve.through(poses[shuffled], turns[shuffled], order=order, cyclic=True, period=2 * np.pi)
    assert np.abs(at(joint, turns) - poses).max() < 1e-12
    assert np.abs(at(joint, turns + 2 * np.pi) - poses).max() < 1e-12
    assert joint.range[1] - joint.range[0] == pytest.approx(2 * np.pi, abs=1e-14)


def test_a_joint_through_poses_moves_in_a_simulation():
    poses = np.array([knee(a) for a in FLEXION])
    joint = rm.SplineCurve.through(poses, FLEXION, outside="limit", limit_stiffness=50, limit_damping=0.5)
    scene = rm.Scene()
    scene.add_body(rm.Capsule(0.04, 0.4), joint=joint, q=0.3, name="shank", com=(0.2, 0, -0.1))
    run = rm.simulate(scene, duration=0.3)
    assert np.isfinite(run.q).all()
    assert np.ptp(run.q) > 0.01


def test_a_closed_joint_through_poses_turns_in_a_simulation():
    """More than once around, with its energy."""
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    joint = rm.SplineCurve.through(np.array([orbit(a) for a in turns]), turns, cyclic=True, period=2 * np.pi)
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1), joint=joint, q=6.0, qdot=8.0)
    run = rm.simulate(scene, duration=1)
    assert run.q.max() > 6.0 + 2 * np.pi
    assert run.energy.drift.max() < 1e-6


@pytest.mark.parametrize(("order", "cyclic"), [(4, False), (5, False), (4, True), (5, True)])
def test_a_known_joint_comes_back(order, cyclic):
    """In its poses, and in its control frames."""
    joint = random_joint(9, order, cyclic)
    low, high = joint.range
    q = np.linspace(low, high, 60, endpoint=not cyclic)
    knots = "uniform" if not cyclic else None
    fit = rm.fit_curve(at(joint, q), q, frames=9, order=order, knots=knots, cyclic=cyclic, period=high - low if cyclic else None)
    assert np.abs(fit.residuals).max() < 1e-10
    between = RNG.uniform(low, high, 50)
    assert np.abs(at(fit.joint, between) - at(joint, between)).max() < 1e-10
    assert np.abs(fit.frames[:, :3] - joint.frames.array).max() < 1e-10


def noisy(N: int = 60, size: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    q = np.linspace(FLEXION[0], FLEXION[-1], N)
    rng = np.random.default_rng(11)
    return np.array([knee(a) for a in q]) @ se3.exp(size * rng.normal(size=(N, 6))), q


def test_the_objective_never_rises_and_newton_steps_double_the_digits():
    poses, q = noisy(size=0.3)
    fit = rm.fit_curve(poses, q, frames=7, tolerance=1e-11)
    assert fit.converged, fit.reason
    values = [step.objective for step in fit.log] + [fit.objective]
    assert (np.diff(values) <= 1e-14 * values[0]).all()
    last = [step.gradient for step in fit.log if step.method == "newton"] + [np.abs(fit.gradient).max()]
    assert len(last) >= 3
    sharp = [(a, b) for a, b in pairwise(last) if a < 1e-2]
    assert all(b < max(100 * a * a, 1e-11) for a, b in sharp), last


@pytest.mark.parametrize(("order", "cyclic"), [(4, False), (5, False), (4, True), (5, True)])
def test_steps_to_exact_poses_double_the_digits(order, cyclic):
    """From frames a third of a radian and a metre off: gradients squared, those of Gauss and Newton too, and nothing left."""
    joint = random_joint(9, order, cyclic)
    low, high = joint.range
    q = np.linspace(low, high, 60, endpoint=not cyclic)
    frames = np.tile(np.eye(4), (9, 1, 1))
    frames[:, :3] = joint.frames.array
    start = frames @ se3.exp(0.3 * np.random.default_rng(1).normal(size=(9, 6)))
    options = {"order": order, "knots": None if cyclic else "uniform", "cyclic": cyclic, "period": high - low if cyclic else None}
    fit = rm.fit_curve(at(joint, q), q, frames=9, initial=start, **options)
    gradients = [step.gradient for step in fit.log] + [np.abs(fit.gradient).max()]
    assert gradients[0] > 1
    assert len(gradients) <= 9
    assert all(b < max(100 * a * a, 1e-12) for a, b in pairwise(gradients) if a < 1e-2), gradients
    assert fit.objective < 1e-26


def test_the_optimum_is_that_of_another_program():
    """SciPy's least squares with differences, over charts of the control frames: ten digits of the objective."""
    poses, q = noisy(10, 0.1)
    metric = np.array([1, 1, 1, 100, 100, 100.0])
    fit = rm.fit_curve(poses, q, frames=4, metric=metric)
    start = fit.frames @ se3.exp(0.05 * np.random.default_rng(2).normal(size=(4, 6)))

    def residuals(u: np.ndarray) -> np.ndarray:
        joint = rm.SplineCurve(start @ se3.exp(u.reshape(-1, 6)), knots=fit.knots)
        return (np.sqrt(metric) * se3.log(se3.inverse(at(joint, q)) @ poses)).ravel()

    found = least_squares(residuals, np.zeros(24), xtol=1e-15, ftol=1e-15, gtol=1e-13)
    assert 2 * found.cost == pytest.approx(fit.objective, rel=1e-10)
    assert np.abs(start @ se3.exp(found.x.reshape(-1, 6)) - fit.frames).max() < 1e-5
    assert np.abs(fit.poses(q) - at(fit.joint, q)).max() < 1e-14


def test_errors_fall_as_the_root_of_the_number_of_poses():
    truth = rm.SplineCurve.through(np.array([knee(a) for a in FLEXION[::2]]), FLEXION[::2])
    knots, rng = truth.breaks, np.random.default_rng(4)
    assert knots is not None
    given = np.concatenate([[FLEXION[0]] * 3, knots.array, [FLEXION[-1]] * 3])
    check = np.linspace(FLEXION[0], FLEXION[-1], 40)
    known = rm.fit_curve(at(truth, check), check, knots=given)
    exact, counts, errors = known.poses(check), 40 * 2 ** np.arange(0, 6, 2), []
    for N in counts:
        q = np.linspace(FLEXION[0], FLEXION[-1], N)
        clean = known.poses(q)
        squares = []
        for _ in range(20):
            fit = rm.fit_curve(clean @ se3.exp(0.01 * rng.normal(size=(N, 6))), q, knots=given)
            squares.append(np.mean(np.sum(se3.log(se3.inverse(exact) @ fit.poses(check)) ** 2, axis=1)))
        errors.append(np.sqrt(np.mean(squares)))
    assert np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(-0.5, abs=0.05)


def test_two_poses_at_one_parameter_are_named():
    poses = np.array([knee(a) for a in FLEXION])
    q = FLEXION.copy()
    q[4] = q[3]
    with pytest.warns(rm.RedmaxWarning, match=r"fit_curve: poses\[3\] and poses\[4\] are both at 0\.523599, and the joint passes between"):
        fit = rm.fit_curve(poses, q)
    assert len(fit.frames) == 12
    off = np.abs(fit.residuals).max(axis=1)
    assert off[3:5] == pytest.approx(np.full(2, off.max()), rel=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.fit_curve(poses, q, frames=6)
        twice = rm.fit_curve(np.repeat(poses, 2, axis=0), np.repeat(FLEXION, 2))
    assert np.abs(twice.residuals).max() < 1e-12


def test_outliers_count_less_under_robust_losses():
    q = np.linspace(FLEXION[0], FLEXION[-1], 60)
    clean = np.array([knee(a) for a in q])
    poses = clean @ se3.exp(0.002 * RNG.normal(size=(60, 6)))
    poses[::7] = poses[::7] @ se3.exp(np.array([0.5, -0.3, 0.4, 0.2, 0.1, -0.2]))
    worst = {}
    for loss in (None, rm.Huber(0.01), rm.Cauchy(0.01), rm.Tukey(0.03)):
        fit = rm.fit_curve(poses, q, frames=6, loss=loss)
        worst[type(loss).__name__] = np.abs(at(fit.joint, q) - clean).max()
    assert worst["NoneType"] > 0.05
    assert max(worst["Cauchy"], worst["Tukey"]) < 0.01
    assert worst["Huber"] < 0.5 * worst["NoneType"]


def test_a_scale_under_which_poses_do_not_count_is_said():
    """None of them is no fit, and less than half of them a guess."""
    poses, q = noisy(80, 0.02)
    with pytest.raises(rm.SceneError, match=r"80 of 80 poses are so far .* under Tukey\(.*\)\. Give a larger scale: .* within 0\.0"):
        rm.fit_curve(poses, q, frames=7, loss=rm.Tukey(1e-4))
    with pytest.warns(rm.RedmaxWarning, match=r"fit_curve: \d\d of 80 poses are so far from the joint that they do not count"):
        rm.fit_curve(poses, q, frames=7, loss=rm.Tukey(0.03))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.fit_curve(poses, q, frames=7, loss=rm.Tukey(0.1))


def test_poses_and_positions_that_are_missing_do_not_count():
    poses, q = noisy(40, 0.01)
    kept = np.ones(40, bool)
    kept[[3, 17]] = False
    gappy = poses.copy()
    gappy[~kept] = np.nan
    fit, without = rm.fit_curve(gappy, q, frames=6), rm.fit_curve(poses[kept], q[kept], frames=6)
    assert np.isnan(fit.residuals[~kept]).all()
    assert np.abs(fit.frames - without.frames).max() < 1e-9
    gappy = poses.copy()
    gappy[5, :3, 3] = np.nan
    weights = np.ones((40, 6))
    weights[5, 3:] = 0
    assert np.abs(rm.fit_curve(gappy, q, frames=6).frames - rm.fit_curve(poses, q, frames=6, weights=weights).frames).max() < 1e-9


def test_positions_alone_count_as_distances():
    """A point is as far from the curve as it is in space, and nearby curves are farther from all of them."""
    poses, q = noisy(30, 0.02)
    only = np.arange(30) % 3 == 1
    poses[only, :3, :3] = np.nan
    fit = rm.fit_curve(poses, q, frames=5)
    there = fit.poses(q)
    assert np.isnan(fit.residuals[only, :3]).all()
    distances = np.linalg.norm(there[only, :3, 3] - poses[only, :3, 3], axis=1)
    np.testing.assert_allclose(np.linalg.norm(fit.residuals[only, 3:], axis=1), distances, atol=1e-14)
    assert fit.objective == pytest.approx(np.nansum(fit.residuals**2), rel=1e-12)
    assert fit.converged
    rng = np.random.default_rng(1)
    for size in (1e-4, 1e-3):
        other = rm.fit_curve(poses, q, frames=5, initial=fit.frames @ se3.exp(size * rng.normal(size=(5, 6))), iterations=0)
        assert other.objective > fit.objective
    assert rm.fit_curve(poses, frames=5).converged
    poses[:, :3, :3] = np.nan
    with pytest.raises(rm.SceneError, match=r"fit_curve: no pose has a rotation, only positions\. Give both for some of them"):
        rm.fit_curve(poses, q, frames=5)


def test_frames_that_come_half_a_turn_apart_get_others_between_them():
    turns = np.linspace(0, 6 * np.pi, 120)
    poses = np.array([rm.pose(rm.rotation_about("z", a), (0, 0, 0.1 * a)) for a in turns])
    fit = rm.fit_curve(poses, turns, frames=5)
    assert "half a turn apart" in fit.reason
    assert len(fit.frames) > 5
    assert np.abs(fit.residuals).max() < 1e-10


@pytest.mark.parametrize(
    ("order", "words"), [(8, "not above the tolerance"), (14, "order 14 swing many times farther than the noise.* Take order 8")]
)
def test_high_orders_are_for_poses_without_noise(order, words):
    """These they meet; noise that order 8 averages out makes frames of order 14 swing half a turn apart, which ends in a sentence."""
    poses, q = noisy(80, 0.0)
    fit = rm.fit_curve(poses, q, frames=18, order=order)
    assert fit.converged, fit.reason
    assert np.abs(fit.residuals).max() < 1e-6
    poses, q = noisy(80, 0.03)
    try:
        said = rm.fit_curve(poses, q, frames=18, order=order, iterations=60).reason
    except rm.SceneError as error:
        said = str(error)
    assert re.search(words, said), said


def test_frames_that_poses_do_not_determine_are_named():
    poses, q = noisy(6, 0.01)
    with pytest.raises(rm.SceneError, match=r"frames 0 to 8 of 9 act where q is from 0 to 2\.094, .* at 6 different .*Give smoothing"):
        rm.fit_curve(poses, q, frames=9)
    poses, q = noisy(200, 0.01)
    seen = (q < 0.6) | (q > 1.4)
    with pytest.raises(rm.SceneError, match=r"frames 1\d to 2\d of 40 act where q is from 0\.\d+ to 1\.\d+, .*rotations at no different"):
        rm.fit_curve(poses[seen], q[seen], frames=40)
    poses[~seen, :3, 3] = np.nan
    with pytest.raises(rm.SceneError, match=r"of 40 act .* positions at no different"):
        rm.fit_curve(poses, q, frames=40)
    assert rm.fit_curve(poses, q, frames=40, smoothing=1e-4).converged


@pytest.mark.parametrize(("order", "cyclic"), [(4, False), (5, False), (4, True), (6, True)])
def test_frames_follow_from_poses_where_their_basis_functions_have_full_rank(order, cyclic):
    """Parameters by chance, few of them: what is said is what numbers say, whatever the parameters."""
    rng, said = np.random.default_rng(order), []
    make = uniform if cyclic else clamped
    for _ in range(60):
        n = int(rng.integers(order + 1, 12))
        spans = make_spans("test", n, order, make(n, order, cyclic, 0.0, 1.0), cyclic)
        q = rng.choice((np.arange(40) + 0.37) / 41, int(rng.integers(n, 2 * n)))
        piece, u = spans.place(q)
        N = dense(*basis(spans.ordinary(piece, u), piece, n, 1.0), n)
        said.append(undetermined(spans, q) is None)
        assert said[-1] == (np.linalg.matrix_rank(N, tol=3e-15) == n)
    assert 5 < sum(said) < 60


def test_poses_that_are_all_the_same_are_no_motion():
    for q in (None, np.arange(6.0)):
        with pytest.raises(rm.SceneError, match=r"all poses are the same, so that nothing moves\. Use rm\.Fixed\(\)"):
            rm.fit_curve(np.tile(np.eye(4), (6, 1, 1)), q)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"frames": 3}, "from 4 up"),
        ({"knots": np.linspace(0, 1, 9)}, "outside of the range"),
        ({"frames": 10**9}, "at most"),
        ({"order": 1000}, "from 4 to 16"),
        ({"cyclic": True}, "period"),
        ({"period": 2.0}, "cyclic=True"),
        ({"weights": -np.ones(40)}, "none negative"),
        ({"weights": np.zeros(40)}, "all weights are zero"),
        ({"metric": -np.ones(6)}, "positive definite"),
        ({"loss": "huber"}, "rm.Huber"),
        ({"initial": np.eye(4)[None]}, "6 frames"),
    ],
)
def test_what_cannot_be_fitted_is_said(change, words):
    poses, q = noisy(40, 0.01)
    with pytest.raises(rm.SceneError, match=words):
        rm.fit_curve(poses, q, **({} if "knots" in change else {"frames": 6}) | change)


@pytest.mark.parametrize("count", [20, pytest.param(1_000, marks=pytest.mark.long)])
def test_fits_that_begin_anywhere_end_at_stationary_points(count):
    """Frames moved by chance, by a radian and a metre: nine of ten come to the best minimum, or with more frames between them below it."""
    poses, q = noisy(60, 0.05)
    best, rng, there = rm.fit_curve(poses, q, frames=8), np.random.default_rng(6), 0
    for _ in range(count):
        fit = rm.fit_curve(poses, q, frames=8, initial=best.frames @ se3.exp(rng.normal(size=(8, 6))), iterations=400)
        assert np.abs(fit.gradient).max() < 1e-8, fit.reason
        there += fit.objective < best.objective * (1 + 1e-9)
    assert there >= 0.9 * count
