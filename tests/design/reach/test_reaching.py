"""What can be reached is reached: random mechanisms of every kind of joint, random arms with limits, markers that are missing."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from design.reach.arms import LIMITS, planar, seven_hinges
from mechanisms import mechanisms
from random_examples import examples
from redmax.design.reach.in_memory import InMemory
from redmax.design.reach.registers import InRegisters
from redmax.dynamics.dynamics import Dynamics


@examples(few=12, many=200)
@given(m=mechanisms(largest=5, forces=False), seed=st.integers(0, 100))
def test_near_targets_of_random_mechanisms_are_reached(m, seed):
    if not m.nv:
        return
    scene, tip = m.scene(), f"link{len(m.links) - 1}"
    ik = rm.InverseKinematics(scene, rm.PostureTarget())
    rng = np.random.default_rng(seed)
    q = m.states(1, seed)[0]
    start = ik.bounds.within(m.model.configurations.join(q))[0]
    goal = m.model.moved(m.model.configurations.split(start)[0], 0.05 * rng.normal(size=m.nv))
    goal = m.model.configurations.split(ik.bounds.within(m.model.configurations.join(goal[None])))[0][0]
    ik = rm.InverseKinematics(scene, rm.FrameTarget(tip))
    found = ik.solve({tip: Dynamics(m.model).pose(goal, tip)}, m.model.configurations.split(start)[0], restarts=3)
    assert found.success, found.report()
    E = Dynamics(m.model).pose(found.q, tip)
    assert np.abs(E - Dynamics(m.model).pose(goal, tip)).max() < 3e-6


def test_an_arm_reaches_all_that_can_be_reached_from_anywhere():
    scene, rng, worlds = seven_hinges(), np.random.default_rng(0), 300
    limits = np.array(LIMITS)
    q, start = rng.uniform(-limits, limits, (2, worlds, 7))
    goal = rm.Dynamics(scene).pose(q, "tool")
    found = rm.InverseKinematics(scene, rm.FrameTarget("tool")).solve({"tool": goal}, start, restarts=30)
    assert found.success.all()
    E = rm.Dynamics(scene).pose(found.q, "tool")
    assert np.linalg.norm((E - goal)[:, :3, 3], axis=1).max() < 1e-6
    assert np.abs(E - goal).max() < 1e-6
    assert (np.abs(found.q) <= limits).all()


@pytest.mark.parametrize("method", ["damped", "gauss-newton"])
def test_both_methods_end_quadratically(method):
    scene = planar((1.0, 1.0, 1.0))
    goal = rm.Dynamics(scene).pose([0.5, 0.7, -0.3], "tip")
    found = rm.InverseKinematics(scene, rm.FrameTarget("tip")).solve({"tip": goal}, [0.3, 0.9, 0.1], tolerance=1e-13, method=method)
    assert found.success
    assert found.iterations <= 9


def test_one_world_is_that_world_of_many(monkeypatch):
    monkeypatch.setenv("REDMAX_OPTIMISATION", "1")  # at 0 multiplications and additions are not joined alike
    scene, rng = seven_hinges(), np.random.default_rng(3)
    q, start = rng.uniform(-1.5, 1.5, (2, 5, 7))
    ik, goal = rm.InverseKinematics(scene, rm.FrameTarget("tool")), rm.Dynamics(scene).pose(q, "tool")
    many = ik.solve({"tool": goal}, start)
    for k in range(5):
        one = ik.solve({"tool": goal[k]}, start[k])
        np.testing.assert_array_equal(one.q, many.q[k])
        assert one.reason == many.reason[k] == many.world(k).reason


def test_markers_that_were_not_seen_do_not_count():
    scene = planar((1.0, 1.0, 1.0))
    q = np.array([0.3, 0.5, -0.8])
    bodies = [scene.find(f"part{k}") for k in range(3)]
    markers = [b.point(*p) for b in bodies for p in ((0.2, 0.1, 0), (0.4, -0.1, 0))]
    goal = np.array([rm.Dynamics(scene).pose(q, p)[:3, 3] for p in markers])
    goal[1] = goal[4] = np.nan
    found = rm.InverseKinematics(scene, rm.MarkerTarget(markers)).solve({"markers": goal}, np.zeros(3))
    assert found.success
    np.testing.assert_allclose(found.q, q, atol=1e-6)
    assert np.isnan(found.residuals["markers"]).sum() == 6


def test_rows_without_weight_do_not_count():
    """Neither in whether a target is met nor in how far it is off."""
    ik = rm.InverseKinematics(planar((1.0, 1.0)), rm.PositionTarget("tip", weight=[1.0, 1.0, 0.0]))
    found = ik.solve({"tip": [[1.2, 0.5, 3.0], [3.0, 4.0, 3.0]]}, [0.1, 0.5])
    assert found.success.tolist() == [True, False]
    assert found.distances["tip"] == pytest.approx([0.0, 3.0], abs=1e-6)
    assert np.isnan(found.residuals["tip"][:, 2]).all()
    assert found.reason.tolist() == ["All targets are reached.", "tip is 3 m off: as near as the mechanism comes from there."]


def test_fixed_joints_stay_and_a_state_starts_it():
    scene = planar((1.0, 1.0, 1.0))
    ik = rm.InverseKinematics(scene, rm.PositionTarget("tip", axes="xy"), fixed=["part1"])
    found = ik.solve({"tip": [1.5, 1.0, 0.0]}, rm.State(0.0, np.array([0.1, 0.4, 0.2]), np.zeros(3)))
    assert found.success
    assert found.q[1] == 0.4
    assert found.state.q is found.q


def test_looking_at_a_place():
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Spherical(coordinates="quaternion"), name="eye")
    found = rm.InverseKinematics(scene, rm.LookAtTarget(body, (1.0, 2.0, -3.0), axis="z")).solve()
    E = rm.Dynamics(scene).pose(found.q, "eye")
    assert found.success
    np.testing.assert_allclose(E[:3, 2], np.array([1, 2, -3]) / np.sqrt(14), atol=1e-6)


def test_lanes_end_where_arrays_do():
    """The compiled search and the one over arrays, from the same starts: wherever both come to the goal, and as near where neither does."""
    scene, rng = seven_hinges(), np.random.default_rng(5)
    ik, goal = rm.InverseKinematics(scene, rm.PositionTarget("tool")), rng.normal(size=(20, 3))
    assert ik.lanes is not None
    lanes = ik.solve({"tool": goal}, rng.uniform(-1, 1, (20, 7)), restarts=2)
    plain = rm.InverseKinematics(scene, rm.PositionTarget("tool"), backend="interpret")
    arrays = plain.solve({"tool": goal}, lanes.q)
    assert plain.lanes is None
    np.testing.assert_array_equal(lanes.success, arrays.success)
    np.testing.assert_allclose(lanes.distances["tool"], arrays.distances["tool"], atol=1e-6)


def test_other_starts_follow_from_the_seed():
    scene, rng = seven_hinges(), np.random.default_rng(6)
    goal = rm.Dynamics(scene).pose(rng.uniform(-2, 2, (50, 7)), "tool")
    ik = rm.InverseKinematics(scene, rm.FrameTarget("tool"))
    first, same, other = (ik.solve({"tool": goal}, restarts=30, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.q, same.q)
    assert first.success.all()
    assert (first.starts > 1).any()
    assert not np.array_equal(first.q[first.starts > 1], other.q[first.starts > 1])


def test_loops_over_memory_and_straight_code_take_the_same_steps(monkeypatch):
    monkeypatch.setattr("redmax.design.reach.inverse_kinematics.MOST", 0)
    scene, rng = seven_hinges(), np.random.default_rng(7)
    loops = rm.InverseKinematics(scene, rm.FrameTarget("tool"))
    assert isinstance(loops.lanes, InMemory)
    monkeypatch.undo()
    straight = rm.InverseKinematics(scene, rm.FrameTarget("tool"))
    assert isinstance(straight.lanes, InRegisters)
    q, start = rng.uniform(-2, 2, (2, 30, 7))
    goal = rm.Dynamics(scene).pose(q, "tool")
    first, second = (ik.solve({"tool": goal}, start, restarts=20) for ik in (loops, straight))
    assert first.success.all()
    assert second.success.all()
    same = (first.iterations == second.iterations) & (first.starts == second.starts)
    assert same.mean() > 0.8  # roundings differ, and with them where other starts lead
    np.testing.assert_allclose(first.q[same], second.q[same], atol=1e-3)


def test_one_world_alone_in_memory():
    scene = planar(tuple([0.3] * 14))
    ik, goal = rm.InverseKinematics(scene, rm.FrameTarget("tip")), rm.pose(rm.rotation_about("z", 1.0), (1.5, 2.0, 0.0))
    first, second = (ik.solve({"tip": goal}, np.full(14, 0.1)) for _ in range(2))
    assert first.success, first.report()
    np.testing.assert_array_equal(first.q, second.q)
    np.testing.assert_array_equal(first.iterations, second.iterations)


@pytest.mark.parametrize("form", ["exp", "quaternion", "matrix"])
def test_joints_on_groups_reach_from_anywhere(form):
    scene, rng = rm.Scene(), np.random.default_rng(8)
    upper = scene.add_body(rm.Capsule(0.05, 0.4, mass=1.0), joint=rm.Spherical(coordinates=form), name="upper")
    lower = scene.add_body(rm.Capsule(0.05, 0.4, mass=1.0), parent=upper, joint=rm.Revolute("y"), at=(0, 0, -0.5), name="lower")
    scene.add_body(rm.Sphere(0.05, mass=1.0), parent=lower, joint=rm.Spherical(coordinates=form), at=(0, 0, -0.5), name="hand")
    scene.add_constraint(rm.HardLimit(lower, 0.1, 2.5))
    model = scene.model()
    q = model.moved(model.q0, rng.normal(size=(20, 7)) * 0.8)
    at = model.q_slice("lower")
    q[:, at] = rng.uniform(0.2, 2.3, (20, 1))
    goal = rm.Dynamics(scene).pose(q, "hand")
    start = np.where(np.arange(model.nq) == at.start, 1.0, model.q0)
    found = rm.InverseKinematics(scene, rm.FrameTarget("hand")).solve({"hand": goal}, start, restarts=20)
    assert found.success.all(), found.report()
    assert np.abs(rm.Dynamics(scene).pose(found.q, "hand") - goal).max() < 2e-6


def test_a_foot_goes_where_it_is_told_through_a_knee_that_is_a_spline():
    scene = rm.Scene()
    turns = np.linspace(0.0, 2.0, 6)
    frames = np.array([rm.pose(rm.rotation_about("y", a), (0.01 * np.sin(a), 0, -0.4 - 0.01 * a)) for a in turns])
    thigh = scene.add_body(rm.Capsule(0.05, 0.3, mass=5.0), joint=rm.Spherical(coordinates="quaternion"), name="thigh")
    shank = scene.add_body(rm.Capsule(0.05, 0.3, mass=3.0), parent=thigh, joint=rm.SplineCurve(frames), name="shank")
    scene.add_body(rm.Cuboid((0.2, 0.1, 0.05), mass=1.0), parent=shank, joint=rm.Universal(), at=(0, 0, -0.4), name="foot")
    ik, rng = rm.InverseKinematics(scene, rm.PositionTarget("foot")), np.random.default_rng(9)
    domain = ik.bounds.lower[3], ik.bounds.upper[3]
    q = np.tile(scene.model().q0, (20, 1))
    q[:, 4] = rng.uniform(*domain, 20)
    goal = rm.Dynamics(scene).pose(q, "foot")[:, :3, 3]
    found = ik.solve({"foot": goal}, restarts=10)
    assert found.success.all(), found.report()
    assert (found.q[:, 4] >= domain[0]).all()
    assert (found.q[:, 4] <= domain[1]).all()


def test_ends_at_which_a_spline_pushes_back_are_bounds_as_other_limits_are():
    """Of a curve, a surface that is closed one way, and both within compound joints."""
    frames = rm.lie.se3.exp(np.linspace(0, 1, 6)[:, None] * [0, 0, 1.0, 1.0, 0, 0])
    limit = {"outside": "limit", "limit_stiffness": 10.0}
    curve = rm.SplineCurve(frames, **limit)
    angle = 2 * np.pi * np.arange(8) / 8
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle, 0 * angle, 0 * angle, 0 * angle], axis=1)
    surface = rm.SplineSurface(ring[:, None] * np.linspace(1, 2, 5)[:, None], cyclic=[True, False], **limit)
    for joint, expected in (
        (curve, [(0, 3)]),
        (surface, [(-np.inf, np.inf), (0, 2)]),
        (rm.Inverted(curve), [(0, 3)]),
        (rm.CompositeJoint(rm.Revolute("x"), rm.Revolute("y"), curve), [(-np.inf, np.inf)] * 2 + [(0, 3)]),
    ):
        scene = rm.Scene()
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=joint, name="ball")
        bounds = rm.InverseKinematics(scene, rm.PositionTarget("ball")).bounds
        np.testing.assert_array_equal(np.stack([bounds.lower, bounds.upper], axis=1), expected)
        free = rm.InverseKinematics(scene, rm.PositionTarget("ball"), limits=False).bounds
        assert np.isinf([free.lower, free.upper]).all()
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=curve, name="ball")
    found = rm.InverseKinematics(scene, rm.PositionTarget("ball", [5.0, 2.0, 0.0])).solve()
    assert found.q == [3.0]
    assert "upper limit of ball (3)" in found.reason


def test_what_is_pickled_reaches_the_same():
    scene = planar((1.0, 0.7, 0.5), limit=2.0)
    targets = [rm.PositionTarget("tip", [1.0, 1.0, 0.0], axes="xy"), rm.PostureTarget([0.1, 0.2, 0.3], priority=1)]
    ik = rm.InverseKinematics(scene, targets, fixed=["part1"])
    found = ik.solve(start=[0.5, 0.4, 0.1])
    again = pickle.loads(pickle.dumps(ik)).solve(start=[0.5, 0.4, 0.1])
    np.testing.assert_array_equal(found.q, again.q)
    assert pickle.loads(pickle.dumps(found)).reason == found.reason


@pytest.mark.long
def test_of_ten_thousand_goals_an_arm_reaches_999_in_a_thousand():
    """Random reachable poses from random starts, to 1e-6 m and rad: of a share of 99.9 % that is true, so many worlds show nearly all."""
    scene, rng, limits = seven_hinges(), np.random.default_rng(11), np.array(LIMITS)
    q, start = rng.uniform(-limits, limits, (2, 10_000, 7))
    goal = rm.Dynamics(scene).pose(q, "tool")
    ik = rm.InverseKinematics(scene, rm.FrameTarget("tool"))
    found = ik.solve({"tool": goal}, start, restarts=60)
    assert found.success.mean() >= 0.999
    E = rm.Dynamics(scene).pose(found.q, "tool")
    turned = np.einsum("wij,wik->wjk", E[:, :3, :3], goal[:, :3, :3])
    off = np.linalg.norm(turned - np.swapaxes(turned, 1, 2), axis=(1, 2)) / np.sqrt(8.0)  # the sine of the angle
    there = (np.linalg.norm((E - goal)[:, :3, 3], axis=1) <= 1.001e-6) & (off <= 1.001e-6)
    assert (there | ~found.success).all()
    assert (np.abs(found.q) <= limits).all()
    moving = rm.Dynamics(scene).pose(0.6 * q[:500] + 0.2 * np.sin(np.linspace(0, 3, 20))[:, None, None], "tool")
    assert ik.follow({"tool": moving}, 0.6 * q[:500]).success.mean() >= 0.999
