"""Poses that were measured, checked: what is wrong is said with its row, and what is right comes back as it was."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import redmax as rm
from redmax.design.poses import checked_poses
from redmax.lie import se3, so3
from redmax.scenes import hand, measured_scapula
from redmax.scenes.knee import shin_pose

ANGLES = np.linspace(0, 1.2, 7)


def arc(angles=ANGLES):
    """A hinge whose frame is 0.3 m from its axis."""
    return np.array([rm.pose(rm.rotation_about("y", a), rm.rotation_about("y", a) @ [0.3, 0, 0]) for a in angles])


def changed(i, change):
    E = arc()
    E[i] = change(E[i].copy())
    return E


def scaled(E):
    E[:3, :3] *= 1.5
    return E


def sheared(E):
    E[0, 1] += 0.1
    return E


def mirrored(E):
    E[:3, 1] *= -1
    return E


def with_last_row(E):
    E[3] = (0, 0, 0.5, 1)
    return E


def with_nan(E):
    E[1, 3] = np.nan
    return E


def test_good_poses_come_back_as_they_are():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = checked_poses(arc().tolist(), ANGLES)
    assert np.abs(found - arc()).max() < 1e-15


def test_rotations_with_four_digits_become_rotations():
    E = checked_poses(np.round(arc(), 5))
    R = E[:, :3, :3]
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-15
    U, _, V = np.linalg.svd(np.round(arc(), 5)[:, :3, :3])
    assert np.abs(R - U @ V).max() < 1e-15  # the nearest ones


@pytest.mark.parametrize(
    ("poses", "sentence"),
    [
        (changed(3, scaled), r"poses\[3\] has a rotation that is scaled by 1\.5, .*Divide the rotation by it"),
        (changed(2, sheared), r"poses\[2\] has a rotation block R with \|R'R - 1\| = .*Leave the pose out, or take the nearest rotation"),
        (changed(5, mirrored), r"poses\[5\] has a rotation with determinant -1: a reflection, .*Turn one axis of both frames round"),
        (changed(1, np.transpose), r"poses\[1\] has the last row .*The matrix is transposed, .*np\.swapaxes\(poses, 1, 2\)"),
        (changed(6, with_last_row), r"poses\[6\] has the last row \[0\.0, 0\.0, 0\.5, 1\.0\], expected \(0, 0, 0, 1\)"),
        (changed(4, with_nan), r"poses\[4\] has nan in row 1, column 3, expected finite numbers\. Leave the pose out"),
        (changed(4, lambda E: np.full((4, 4), np.nan)), r"poses\[4\] has NaN in all of it.* Leave it out, and its parameter"),
        (arc()[:1], r"1 poses, no more.*expected 2 poses or more"),
        (np.zeros((5, 7)), r"expected \(N, 4, 4\).*from_quaternion\(q\), p\), q in the order w, x, y, z"),
        (np.zeros((5, 6)), r"expected \(N, 4, 4\).*so3\.exp\(v\), p\), v in rad"),
        (arc()[:, :3], r"expected \(N, 4, 4\).*Add the row \(0, 0, 0, 1\)"),
        (np.moveaxis(arc(), 0, 2), r"expected \(N, 4, 4\).*np\.moveaxis\(poses, 2, 0\)"),
        ("poses.csv", r"poses is 'poses\.csv', expected \(N, 4, 4\)"),
        ([[1, 2], [3]], r"expected \(N, 4, 4\)"),
    ],
)
def test_what_cannot_be_a_pose_is_said_with_its_row_and_what_to_do(poses, sentence):
    with pytest.raises(rm.SceneError, match=sentence) as caught:
        checked_poses(poses)
    assert str(caught.value).startswith("fit_curve: poses")
    assert (caught.value.owner, caught.value.argument) == ("fit_curve", "poses")


def test_the_first_bad_row_is_named():
    E = changed(5, scaled)
    E[2] = mirrored(E[2])
    with pytest.raises(rm.SceneError, match=r"poses\[2\] has a rotation with determinant -1"):
        checked_poses(E)


def test_the_advice_for_left_handed_poses_gives_the_pose_in_right_handed_axes():
    D = np.diag([1.0, 1.0, -1.0, 1.0])
    found = checked_poses(D @ (D @ arc() @ D) @ D)
    assert np.abs(found - arc()).max() < 1e-15


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ([0, 1, 2, 3, 1, 5, 6], r"parameters\[1\] and parameters\[4\] are both 1\.0.*Leave out one of them"),
        ([0, 1, 2, np.nan, 4, 5, 6], r"parameters is .*nan.*expected 7 numbers"),
        ([0, 1, 2], r"parameters is \[0, 1, 2\], expected 7 numbers.* \(got 3\)"),
        ([*(np.arange(13) / 3).tolist(), np.nan], r"with nan at \[13\], expected 14 numbers"),
        (["a"] * 7, r"parameters is .*expected 7 numbers"),
        (np.zeros((7, 2)), r"parameters\[0\] and parameters\[1\] are both \[0\.0, 0\.0\]"),
    ],
)
def test_parameters_are_said_with_their_row(parameters, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        checked_poses(arc(np.linspace(0, 1.2, max(7, len(parameters)))), parameters)


def test_poses_that_are_averaged_may_have_a_parameter_in_common():
    checked_poses(arc(), np.zeros(7), repeated=True)


def test_missing_poses_stay_missing_where_they_may():
    E = changed(4, lambda E: np.full((4, 4), np.nan))
    found = checked_poses(E, ANGLES, missing=True)
    assert np.isnan(found[4]).all()
    assert np.array_equal(np.delete(found, 4, 0), checked_poses(np.delete(arc(), 4, 0)))
    with pytest.raises(rm.SceneError, match=r"poses\[4\] has nan in row 1.*make all of it NaN"):
        checked_poses(changed(4, with_nan), missing=True)
    with pytest.raises(rm.SceneError, match="7 poses, 6 of them known"):
        checked_poses(E, missing=True, least=7)


def test_what_looks_like_millimetres_is_warned_of():
    E = arc()
    E[:, :3, 3] *= 1000
    with pytest.warns(rm.RedmaxWarning, match=r"poses\[\d\] is 300 m away .*millimetres.* Divide positions by 1000"):
        found = checked_poses(E)
    assert np.abs(found - E).max() < 1e-12


def test_what_looks_like_degrees_is_warned_of():
    with pytest.warns(rm.RedmaxWarning, match=r"from 0 to 68\.75 while the poses turn by 1\.2 rad.*np\.radians"):
        checked_poses(arc(), np.degrees(ANGLES))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checked_poses(arc(), np.linspace(0, 5, 7))  # some other parameter


def test_a_rotation_that_is_transposed_among_others_is_warned_of():
    E = arc(np.linspace(0.8, 1.2, 7))
    E[3, :3, :3] = E[3, :3, :3].T
    with pytest.warns(rm.RedmaxWarning, match=r"poses\[3\] is turned by .* degrees or more .*Transpose its rotation"):
        checked_poses(E)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checked_poses(E, sequence=False)  # of scattered poses nobody knows


def test_half_turns_between_neighbours_are_warned_of():
    """Where there are two ways round."""
    with pytest.warns(rm.RedmaxWarning, match=r"from poses\[1\] to poses\[2\] the pose turns by 17\d.* Measure a pose between them"):
        checked_poses(arc(np.array([0, 0.1, 3.15, 3.2])))


def test_rotations_that_are_all_transposed_are_warned_of():
    """Seen by where the positions are: a leg turns about its hip, and not about any other point."""
    rng, E = np.random.default_rng(2), arc()
    E = E @ se3.exp(0.002 * rng.normal(size=(7, 6)))
    E = np.concatenate([E, E[::-1]])
    back = E.copy()
    back[:, :3, :3] = np.swapaxes(E[:, :3, :3], 1, 2)
    with pytest.warns(rm.RedmaxWarning, match=r"all rotations look transposed: .*rm\.pose\(R\.T, p\)"):
        checked_poses(back, sequence=False)
    for fine in (E, se3.inverse(E), rm.pose(np.eye(3), (0.1, 0.2, 0)) @ E):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checked_poses(fine, sequence=False)


def test_order_of_poses_is_that_of_their_parameters():
    """Shuffled, the same poses are as smooth as before."""
    rng = np.random.default_rng(3)
    E = se3.exp(np.linspace(0, 2.5, 30)[:, None] * [0.2, 1, 0.1, 0.1, 0, 0.3])
    p = rng.permutation(30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = checked_poses(E[p], np.linspace(0, 2.5, 30)[p])
    assert np.abs(found - E[p]).max() < 1e-14
    assert np.abs(so3.log(found[:, :3, :3]) - so3.log(E[p][:, :3, :3])).max() < 1e-13


def knee(origin):
    """A condyle that rolls and slides, and a frame some way down the shin, which is where markers are."""
    bend = np.linspace(0, 2.0, 15)
    turn = np.zeros((15, 3))
    turn[:, 1], turn[:, 2] = bend, 0.08 * bend
    slid = np.stack([0.004 * np.sin(2 * bend), 0.001 * bend, -0.01 - 0.002 * bend**2], axis=-1)
    return rm.pose(so3.exp(turn), slid) @ rm.pose(np.eye(3), origin), bend


def test_transposed_rotations_of_a_knee_show_where_its_frame_is_off_its_axis():
    """In the shin the positions tell; in the knee itself they hardly move, and nothing tells which way round it goes."""
    for origin, told in (((0, 0, -0.25), True), ((0, 0, 0), False)):
        E, bend = knee(origin)
        back = rm.pose(np.swapaxes(E[:, :3, :3], 1, 2), E[:, :3, 3])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            checked_poses(back, bend)
        assert [("all rotations look transposed" in str(one.message)) for one in seen] == [True] * told
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checked_poses(E, bend)


def test_poses_of_scenes_and_of_curves_by_chance_do_not_look_transposed():
    rng = np.random.default_rng(5)
    steps = rng.normal(size=(60, 6, 6)) * (0.4, 0.4, 0.4, 0.05, 0.05, 0.05)
    curves = [rm.SplineCurve(se3.exp(np.cumsum(each, axis=0))) for each in steps]
    seen = [np.array([curve.transform(np.array([q])) for q in np.linspace(*curve.range, 40)], float) for curve in curves]
    seen += [measured_scapula.measured()[0], hand.measured("socket")[0], hand.measured("saddle")[0]]
    seen += [np.array([shin_pose(a) for a in np.linspace(-0.2, 2.4, 30)])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for E in seen:
            checked_poses(E, sequence=False)
