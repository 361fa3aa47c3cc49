"""Curves of frames with other bases: their matrix, what they go through, S against differentiation, scenes, files and pictures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline

import redmax as rm
from joints.spline_oracles import own_motions, recursion, twist_of
from joints.spline_samples import pose, random_frames
from redmax.joints.swept import drawings
from redmax.lie import se3

B_SPLINE = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6  # RedMax supplement Eq. 53
QUARTIC_BEZIER = [[1, -4, 6, -4, 1], [0, 4, -12, 12, -4], [0, 0, 6, -12, 6], [0, 0, 0, 4, -4], [0, 0, 0, 0, 1]]


def moved(points):
    frames = np.tile(np.eye(4), (len(points), 1, 1))
    frames[:, :3, 3] = points
    return frames


def frames_of(count, seed=2):
    return random_frames(np.random.default_rng(seed), count)


def at(joint, q):
    return own_motions(joint, np.asarray(q, float)[:, None])


def test_the_matrix_of_b_splines_gives_the_spline_curve():
    frames, q = frames_of(7), np.linspace(0, 3.99, 9)
    for basis in (B_SPLINE, "b-spline"):
        for own, expected in zip(at(rm.BasisCurve(frames, basis), q), at(rm.SplineCurve(frames), q)):
            assert_allclose(own, expected, rtol=0, atol=1e-12)


def test_a_matrix_is_followed_as_redmax_algorithm_4_says():
    frames, B = frames_of(5), np.array(QUARTIC_BEZIER, float)
    z = [twist_of(np.linalg.solve(a, b)) for a, b in pairwise(frames)]
    cumulative = np.array([B[i:].sum(axis=0) for i in range(1, 5)])
    for q in (0.0, 0.37, 1.0):
        powers = np.array([[m**0 * q**m for m in range(5)], [m * q ** max(m - 1, 0) for m in range(5)],
                           [m * (m - 1) * q ** max(m - 2, 0) for m in range(5)]])  # fmt: skip
        b, slope, curvature = powers @ cumulative.T
        expected = recursion(frames[0], z, b, slope[:, None], curvature[:, None, None])
        for joint in (rm.BasisCurve(frames, QUARTIC_BEZIER), rm.BasisCurve(frames, "bezier", order=5)):
            for own, other in zip(at(joint, [q]), expected):
                assert_allclose(own[0], other, rtol=0, atol=1e-11)


def test_without_rotation_through_is_scipys_hermite_spline():
    """With the slopes of parabolas through three points; at equal distances that is Catmull and Rom's spline."""
    rng = np.random.default_rng(3)
    points, t = rng.normal(size=(6, 3)), np.cumsum(rng.uniform(0.3, 1.5, 6))
    first = np.clip(np.arange(6) - 1, 0, 3)  # of the three points of each parabola
    slopes = np.array([np.polyfit(t[r : r + 3] - t[i], points[r : r + 3], 2)[1] for i, r in enumerate(first)])
    q = np.linspace(t[0], t[-1], 40)
    E, S, _ = at(rm.BasisCurve.through(moved(points), t), q)
    expected = CubicHermiteSpline(t, points, slopes)
    assert_allclose(E[:, :3, 3], expected(q), rtol=0, atol=1e-12)
    assert_allclose(S[:, 3:, 0], expected(q, 1), rtol=0, atol=1e-11)
    own, matrix = rm.BasisCurve.through(moved(points)), rm.BasisCurve(moved(points), "catmull-rom")
    u = np.linspace(0.0, 2.99, 20)
    assert_allclose(at(own, u + 1)[0], at(matrix, u)[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("cyclic", [False, True])
def test_it_goes_through_the_poses_at_their_parameters(cyclic):
    frames = frames_of(6)
    t = np.array([0.0, 0.2, 0.7, 1.1, 1.5, 2.1, 2.5])
    parameters = t if cyclic else t[:-1]
    joint = rm.BasisCurve.through(frames, parameters, cyclic=cyclic)
    assert joint.range == (0.0, parameters[-1])
    assert_allclose(at(joint, t[:6])[0], frames, rtol=0, atol=1e-13)
    if cyclic:
        assert_allclose(pose(joint, 2.5 * 3), frames[0], rtol=0, atol=1e-13)
        frames = np.roll(frames, 1, axis=0)  # catmull-rom begins at its second frame
        assert_allclose(at(rm.BasisCurve(frames, "catmull-rom", cyclic=True), np.arange(6.0))[0], np.roll(frames, -1, axis=0), atol=1e-13)


def test_hermite_has_the_twists_that_are_given():
    rng = np.random.default_rng(4)
    frames, V, t = frames_of(5), rng.normal(size=(5, 6)), np.array([-1.0, 0.0, 0.5, 2.0, 2.4])
    E, S, _ = at(rm.BasisCurve.hermite(frames, V, breaks=t), t)
    assert_allclose(E, frames, rtol=0, atol=1e-13)
    assert_allclose(S[..., 0], V, rtol=0, atol=1e-12)


def test_bezier_begins_and_ends_at_its_outer_frames_and_leaves_towards_the_next():
    frames = frames_of(4)
    E, S, _ = at(rm.BasisCurve(frames), [0.0, 1.0])
    assert_allclose(E, frames[[0, 3]], rtol=0, atol=1e-13)
    assert_allclose(S[0, :, 0], 3 * se3.log(np.linalg.solve(frames[0], frames[1])), rtol=0, atol=1e-12)
    assert_allclose(S[1, :, 0], 3 * se3.log(np.linalg.solve(frames[2], frames[3])), rtol=0, atol=1e-12)


@pytest.mark.parametrize("joint", [
    rm.BasisCurve(frames_of(6), "catmull-rom"),
    rm.BasisCurve(frames_of(5), QUARTIC_BEZIER),
    rm.BasisCurve.through(frames_of(5), [0.0, 0.5, 0.9, 2.0, 2.4], outside="limit", limit_stiffness=3.0),
], ids=["catmull-rom", "matrix", "hermite"])  # fmt: skip
def test_jacobian_and_its_slope_are_those_of_the_motion(joint):
    """Central differences of the pose, with an error of the fourth order."""
    low, high = joint.range
    q = low + (high - low) * np.array([0.13, 0.31, 0.59, 0.87])
    h = 1e-3
    near = [at(joint, q + k * h) for k in (-2, -1, 1, 2)]
    weights = np.array([1, -8, 8, -1]) / (12 * h)
    E, S, dS = at(joint, q)
    slope = sum(w * n[0] for w, n in zip(weights, near))
    assert_allclose(se3.unbracket(se3.inverse(E) @ slope), S[..., 0], rtol=0, atol=1e-8)
    assert_allclose(sum(w * n[1] for w, n in zip(weights, near)), dS[..., 0], rtol=0, atol=1e-7)
    for i, x in enumerate(q):
        assert_allclose(np.asarray(joint.jacobian(np.array([x])), float), S[i], rtol=0, atol=1e-12)


def scene_with(joint):
    scene = rm.Scene()
    first = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1), density=500), joint=joint, q=1.2, qdot=0.3, com=(0.1, 0, 0), name="first")
    scene.add_body(rm.Sphere(0.1, density=500), parent=first, joint=rm.Universal(), at=(0.2, 0, 0), com=(0.3, 0, 0))
    return scene


def smooth_arc(count, turn=0.4):
    return np.array([rm.pose(rm.rotation_about("y", turn * i), (np.cos(turn * i), 0.05 * i, -np.sin(turn * i))) for i in range(count)])


def test_all_dynamics_move_it_alike_and_keep_its_energy():
    scene = scene_with(rm.BasisCurve(smooth_arc(7), "catmull-rom"))
    runs = [rm.simulate(scene, 0.15, dt=0.0025, integrator="rk4", dynamics=d) for d in ("recursive", "redmax", "maximal")]
    for other in runs[1:]:
        assert_allclose(runs[0].q, other.q, rtol=0, atol=1e-9)
    assert runs[0].energy.drift.max() < 1e-8


def test_a_scene_file_gives_it_back(tmp_path):
    for i, joint in enumerate((
        rm.BasisCurve(smooth_arc(7), "catmull-rom", outside="limit", limit_stiffness=100.0, limit_damping=1.0),
        rm.BasisCurve(smooth_arc(5), QUARTIC_BEZIER),
        rm.BasisCurve.through(smooth_arc(5), [0.0, 0.7, 1.5, 2.0, 3.0]),
    )):  # fmt: skip
        scene_with(joint).save(tmp_path / f"{i}.yaml")
        again = rm.Scene.load(tmp_path / f"{i}.yaml").links[0].joint
        assert repr(again) == repr(joint)
        for q in np.linspace(*joint.range, 5):
            assert np.array_equal(pose(again, q), pose(joint, q))


def test_it_is_drawn_from_its_first_frame_to_its_last():
    (drawn,) = drawings(rm.BasisCurve.through(smooth_arc(6)))
    assert_allclose(drawn.points[[0, -1]], smooth_arc(6)[[0, -1], :3, 3], atol=1e-12)


def test_frames_may_be_rows_of_a_position_and_a_rotation_vector():
    rng = np.random.default_rng(5)
    rows = np.concatenate([rng.normal(size=(5, 3)), 0.5 * rng.normal(size=(5, 3))], axis=1)
    frames = rm.pose(rm.lie.so3.exp(rows[:, 3:]), rows[:, :3])
    for kind in (rm.SplineCurve, lambda f: rm.BasisCurve(f, "catmull-rom")):
        assert_allclose(pose(kind(rows), 0.4), pose(kind(frames), 0.4), rtol=0, atol=1e-14)


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda: rm.BasisCurve(frames_of(6)), r"there are 6 frames, expected 4, or 4 and 3 for each further piece"),
    (lambda: rm.BasisCurve(frames_of(3), "catmull-rom"), r"there are 3 frames, expected 4 or more"),
    (lambda: rm.BasisCurve(frames_of(7)), r"from piece 0 to piece 1 S jumps by .* takes an impulse to pass\. Turn and move the frames"),
    (lambda: rm.BasisCurve(frames_of(6), "bspline"), r"basis is 'bspline'\. Valid: 'bezier', 'catmull-rom', 'b-spline'"),
    (lambda: rm.BasisCurve(frames_of(6), B_SPLINE.T), r"rows of basis add up to .*Is the matrix transposed"),
    (lambda: rm.BasisCurve(frames_of(6), QUARTIC_BEZIER), r"piece 0 ends .* away from where piece 1 begins"),
    (lambda: rm.BasisCurve(frames_of(6), B_SPLINE[:2]), r"basis is .*expected one of 'bezier'.* or a matrix"),
    (lambda: rm.BasisCurve(frames_of(6), "catmull-rom", order=5), r"order is 5, expected 4"),
    (lambda: rm.BasisCurve(frames_of(4), "bezier", stride=2), r"stride is 2, expected none beside basis='bezier'"),
    (lambda: rm.BasisCurve(frames_of(5), "catmull-rom", breaks=[0, 1, 1]), r"breaks is \[0, 1, 1\], expected 3 ascending"),
    (lambda: rm.BasisCurve(frames_of(5), "catmull-rom", breaks=[0, 2, 1]), r"breaks 1 and 2 are 2 and 1"),
    (lambda: rm.BasisCurve(np.tile(np.eye(4), (5, 1, 1)), "catmull-rom"), r"nothing moves: S is singular"),
    (lambda: rm.BasisCurve(frames_of(5), "catmull-rom", cyclic=True, outside="limit"), r"outside is 'limit', expected none beside cyclic"),
    (lambda: rm.BasisCurve.through(frames_of(5), [0, 1, 1, 2, 3]), r"parameters is .*none of them twice"),
    (lambda: rm.BasisCurve.through(frames_of(2)), r"poses is .*expected 3 poses or more"),
    (lambda: rm.BasisCurve.hermite(frames_of(3), np.zeros((2, 6))), r"twists is .*expected 3 twists"),
])  # fmt: skip
def test_bad_input_is_said(make, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        make()


def test_rows_of_frames_are_read_back_from_a_scene_file_to_the_last_bit(tmp_path):
    frames = smooth_arc(6)
    rows = rm.frame_rows(frames)
    assert_allclose(rm.pose(rm.lie.so3.exp(rows[:, 3:]), rows[:, :3]), frames, rtol=0, atol=1e-15)
    scene_with(rm.SplineCurve(rows)).save(tmp_path / "rows.yaml")
    written = yaml.safe_load((tmp_path / "rows.yaml").read_text())
    assert written["bodies"][0]["joint"]["SplineCurve"]["frames"] == rows.tolist()
    again = rm.Scene.load(tmp_path / "rows.yaml").links[0].joint
    assert np.array_equal(np.asarray(again.arguments()["frames"]), rows)
