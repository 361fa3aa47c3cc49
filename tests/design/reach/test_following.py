"""Goals that move are followed: each frame from where the one before ended, of one world or of many, with and without loops."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from design.reach.arms import LIMITS, four_bar, planar, seven_hinges


def test_many_worlds_follow_their_goals_without_a_jump():
    scene, rng = seven_hinges(), np.random.default_rng(0)
    start = 0.5 * rng.uniform(-1, 1, (20, 7)) * LIMITS
    way = 0.3 * rng.normal(size=(20, 7))
    q = start + way * np.linspace(0.0, 1.0, 30)[:, None, None]
    goal = rm.Dynamics(scene).pose(q, "tool")
    found = rm.InverseKinematics(scene, rm.FrameTarget("tool")).follow({"tool": goal}, start)
    assert found.q.shape == (30, 20, 7)
    assert found.success.all()
    assert found.iterations.mean() < 4
    assert np.abs(rm.Dynamics(scene).pose(found.q, "tool") - goal).max() < 1e-6
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.2


def test_one_world_is_followed_as_solving_frame_after_frame_does(monkeypatch):
    monkeypatch.setenv("REDMAX_OPTIMISATION", "1")
    scene = planar((1.0, 0.7, 0.5), limit=2.5)
    ik = rm.InverseKinematics(scene, rm.PositionTarget("tip", axes="xy"))
    angle = np.linspace(0.0, 1.0, 10)
    goal = np.stack([1.5 * np.cos(angle), 1.5 * np.sin(angle), 0 * angle], axis=-1)
    found, q = ik.follow({"tip": goal}, [0.1, 0.5, 0.5]), np.array([0.1, 0.5, 0.5])
    for k in range(10):
        one = ik.solve({"tip": goal[k]}, q)
        q = one.q
        np.testing.assert_array_equal(found.q[k], q)
    assert found.world(3).success


def test_a_loop_is_followed_closed():
    scene, _ = four_bar()
    tip = scene.find("crank").point(0.5, 0, 0)
    angle = np.linspace(1.2, 1.6, 5)
    goal = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    found = rm.InverseKinematics(scene, rm.PositionTarget(tip, name="end")).follow({"end": goal}, [1.2, -0.5, 1.5])
    assert found.success.all()
    np.testing.assert_allclose(found.q[:, 0], angle, atol=1e-6)


def test_goals_without_frames_are_solved_for():
    ik = rm.InverseKinematics(planar((1.0, 1.0)), rm.PositionTarget("tip", axes="xy"))
    with pytest.raises(rm.SceneError, match="no goal has an axis of frames"):
        ik.follow({"tip": [1.0, 0.0, 0.0]})


def test_a_second_priority_comes_after_a_first_one_in_lanes():
    scene, rng = seven_hinges(), np.random.default_rng(1)
    goal = rm.Dynamics(scene).pose(rng.uniform(-1.5, 1.5, (6, 7)), "tool")
    targets = [rm.PostureTarget(np.zeros(7), priority=1), rm.FrameTarget("tool")]
    both = rm.InverseKinematics(scene, targets).solve({"tool": goal}, restarts=20)
    first = rm.InverseKinematics(scene, targets[1:]).solve({"tool": goal}, restarts=20)
    assert both.success.all()
    assert (np.linalg.norm(both.q, axis=-1) <= np.linalg.norm(first.q, axis=-1) + 1e-6).all()
