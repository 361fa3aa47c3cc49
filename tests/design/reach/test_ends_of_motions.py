"""Motions that are defined for some coordinates only end there: what is out of reach is missed by the least, and costs others nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import redmax as rm
from design.reach.stationary import frame_error, unheld_gradient
from redmax.design.reach.least_squares import At, second_derivatives
from redmax.scenes import reaching_leg

TURNS = np.linspace(0.0, 2.0, 6)
KNEE = [rm.pose(rm.rotation_about("y", a), (0.02 * np.sin(a), 0, -0.01 * a)) for a in TURNS]


def sheet(kind: type[rm.Joint]) -> rm.Joint:
    """A surface of 5 by 5."""
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, 5), np.linspace(-0.5, 0.5, 5), indexing="ij")
    values = np.stack([u, v, 0.4 * u * u, 0.3 * u, 0.2 * v, 0.1 * u], axis=-1)
    return kind(values)  # type: ignore[call-arg]


JOINTS: dict[str, Callable[[], rm.Joint]] = {
    "curve": lambda: rm.SplineCurve(KNEE),
    "surface": lambda: sheet(rm.SplineSurface),
    "twists": lambda: sheet(rm.TwistSurface),
    "compound": lambda: rm.CompositeJoint(rm.Revolute("x"), rm.Inverted(rm.SplineCurve(KNEE))),
}


def limb(joint: rm.Joint) -> rm.Scene:
    """A hinge, the joint, a hinge; its frame "tool"."""
    scene = rm.Scene()
    first = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Revolute("z"), name="first")
    middle = scene.add_body(rm.Sphere(0.1, mass=1.0), parent=first, joint=joint, at=(0, 0, -0.3), name="middle")
    last = scene.add_body(rm.Sphere(0.1, mass=1.0), parent=middle, joint=rm.Revolute("x"), at=(0.1, 0, -0.3), name="last")
    scene.add_frame("tool", last, (0, 0.1, -0.3))
    return scene


def within(ik: rm.InverseKinematics, rng: np.random.Generator, count: int) -> np.ndarray:
    """Coordinates in bounds, (count, nv); half of them at one of the ends."""
    low, high = np.maximum(ik.bounds.lower, -1.5), np.minimum(ik.bounds.upper, 1.5)
    share = rng.uniform(size=(count, len(low)))
    share[::2] = np.where(rng.uniform(size=share[::2].shape) < 0.4, np.round(share[::2]), share[::2])
    return np.clip(low + share * (high - low), ik.bounds.lower, ik.bounds.upper)


def check(scene: rm.Scene, frame: str, goal: np.ndarray, start: np.ndarray) -> rm.Reached:
    """What is not reached is a least within bounds; one world ends as it does among others."""
    ik = rm.InverseKinematics(scene, rm.FrameTarget(frame))
    found, dynamics = ik.solve({frame: goal}, start), rm.Dynamics(scene)
    assert (found.q >= ik.bounds.lower).all()
    assert (found.q <= ik.bounds.upper).all()
    assert found.still.all()
    for k in np.flatnonzero(~found.success):
        assert unheld_gradient(ik, found.q[k], lambda q, k=k: frame_error(dynamics.pose(q, frame), goal[k])) < 1e-6
    for k in np.flatnonzero(~found.success)[:3]:
        alone = ik.solve({frame: goal[k]}, start[k])
        np.testing.assert_allclose(alone.q, found.q[k], atol=1e-5)
        assert np.sum(alone.rows**2) == pytest.approx(np.sum(found.rows[k] ** 2), abs=1e-10)
    return found


@pytest.mark.parametrize("kind", JOINTS)
def test_goals_beyond_the_end_of_a_motion_are_missed_by_the_least(kind):
    scene, rng = limb(JOINTS[kind]()), np.random.default_rng(0)
    ik = rm.InverseKinematics(scene, rm.FrameTarget("tool"))
    q, start = within(ik, rng, 24), within(ik, rng, 24)
    goal = rm.Dynamics(scene).pose(q, "tool")
    goal[::3, :3, 3] += 0.3 * rng.normal(size=(8, 3))
    found = check(scene, "tool", goal, start)
    assert (~found.success).sum() >= 8
    assert found.success.sum() >= 4


def test_a_leg_misses_steps_that_are_out_of_reach_and_reaches_others_of_the_same_batch():
    scene, rng = reaching_leg.leg(np.tile([-0.2, 0.6, -0.4], (3, 1)), follow=False), np.random.default_rng(0)
    goal = np.array([reaching_leg.sole_pose(*rng.uniform([-0.8, -0.1, -1.0], [0.8, 0.9, 1.0])) for _ in range(40)])
    q = np.array([0.0, 0.5, 0.0]) + rng.uniform(-0.4, 0.4, (20, 3))
    goal[20:] = rm.Dynamics(scene).pose(q, "sole")
    found = check(scene, "sole", goal, np.tile([-0.2, 0.6, -0.4], (40, 1)))
    assert found.success[20:].all()
    knee = rm.InverseKinematics(scene, rm.FrameTarget("sole")).bounds.upper[1]
    assert (found.q[:, 1] == knee).any()


def test_a_second_priority_beyond_the_end_of_a_motion_costs_the_first_nothing():
    scene, rng = limb(JOINTS["curve"]()), np.random.default_rng(1)
    far = 2.0 * rng.normal(size=(6, 3))
    targets = [rm.PositionTarget("tool"), rm.OrientationTarget("tool", np.eye(3), name="turn", priority=1)]
    first = rm.InverseKinematics(scene, targets[0]).solve({"tool": far})
    both = rm.InverseKinematics(scene, targets).solve({"tool": far})
    np.testing.assert_allclose(both.distances["tool"], first.distances["tool"], atol=1e-7)


def test_the_ends_of_a_narrow_range_are_met_too():
    """Narrower than steps of differences are, and with no room at all."""
    for width in (1e-7, 0.0):
        scene = limb(JOINTS["curve"]())
        scene.add_constraint(rm.HardLimit("middle", 3.0 - width, 3.0))
        found = rm.InverseKinematics(scene, rm.PositionTarget("tool", [1.0, 2.0, 3.0])).solve(start=[0.1, 3.0, 0.2])
        assert 3.0 - width <= found.q[1] <= 3.0
        assert found.still
        assert "held by" in found.reason


@pytest.mark.parametrize("ends", [None, "lower", "upper", "narrow"])
def test_second_derivatives_at_bounds_are_those_of_the_closed_form(ends):
    """Of 1/2 |p - g|^2 of a planar arm, p = sum l (cos a, sin a), with a the sum of angles; differences stay within bounds."""
    lengths, goal, q = np.array([1.0, 0.7, 0.4]), np.array([2.0, 1.0]), np.array([0.3, -0.4, 0.9])
    looked: list[np.ndarray] = []

    def look(which: np.ndarray, x: np.ndarray, d: np.ndarray) -> At:
        looked.append(x + d)
        a = np.cumsum(x + d, axis=1)[:, None]
        way = lengths * np.concatenate([np.cos(a), np.sin(a)], axis=1)
        across = lengths * np.concatenate([-np.sin(a), np.cos(a)], axis=1)
        J = np.cumsum(across[..., ::-1], axis=2)[..., ::-1]
        return At(x + d, way.sum(axis=2) - goal, J, np.zeros(len(x), bool))

    here = look(np.zeros(1, int), q[None], np.zeros((1, 3)))
    low, high = {None: (-2.0, 2.0), "lower": (0.0, 2.0), "upper": (-2.0, 0.0), "narrow": (-4e-6, 3e-6)}[ends]
    found = second_derivatives(look, np.zeros(1, int), here, np.full((1, 3), low), np.full((1, 3), high), np.ones(3))[0]
    a = np.cumsum(q)
    bent = np.cumsum((-lengths * [np.cos(a), np.sin(a)])[:, ::-1], axis=1)[:, ::-1]  # d2p / dq_i dq_j is that of the later of both
    later = np.maximum.outer(np.arange(3), np.arange(3))
    expected = here.J[0].T @ here.J[0] + np.einsum("k,kij->ij", here.e[0], bent[:, later])
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-9)
    places = np.concatenate(looked) - q
    assert places.min() >= low
    assert places.max() <= high
