"""Motions from samples: rates and accelerations are derivatives, rotations are smoothed on their group, bad samples are named."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from redmax.design.smoothed_motion import joint_steps, steps_between
from redmax.lie import quaternions, so3

T = np.linspace(0, 2, 201)
JOINTS = [
    rm.Revolute("y"), rm.Universal(), rm.Spherical(), rm.Spherical("quaternion"), rm.Spherical("matrix"), rm.SphericalEuler("zyx"),
    rm.Free(), rm.Free3D(), rm.Free("quaternion"), rm.Free("dual-quaternion"), rm.Free("pose"),
]  # fmt: skip


def ball(joint: rm.Joint) -> rm.Model:
    scene = rm.Scene()
    scene.add_body(rm.Ellipsoid((0.1, 0.2, 0.3)), joint=joint, com=(0, 0, 0.1), name="ball")
    return scene.model()


def turns(t: np.ndarray) -> np.ndarray:
    return np.asarray(quaternions.exp(np.stack([0.9 * np.sin(2 * t), 0.5 * t, 0.4 * np.cos(t)], axis=1)), float)


def samples(joint: rm.Joint, t: np.ndarray) -> np.ndarray:
    if joint.dof < 3:
        return np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1)[:, : joint.dof]
    travel = (np.stack([t, t**2, np.sin(t)], axis=1),) if joint.dof == 6 else ()
    return joint.coordinates(turns(t), *travel)


@pytest.mark.parametrize("joint", JOINTS, ids=str)
def test_rates_and_accelerations_are_derivatives(joint):
    """Along the group by central differences, which err by h^2; and the samples are met."""
    model = ball(joint)
    motion = rm.smoothed_motion(model, T, samples(joint, T), cutoff=np.inf)
    assert np.abs(motion.residuals).max() < 1e-12
    t, h = np.linspace(0.3, 1.7, 15), 1e-4
    now, later, before = (motion.at(t + d) for d in (0.0, h, -h))
    change = steps_between(model, now.q, later.q) - steps_between(model, now.q, before.q)
    if joint.has_own("located"):  # steps are twists, whatever qdot is
        twist = joint.twist(now.q, now.qdot)
        assert_allclose(change / (2 * h), twist[:, : joint.dof], atol=1e-6)
    if joint.nq == joint.dof:
        assert_allclose((later.q - before.q) / (2 * h), now.qdot, atol=1e-6)
    assert_allclose((later.qdot - before.qdot) / (2 * h), now.qddot, atol=1e-5)


def test_coordinates_of_a_rotation_do_not_matter_to_it():
    noise = np.random.default_rng(0).normal(scale=0.05, size=(len(T), 3))
    noisy = quaternions.product(turns(T), quaternions.exp(noise))
    found = []
    for joint in (rm.Spherical(), rm.Spherical("quaternion"), rm.SphericalEuler("xzy")):
        motion = rm.smoothed_motion(ball(joint), T, joint.coordinates(noisy), cutoff=3.0)
        rate = joint.twist_rate(motion.q, motion.qdot, motion.qddot)
        found.append(np.hstack([joint.pose(motion.q)[:, :3, :3].reshape(-1, 9), rate]))
    for other in found[1:]:
        assert_allclose(other[:, :9], found[0][:, :9], atol=1e-7)
        assert_allclose(other[:, 9:], found[0][:, 9:], atol=1e-4)  # of some ten rad/s^2


def test_turning_the_frames_turns_the_smoothed_motion():
    joint = rm.Spherical("quaternion")
    noise = np.random.default_rng(1).normal(scale=0.1, size=(len(T), 3))
    noisy = quaternions.product(turns(T), quaternions.exp(noise))
    a, b = (np.asarray(quaternions.exp(np.array(w)), float) for w in ((0.3, -2.0, 1.0), (1.5, 0.2, -0.4)))
    plain = rm.smoothed_motion(ball(joint), T, noisy, cutoff=4.0)
    other = rm.smoothed_motion(ball(joint), T, quaternions.product(quaternions.product(a, noisy), b), cutoff=4.0)
    both = quaternions.product(quaternions.product(a, plain.q), b)
    sign = np.sign((both * other.q).sum(axis=1, keepdims=True))
    assert_allclose(sign * both, other.q, atol=1e-10)
    R = np.asarray(so3.from_quaternion(b), float)
    assert_allclose(plain.qdot @ R, other.qdot, atol=1e-8)


def test_a_ball_that_turns_on_and_on_has_no_jumps_that_are_none_of_its_coordinates():
    joint, t = rm.Spherical(), np.linspace(0, 4, 401)
    rotation = np.asarray(quaternions.exp(np.outer(t, (0.2, 4.0, 1.0))), float)
    motion = rm.smoothed_motion(ball(joint), t, joint.coordinates(rotation), cutoff=np.inf)
    assert np.linalg.norm(motion.q, axis=1).max() < 1.5 * np.pi + 0.1
    omega = joint.twist(motion.q, motion.qdot)[:, :3]
    assert_allclose(omega[10:-10], np.broadcast_to((0.2, 4.0, 1.0), omega[10:-10].shape), atol=1e-5)


def test_smoothing_brings_samples_nearer_to_what_they_are_of():
    rng, joint = np.random.default_rng(3), rm.Revolute("y")
    truth = np.sin(2 * np.pi * T)[:, None]
    motion = rm.smoothed_motion(ball(joint), T, truth + 0.02 * rng.normal(size=truth.shape))
    assert np.sqrt(((motion.q - truth) ** 2).mean()) < 0.3 * 0.02
    assert 1.5 < motion.cutoff["ball"] < 8
    middle = slice(20, -20)
    assert_allclose(motion.qddot[middle], -((2 * np.pi) ** 2) * truth[middle], atol=0.1 * (2 * np.pi) ** 2)


def test_missing_samples_are_filled_by_the_spline():
    joint, model = rm.Revolute("y"), ball(rm.Revolute("y"))
    q = samples(joint, T)
    holes = q.copy()
    holes[[0, 50, 51, 52]] = np.nan
    motion = rm.smoothed_motion(model, T, holes, cutoff=np.inf)
    assert_allclose(motion.q, q[1:], atol=1e-8)
    assert motion.t[0] == T[1]
    assert np.isnan(motion.residuals[[0, 50]]).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t, q: (t[::-1], q), "t goes from 2 to 1.99 s after sample 0"),
        (lambda t, q: (t, q[:5]), r"q has shape \(5, 1\), expected \(201, 1\): a row for each of the 201 times"),
        (lambda t, q: (t, np.where(t[:, None] > 0.025, np.nan, q)), "Joint 'ball' has 3 samples that are numbers"),
        (lambda t, q: (t, q + np.inf), "q is infinite at sample 0, coordinate 0"),
        (lambda t, q: (t, q * np.nan), "no numbers for any joint"),
        (lambda t, q: (t, q, -1.0), "cutoff is -1.0, expected a frequency above 0"),
        (lambda t, q: (t, q, {"bll": 2.0}), "bll.*Did you mean 'ball'"),
    ],
)
def test_bad_samples_are_named(change, said):
    joint = rm.Revolute("y")
    with pytest.raises(rm.SceneError, match=said):
        rm.smoothed_motion(ball(joint), *change(T, samples(joint, T)))


def test_a_spline_says_nothing_beyond_its_samples():
    joint = rm.Revolute("y")
    motion = rm.smoothed_motion(ball(joint), T, samples(joint, T))
    with pytest.raises(rm.SceneError, match="t goes from 1 to 3 s, but the samples from 0 to 2 s"):
        motion.at(np.array([1.0, 3.0]))


def test_steps_between_poses_lead_from_one_to_the_other():
    joint = rm.Free("quaternion")
    q = samples(joint, T[:5])
    step = joint_steps(joint, q[:-1], q[1:])
    there = joint.pose(q[:-1]).copy()
    there[:, :3, 3] += (there[:, :3, :3] @ step[:, 3:, None])[..., 0]
    there[:, :3, :3] = there[:, :3, :3] @ np.array([so3.exp(w) for w in step[:, :3]], float)
    assert_allclose(there, joint.pose(q[1:]), atol=1e-12)
