"""`redmax ik`: from a file of markers to a result that other commands read; what is wrong is a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm

T = np.linspace(0, 1, 41)
Q = np.stack([0.5 * np.sin(4 * T), 0.8 + 0.4 * np.cos(5 * T)], axis=1)


@pytest.fixture
def leg(tmp_path):
    """leg.yaml, and where its markers are, walk.csv: (frames, 3, 3)."""
    scene = rm.Scene(title="Leg")
    thigh = scene.add_body(rm.Capsule(0.05, 0.4, mass=7), joint=rm.Revolute("y"), com=(0, 0, -0.2), name="thigh")
    shank = scene.add_body(
        rm.Capsule(0.04, 0.4, mass=3), parent=thigh, joint=rm.Revolute("y"), at=(0, 0, -0.4), com=(0, 0, -0.2), name="shank"
    )
    scene.add_frame("knee", thigh, (0.04, 0.05, -0.18))
    scene.add_frame("heel", shank, (-0.03, 0, -0.2))
    scene.add_frame("toe", shank, (0.1, 0, -0.22))
    scene.save(tmp_path / "leg.yaml")
    dynamics = rm.Dynamics(scene)
    seen = np.stack([dynamics.pose(Q, name)[:, :3, 3] for name in ("knee", "heel", "toe")], axis=1)
    seen[5:9, 1] = np.nan
    return seen


def save(path, seen, names=("knee", "heel", "toe")):
    rm.write_markers(path, rm.Markers(names, T, seen))


@pytest.mark.parametrize("name", ["walk.csv", "walk.trc"])
def test_markers_become_a_run_with_its_torques(redmax, leg, tmp_path, name):
    save(tmp_path / name, leg)
    status, out, err = redmax("ik", "leg.yaml", "--targets", name, "--out", "walk.h5", "--cutoff", "30")
    assert (status, err) == (0, "")
    assert "41 frames from t = 0 to 1 s" in out
    assert "not all seen in 4 frames" in out
    run = rm.load(tmp_path / "walk.h5")
    assert_allclose(run.q, Q, atol=2e-3)
    scene = rm.Scene.load(tmp_path / "leg.yaml")
    assert_allclose(rm.Dynamics(scene).inverse(run.q, run.qdot, run.qddot), run.torques["controls"], atol=1e-6)
    assert redmax("plot", "walk.h5", "--what", "torques")[0] == 0
    assert redmax("info", "walk.h5")[0] == 0


def test_joints_stay_and_others_are_left_out(redmax, leg, tmp_path):
    save(tmp_path / "walk.csv", leg, ("knee", "heel", "nose"))
    status, _, err = redmax("ik", "leg.yaml", "--targets", "walk.csv", "--out", "walk.h5", "--fixed", "shank")
    assert status == 0
    assert err == "Left out, as the scene has no frames or bodies of these names: nose.\n"
    assert np.ptp(rm.load(tmp_path / "walk.h5").q[:, 1]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--targets", "none.csv"), "There is no file 'none.csv'"),
        (("--targets", "other.csv"), "has the markers a, b, c, and the scene no frames or bodies of these names. It has: heel, knee,"),
        (("--targets", "walk.csv", "--fixed", "hip"), "'hip'"),
        (("--targets", "walk.csv", "--cutoff", "-1"), "cutoff is -1.0, expected a frequency above 0"),
        (("--targets", "walk.csv", "--up", "x"), "up is 'x'"),
    ],
)
def test_what_is_wrong_is_a_sentence(redmax, leg, tmp_path, words, said):
    save(tmp_path / "walk.csv", leg)
    save(tmp_path / "other.csv", leg, ("a", "b", "c"))
    status, _, err = redmax("ik", "leg.yaml", *words, "--out", "walk.h5")
    assert status == 2
    assert said in err
    assert not (tmp_path / "walk.h5").exists()
