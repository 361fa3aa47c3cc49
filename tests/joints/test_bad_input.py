"""Joints that cannot be: every message says whose, what was given, and what to write."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import redmax as rm

BOX = rm.Cuboid((0.3, 0.2, 0.1))


def simulate_once(joint: rm.Joint) -> np.ndarray:
    scene = rm.Scene()
    scene.add_body(BOX, joint=joint, name="bob")
    n = joint.dof
    return rm.Dynamics(scene.model(), backend="interpret").forward(np.full(n, 0.1), np.zeros(n), np.zeros(n))


WITH_AXIS = [rm.Revolute, rm.Prismatic, rm.Cylindrical, rm.PlanarRotating, rm.Schoenflies, rm.ConstantVelocity]
BAD_AXES = ["w", "xy", "", "--x", (0, 0, 0), (1, 2), (np.nan, 0, 1), (np.inf, 0, 0), np.eye(3), ("a", 0, 1), (1j, 0, 0), None, 3]


@pytest.mark.parametrize("joint", [*WITH_AXIS, rm.Planar])
@pytest.mark.parametrize("axis", BAD_AXES)
def test_bad_axis(joint, axis):
    with pytest.raises(rm.SceneError, match=f"{joint.__name__}: axis is .*, expected 'x', 'y', 'z'"):
        joint(axis)


@pytest.mark.parametrize("joint", [rm.Helical, rm.PlanarScrew])
@pytest.mark.parametrize("axis", BAD_AXES)
def test_bad_axis_of_a_screw(joint, axis):
    with pytest.raises(rm.SceneError, match=f"{joint.__name__}: axis is .*, expected 'x', 'y', 'z'"):
        joint(axis, 0.1)


@pytest.mark.parametrize("joint", [rm.Helical, rm.PlanarScrew])
@pytest.mark.parametrize("pitch", [np.nan, np.inf, "fine", None, (0.1, 0.2), 1j, True])
def test_bad_pitch(joint, pitch):
    with pytest.raises(rm.SceneError, match=f"{joint.__name__}: pitch.*m per rad"):
        joint("z", pitch)


@pytest.mark.parametrize("second", ["x", "-x", (3, 0, 0), (1, 1e-7, 0), (-2, 0, 1e-9)])
def test_two_directions_that_are_one(second):
    with pytest.raises(rm.SceneError, match=r"Planar.*parallel.*Prismatic"):
        rm.Planar("x", second)
    with pytest.raises(rm.SceneError, match="Planar: axis is"):
        rm.Planar("x", (0, 0, 0))


def test_a_class_instead_of_a_joint():
    with pytest.raises(rm.SceneError, match="parentheses"):
        rm.Scene().add_body(BOX, joint=rm.Revolute)
    with pytest.raises(rm.SceneError, match=r"bob.*joint such as"):
        rm.Scene().add_body(BOX, joint="hinge", name="bob")


@pytest.mark.parametrize("dof", [-1, 7, 1.0, "one", None, True])
def test_bad_number_of_coordinates(dof):
    with pytest.raises(rm.SceneError, match="0 to 6"):
        rm.joint(lambda q: np.eye(4), dof)


def test_a_number_of_coordinates_may_come_from_numpy():
    assert rm.joint(lambda q: rm.pose(np.eye(3), [q[0], 0, 0]), np.int64(1)).dof == 1


def test_the_length_of_an_axis_does_not_matter():
    for length in (1e-250, 1e250):
        np.testing.assert_allclose(rm.Revolute((3 * length, 0, 4 * length)).axis, [0.6, 0, 0.8])


def test_something_that_is_not_a_function():
    with pytest.raises(rm.SceneError, match="takes a function"):
        rm.joint(np.eye(4), 1)


@pytest.mark.parametrize("result", [np.eye(3), np.zeros(3), None, np.eye(4)[:3]])
def test_a_transform_that_is_no_pose(result):
    with pytest.raises(rm.SceneError, match="4x4"):
        simulate_once(rm.joint(lambda q: result, 1))


def test_a_joint_without_a_transform():
    class Nothing(rm.Joint):
        dof = 1

    with pytest.raises(NotImplementedError, match=r"Nothing.*transform"):
        simulate_once(Nothing())


def branching(q):
    if q[0] > 0:
        return np.eye(4)
    return rm.pose(np.eye(3), np.array([q[0], 0, 0]))


def test_an_if_on_a_coordinate_names_the_users_line():
    line = inspect.getsourcelines(branching)[1] + 1
    with pytest.raises(rm.TraceError) as error:
        simulate_once(rm.joint(branching, 1))
    message = str(error.value)
    assert f"{__file__}:{line}" in message
    assert "if q[0] > 0" in message
    assert "redmax.math.where" in message


def test_an_if_on_a_coordinate_in_a_class_names_the_users_line():
    class Branching(rm.Joint):
        dof = 1

        def transform(self, q):
            return branching(q)

    with pytest.raises(rm.TraceError, match=f"{__file__}:{inspect.getsourcelines(branching)[1] + 1}"):
        simulate_once(Branching())


def test_the_math_module_names_the_users_line():
    import math

    def transform(q):
        return rm.pose(np.eye(3), [math.sin(q[0]), 0, 0])

    with pytest.raises(rm.TraceError, match=f"{__file__}:{inspect.getsourcelines(transform)[1] + 1}.*redmax.math"):
        simulate_once(rm.joint(transform, 1))
