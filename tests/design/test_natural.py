"""Distances between poses, and knots that have them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline

import redmax as rm
from redmax.lie import se3


def frames_apart(d, rng):
    """Along a curve that bends slowly, each d[i] from the one before."""
    C, z = [se3.exp(rng.normal(size=6))], rng.normal(size=6)
    for length in d:
        z = z + 0.1 * rng.normal(size=6)
        C.append(C[-1] @ se3.exp(z * (length / np.linalg.norm(z))))
    return np.array(C)


def test_distances_are_those_of_a_screw_and_do_not_depend_on_the_frame():
    rng = np.random.default_rng(1)
    V = rng.normal(size=(7, 6)) * 0.5
    A, F = se3.exp(rng.normal(size=(7, 6))), se3.exp(rng.normal(size=6))
    B = A @ se3.exp(V)
    assert_allclose(rm.pose_distances(A, B), np.linalg.norm(V, axis=1), rtol=1e-12)
    assert_allclose(rm.pose_distances(F @ A, F @ B), rm.pose_distances(A, B), rtol=1e-12)
    assert_allclose(rm.pose_distances(B, A), rm.pose_distances(A, B), rtol=1e-12)
    assert_allclose(rm.pose_distances(A, B, 0.2), np.hypot(0.2 * np.linalg.norm(V[:, :3], axis=1), np.linalg.norm(V[:, 3:], axis=1)))
    w = np.arange(1.0, 7.0)
    assert_allclose(rm.pose_distances(A, B, w), np.sqrt(V**2 @ w), rtol=1e-12)


def test_with_a_body_the_distance_is_that_of_its_kinetic_energy():
    """Moved by V in one second: T = d^2 / 2, as the library has it for a free body."""
    body, V = rm.Cuboid((0.3, 0.2, 0.1), mass=2.0), np.array([0.3, -0.2, 0.5, 0.1, 0.2, -0.4])
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(body, joint=rm.Free(), qdot=V)
    energy = rm.simulate(scene, 0.01, dt=0.01, integrator="rk4").energy.kinetic[0]
    assert_allclose(rm.pose_distances(np.eye(4), se3.exp(V), body) ** 2 / 2, energy, rtol=1e-12)


@pytest.mark.parametrize("order", [4, 5, 6])
def test_greville_abscissae_are_the_distances(order):
    rng = np.random.default_rng(order)
    d = 0.2 + 0.08 * np.sin(np.linspace(0, 5, 11))
    frames = frames_apart(d, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t = rm.natural_knots(frames, order=order)
    assert (np.diff(t) > 0).all()
    abscissae = [t[i + 1 : i + order].mean() for i in range(len(frames))]
    assert_allclose(abscissae, np.concatenate([[0], np.cumsum(d)]), rtol=0, atol=1e-13)
    linear = BSpline(t, np.array(abscissae), order - 1)  # a spline through its own Greville abscissae is the identity
    q = np.linspace(t[order - 1], t[len(frames)], 20)
    assert_allclose(linear(q), q, rtol=0, atol=1e-13)


def test_at_equal_distances_they_are_uniform():
    straight = np.array([rm.pose(np.eye(3), (0.5 * i, 0, 0)) for i in range(8)])
    assert_allclose(np.diff(rm.natural_knots(straight)), 0.5, rtol=1e-9)
    joint = rm.SplineCurve(straight, knots=rm.natural_knots(straight))
    assert_allclose(np.asarray(joint.jacobian([1.7]), float)[3], 1.0, rtol=1e-9)  # along a line it goes at unit speed


def test_a_cyclic_curve_has_a_period_as_long_as_the_way_around():
    angles = 2 * np.pi * np.arange(8) / 8
    ring = np.array([rm.pose(rm.rotation_about("z", a), (np.cos(a), np.sin(a), 0.1 * np.sin(2 * a))) for a in angles])
    d = rm.pose_distances(ring, np.roll(ring, -1, axis=0), 1e-6)
    t = rm.natural_knots(ring, cyclic=True, metric=1e-6)
    assert_allclose(t[-1] - t[0], d.sum(), rtol=1e-12)
    around = np.concatenate([t[:-1] - d.sum(), t[:-1], t[:-1] + d.sum()])
    abscissae = np.array([around[8 + i - 2 : 8 + i + 1].mean() for i in range(8)])
    assert_allclose(abscissae, np.concatenate([[0], np.cumsum(d)[:-1]]), rtol=0, atol=1e-12)
    assert rm.SplineCurve(ring, knots=t, cyclic=True).range == (t[0], t[-1])


def test_distances_that_no_knots_have_are_said_and_come_near():
    frames = np.array([rm.pose(np.eye(3), (x, 0, 0)) for x in (0, 0.1, 2.0, 2.1, 2.2, 2.3)])
    with pytest.warns(rm.RedmaxWarning, match=r"between frames 1 and 2 lies a distance of 1\.9, where knots leave .*Put another frame"):
        t = rm.natural_knots(frames)
    assert (np.diff(t) > 0).all()
    rm.SplineCurve(frames, knots=t)


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: rm.natural_knots(np.tile(np.eye(4), (5, 1, 1))), "frames 0 and 1 are the same. Leave one of them out"),
    (lambda: rm.natural_knots(np.tile(np.eye(4), (3, 1, 1))), "expected 4 frames or more"),
    (lambda: rm.pose_distances(np.eye(4), np.eye(4), -1.0), "metric is -1.0, expected a length"),
    (lambda: rm.pose_distances(np.eye(4), np.eye(4), [1, 1, 1, 1, 1, 0]), "metric is .*six weights above zero"),
    (lambda: rm.pose_distances(np.eye(4), np.eye(4), np.triu(np.ones((6, 6)))), "symmetric positive definite"),
    (lambda: rm.pose_distances(np.eye(3), np.eye(4)), "a is .*expected poses"),
])  # fmt: skip
def test_bad_input_is_said(call, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        call()
