"""S and Sdot of every joint, traced, against differentiation of its motion: exactly by definition, and by differences of its transform."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.differences import rate
from dynamics.hyperdual import motion_of, unbracket
from joints.samples import AXES, KINDS, UNIT, Sample, make
from redmax.joints.base import Joint
from redmax.joints.motion import differentiated_jacobian, traced_motion
from redmax.trace import Graph, evaluate_numeric

# where the rotation vector is
ROTATIONS = {"ConstantVelocity": slice(0, 2), "Spherical": slice(0, 3), "Free": slice(0, 3), "Free3D": slice(3, 6)}
AXIS = np.array([0.48, -0.6, 0.64])
WITHOUT_CHOICES = ("Fixed", "Translational", "Universal", "Free2D", "Spherical", "Free", "Free3D")  # each is one joint
WITH_AXIS: dict[str, Callable[[Any], Joint]] = {
    "Revolute": rm.Revolute, "Prismatic": rm.Prismatic, "Helical": lambda axis: rm.Helical(axis, 0.3), "Cylindrical": rm.Cylindrical,
    "PlanarRotating": rm.PlanarRotating, "PlanarScrew": lambda axis: rm.PlanarScrew(axis, -0.2), "Schoenflies": rm.Schoenflies,
    "ConstantVelocity": rm.ConstantVelocity,
}  # fmt: skip


def rotation(kind: str, direction: Any, angle: float) -> np.ndarray:
    """The rotation vector of a kind, by an angle along as many entries of a direction as it has."""
    along = np.array(direction[: len(range(6)[ROTATIONS[kind]])])
    return angle * along / np.linalg.norm(along)


@lru_cache(maxsize=8)
def trace(joint: Joint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    graph = Graph()
    symbols = [np.array([*graph.inputs(name, joint.dof), None], object)[:-1] for name in ("q", "qdot")]
    m = traced_motion(joint, *symbols)
    return m.E, m.S, m.bias(symbols[1])


def traced(joint: Joint, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pose, S and Sdot qdot from the library's trace, evaluated."""
    return tuple(number(part, {"q": q, "qdot": qdot}) for part in trace(joint))  # type: ignore[return-value]


def number(part, values) -> np.ndarray:
    part = np.asarray(part, object)
    flat = evaluate_numeric(list(part.ravel()), lambda base, i: values[base][i])
    return np.array([float(x) for x in flat]).reshape(part.shape)


def check(sample: Sample, q: np.ndarray, qdot: np.ndarray, tolerance: float = 2e-14, what: str = "") -> None:
    E, S, bias = traced(sample.joint, q, qdot)
    E0, S0, Sdot0 = motion_of(sample.motion, q, qdot)
    scale = max(1.0, np.abs(qdot).max(initial=0.0)) ** 2
    assert_allclose(E, E0, rtol=0, atol=tolerance, err_msg=what)
    assert_allclose(S, S0, rtol=0, atol=tolerance, err_msg=what)
    assert_allclose(bias, Sdot0 @ qdot, rtol=0, atol=10 * tolerance * scale, err_msg=what)


@pytest.mark.parametrize("count", [2, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_motion_jacobian_and_rate_are_those_of_the_definition(kind, count):
    rng = np.random.default_rng(1)
    for aligned in [False] * count + [True] * (count if kind not in WITHOUT_CHOICES else 0):
        sample = make(kind, rng, aligned)
        check(sample, sample.coordinates(rng), rng.normal(size=sample.joint.dof))
        core, C = sample.joint.canonical()
        moved = Sample(kind, core, lambda q, C=C, sample=sample: C.T @ sample.motion(q) @ C, sample.coordinates)
        check(moved, sample.coordinates(rng), rng.normal(size=sample.joint.dof))


@pytest.mark.parametrize("kind", KINDS)
def test_motion_at_zero(kind):
    """Where exponential coordinates divide by the angle, if written carelessly."""
    rng = np.random.default_rng(2)
    sample = make(kind, rng)
    check(sample, np.zeros(sample.joint.dof), rng.normal(size=sample.joint.dof))


@pytest.mark.parametrize("kind", ROTATIONS)
def test_exponential_coordinates_from_nothing_to_near_the_singularity(kind):
    rng = np.random.default_rng(3)
    sample = make(kind, rng)
    for angle in (1e-300, 1e-160, 1e-12, 1e-8, 1e-4, 0.1, 0.5, *np.pi * np.array([1 - 1e-9, 1, 1.5 - 1e-9, 1.5, 1.9])):
        q = rng.normal(size=sample.joint.dof)
        q[ROTATIONS[kind]] = rotation(kind, AXIS, angle)
        check(sample, q, rng.normal(size=sample.joint.dof), what=f"angle {angle}")


@pytest.mark.parametrize("kind", KINDS)
def test_jacobian_and_rate_by_differences_of_the_joints_own_transform(kind):
    rng = np.random.default_rng(4)
    sample = make(kind, rng)
    joint = sample.joint
    q, qdot = sample.coordinates(rng), rng.normal(size=joint.dof)
    E, S, bias = traced(joint, q, qdot)
    assert_allclose(np.asarray(joint.transform(q), float), E, atol=1e-15)
    Edot = rate(lambda h: np.asarray(joint.transform(q + h * qdot), float), 1e-2 if joint.dof else 1.0)
    assert_allclose(unbracket(np.linalg.inv(E) @ Edot), S @ qdot, atol=1e-10)
    assert_allclose(rate(lambda h: traced(joint, q + h * qdot, qdot)[1] @ qdot, 1e-2), bias, atol=1e-9)


def test_closed_form_jacobians_are_what_differentiation_finds():
    rng = np.random.default_rng(6)
    found = []
    for kind in KINDS:
        joint = make(kind, rng).joint.canonical()[0]  # what is compiled
        graph = Graph()
        q = np.array([*graph.inputs("q", joint.dof), None], object)[:-1]
        closed = joint.jacobian(q)
        if closed is None:
            continue
        found.append(kind)
        differentiated = differentiated_jacobian(np.asarray(joint.transform(q), object), list(q))
        for x in (np.zeros(joint.dof), *rng.normal(size=(4, joint.dof)), 1e-7 * rng.normal(size=joint.dof)):
            assert_allclose(number(closed, {"q": x}), number(differentiated, {"q": x}), atol=1e-14)
            assert_allclose(np.asarray(joint.jacobian(x), float), number(closed, {"q": x}), atol=1e-15)
    assert set(found) >= {"ConstantVelocity", "Spherical", "Free", "Free3D"}


@pytest.mark.parametrize("kind", WITH_AXIS)
def test_any_axis_and_its_canonical_frame(kind):
    """transform(q) = C core.transform(q) C^-1 with C a rotation."""
    for axis in ((1, 0, 0), (0, -1, 0), (0, 0, -1), (1, 1e-9, 0), (1, 1, 1), (-3, 0.2, 1e3), (0, 1e-20, 1)):
        joint = WITH_AXIS[kind](axis)
        core, C = joint.canonical()
        assert_allclose(C[:3, :3].T @ C[:3, :3], np.eye(3), atol=1e-15, err_msg=str(axis))
        assert np.linalg.det(C[:3, :3]) > 0, axis
        for value in (0.7, -2.9):
            q = np.linspace(value, 0.4, joint.dof)
            found = C @ np.asarray(core.transform(q), float) @ C.T
            assert_allclose(found, np.asarray(joint.transform(q), float), atol=4e-15, err_msg=str(axis))


def test_motions_that_do_not_show_x_and_y_have_a_frame_with_a_zero():
    """Zeros of the frame are operations that the kernels save."""
    for kind, axis in product((rm.Revolute, rm.Prismatic), ((1, 2, 3), (-3, 0.2, 1e3), (0.3, -0.8, -0.5), (2, 0, 1))):
        assert np.count_nonzero(kind(axis).canonical()[1][:3, :3]) == (8 if all(axis) else 5), (kind, axis)


def test_directions_across_an_axis_follow_its_tilt():
    """Perpendicular and right-handed; y, z for x and so on; and a small tilt of the axis tilts them as little."""
    for axis, tilt in product(AXES, (0.0, 1e-17, 1e-12, 1e-6, 0.5)):
        case = f"{axis} tilted by {tilt}"
        k = "xyz".index(axis[-1])
        straight = np.array(UNIT[axis], float)
        tilted = straight + tilt * np.array([0.48, -0.6, 0.64])
        joint = rm.PlanarRotating(tilted)
        u, v = joint.directions
        assert_allclose(np.array([u, v, joint.axis]) @ np.array([u, v, joint.axis]).T, np.eye(3), atol=1e-15, err_msg=case)
        assert_allclose(np.cross(u, v), tilted / np.linalg.norm(tilted), atol=1e-15, err_msg=case)
        assert_allclose(u, np.eye(3)[(k + 1) % 3], atol=1.5 * tilt, err_msg=case)
        assert_allclose(v, np.cross(straight, np.eye(3)[(k + 1) % 3]), atol=1.5 * tilt, err_msg=case)
