"""dexp is the differential of exp, from both sides, and its inverse undoes it."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.linalg import expm_frechet

from random_examples import examples
from redmax.lie import Ad, se3, so3

ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.1, 1.0, 2.0, 3.0, np.pi - 1e-8, np.pi]
N = np.array([-0.48, 0.6, 0.64])
D = np.array([0.7, -1.1, 0.4, 2.0, 0.3, -0.9])
twists = arrays(float, 6, elements=st.floats(-2.0, 2.0))


def twist(angle: float) -> np.ndarray:
    return np.append(angle * N, [0.3, -2.0, 0.7])


@pytest.mark.parametrize("angle", ANGLES)
def test_dexp_is_the_derivative_of_the_matrix_exponential(angle):
    V = twist(angle)
    derivative = expm_frechet(se3.bracket(V), se3.bracket(D), compute_expm=False)
    assert_allclose(se3.bracket(se3.dexp_left(V) @ D) @ se3.exp(V), derivative, atol=1e-14)
    assert_allclose(se3.exp(V) @ se3.bracket(se3.dexp_right(V) @ D), derivative, atol=1e-14)
    derivative = derivative[:3, :3]
    assert_allclose(so3.bracket(so3.dexp_left(V[:3]) @ D[:3]) @ so3.exp(V[:3]), derivative, atol=1e-14)
    assert_allclose(so3.exp(V[:3]) @ so3.bracket(so3.dexp_right(V[:3]) @ D[:3]), derivative, atol=1e-14)


@pytest.mark.parametrize("angle", [*ANGLES, 5.0])
def test_dexp_is_the_series_of_ad_over_factorials(angle):
    """dexp = sum ad^k / (k+1)!, here with 50 digits as a block of the exponential of [[ad, I], [0, 0]]."""
    V = twist(angle)
    with mp.workdps(50):
        block = mp.zeros(12)
        block[:6, :6] = mp.matrix(se3.ad(V).tolist())
        block[:6, 6:] = mp.eye(6)
        exact = mp.expm(block, method="taylor")[:6, 6:]
        inverse = np.array((exact**-1).tolist(), float)
        exact = np.array(exact.tolist(), float)
    assert_allclose(se3.dexp_left(V), exact, rtol=0, atol=2e-15)
    assert_allclose(se3.dexp_left_inverse(V), inverse, rtol=0, atol=2e-14)


@examples(12, 100)
@given(twists)
def test_inverses_and_sides(V):
    w = V[:3]
    assert_allclose(se3.dexp_left(V) @ se3.dexp_left_inverse(V), np.eye(6), atol=1e-13)
    assert_allclose(se3.dexp_right(V) @ se3.dexp_right_inverse(V), np.eye(6), atol=1e-13)
    assert_allclose(se3.dexp_right(V), se3.dexp_left(-V), atol=1e-15)
    assert_allclose(se3.dexp_left(V), Ad(se3.exp(V)) @ se3.dexp_right(V), atol=1e-13)
    assert_allclose(so3.dexp_left(w) @ so3.dexp_left_inverse(w), np.eye(3), atol=1e-14)
    assert_allclose(so3.dexp_right(w) @ so3.dexp_right_inverse(w), np.eye(3), atol=1e-14)
    assert_allclose(so3.dexp_left(w), so3.exp(w) @ so3.dexp_right(w), atol=1e-14)


@examples(12, 100)
@given(twists)
def test_dexp_leaves_the_twist_itself_alone(V):
    assert_allclose(se3.dexp_left(V) @ V, V, atol=1e-14)
    assert_allclose(se3.dexp_right_inverse(V) @ V, V, atol=1e-14)
