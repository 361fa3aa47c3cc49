"""Ad is a homomorphism, ad its derivative, and the point Jacobian the derivative of a point."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.linalg import expm

from random_examples import examples
from redmax.lie import Ad, ad, inverse, point_jacobian, se3, transform_point

twists = arrays(float, 6, elements=st.floats(-2.0, 2.0, allow_subnormal=False))
points = arrays(float, 3, elements=st.floats(-2.0, 2.0, allow_subnormal=False))


@examples(12, 100)
@given(twists, twists)
def test_Ad_is_a_homomorphism(V, W):
    A, B = se3.exp(V), se3.exp(W)
    assert_allclose(Ad(A @ B), Ad(A) @ Ad(B), atol=1e-13)
    assert_allclose(Ad(inverse(A)), np.linalg.inv(Ad(A)), atol=1e-13)


@examples(12, 100)
@given(twists)
def test_Ad_of_exp_is_exp_of_ad(V):
    assert_allclose(Ad(se3.exp(V)), expm(ad(V)), atol=1e-13)


@examples(12, 100)
@given(twists, twists)
def test_Ad_is_conjugation(V, W):
    E = se3.exp(V)
    assert_allclose(se3.bracket(Ad(E) @ W), E @ se3.bracket(W) @ inverse(E), atol=1e-13)
    assert_allclose(E @ se3.exp(W) @ inverse(E), se3.exp(Ad(E) @ W), atol=1e-12)


@examples(12, 100)
@given(twists, twists)
def test_the_rate_of_Ad_is_Ad_ad(V, phi):
    """RedMax supplement Eq. 8, with E moving as E exp(t phi)."""
    E = se3.exp(V)
    R, p = E[:3, :3], E[:3, 3]
    Edot = E @ se3.bracket(phi)
    by_hand = se3.lower_triangular(Edot[:3, :3], cross_matrix(Edot[:3, 3]) @ R + cross_matrix(p) @ Edot[:3, :3])
    assert_allclose(Ad(E) @ ad(phi), by_hand, atol=1e-13)


def cross_matrix(p: np.ndarray) -> np.ndarray:
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


@examples(12, 100)
@given(twists, twists, twists)
def test_ad_obeys_jacobi(X, Y, Z):
    assert_allclose(ad(X) @ Y, -ad(Y) @ X, atol=1e-14)
    assert_allclose(ad(ad(X) @ Y), ad(X) @ ad(Y) - ad(Y) @ ad(X), atol=1e-13)
    cyclic = ad(X) @ (ad(Y) @ Z) + ad(Y) @ (ad(Z) @ X) + ad(Z) @ (ad(X) @ Y)
    assert_allclose(cyclic, 0.0, atol=1e-12)


@examples(12, 100)
@given(twists, points, twists)
def test_the_point_jacobian_gives_the_velocity_of_a_point(V, x, phi):
    E = se3.exp(V)
    velocity = (E @ se3.bracket(phi) @ np.append(x, 1.0))[:3]
    assert_allclose(point_jacobian(E, x) @ phi, velocity, atol=1e-13)
    h = 1e-6
    step = transform_point(E @ se3.exp(h * phi), x) - transform_point(E @ se3.exp(-h * phi), x)
    assert_allclose(point_jacobian(E, x) @ phi, step / (2 * h), atol=1e-7)
