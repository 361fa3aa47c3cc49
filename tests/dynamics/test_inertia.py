"""The reduced inertia M = J^T M J, its inverse, and products with both in O(n)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.newton_euler import oracle
from dynamics.square_factorisation import inverse_inertia
from mechanisms import every_kind, mechanisms
from random_examples import examples

moving = mechanisms(largest=8).filter(lambda m: m.nv > 0)


@examples(4, 25)
@given(m=moving, seed=st.integers(0, 2**16))
def test_inertia_is_symmetric_positive_definite_and_newton_eulers(m, seed):
    s = m.state(seed)
    d = rm.Dynamics(m.model, backend="interpret")
    M = d.inertia(s.q)
    assert agree(M, oracle(m, s.q, s.qdot).inertia, 1e-12)
    assert np.abs(M - M.T).max() <= 1e-13 * np.abs(M).max()
    scale = 1 / np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M * np.outer(scale, scale)).min() > 1e-9
    assert agree(d.inertia_product(s.q, s.tau), M @ s.tau, 1e-12)


@examples(4, 25)
@given(m=moving, seed=st.integers(0, 2**16))
def test_inverse_inertia_inverts(m, seed):
    s = m.state(seed)
    d = rm.Dynamics(m.model, backend="interpret")
    M, W = d.inertia(s.q), d.inverse_inertia(s.q)
    assert np.abs(W - W.T).max() <= 1e-9 * np.abs(W).max()
    assert agree(W, inverse_inertia(m, s.q), 1e-9)
    assert agree(W @ M, np.eye(m.nv), 1e-8)
    assert agree(d.inverse_inertia_product(s.q, M @ s.qddot), s.qddot, 1e-9)


def test_compiled_products_in_batches():
    m = every_kind(1)
    d = rm.Dynamics(m.model)
    q, x, _ = m.states(9)
    M, W = d.inertia(q), d.inverse_inertia(q)
    assert M.shape == W.shape == (9, m.nv, m.nv)
    y, z = d.inertia_product(q, x), d.inverse_inertia_product(q, x)
    for i in range(9):
        assert agree(M[i], oracle(m, q[i], x[i]).inertia, 1e-12)
        assert agree(M[i] @ W[i], np.eye(m.nv), 1e-8)
        assert agree(z[i], W[i] @ x[i], 1e-9)
        assert agree(y[i], M[i] @ x[i], 1e-12)


def test_forces_and_velocities_do_not_enter():
    """M is a function of q: springs, gravity, torques and wrenches of the scene leave it alone."""
    m = every_kind(1)
    d = rm.Dynamics(m.model, backend="interpret")
    s = m.state(0)
    x = np.random.default_rng(0).normal(size=m.nv)
    zero = d.inverse(s.q, np.zeros(m.nv), np.zeros(m.nv), t=s.t)
    assert agree(d.inverse(s.q, np.zeros(m.nv), x, t=s.t) - zero, d.inertia_product(s.q, x), 1e-10)


def test_a_prescribed_joint_keeps_its_inertia():
    """The products are of the mechanism, whoever drives it."""
    m = every_kind(1)
    d = rm.Dynamics(m.model.with_prescribed(m.model.joint_names[:3]), backend="interpret")
    s = m.state(0)
    assert agree(d.inertia(s.q), oracle(m, s.q, s.qdot).inertia, 1e-12)
    assert agree(d.inverse_inertia(s.q) @ d.inertia(s.q), np.eye(m.nv), 1e-8)
