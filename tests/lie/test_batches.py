"""A batch of any leading axes gives what a loop over its members gives."""

from __future__ import annotations

import numpy as np
import pytest

from redmax.lie import se3, so3

RNG = np.random.default_rng(3)
TWISTS = RNG.normal(size=(2, 5, 6))
TWISTS[0, 0], TWISTS[0, 1, :3], TWISTS[1, 1, :3] = 0.0, 1e-9, [0.0, 0.0, np.pi]
POSES = se3.exp(TWISTS)


@pytest.mark.parametrize("name", ["exp", "ad", "bracket", "dexp_left", "dexp_right", "dexp_left_inverse", "dexp_right_inverse"])
def test_functions_of_twists(name):
    for module, vectors in ((se3, TWISTS), (so3, TWISTS[..., :3])):
        if hasattr(module, name):
            check(getattr(module, name), vectors, 1)


@pytest.mark.parametrize("name", ["Ad", "inverse", "log", "rotation", "translation", "unbracket", "to_quaternion"])
def test_functions_of_poses(name):
    for module, matrices in ((se3, POSES), (so3, POSES[..., :3, :3])):
        if hasattr(module, name):
            check(getattr(module, name), matrices, 2)


def check(f, members, axes):
    whole = f(members)
    assert whole.dtype == float
    for index in np.ndindex(members.shape[:-axes]):
        np.testing.assert_allclose(whole[index], f(members[index]), rtol=0, atol=1e-15)


def test_axes_are_broadcast():
    x = RNG.normal(size=(5, 3))
    moved, jacobian = se3.transform_point(POSES, x), se3.point_jacobian(POSES, x)
    assert moved.shape == (2, 5, 3)
    assert jacobian.shape == (2, 5, 3, 6)
    np.testing.assert_allclose(moved[1, 2], se3.transform_point(POSES[1, 2], x[2]), rtol=0, atol=1e-15)
    np.testing.assert_allclose(jacobian[1, 2], se3.point_jacobian(POSES[1, 2], x[2]), rtol=0, atol=1e-15)
    angles = RNG.normal(size=(4, 2))
    np.testing.assert_allclose(so3.rotation_about((1, 2, 3), angles)[3, 1], so3.rotation_about((1, 2, 3), angles[3, 1]), rtol=0, atol=1e-15)
    assert se3.pose(np.eye(3), x).shape == (5, 4, 4)
    assert so3.from_quaternion(RNG.normal(size=(2, 5, 4))).shape == (2, 5, 3, 3)
