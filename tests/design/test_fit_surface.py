"""Surfaces fitted to poses: what is exact comes back, noise averages out, and SciPy finds no better one."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import redmax as rm
from design.surface_samples import differences, known_joint, noisy, places
from redmax.design.looks import several_by_the_look
from redmax.lie import se3
from redmax.scenes import hand, measured_scapula

PLANS = [  # kind, control values, orders, cyclic
    ("twists", (7,), (4,), (False,)),
    ("twists", (6, 5), (4, 5), (False, False)),
    ("twists", (6, 5), (4, 4), (True, False)),
    ("twists", (5, 5), (4, 5), (True, True)),
    ("twists", (4, 5, 4), (4, 4, 4), (False, False, False)),
    ("angles", (6, 5), (4, 4), (False, True)),
    ("angles", (4, 5, 4), (4, 4, 4), (False, False, False)),
]


@pytest.mark.parametrize(("kind", "counts", "orders", "cyclic"), PLANS)
def test_poses_of_a_known_surface_give_it_back(kind, counts, orders, cyclic):
    """To 1e-10 in poses, between those that were given, too, and in control values."""
    rng = np.random.default_rng(1)
    joint = known_joint(rng, kind, counts, orders, cyclic)
    q = places(rng, 12 * int(np.prod(counts)), len(counts))
    fit = rm.fit_surface(
        joint.pose(q), q, grid=counts, order=orders, cyclic=cyclic, kind=kind, base=joint.base, range=[(-1, 2)] * len(counts)
    )
    assert fit.converged
    elsewhere = rng.uniform(-1, 2, (200, len(counts)))
    assert_allclose(fit.joint.pose(elsewhere), joint.pose(elsewhere), rtol=0, atol=1e-10)
    assert fit.joint.range == joint.range
    assert max(fit.angle, fit.distance) < 1e-10
    held = [n + k - 1 if around else n for n, k, around in zip(counts, orders, cyclic, strict=True)]  # those that go around twice
    values = np.asarray(joint.grid.values, float).reshape(*held, 6)[tuple(slice(n) for n in counts)]
    assert_allclose(fit.values, values, rtol=0, atol=1e-10)
    for given, found in zip(joint.axes, fit.joint.axes, strict=True):
        assert (given.order, given.count, given.cyclic) == (found.order, found.count, found.cyclic)


@pytest.mark.parametrize("kind", ["twists", "angles"])
def test_a_joint_as_it_is_made_by_default_comes_back_by_default(kind):
    """Uniform knots and no base, neither of which the fit is told."""
    rng = np.random.default_rng(15)
    values = 0.2 * rng.normal(size=(6, 5, 6))
    joint = (rm.TwistSurface if kind == "twists" else rm.SplineSurface)(values)
    q = rng.uniform((0, 0), (3, 2), (300, 2))
    fit = rm.fit_surface(joint.pose(q), q, grid=(6, 5), kind=kind, range=joint.range)
    elsewhere = rng.uniform((0, 0), (3, 2), (100, 2))
    assert_allclose(fit.joint.pose(elsewhere), joint.pose(elsewhere), rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", ["twists", "angles"])
def test_scipy_finds_no_better_surface(kind):
    """The optimum of a noisy set to ten digits, with a metric and weights of poses."""
    rng = np.random.default_rng(2)
    joint = known_joint(rng, kind, (4, 4), (4, 4), (False, False))
    q = places(rng, 60, 2)
    poses, weights, metric = noisy(rng, joint.pose(q), 0.05), rng.uniform(0.5, 2.0, 60), np.array([2.0, 1.0, 3.0, 10.0, 20.0, 5.0])
    fit = rm.fit_surface(poses, q, grid=(4, 4), kind=kind, base=joint.base, weights=weights, metric=metric)
    N = np.einsum("ni,nj->nij", *[BSpline(t, np.eye(4), 3)(x) for t, x in zip(fit.knots, q.T, strict=True)]).reshape(60, 16)

    def residuals(values):
        phi = N @ values.reshape(16, 6)
        if kind == "twists":
            own = se3.exp(phi)
        else:
            own = se3.pose(Rotation.from_euler("XYZ", phi[:, 3:]).as_matrix(), phi[:, :3])
        return (np.sqrt(weights)[:, None] * np.sqrt(metric) * differences(joint.base @ own, poses)).ravel()

    assert_allclose(np.sum(residuals(fit.values) ** 2), fit.objective, rtol=1e-12)
    start = fit.values.ravel() + 0.01 * rng.normal(size=96)
    found = least_squares(residuals, start, xtol=1e-15, ftol=1e-15, gtol=1e-12, jac="3-point", max_nfev=8)
    assert fit.objective <= 2 * found.cost * (1 + 1e-12)
    assert_allclose(2 * found.cost, fit.objective, rtol=1e-10)


def test_the_objective_never_rises_and_the_last_steps_converge_quadratically():
    """From a far start: three times the noise of a radian, under Cauchy's loss."""
    rng = np.random.default_rng(3)
    joint = known_joint(rng, "twists", (5, 5), (4, 4), (False, False))
    q = places(rng, 300, 2)
    fit = rm.fit_surface(noisy(rng, joint.pose(q), 0.3), q, grid=(5, 5), loss=rm.Cauchy(0.3))
    values = [step.objective for step in fit.log] + [fit.objective]
    assert all(after <= before * (1 + 1e-13) for before, after in pairwise(values))
    gradients = [step.gradient for step in fit.log if step.method == "newton"] + [np.abs(fit.gradient).max()]
    assert len(gradients) > 2
    assert all(after < 1e-9 or after < 20 * before**2 for before, after in pairwise(gradients))
    assert gradients[-1] < 1e-10
    assert "gradient is" in fit.reason


def test_the_error_falls_with_the_root_of_the_number_of_poses():
    rng = np.random.default_rng(4)
    joint = known_joint(rng, "twists", (5, 4), (4, 4), (False, False))
    seen = places(rng, 400, 2)
    counts, errors = np.array([150, 600, 2400]), []
    for n in counts:
        mean = []
        for _ in range(3):
            q = places(rng, n, 2)
            fit = rm.fit_surface(noisy(rng, joint.pose(q), 0.01), q, grid=(5, 4), base=joint.base, range=[(-1, 2)] * 2)
            mean.append(np.mean(differences(fit.joint.pose(seen), joint.pose(seen)) ** 2))
        errors.append(np.sqrt(np.mean(mean)))
    slope = np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.05)


def test_outliers_hardly_pull_where_the_loss_says_so():
    rng = np.random.default_rng(5)
    joint = known_joint(rng, "twists", (5, 4), (4, 4), (False, False))
    q = places(rng, 400, 2)
    poses = noisy(rng, joint.pose(q), 0.001)
    poses[::10] = noisy(rng, poses[::10], 0.5)
    errors = {}
    for loss in (None, rm.Huber(0.003), rm.Cauchy(0.003), rm.Tukey(0.02)):
        fit = rm.fit_surface(poses, q, grid=(5, 4), base=joint.base, loss=loss)
        at = places(np.random.default_rng(0), 100, 2)
        errors[type(loss).__name__] = np.abs(differences(fit.joint.pose(at), joint.pose(at))).max()
    assert max(errors["Huber"], errors["Cauchy"], errors["Tukey"]) < 0.1 * errors["NoneType"]
    assert errors["Cauchy"] < 0.004


def test_a_loss_that_leaves_poses_out_still_ends_at_a_stationary_point():
    """Under Tukey's, all poses of some cells may count for nothing at first."""
    rng = np.random.default_rng(12)
    joint = known_joint(rng, "twists", (6, 6), (4, 4), (False, False))
    q = places(rng, 360, 2)
    with pytest.warns(rm.RedmaxWarning, match=r"\d+ of 360 poses are so far from the joint that they do not count"):
        fit = rm.fit_surface(noisy(rng, joint.pose(q), 0.2), q, grid=(6, 6), loss=rm.Tukey(0.3), smoothing=1e-4)
    assert fit.converged
    assert np.abs(fit.gradient).max() < 1e-8
    with pytest.raises(rm.SceneError, match=r"fit_surface: 360 of 360 poses are so far .* Give a larger scale"):
        rm.fit_surface(noisy(rng, joint.pose(q), 0.2), q, grid=(6, 6), loss=rm.Tukey(1e-5))


def test_missing_poses_and_missing_positions_are_left_out():
    """Whatever they are; the rotation counts of a pose without position."""
    rng = np.random.default_rng(6)
    joint = known_joint(rng, "twists", (4, 4), (4, 4), (False, False))
    q = places(rng, 120, 2)
    poses = joint.pose(q)
    poses[10, :3], poses[20, :3, 3] = np.nan, np.nan
    fit = rm.fit_surface(poses, q, grid=(4, 4), base=joint.base)
    assert_allclose(fit.joint.pose(q), joint.pose(q), rtol=0, atol=1e-10)
    assert np.isnan(fit.residuals[10]).all()
    assert np.isnan(fit.residuals[20]).tolist() == [False] * 3 + [True] * 3
    wrong = joint.pose(q)
    wrong[30] = np.eye(4)
    other = rm.fit_surface(wrong, q, grid=(4, 4), base=joint.base, weights=np.where(np.arange(120) == 30, 0.0, 1.0))
    assert_allclose(other.joint.pose(q), joint.pose(q), rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", ["twists", "angles"])
def test_positions_alone_count_as_distances(kind):
    """A point is as far from the surface as it is in space; nothing is nearer to all of them, and exact ones give the surface back."""
    rng = np.random.default_rng(16)
    joint = known_joint(rng, kind, (4, 4), (4, 4), (False, False))
    q = places(rng, 120, 2)
    poses, only = joint.pose(q), np.arange(120) % 3 == 1
    poses[only, :3, :3] = np.nan
    options = {"grid": (4, 4), "kind": kind, "base": joint.base}
    assert_allclose(rm.fit_surface(poses, q, **options).joint.pose(q), joint.pose(q), rtol=0, atol=1e-10)
    poses[:, :3, 3] += 0.02 * rng.normal(size=(120, 3))
    fit = rm.fit_surface(poses, q, **options)
    assert fit.converged
    there = fit.joint.pose(q)
    assert np.isnan(fit.residuals[only, :3]).all()
    distances = np.linalg.norm(there[only, :3, 3] - poses[only, :3, 3], axis=1)
    assert_allclose(np.linalg.norm(fit.residuals[only, 3:], axis=1), distances, rtol=0, atol=1e-13)
    assert fit.objective == pytest.approx(np.nansum(fit.residuals**2), rel=1e-12)
    unknown = rm.fit_surface(poses, grid=(4, 4), base=joint.base, smoothing=1e-2)
    assert unknown.converged
    assert unknown.objective < fit.objective + 1.0
    poses[:, :3, :3] = np.nan
    with pytest.raises(rm.SceneError, match=r"fit_surface: no pose has a rotation, only positions\. Give both for some of them"):
        rm.fit_surface(poses, q, **options)


def test_what_no_pose_determines_is_said_and_smoothing_determines_it():
    """Poses along two sides of a square leave its middle open; smoothing goes straight on."""
    rng = np.random.default_rng(7)
    q = rng.uniform(0, 1, (200, 2))
    q[:, 0] = np.where(q[:, 0] < 0.5, 0.1 * q[:, 0], 1 - 0.1 * (1 - q[:, 0]))
    z = np.stack([0.3 * q[:, 0], 0.2 * q[:, 1], 0 * q[:, 0], q[:, 0] + q[:, 1], 0.5 * q[:, 1], 0.1 * q[:, 0]], axis=-1)
    with pytest.raises(rm.SceneError, match=r"fit_surface: \d+ of 63 control values do not follow from the poses; .*Give smoothing="):
        rm.fit_surface(se3.exp(z), q, grid=(9, 7), base=np.eye(4))
    fit = rm.fit_surface(se3.exp(z), q, grid=(9, 7), base=np.eye(4), smoothing=1e-4)
    assert_allclose(
        fit.joint.pose((0.5, 0.5)), se3.exp(np.array([0.15, 0.1, 0.0, 1.0, 0.25, 0.05])), rtol=0, atol=1e-6
    )  # straight: no bending


def test_smoothing_weighs_second_derivatives():
    """More of it bends less and fits worse; what is straight it leaves alone."""
    rng = np.random.default_rng(8)
    joint = known_joint(rng, "twists", (7, 6), (4, 4), (False, False))
    q = places(rng, 300, 2)
    poses = noisy(rng, joint.pose(q), 0.02)
    fits = [rm.fit_surface(poses, q, grid=(7, 6), smoothing=s) for s in (0.0, 1e-3, 1e-1)]
    misfits = [float(np.sum(fit.residuals**2)) for fit in fits]
    bends = [float(np.sum(np.diff(fit.values, 2, axis=0) ** 2)) for fit in fits]
    assert misfits == sorted(misfits)
    assert bends == sorted(bends, reverse=True)
    assert fits[1].objective > misfits[1]


def test_parameters_are_found_along_a_curve():
    """One parameter: poses along an arc, shuffled; the joint goes through all of them, and its coordinate rises along it."""
    rng = np.random.default_rng(9)
    s = rng.permutation(np.linspace(0, 1.5, 80))
    poses = np.array([rm.pose(rm.rotation_about("z", x), (0.3 * np.cos(x), 0.3 * np.sin(x), 0.05 * x * x)) for x in s])
    fit = rm.fit_surface(poses, grid=6)
    assert max(fit.angle, fit.distance) < 2e-4
    order = np.argsort(fit.parameters[:, 0])
    turns = np.diff(s[order])
    assert (turns > 0).all() or (turns < 0).all()


def test_parameters_are_found_on_a_surface():
    """A saddle: the fit is as near as the noise, and nearer than at the parameters that it began with."""
    rng = np.random.default_rng(10)
    u, v = rng.uniform(-1, 1, (2, 150))
    z = np.stack([0.3 * u, 0.4 * v, 0.1 * u * v, 0.5 * u, 0.2 * v, 0.2 * (u * u - v * v)], axis=-1)
    poses = noisy(rng, se3.exp(z), 1e-3)
    fit = rm.fit_surface(poses, grid=(4, 4), smoothing=1e-3)
    assert fit.converged
    values = [step.objective for step in fit.log] + [fit.objective]
    assert all(after <= before * (1 + 1e-13) for before, after in pairwise(values))
    assert fit.objective < 0.9 * values[0]
    assert max(fit.angle, fit.distance) < 5e-3
    low, high = np.array(fit.joint.range).T
    assert ((fit.parameters >= low) & (fit.parameters <= high)).all()
    S = np.array([np.asarray(fit.joint.jacobian(x), float) for x in fit.parameters])
    inside = ((fit.parameters > low) & (fit.parameters < high)).all(axis=1)
    along = np.einsum("nij,ni->nj", S[inside], fit.residuals[inside])  # small residuals: dexp of them is nearly one
    assert np.abs(along).max() < 1e-4


def test_three_parameters_are_found():
    """A volume of poses: with enough smoothing to its minimum; without, near it, and what would help is said."""
    rng = np.random.default_rng(1)
    u, v, w = rng.uniform(-1, 1, (3, 200))
    z = np.stack([0.4 * u, 0.4 * v, 0.1 * u * v + 0.1 * w * w, 0.3 * w + 0.1 * u * u, 0.2 * v + 0.3 * w, 0.1 * u], axis=-1)
    poses = noisy(rng, se3.exp(z), 0.003)
    fit = rm.fit_surface(poses, grid=(4, 4, 4), smoothing=0.03)
    assert fit.converged, fit.reason
    assert np.abs(fit.gradient).max() < 1e-8
    assert max(fit.angle, fit.distance) < 0.006
    few = rm.fit_surface(poses, grid=(4, 4, 4), iterations=3)
    assert not few.converged
    assert few.reason.endswith("gets there in fewer iterations.")
    with pytest.raises(rm.SceneError, match=r"poses alone do not tell how a surface is counted.* smoothing is 0\. Leave smoothing out"):
        rm.fit_surface(poses, grid=(4, 4, 4), smoothing=0)


def scattered(dof, count, noise, seed):
    """Poses of a curved sheet of dof parameters, which nobody tells."""
    rng = np.random.default_rng(1000 * dof + seed)
    x = rng.uniform(-1, 1, (count, dof))
    along = np.linalg.qr(rng.normal(size=(6, 6)))[0][:dof] * np.array([0.6, 0.45, 0.35])[:dof, None]
    bent = 0.12 * rng.normal(size=(dof, dof, 6))
    z = x @ along + np.einsum("ni,nj,ijk->nk", x, x, bent) + 0.05 * np.sin(2 * x @ rng.normal(size=(dof, 6)))
    return noisy(rng, se3.exp(rng.normal(size=6)) @ se3.exp(z), noise)


SETS = [(1, 60, 5, 2), (2, 120, 4, 1), pytest.param(1, 60, 5, 24, marks=pytest.mark.long)]
SETS += [pytest.param(2, 200, 5, 12, marks=pytest.mark.long), pytest.param(3, 400, 4, 8, marks=pytest.mark.long)]


@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize(("dof", "count", "side", "seeds"), SETS)
def test_unknown_parameters_are_found_with_the_smoothing_that_is_there_by_default(dof, count, side, seeds, noise):
    """At a stationary point, without the objective rising on the way, for whatever poses."""
    for seed in range(seeds):
        fit = rm.fit_surface(scattered(dof, count, noise, seed), grid=(side,) * dof)
        assert fit.converged, (seed, fit.reason)
        assert np.abs(fit.gradient).max() < 1e-8
        values = [step.objective for step in fit.log] + [fit.objective]
        assert all(after <= before * (1 + 1e-13) for before, after in pairwise(values))
        assert max(fit.angle, fit.distance) < 0.03
        assert "gradient is" in fit.reason


def test_three_parameters_are_found_by_default():
    fit = rm.fit_surface(scattered(3, 200, 0.01, 6), grid=(4, 4, 4))
    assert fit.converged, fit.reason
    assert np.abs(fit.gradient).max() < 1e-8
    assert max(fit.angle, fit.distance) < 0.03


def test_what_looks_like_something_else_is_a_warning():
    """Degrees in one of two parameters, and one rotation that is transposed; neither where all is well."""
    rng = np.random.default_rng(14)
    q = places(rng, 300, 2)
    z = np.stack([0.1 * q[:, 1], q[:, 0] + 1.0, 0 * q[:, 0], 0 * q[:, 0], q[:, 1], 0.1 * q[:, 0]], axis=-1)
    poses = se3.exp(z)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.fit_surface(poses, q, grid=(5, 4))
    with pytest.warns(rm.RedmaxWarning, match=r"fit_surface: parameter 0 goes over 171.9 while the poses turn by 2.999 rad: .*in degrees"):
        rm.fit_surface(poses, q * (180 / np.pi, 1.0), grid=(5, 4))
    row = int(np.argmin(np.abs(z[:, 1] - 1.2)))
    poses[row, :3, :3] = poses[row, :3, :3].T
    with pytest.warns(rm.RedmaxWarning, match=rf"fit_surface: poses\[{row}\] is turned by .* degrees from the joint, but not when"):
        rm.fit_surface(poses, q, grid=(5, 4), base=rm.pose(rm.rotation_about("y", 1.5), (0, 0, 0)))


def test_degrees_are_noticed_where_the_poses_turn_by_less():
    """A blade on the ribs: up by one degree turns it by 0.7; and no alarm for poses of scenes, whose parameters are in rad."""
    poses, q = measured_scapula.measured()
    R = poses[:, :3, :3]
    assert [i for i, _ in several_by_the_look(R, np.degrees(q))] == [0, 1, 2]
    assert [i for i, _ in several_by_the_look(R, q * (1, 180 / np.pi, 1))] == [1]
    for poses, q in (measured_scapula.measured(), hand.measured("socket"), hand.measured("saddle")):
        assert several_by_the_look(poses[:, :3, :3], q) == []
    for seed in range(20):
        rng, dof = np.random.default_rng(seed), 1 + seed % 3
        joint = known_joint(rng, ("twists", "angles")[seed % 2], (5,) * dof, (4,) * dof, (False,) * dof)
        q = places(rng, 60, dof)
        assert several_by_the_look(joint.pose(q)[:, :3, :3], q) == []


def test_twists_that_come_out_wild_are_said():
    """Few poses, far off: the corner of a grid follows them around."""
    rng = np.random.default_rng(13)
    q = places(rng, 100, 2)
    poses = se3.exp(rng.uniform(-1.5, 1.5, (100, 6)))
    with pytest.raises(rm.SceneError, match=r"fit_surface: the control value that comes out at .* turns by .* rad, .*Give smoothing"):
        rm.fit_surface(poses, q, grid=(7, 7), base=np.eye(4))


BACK = rm.pose(rm.rotation_about("z", np.pi), (0, 0, 0))
BAD = [
    ({"grid": (5, 5, 5, 5)}, r"grid is .*, expected how many control values along each of 1 to 3 parameters"),
    ({"grid": (3, 5)}, r"grid is 3, expected .*4 or more"),
    ({"grid": (4, 5), "order": 5}, "there are 4 control values along parameter 0, but a spline of order 5 has at least as many"),
    ({"grid": 5}, r"parameters is .*, expected \(40, 1\)"),
    ({"kind": "euler"}, "kind is 'euler', expected 'twists' or 'angles'"),
    ({"loss": "huber"}, "loss is 'huber', expected"),
    ({"smoothing": -1}, "smoothing is -1, expected a number from 0 up"),
    ({"range": [(0, 1), (0, 0.5)]}, r"parameter 1 is .* for one of the poses, outside of its range from 0 to 0.5"),
    ({"range": [(1, 0), (0, 1)]}, r"range is .*, expected \(2, 2\): the first and the last value"),
    ({"cyclic": True}, r"parameter 0 is cyclic, and its range, one period, is not given"),
    ({"weights": -np.ones(40)}, "weights is"),
    ({"metric": np.zeros(6)}, "metric is"),
    ({"base": BACK}, r"poses\[\d+\] is turned from the base by .* degrees, too near half a turn"),
    ({"kind": "angles", "rotation_order": "zxz"}, r"poses\[\d+\] has a second angle of .*Take another rotation_order or base"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_cannot_be_fitted_is_said(options, message):
    rng = np.random.default_rng(11)
    q = rng.uniform(0, 1, (40, 2))
    z = np.concatenate([0.1 * q, 0 * q, q], axis=1)
    with pytest.raises(rm.SceneError, match=f"fit_surface: {message}"):
        rm.fit_surface(se3.exp(z), q, **{"grid": (4, 4)} | options)


def test_parameters_that_are_all_one_are_said():
    q = np.stack([np.linspace(0, 1, 40), np.full(40, 0.25)], axis=-1)
    with pytest.raises(rm.SceneError, match=r"parameter 1 is 0.25 for all poses"):
        rm.fit_surface(se3.exp(np.concatenate([q, q, q], axis=1)), q, grid=(4, 4))
