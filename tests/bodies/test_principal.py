"""Principal axes: right-handed, exact, and left alone where they are principal already."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bodies.strategies import close, rotations
from random_examples import examples
from redmax.bodies.principal import principal_axes

moments = st.floats(0, 100)


@examples(12, 100)
@given(a=moments, b=moments, c=moments, R=rotations())
def test_decomposition_gives_back_the_matrix_and_is_right_handed(a, b, c, R):
    # I = diag of second moments' sums: any such triple satisfies the triangle inequality.
    truth = np.array([b + c, c + a, a + b]) + 1e-6
    inertia = R @ np.diag(truth) @ R.T
    axes, found = principal_axes((inertia + inertia.T) / 2)
    assert close(axes @ np.diag(found) @ axes.T, inertia)
    assert close(axes.T @ axes, np.eye(3), 1e-14)
    assert abs(np.linalg.det(axes) - 1) < 1e-14
    assert close(np.sort(found), np.sort(truth))


@examples(12, 100)
@given(a=moments, b=moments, c=moments)
def test_axes_that_are_principal_already_stay(a, b, c):
    axes, found = principal_axes(np.diag([a, b, c]))
    assert np.array_equal(axes, np.eye(3))
    assert np.array_equal(found, [a, b, c])


def test_rounding_does_not_turn_the_axes_of_equal_moments():
    noise = 1e-16 * np.array([[0, 3, -2], [3, 0, 1], [-2, 1, 0]])
    axes, _ = principal_axes(np.eye(3) + noise)
    assert np.array_equal(axes, np.eye(3))


@examples(12, 100)
@given(angle=st.floats(-0.7, 0.7))
def test_a_small_tilt_is_found_as_that_tilt(angle):
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    axes, found = principal_axes(R @ np.diag([1.0, 2.0, 2.5]) @ R.T)
    assert np.abs(axes - R).max() < 1e-12
    assert close(found, [1.0, 2.0, 2.5])
