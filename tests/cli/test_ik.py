"""`redmax ik`: from files of markers and poses to a result that other commands read; what is wrong is a sentence."""

from __future__ import annotations

import re

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


def poses_of(scene, q, name, separator="_"):
    """Columns of a frame: its position and rotation vector."""
    E = rm.Dynamics(scene).pose(q, name)
    values = np.hstack([E[:, :3, 3], rm.lie.so3.log(E[:, :3, :3])])
    return {f"{name}{separator}{column}": v for column, v in zip(("x", "y", "z", "rx", "ry", "rz"), values.T, strict=True)}


def save_columns(path, columns):
    path.write_text("\n".join([",".join(columns), *[",".join(map(repr, row)) for row in np.column_stack(list(columns.values())).tolist()]]))


def test_poses_of_frames_are_followed_beside_markers(redmax, leg, tmp_path):
    scene = rm.Scene.load(tmp_path / "leg.yaml")
    heel = dict(zip(("heel.x", "heel.y", "heel.z"), rm.Dynamics(scene).pose(Q, "heel")[:, :3, 3].T, strict=True))
    save_columns(tmp_path / "walk.csv", {"time": T, **poses_of(scene, Q, "toe"), **heel})
    status, out, err = redmax("ik", "leg.yaml", "--targets", "walk.csv", "--out", "walk.h5", "--cutoff", "30")
    assert (status, err) == (0, "")
    assert "  toe: rms" in out
    assert "  markers: rms" in out
    assert_allclose(rm.load(tmp_path / "walk.h5").q, Q, atol=2e-3)


def test_rotations_of_opensense_are_followed(redmax, leg, tmp_path):
    scene = rm.Scene.load(tmp_path / "leg.yaml")
    turns = [rm.lie.so3.to_quaternion(rm.Dynamics(scene).pose(Q, name)[:, :3, :3]) for name in ("thigh", "shank")]
    rows = ["\t".join([repr(t), *[",".join(map(repr, turn[k].tolist())) for turn in turns]]) for k, t in enumerate(T.tolist())]
    head = "DataRate=40\nDataType=Quaternion\nversion=3\nendheader\ntime\tthigh\tshank\n"
    (tmp_path / "imu.sto").write_text(head + "\n".join(rows))
    assert redmax("ik", "leg.yaml", "--targets", "imu.sto", "--out", "walk.h5", "--cutoff", "30")[0] == 0
    assert_allclose(rm.load(tmp_path / "walk.h5").q, Q, atol=2e-3)


def test_rows_without_times_are_reached_one_by_one_and_held(redmax, leg, tmp_path):
    scene = rm.Scene.load(tmp_path / "leg.yaml")
    some = poses_of(scene, Q[[0, 9, 30]], "toe")
    some["toe_x"] = some["toe_x"] + [0, 0, 5.0]
    save_columns(tmp_path / "poses.csv", some)
    status, out, _ = redmax("ik", "leg.yaml", "--targets", "poses.csv", "--out", "poses.h5", "--lengths", "m")
    assert status == 0
    rows = out.splitlines()
    assert rows[:2] == ["row 1: All targets are reached.", "row 2: All targets are reached."]
    assert rows[2].startswith("row 3: toe is 4.")
    run = rm.load(tmp_path / "poses.h5")
    assert_allclose(run.q[:2], Q[[0, 9]], atol=1e-5)
    assert_allclose(run.torques["controls"], rm.Dynamics(scene).inverse(run.q, 0 * run.qdot, 0 * run.qddot), atol=1e-9)


def test_muscles_are_as_active_as_the_motion_asks(redmax, tmp_path):
    """Two that hold a bar up and one that pulls it down, whose activations are those of rm.static_optimisation."""
    scene = rm.Scene()
    bar = scene.add_body(rm.Capsule(0.02, 0.3, mass=2), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="bar")
    for name, z in (("upper", 0.3), ("second", 0.2), ("lower", -0.3)):
        scene.add_force(rm.Muscle([(0, 0, z), bar.point(-0.05, 0, 0)], force=300, optimal_length=0.25, tendon_length=0.05, name=name))
    scene.add_frame("tip", bar, (0.15, 0, 0))
    scene.save(tmp_path / "bar.yaml")
    tip = rm.Dynamics(scene).pose(0.3 * np.sin(4 * T)[:, None], "tip")[:, None, :3, 3]
    rm.write_markers(tmp_path / "up.csv", rm.Markers(("tip",), T, tip))
    words = ["--targets", "up.csv", "--out", "up.h5", "--cutoff", "8"]
    status, out, _ = redmax("ik", "bar.yaml", *words, "--activations", "up.sto")
    assert status == 0
    found = rm.read_motion(tmp_path / "up.sto")
    assert found.names == ("upper", "second", "lower")
    motion = rm.track(rm.InverseKinematics(scene, rm.MarkerTarget(["tip"])), T, {"markers": tip}, 8.0).motion
    assert_allclose(found.values, rm.static_optimisation(scene, motion).activation, atol=1e-6)
    assert_allclose(rm.load(tmp_path / "up.h5").torques["controls"], rm.inverse_dynamics(scene, motion).run().controls, atol=1e-6)
    assert re.search(r"3 muscles: (upper|second) is most active, 0\.\d+ at t = ", out)
    status, _, err = redmax("ik", "bar.yaml", *words, "--activations", "up.txt")
    assert status == 2
    assert "--activations: the name of 'up.txt' ends in '.txt', expected one of .sto, .mot, .csv." in " ".join(err.split())


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
        (("--targets", "hole.csv"), "hole.csv, line 3, column 'toe_rx': nothing there, expected the pose of the frame. Leave the row out."),
        (("--targets", "none.sto"), "none.sto has no columns such as knee_x, knee_y, knee_z. Its columns: time, hip"),
        (("--targets", "walk.csv", "--cutoff", "-1"), "cutoff is -1.0, expected a frequency above 0"),
        (("--targets", "walk.csv", "--up", "x"), "up is 'x'"),
    ],
)
def test_what_is_wrong_is_a_sentence(redmax, leg, tmp_path, words, said):
    save(tmp_path / "walk.csv", leg)
    save(tmp_path / "other.csv", leg, ("a", "b", "c"))
    (tmp_path / "hole.csv").write_text("toe_x,toe_y,toe_z,toe_rx,toe_ry,toe_rz\n0,0,0,0,0,0\n0,0,0,,,")
    (tmp_path / "none.sto").write_text("endheader\ntime\thip\n0\t0.1")
    status, _, err = redmax("ik", "leg.yaml", *words, "--out", "walk.h5")
    assert status == 2
    assert said in err
    assert not (tmp_path / "walk.h5").exists()
