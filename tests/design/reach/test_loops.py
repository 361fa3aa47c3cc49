"""Loops of the scene are closed where inverse kinematics ends, and what is asked for is asked of what they allow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import redmax as rm
from design.reach.arms import four_bar, planar
from redmax.design.reach.with_closures import WithClosures


def pin_gap(scene: rm.Scene, q: np.ndarray) -> float:
    dynamics = rm.Dynamics(scene)
    ends = [dynamics.pose(q, scene.find(name).point(1, 0, 0))[:3, 3] for name in ("coupler", "rocker")]
    return float(np.linalg.norm(ends[0] - ends[1]))


@pytest.mark.parametrize("angle", [0.5, 1.0, 2.0])
def test_a_four_bar_is_closed_and_its_crank_where_it_is_told(angle):
    scene, _ = four_bar()
    tip = scene.find("crank").point(0.5, 0, 0)
    ik = rm.InverseKinematics(scene, rm.PositionTarget(tip, [np.cos(angle), np.sin(angle), 0.0], name="end"))
    found = ik.solve(start=[1.2, -0.5, 1.5])
    assert found.success, found.report()
    assert pin_gap(scene, found.q) < 1e-9
    assert found.q[0] == pytest.approx(angle, abs=1e-6)


def test_what_a_loop_does_not_allow_is_missed_with_the_loop_closed():
    scene, coupler = four_bar()
    found = rm.InverseKinematics(scene, rm.PositionTarget(coupler, [5.0, 5.0, 0.0], axes="y")).solve(start=[1.2, -0.5, 1.5])
    assert pin_gap(scene, found.q) < 1e-9
    assert not found.success
    crank = np.linspace(0, 2 * np.pi, 20001)
    a = np.stack([np.cos(crank), np.sin(crank)], axis=-1)
    d = np.array([2.0, 0.0]) - a
    half = np.linalg.norm(d, axis=1) / 2
    normal = np.stack([-d[:, 1], d[:, 0]], axis=-1) / (2 * half)[:, None]
    heights = [(a + (a + d / 2 + s * np.sqrt(4 - half**2)[:, None] * normal))[:, 1] / 2 for s in (1, -1)]
    assert found.distances["coupler"] == pytest.approx(5.0 - max(h.max() for h in heights), abs=1e-6)


def test_a_map_of_coordinates_moves_the_joints_together():
    scene = planar((1.0, 1.0, 1.0), limit=0.8)
    scene.set_map(np.array([[1.0], [1.0], [1.0]]))
    goal = rm.Dynamics(scene).pose([0.4, 0.4, 0.4], "tip")[:3, 3]
    found = rm.InverseKinematics(scene, rm.PositionTarget("tip", goal, axes="xy")).solve()
    assert found.success
    np.testing.assert_allclose(found.q, 0.4, atol=1e-6)
    far = rm.InverseKinematics(scene, rm.PositionTarget("tip", [-3.0, 1.0, 0.0], axes="xy")).solve()
    assert (np.abs(far.q) <= 0.8 + 1e-9).all()


def test_many_loops_are_closed_in_lanes():
    scene, _ = four_bar()
    tip = scene.find("crank").point(0.5, 0, 0)
    ik, angle = rm.InverseKinematics(scene, rm.PositionTarget(tip, name="end")), np.linspace(0.3, 2.5, 50)
    assert isinstance(ik.lanes, WithClosures)
    found = ik.solve({"end": np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)}, [1.2, -0.5, 1.5])
    assert found.success.all()
    assert found.gap.max() < 1e-9
    assert max(pin_gap(scene, q) for q in found.q) < 1e-9


def test_a_rope_that_is_slack_does_not_hold_and_a_tight_one_does():
    scene = planar((1.0, 1.0))
    scene.add_constraint(rm.Rope([scene.find("part1").point(0.5, 0, 0), (0.0, 0.0, 0.0)], 1.2, name="rope"))
    slack = rm.InverseKinematics(scene, rm.PositionTarget("tip", [0.9, 0.6, 0.0], axes="xy")).solve(start=[0.1, 1.9])
    assert slack.success, slack.report()
    tight = rm.InverseKinematics(scene, rm.PositionTarget("tip", [2.0, 0.0, 0.0], axes="xy")).solve(start=[-0.7, 1.4])
    assert tight.distances["tip"] > 0.1
    assert tight.gap < 1e-9
    end = rm.Dynamics(scene).pose(tight.q, scene.find("part1").point(0.5, 0, 0))[:3, 3]
    assert np.linalg.norm(end) == pytest.approx(1.2, abs=1e-8)


def test_a_loop_with_a_gain_of_its_own_is_closed_too():
    scene = planar((1.0, 1.0, 1.0))
    scene.add_constraint(rm.PointClosure(scene.find("part1").point(1.0, 0, 0), (1.0, 1.0, 0.0), gain=5.0))
    found = rm.InverseKinematics(scene, rm.PositionTarget("tip", [1.6, 1.8, 0.0], axes="xy")).solve(start=[0.2, 1.2, 0.1])
    assert found.success, found.report()
    np.testing.assert_allclose(rm.Dynamics(scene).pose(found.q, scene.find("part1").point(1.0, 0, 0))[:3, 3], [1, 1, 0], atol=1e-8)


CHAINS = {
    "ball": [(rm.Spherical(), (0, 0, 0)), (rm.Universal(), (0.7, 0, 0)), (rm.Revolute((1, 1, 0)), (0.5, 0.1, 0))],
    "free": [(rm.Free(), (0, 0, 0)), (rm.Universal(), (0.7, 0, 0))],
}


@pytest.mark.parametrize("chain", CHAINS)
def test_what_a_spatial_loop_does_not_allow_is_missed_by_the_least(chain):
    """Against SciPy's sequential quadratic programs, begun where the library ended: these find nothing nearer with the loop closed."""
    scene, body = rm.Scene(), None
    for k, (joint, at) in enumerate(CHAINS[chain]):
        body = scene.add_body(rm.Sphere(0.1, mass=1.0), parent=body, joint=joint, at=at, name=f"part{k}")
    assert body is not None
    pin, aim, rng = body.point(0.2, 0.1, 0.1), scene.find("part0").point(0.0, 0.4, 0.1), np.random.default_rng(3)
    scene.add_constraint(rm.PointClosure(pin, (0.9, 0.3, 0.2), name="pin"))
    ik, dynamics, goal = rm.InverseKinematics(scene, rm.PositionTarget(aim, name="aim")), rm.Dynamics(scene), 3.0 * rng.normal(size=(12, 3))
    found = ik.solve({"aim": goal}, rng.normal(size=(12, ik.model.nq)))
    assert (found.gap < 1e-9).all()
    assert found.still.all()
    off = lambda q: dynamics.pose(q, pin)[:3, 3] - [0.9, 0.3, 0.2]  # noqa: E731
    for k in range(12):
        far = lambda q, k=k: np.linalg.norm(dynamics.pose(q, aim)[:3, 3] - goal[k])  # noqa: E731
        assert np.abs(off(found.q[k])).max() < 1e-8
        if k < 4:
            best = minimize(far, found.q[k], constraints=[{"type": "eq", "fun": off}], method="SLSQP", options={"ftol": 1e-13})
            assert far(found.q[k]) <= best.fun + 1e-6 or np.abs(off(best.x)).max() > 1e-7
