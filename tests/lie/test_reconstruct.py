"""Poses come back from the twists of a motion, to fourth order, of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from lie.tracing import by_trace
from redmax.lie import convert_twist, se3
from redmax.lie.twists import KINDS, TwistKind

A, B, D = np.array([[0.4, -0.9, 0.7, 0.5, 1.0, -0.3], [-0.6, 0.3, 0.8, -1.0, 0.2, 0.6], [0.1, 0.5, -0.2, 0.4, -0.7, 0.9]])


def pose_at(t: Any) -> np.ndarray:
    """A motion that is no screw motion: exp(A sin t) exp(B t) exp(D t^2), at times (...)."""
    t = np.asarray(t)[..., None]
    return se3.exp(A * np.sin(t)) @ se3.exp(B * t) @ se3.exp(D * t * t)


def twist_at(t: Any, kind: TwistKind = "body") -> np.ndarray:
    E, t = pose_at(t), np.asarray(t)[..., None]
    back = se3.exp(-D * t * t)
    body = se3.Ad(back @ se3.exp(-B * t)) @ A * np.cos(t) + se3.Ad(back) @ B + D * 2 * t
    return convert_twist(body, E, "body", kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sampled", [False, True])
def test_order_four(kind, sampled):
    errors = []
    for n in (24, 48):
        t = np.linspace(0.2, 1.5, n + 1)
        twists = twist_at(t, kind) if sampled else lambda x: twist_at(x, kind)
        poses = rm.reconstruct(twists, pose_at(0.2), kind, t=t)
        assert poses.shape == (n + 1, 4, 4)
        R = poses[:, :3, :3]
        assert_allclose(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), atol=1e-14)
        errors.append(np.abs(poses - pose_at(t)).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.35)
    assert errors[1] < 1e-5


@pytest.mark.parametrize("kind", ["body", "spatial"])
def test_a_constant_twist_is_a_screw_motion_in_one_step(kind):
    t = [0.0, 2.5]
    assert_allclose(rm.reconstruct([A, A], kind=kind, t=t)[-1], se3.exp(2.5 * A), atol=1e-14)
    assert_allclose(rm.reconstruct([A, A], se3.exp(B), kind, t=t[::-1])[-1] @ se3.inverse(se3.exp(B)),
                    se3.exp(-2.5 * (A if kind == "spatial" else se3.Ad(se3.exp(B)) @ A)), atol=1e-13)  # fmt: skip


def test_times_apart_as_they_like_with_steps_between():
    t = np.array([0.0, 0.05, 0.2, 0.3, 0.45, 0.5, 0.7])
    poses = rm.reconstruct(twist_at, pose_at(0.0), t=t, steps=10)
    assert_allclose(poses, pose_at(t), atol=1e-7)
    fine = np.sort(np.random.default_rng(2).uniform(0, 0.7, 400))
    assert_allclose(rm.reconstruct(twist_at(fine), pose_at(fine[0]), t=fine), pose_at(fine), atol=2e-8)


def test_batches_and_traces():
    t, rng = np.linspace(0, 1, 6), np.random.default_rng(5)
    twists, starts = rng.normal(size=(6, 2, 3, 6)), se3.exp(rng.normal(size=(2, 3, 6)))
    poses = rm.reconstruct(twists, starts, "hybrid", t=t)
    for i in np.ndindex(2, 3):
        assert_allclose(poses[(slice(None), *i)], rm.reconstruct(twists[(slice(None), *i)], starts[i], "hybrid", t=t), atol=1e-15)
    x = twists[:, 0, 0].ravel()
    for kind in KINDS:
        last = by_trace(lambda x, kind=kind: rm.reconstruct(x.reshape(6, 6), None, kind, t=t)[-1], x)
        assert_allclose(last, rm.reconstruct(x.reshape(6, 6), None, kind, t=t)[-1], atol=1e-14)


def test_a_run_from_its_twists():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Free3D(), qdot=(0.3, 0, 1, 4, -3, 2), name="brick")
    run = rm.simulate(scene, duration=1, dt=0.01)
    for kind in KINDS:
        assert_allclose(rm.reconstruct(run.twist("brick", kind), run.pose("brick")[0], kind, run.t), run.pose("brick"), atol=2e-6)


@pytest.mark.parametrize(("argument", "change"), [
    ("kind", {"kind": "world"}), ("t", {"t": None}), ("t", {"t": [0.0, 0.0]}), ("t", {"t": "now"}), ("t", {"t": [0.0, np.nan]}),
    ("steps", {"steps": 0}), ("twists", {"twists": np.zeros((3, 6))}), ("twists", {"twists": np.zeros((2, 5))}),
    ("twists", {"twists": lambda t: np.zeros(5)}), ("twists", {"twists": lambda t: np.full(6, np.nan)}),
    ("start", {"start": np.eye(3)}), ("twists", {"twists": [None, None]}),
])  # fmt: skip
def test_what_cannot_be_followed_is_refused(argument, change):
    with pytest.raises(rm.SceneError, match=f"reconstruct: {argument} is") as caught:
        rm.reconstruct(**{"twists": np.zeros((2, 6)), "t": [0.0, 1.0], **change})
    assert caught.value.argument == argument


@pytest.mark.parametrize("kind", KINDS)
def test_many_steps_lead_where_few_at_a_time_do(kind):
    """Which are taken in blocks; of several motions at once, from starts of their own."""
    rng = np.random.default_rng(5)
    t = np.linspace(0.0, 3.0, 701)
    amount, rate = rng.normal(size=(2, 6)), rng.uniform(1, 4, (2, 6))
    C = start = np.array([rm.pose(rm.rotation_about((1, 2, k), 0.7), (0.1, k, -0.3)) for k in range(2)])
    many = rm.reconstruct(lambda x: amount * np.sin(rate * x), start, kind, t)
    for k in range(0, 700, 70):
        few = rm.reconstruct(lambda x: amount * np.sin(rate * x), C, kind, t[k : k + 71])
        assert_allclose(many[k : k + 71], few, rtol=0, atol=1e-12)
        C = few[-1]


@pytest.mark.parametrize(("steps", "kind"), [(30_000, "body"), pytest.param(1_000_000, "spatial", marks=pytest.mark.long)])
def test_poses_of_long_motions_are_rotations(steps, kind):
    """Of twists that stay, whose exponentials are rounded alike: products alone are off by 1e-12 after 30,000."""
    t = 1e-3 * np.arange(steps + 1)
    R = rm.reconstruct(np.broadcast_to((1.1, 2.0, -0.7, 0.1, 0.0, 0.2), (len(t), 6)), None, kind, t)[:, :3, :3]
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 2e-14
    assert_allclose(R[-1], rm.lie.so3.exp(np.array([1.1, 2.0, -0.7]) * t[-1]), rtol=0, atol=1e-9)
