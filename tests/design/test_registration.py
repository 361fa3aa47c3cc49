"""Poses from clouds of markers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import redmax as rm
from redmax.lie import se3

PLACES = np.array([(0.0, 0, 0), (0.1, 0, 0.02), (0, 0.15, 0), (0.05, 0.05, 0.2)])


def seen(poses, places=PLACES):
    return np.einsum("nij,mj->nmi", poses[:, :3, :3], places) + poses[:, None, :3, 3]


def some_poses(count=20, seed=0):
    return se3.exp(np.random.default_rng(seed).normal(size=(count, 6)))


def test_exact_markers_give_the_pose_back():
    poses = some_poses()
    found = rm.poses_from_markers(PLACES, seen(poses))
    assert_allclose(found.poses, poses, rtol=0, atol=1e-14)
    assert found.residuals.max() < 1e-14
    assert found.error.shape == (20,)


def test_noisy_ones_are_registered_as_by_scipy():
    """`Rotation.align_vectors` has the same weighted problem, about the weighted means."""
    rng = np.random.default_rng(1)
    y, w = seen(some_poses()) + 0.01 * rng.normal(size=(20, 4, 3)), rng.uniform(0.2, 2, 4)
    found = rm.poses_from_markers(PLACES, y, weights=w)
    p0 = w @ PLACES / w.sum()
    for E, cloud, error in zip(found.poses, y, found.error):
        y0 = w @ cloud / w.sum()
        R, distance = Rotation.align_vectors(cloud - y0, PLACES - p0, weights=w)
        assert_allclose(E[:3, :3], R.as_matrix(), atol=1e-10)
        assert_allclose(E[:3, 3], y0 - R.as_matrix() @ p0, atol=1e-10)
        assert_allclose(error * np.sqrt(w.sum()), distance, rtol=1e-7)


def test_a_marker_that_is_not_seen_does_not_count():
    poses, y = some_poses(), seen(some_poses())
    y[3, 1], y[5, :2] = np.nan, np.nan
    found = rm.poses_from_markers(PLACES, y, missing=True)
    there = np.arange(20) != 5
    assert_allclose(found.poses[there], poses[there], atol=1e-13)
    assert np.isnan(found.poses[5]).all()
    assert np.isnan(found.residuals[3, 1])
    with pytest.raises(rm.SceneError, match=r"frame 5 has too few markers .*Seen: marker 2, marker 3\. .*missing=True"):
        rm.poses_from_markers(PLACES, y)


def test_flat_bodies_are_turned_and_never_mirrored():
    flat = PLACES * [1, 1, 0]
    poses = some_poses()
    found = rm.poses_from_markers(flat, seen(poses, flat) + 1e-4 * np.random.default_rng(2).normal(size=(20, 4, 3)))
    assert_allclose(np.linalg.det(found.poses[:, :3, :3]), 1.0)
    assert_allclose(found.poses, poses, atol=0.01)


def test_mirror_images_are_refused():
    y = seen(some_poses())
    y[7] *= [1, 1, -1]
    with pytest.raises(rm.SceneError, match=r"frame 7 shows the mirror image .*Are two markers exchanged"):
        rm.poses_from_markers(PLACES, y)


def test_by_name_others_are_left_alone():
    names = ("other", "d", "c", "b", "a")
    y = np.concatenate([np.zeros((20, 1, 3)), seen(some_poses())[:, ::-1]], axis=1)
    markers = rm.Markers(names, np.arange(20) / 100, y)
    found = rm.poses_from_markers(dict(zip("abcd", PLACES)), markers)
    assert_allclose(found.poses, some_poses(), atol=1e-13)
    with pytest.raises(rm.SceneError, match=r"There is no marker 'othr'\. Did you mean 'other'"):
        markers.of("othr")


def test_a_template_is_the_body_up_to_a_motion():
    rng = np.random.default_rng(4)
    y = seen(some_poses(400)) + 1e-3 * rng.normal(size=(400, 4, 3))
    y[3:200:7, 2] = np.nan
    template = rm.marker_template(y)
    sides = [np.linalg.norm(p[:, None] - p, axis=2) for p in (template, PLACES)]
    assert_allclose(*sides, atol=3e-4)
    assert_allclose(template.mean(axis=0), 0, atol=1e-15)


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: rm.poses_from_markers(PLACES, 1000 * seen(some_poses())), r"frame 0 has markers 1000 times .*in millimetres\. Give both in m"),
    (lambda: rm.poses_from_markers(PLACES[:2], seen(some_poses())[:, :2]), "places is .*expected three places"),
    (lambda: rm.poses_from_markers(PLACES * [1, 0, 0], seen(some_poses())), "not on one line"),
    (lambda: rm.poses_from_markers(PLACES, seen(some_poses())[:, :3]), "expected 4 markers in each frame"),
    (lambda: rm.poses_from_markers(PLACES, seen(some_poses()), weights=[1, 1, 1]), r"weights is .*expected \(4,\)"),
    (lambda: rm.poses_from_markers(PLACES, np.zeros((4, 3))), r"markers is .*expected positions \(N, m, 3\)"),
    (lambda: rm.poses_from_markers({"a": (0, 0, 0)}, seen(some_poses())), "expected Markers with names"),
    (lambda: rm.Markers(("a", "a"), [0.0], np.zeros((1, 2, 3))), "names is .*expected 2 names, no two alike"),
    (lambda: rm.marker_template(np.where(np.eye(3)[:, :, None] > 0, np.nan, 1.0) * np.ones(3)), "no frame shows all 3 markers"),
])  # fmt: skip
def test_bad_input_is_said(call, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        call()
