"""exp against 50-digit matrix exponentials, and log back: from no rotation at all to half a turn."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.linalg import expm

from random_examples import examples
from redmax.lie import se3, so3

SMALL = [0.0, 1e-300, 1e-160, 1e-16, 1e-12, 1e-8, 1e-6, 1e-4, 1e-2]
MIDDLE = [0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
NEAR_PI = [np.pi - d for d in (1e-1, 1e-4, 1e-6, 1e-8, 1e-12)]
AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, -1], [3, -4, 0], [1, 1, 1], [-0.48, 0.6, 0.64], [1, 1e-9, -1e-5]], float)
UNIT = AXES / np.linalg.norm(AXES, axis=1)[:, None]


def exact_exp(W: np.ndarray) -> np.ndarray:
    with mp.workdps(50):
        return np.array(mp.expm(mp.matrix(W.tolist()), method="taylor").tolist(), dtype=float)


def test_exp_is_the_matrix_exponential():
    """Every angle about one general axis, every axis by one angle; the rotation is a block of the pose."""
    for angle, n in [*[(x, UNIT[5]) for x in (*SMALL, *MIDDLE, *NEAR_PI, np.pi, 5.0)], *[(2.5, n) for n in UNIT]]:
        V, case = np.append(angle * n, [0.3, -2.0, 0.7]), f"{angle} about {n}"
        exact = exact_exp(se3.bracket(V))
        assert_allclose(so3.exp(angle * n), exact[:3, :3], rtol=0, atol=2e-15, err_msg=case)
        assert_allclose(se3.exp(V), exact, rtol=0, atol=4e-15, err_msg=case)


@examples(12, 100)
@given(arrays(float, 6, elements=st.floats(-6.0, 6.0)))
def test_exp_agrees_with_scipy(V):
    assert_allclose(se3.exp(V), expm(se3.bracket(V)), atol=2e-13)


@pytest.mark.parametrize("angle", [*SMALL, *MIDDLE, *NEAR_PI])
def test_log_undoes_exp(angle):
    for n in UNIT:
        w = angle * n
        assert_allclose(so3.log(so3.exp(w)), w, rtol=0, atol=1e-14 * min(1.0, angle))
        V = np.append(w, [0.3, -2.0, 0.7])
        assert_allclose(se3.log(se3.exp(V)), V, rtol=0, atol=1e-14)


@pytest.mark.parametrize("turn", [0.0, 1e-16, -1e-16])
def test_log_of_half_a_turn_is_pi_about_either_end_of_the_axis(turn):
    for n in UNIT:
        R = so3.exp((np.pi + turn) * n)
        w = so3.log(R)
        assert min(np.abs(w - np.pi * n).max(), np.abs(w + np.pi * n).max()) < 1e-14
        assert_allclose(so3.exp(w), R, atol=1e-14)


def test_log_of_exact_half_turns():
    for n in np.eye(3):
        R = 2.0 * np.outer(n, n) - np.eye(3)
        assert_allclose(np.abs(so3.log(R)), np.pi * n, rtol=0, atol=1e-15)


@pytest.mark.parametrize("angle", [*MIDDLE, *NEAR_PI])
def test_log_of_exactly_rounded_rotations(angle):
    for n in UNIT:
        w = angle * n
        assert_allclose(so3.log(exact_exp(so3.bracket(w))), w, rtol=0, atol=3e-15)


@examples(12, 100)
@given(arrays(float, 3, elements=st.floats(-20.0, 20.0)))
def test_log_takes_the_short_way_round(w):
    R = so3.exp(w)
    assert np.linalg.norm(so3.log(R)) <= np.pi * (1.0 + 1e-15)
    assert_allclose(so3.exp(so3.log(R)), R, atol=2e-14)


@examples(12, 100)
@given(arrays(float, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_quaternions_and_rotations_are_the_same(q):
    unit = q / np.linalg.norm(q) * np.where(q[0] < 0, -1.0, 1.0)
    R = so3.from_quaternion(q)
    assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    back = so3.to_quaternion(R)
    assert back[0] >= 0
    assert min(np.abs(back - unit).max(), np.abs(back + unit).max() if abs(unit[0]) < 1e-14 else 1.0) < 1e-14


def test_a_quaternion_is_scalar_first():
    assert_allclose(so3.to_quaternion(so3.rotation_about("x", 1.0)), [np.cos(0.5), np.sin(0.5), 0, 0], atol=1e-16)
    assert_allclose(so3.from_quaternion([2.0, 0, 0, 2.0]), so3.rotation_about("z", np.pi / 2), atol=1e-15)
