"""What makes each joint the one its name says: the subgroups of rigid motions, screws that advance, shafts that turn alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.hyperdual import motion_of
from joints import definitions as d
from joints.samples import make
from joints.test_motion import traced
from redmax.lie import se3

# Mueller, Screw and Lie group theory, Table 1, with the dimension of each group.
GROUPS = {
    "Prismatic": 1, "Revolute": 1, "Helical": 1, "Planar": 2, "Cylindrical": 2, "Translational": 3, "Spherical": 3, "PlanarScrew": 3,
    "PlanarRotating": 3, "Free2D": 3, "Schoenflies": 4, "Free": 6, "Free3D": 6,
}  # fmt: skip


def distance_to(motion: d.Motion, target: np.ndarray, start: np.ndarray) -> float:
    """How far the joint's nearest pose (by Gauss and Newton, from `start`) is from a target."""
    q, error = start, np.full(6, np.inf)
    for _ in range(60):
        E, S, _ = motion_of(motion, q, np.zeros(len(q)))
        error = se3.log(np.linalg.inv(E) @ target)
        step = np.linalg.lstsq(S, error, rcond=None)[0]
        q = q + step * min(1.0, 0.5 / max(np.abs(step).max(initial=0.0), 1e-300))
        if np.abs(step).max(initial=0.0) < 1e-13:
            break
    return float(np.abs(error).max())


def moderate(kind: str, rng: np.random.Generator) -> tuple[Any, np.ndarray, np.ndarray]:
    """A joint and two of its configurations, whose products exponential coordinates reach from nearby."""
    sample = make(kind, rng)
    a, b = (0.4 * sample.coordinates(rng) for _ in range(2))
    return sample, a, b


@pytest.mark.parametrize("kind", GROUPS)
def test_subgroups_are_closed(kind):
    """The product of two motions of the joint, and the inverse of one, are motions of the joint."""
    rng = np.random.default_rng(1)
    for _ in range(2):
        sample, a, b = moderate(kind, rng)
        assert sample.joint.dof == GROUPS[kind]
        A, B = (np.asarray(sample.joint.transform(q), float) for q in (a, b))
        assert distance_to(sample.motion, A @ B, a + b) < 1e-12
        assert distance_to(sample.motion, np.linalg.inv(A), -a) < 1e-12


@pytest.mark.parametrize("kind", ["Universal", "ConstantVelocity", "torus"])
def test_other_joints_are_no_groups(kind):
    """So the test above can fail."""
    rng = np.random.default_rng(2)
    sample, a, b = moderate(kind, rng)
    A, B = (np.asarray(sample.joint.transform(q), float) for q in (a, b))
    assert distance_to(sample.motion, A @ B, a + b) > 1e-2


def test_constant_velocity_is_a_lie_triple_system():
    """A B is outside, but A B A and A^-1 are inside: the group of the triple bracket."""
    rng = np.random.default_rng(3)
    for _ in range(2):
        sample, a, b = moderate("ConstantVelocity", rng)
        a, b = 0.5 * a, 0.5 * b
        A, B = (np.asarray(sample.joint.transform(q), float) for q in (a, b))
        assert distance_to(sample.motion, A @ B @ A, 2 * a + b) < 1e-12
        assert distance_to(sample.motion, np.linalg.inv(A), -a) < 1e-12


def driven_angle(joint: rm.Joint, bend: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """The angle beta of the second shaft for angles of the first, both in bearings: Rz(-alpha) exp(bend) Rz(beta) = joint(q)."""
    B = d.exponential(bend).astype(float)
    x, found = np.array([bend[0], bend[1], 0.0]), []
    for alpha in angles:
        for _ in range(50):
            E, S, _ = traced(joint, x[:2], np.zeros(2))
            there = d.about((0, 0, 1), -alpha).astype(float) @ B @ d.about((0, 0, 1), x[2]).astype(float)
            error = se3.log(d.pose(E[:3, :3].T @ there, d.ZERO).astype(float))[:3]
            change = np.linalg.solve(np.column_stack([S[:3], [0.0, 0.0, -1.0]]), error)  # beta turns `there` about its own z
            x = x + change
            if np.abs(change).max() < 1e-14:
                break
        found.append(x[2])
    return np.array(found)


@pytest.mark.parametrize("angle", [0.1, 1.0])
def test_constant_velocity_turns_both_shafts_alike_and_universal_does_not(angle):
    turn = np.linspace(0.0, np.pi, 37)  # after half a turn it repeats itself
    bend = angle * np.array([0.6, 0.8, 0.0])
    alike = driven_angle(rm.ConstantVelocity("z"), bend, turn)
    assert_allclose(alike, turn, atol=1e-12)
    unlike = driven_angle(rm.Universal(), angle * np.array([1.0, 0.0, 0.0]), turn)
    assert_allclose(np.cos(turn) * np.sin(unlike), np.cos(angle) * np.sin(turn) * np.cos(unlike), atol=1e-12)  # tan b = cos tan a
    speeds = np.gradient(unlike, turn, edge_order=2)
    assert speeds.max() == pytest.approx(1 / np.cos(angle), rel=0.02)
    assert speeds.min() == pytest.approx(np.cos(angle), rel=0.02)


@pytest.mark.parametrize(
    ("joint", "q"),
    [(rm.Helical, [2 * np.pi]), (rm.PlanarScrew, [0.0, 0.0, 2 * np.pi])],
)
def test_a_turn_of_a_screw_advances_by_two_pi_pitches(joint, q):
    axis = np.array([0.48, -0.6, 0.64])
    E = joint(axis, 0.05).transform(np.array(q))
    assert_allclose(E, d.pose(np.eye(3), 0.1 * np.pi * axis).astype(float), atol=1e-15)


def test_a_nut_falls_down_its_thread():
    """m p (p qdd + g) = -I qdd: a steep thread lets it fall, a fine one hardly."""
    for pitch in (0.0, 0.02, 0.3, -1.0):
        scene = rm.Scene()
        scene.add_body(rm.MassProperties(2.0, (0.3, 0.3, 0.5)), joint=rm.Helical("z", pitch))
        qdd = rm.Dynamics(scene.model()).forward(np.array([0.4]), np.array([3.0]), np.zeros(1))
        assert_allclose(qdd, [-2.0 * 9.81 * pitch / (0.5 + 2.0 * pitch**2)], rtol=1e-14)


def test_what_the_coordinates_mean():
    """Values written out by hand."""
    quarter = np.pi / 2
    cases: list[tuple[rm.Joint, list[float], Callable[[], Any]]] = [
        (rm.Cylindrical("x"), [quarter, 0.5], lambda: d.pose([[1, 0, 0], [0, 0, -1], [0, 1, 0]], [0.5, 0, 0])),
        (rm.Planar("x", (0, 3, 4)), [2.0, 5.0], lambda: d.pose(np.eye(3), [2, 3, 4])),
        (rm.Free2D(), [1.0, 2.0, quarter], lambda: d.pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 0])),
        (rm.PlanarRotating("y"), [1.0, 2.0, quarter], lambda: d.pose([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [2, 0, 1])),
        (rm.PlanarScrew("-z", 1.0), [1.0, 2.0, quarter], lambda: d.pose([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], [1, -2, -quarter])),
        (rm.Schoenflies("x"), [1.0, 2.0, 3.0, quarter], lambda: d.pose([[1, 0, 0], [0, 0, -1], [0, 1, 0]], [1, 2, 3])),
        (rm.ConstantVelocity("x"), [0.0, quarter], lambda: d.pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [0, 0, 0])),
    ]
    for joint, q, expected in cases:
        assert_allclose(joint.transform(np.array(q)), expected().astype(float), atol=1e-15, err_msg=repr(joint))


def test_planar_joints_in_any_plane_share_a_kernel():
    scene = rm.Scene()
    for first, second in (((1, 2, 3), (3, 0.4, 1)), ((0.5, 1, 1), (1, 0.2, 5)), ((2, -1, 0.3), (1, 1, 1))):
        scene.add_body(rm.MassProperties(2.0, (0.3, 0.4, 0.5)), joint=rm.Planar(first, second), at=(0.1, 0.2, 0.3), com=(0.3, 0.2, 0.1))
    assert len({s.key for s in scene.model().kernels_of[0]}) <= 2  # one of the roots is the first that a backward sweep meets
