"""The oracles against each other and against what they are made of: they share no algorithm, so an error in one shows."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from dynamics.agreement import agree
from dynamics.hyperdual import motion_of, seeded
from dynamics.newton_euler import oracle, solve
from dynamics.square_factorisation import forward_dynamics, inverse_inertia
from joints.definitions import bracket, exponential
from joints.samples import KINDS, make
from mechanisms import every_kind


def test_hyperdual_derivatives_of_a_known_function():
    (x,) = seeded(np.array([0.7]), np.array([1.0]))
    f = np.sin(x * x) / (2.0 + np.cos(x)) - np.sqrt(x) * np.exp(-x)

    def g(y):
        return mpmath.sin(y * y) / (2 + mpmath.cos(y)) - mpmath.sqrt(y) * mpmath.exp(-y)

    found = [float(np.ravel(part)[0]) for part in f.parts]
    assert_allclose(found, [float(mpmath.diff(g, mpmath.mpf(0.7), n)) for n in (0, 1, 1, 2)], rtol=1e-13)


@pytest.mark.parametrize("length", [0.0, 1e-9, 1.0, 4.5])
def test_the_definition_of_exponential_coordinates_is_the_matrix_exponential(length):
    w = length * np.array([0.48, -0.6, 0.64])
    assert_allclose(exponential(w).astype(float), expm(bracket(w).astype(float)), atol=2e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_exact_differentiation_agrees_with_differences(kind):
    rng = np.random.default_rng(5)
    sample = make(kind, rng)
    q, qdot, h = sample.coordinates(rng), rng.normal(size=sample.joint.dof), 1e-3
    weights = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}  # sixth order

    def rate(f):
        return sum(w * (f(k * h) - f(-k * h)) / h for k, w in weights.items())

    E, S, Sdot = motion_of(sample.motion, q, qdot)
    along = np.linalg.inv(E) @ rate(lambda s: motion_of(sample.motion, q + s * qdot, qdot)[0])
    assert_allclose([along[2, 1], along[0, 2], along[1, 0], *along[:3, 3]], S @ qdot, atol=1e-11)
    assert_allclose(rate(lambda s: motion_of(sample.motion, q + s * qdot, qdot)[1]), Sdot, atol=1e-11)


def test_the_extended_solver_solves():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(9, 9))
    A = A @ A.T + np.eye(9)
    x = rng.normal(size=(9, 3))
    assert_allclose(solve(A, A @ x).astype(float), x, rtol=1e-10)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
def test_dense_newton_euler_equals_the_square_factorisation(seed):
    m = every_kind(seed)
    s = m.state(seed)
    o = oracle(m, s.q, s.qdot)
    assert agree(forward_dynamics(o, s.tau, s.wrench, s.t), o.forward(s.tau, s.wrench, s.t), 1e-10)
    assert agree(inverse_inertia(m, s.q) @ o.inertia.astype(float), np.eye(m.nv), 1e-9)
    assert agree(o.forward(o.inverse(s.qddot, s.wrench, s.t), s.wrench, s.t), s.qddot, 1e-10)
