"""Coriolis matrices, Christoffel symbols, dM/dq and dM^-1/dq: by what they mean, by complex steps, by Pinocchio; on every kind of joint."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.test_jacobian_derivatives import group_scene, moved, path_of
from mechanisms import Mechanism, assemble, every_kind, mechanisms
from random_examples import examples
from redmax.lie import ad, screw

seeds = st.integers(0, 2**16)


def along_each(f, q: np.ndarray) -> np.ndarray:
    """df/dq_k, k last, of a function of many states."""
    return np.moveaxis(np.asarray(rate(lambda h: f(q + h * np.eye(len(q))), 2e-3)), 0, -1)


def check(m: Mechanism, d: rm.Dynamics, seed: int) -> None:
    s, q = m.state(seed), m.state(seed).q
    M, Mdot = d.inertia(q), rate(lambda h: d.inertia(q + h * s.qdot), 2e-3)
    scale = max(1.0, float(np.abs(M).max()))
    C, skew = d.coriolis_matrix(q, s.qdot), d.coriolis_matrix(q, s.qdot, form="skew")
    for matrix in (C, skew):
        assert_allclose(matrix @ s.qdot, -d.coriolis_forces(q, s.qdot), atol=1e-10 * scale)
        assert_allclose(Mdot - 2 * matrix, -(Mdot - 2 * matrix).T, atol=1e-9 * scale)
        assert_allclose(matrix + matrix.T, Mdot, atol=1e-9 * scale)
    J, Jdot = (x.reshape(-1, 6, m.nv) for x in d.jacobian(q, s.qdot))  # Mueller and Terze, Eq. 84 with N in place of b'M
    N, inertia = np.zeros((2, len(J), 6, 6))
    for i, link in enumerate(m.model.links):
        inertia[i, :3, :3], inertia[i, 3:, 3:] = link.shape.inertia, link.shape.mass * np.eye(3)
        mu, f = np.split(inertia[i] @ J[i] @ s.qdot, 2)
        N[i, :3, :3], N[i, :3, 3:], N[i, 3:, :3] = hat(mu), hat(f), hat(f)
    expected = np.einsum("lai,lab,lbj->ij", J, inertia, Jdot) - np.einsum("lai,lab,lbj->ij", J, N, J)
    assert_allclose(skew, expected, atol=1e-10 * scale)
    G, dM = d.christoffel_symbols(q), along_each(d.inertia, q)
    assert_allclose(G, np.swapaxes(G, -1, -2), atol=1e-11 * scale)
    assert_allclose(G, 0.5 * (dM + np.swapaxes(dM, 1, 2) - np.moveaxis(dM, 2, 0)), atol=1e-9 * scale)  # Eq. 85
    assert_allclose(np.einsum("ijk,k->ij", G, s.qdot), C, atol=1e-11 * scale)
    assert_allclose(d.inertia_derivative(q), dM, atol=1e-9 * scale)


def hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@examples(4, 30)
@given(m=mechanisms(largest=5, forces=False).filter(lambda m: 0 < m.nv < 20), seed=seeds)
def test_on_random_trees(m, seed):
    check(m, rm.Dynamics(m.model, "interpret"), seed)


@cache
def every() -> tuple[Mechanism, rm.Dynamics]:
    m = every_kind(1, forces=False)
    return m, rm.Dynamics(m.model)


def test_on_every_kind_of_joint():
    m, d = every()
    check(m, d, 1)


def test_the_inverse_of_the_inertia_and_symbols_of_the_second_kind():
    m, d = every()
    s, M = m.state(2), d.inertia(m.state(2).q)
    inverse = np.linalg.inv(M)
    scale = np.abs(inverse).max() ** 2 * np.abs(M).max()
    assert_allclose(d.inverse_inertia_derivative(s.q), along_each(d.inverse_inertia, s.q), atol=1e-9 * scale)
    second = d.christoffel_symbols(s.q, kind="second")
    assert agree(np.einsum("li,ijk->ljk", M, second), d.christoffel_symbols(s.q), 1e-10)
    free = m.scene()  # with no weight its motion is a geodesic: qddot + Gamma(qdot, qdot) = 0
    free.gravity = np.zeros(3)
    qddot = rm.Dynamics(free, "interpret").forward(s.q, s.qdot)
    assert agree(-np.einsum("ijk,j,k->i", second, s.qdot, s.qdot), qddot, 1e-9)


def test_on_groups_they_are_along_body_twists():
    scene = group_scene()
    d = rm.Dynamics(scene)
    q, n = d.model.q0, d.model.nv
    qdot = np.random.default_rng(0).normal(size=n)
    dM = np.stack([rate(lambda h, e=e: d.inertia(moved(d.model, q, h * e)), 2e-3) for e in np.eye(n)], axis=-1)
    assert agree(d.inertia_derivative(q), dM, 1e-9)
    G = d.christoffel_symbols(q)
    assert agree(np.einsum("ijk,j,k->i", G, qdot, qdot), -d.coriolis_forces(q, qdot), 1e-12)
    assert agree(np.einsum("ijk,k->ij", G, qdot), d.coriolis_matrix(q, qdot), 1e-12)
    Mdot, C = dM @ qdot, d.coriolis_matrix(q, qdot, form="skew")
    assert agree(C + C.T, Mdot, 1e-9)
    assert agree(C @ qdot, -d.coriolis_forces(q, qdot), 1e-12)


SCREWS = [screw("z"), screw("y", (0.1, 0, 0.5), pitch=0.05), screw("x", pitch=np.inf), screw((1, 1, 1), (0.4, 0.2, 0.6))]
PLACES = np.array([(0, 0, 0.25), (0.2, 0, 0.5), (0.4, 0.1, 0.5), (0.5, 0.2, 0.6)])


def exponential(X: np.ndarray, q: complex) -> np.ndarray:
    """exp(X q) of a unit screw, of complex numbers too (Mueller and Terze, Eq. 15)."""
    e, v, E = X[:3], X[3:], np.eye(4, dtype=complex)
    if not e.any():
        E[:3, 3] = v * q
        return E
    h, p = e @ v, np.cross(e, v)
    E[:3, :3] = np.eye(3) + np.sin(q) * hat(e) + (1 - np.cos(q)) * hat(e) @ hat(e)
    E[:3, 3] = (np.eye(3) - E[:3, :3]) @ p + q * h * e
    return E


def inertia_of_screws(q: np.ndarray) -> np.ndarray:
    """M of the chain of screws, written out for complex q."""
    M, E, columns = np.zeros((4, 4), complex), np.eye(4, dtype=complex), []
    for i, (Y, place, mass) in enumerate(zip(SCREWS, PLACES, (3.0, 2.0, 1.5, 1.0), strict=True)):
        columns.append(adjoint(E) @ Y)
        E = E @ exponential(Y, q[i])
        at = np.eye(4)
        at[:3, 3] = place + (0.01 * (i + 1), -0.02, 0.03)
        C = E @ at
        R, p = C[:3, :3], C[:3, 3]
        back = adjoint(np.block([[R.T, -(R.T @ p)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]))
        J = np.zeros((6, 4), complex)
        J[:, : i + 1] = back @ np.array(columns).T
        M += J.T @ np.diag([*(i + 1) * np.array([0.03, 0.02, 0.01]), mass, mass, mass]) @ J
    return M


def adjoint(E: np.ndarray) -> np.ndarray:
    R, zero = E[:3, :3], np.zeros((3, 3))
    return np.block([[R, zero], [hat(E[:3, 3]) @ R, R]])


def test_the_chain_of_screws_by_complex_steps():
    d = rm.Dynamics("screw-chain")
    q, qdot = d.model.q0, d.model.qdot0
    assert_allclose(d.inertia(q), inertia_of_screws(q).real, rtol=0, atol=1e-14)
    dM = np.stack([inertia_of_screws(q + 1e-30j * e).imag / 1e-30 for e in np.eye(4)], axis=-1)
    symbols = 0.5 * (dM + np.swapaxes(dM, 1, 2) - np.moveaxis(dM, 2, 0))
    assert_allclose(d.christoffel_symbols(q), symbols, rtol=0, atol=1e-14)
    assert_allclose(-d.coriolis_forces(q, qdot), np.einsum("ijk,j,k->i", symbols, qdot, qdot), rtol=0, atol=1e-14)
    assert_allclose(d.inertia_derivative(q), dM, rtol=0, atol=2e-14)


def test_symbols_by_the_brackets_of_books():
    """Mueller and Terze, Eq. 86 with its indices put right."""
    d = rm.Dynamics("screw-chain")
    q, J = d.model.q0, d.jacobian(d.model.q0)[0].reshape(4, 6, 4)
    masses = [np.diag([*link.shape.inertia.diagonal(), *[link.shape.mass] * 3]) for link in d.model.links]
    expected = np.zeros((4, 4, 4))
    for i, j, k in np.ndindex(4, 4, 4):
        r, s = max(j, k), min(j, k)
        for body in range(max(i, j, k), 4):
            a, M = J[body].T, masses[body]
            products = a[k] @ M @ ad(a[i]) @ a[j] + a[j] @ M @ ad(a[i]) @ a[k] + a[i] @ M @ ad(a[s]) @ a[r]
            expected[i, j, k] += 0.5 * products
    assert_allclose(d.christoffel_symbols(q), expected, rtol=0, atol=1e-14)


def hinges(seed: int, n: int) -> Mechanism:
    """Numbered depth first, as Pinocchio's sums over subtrees want them."""
    rng = np.random.default_rng(seed)
    parents = [-1]
    while len(parents) < n:
        line = path_of(len(parents) - 1, parents)
        parents.append(line[-1] if rng.random() < 0.7 else int(rng.choice(line)))
    return assemble(seed, [("Revolute", "general", p) for p in parents], forces=False)


@pytest.mark.parametrize("seed", [1, 2])
def test_pinocchio_has_the_same_matrices(seed):
    pin = pytest.importorskip("pinocchio")
    from dynamics.pinocchio_twin import Twin

    m = hinges(seed, 12)
    twin, d, s = Twin(m), rm.Dynamics(m.model), m.state(seed)
    T, _ = twin.map(s.q, s.qdot)  # a permutation
    x, v = twin.configuration(s.q), T @ s.qdot
    C = pin.computeCoriolisMatrix(twin.model, twin.data, x, v).copy()
    assert agree(d.coriolis_matrix(s.q, s.qdot), T.T @ C @ T, 1e-11)
    M = [T.T @ C @ T for C in (pin.computeCoriolisMatrix(twin.model, twin.data, x, e).copy() for e in T.T)]
    assert agree(d.inertia_derivative(s.q), np.moveaxis(np.array(M) + np.swapaxes(M, 1, 2), 0, -1), 1e-11)
    by_q, by_v, by_a = pin.computeRNEADerivatives(twin.model, twin.data, x, v, T @ s.qddot)
    upper = np.triu(by_a) + np.triu(by_a, 1).T
    for found, expected in zip(d.linearize_inverse(s.q, s.qdot, s.qddot), (by_q, by_v, upper), strict=True):
        assert agree(found, T.T @ expected @ T, 1e-11)
    pin.computeABADerivatives(twin.model, twin.data, x, v, T @ s.tau)
    inverse = np.triu(twin.data.Minv) + np.triu(twin.data.Minv, 1).T
    for found, expected in zip(d.linearize_forward(s.q, s.qdot, s.tau), (twin.data.ddq_dq, twin.data.ddq_dv, inverse), strict=True):
        assert agree(found, T.T @ expected @ T, 1e-9)


def test_worlds_with_their_own_masses_and_any_precision():
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Universal(), com=(0.5, 0, 0), name="arm")
    scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Spherical("quaternion"), parent=arm, at=(1, 0, 0), com=(0.5, 0, 0.1), name="hand")
    q, qdot = np.array([0.3, -0.4, 0.8, 0.6, 0, 0]), np.arange(1.0, 6.0)
    masses = np.array([1.0, 2.0, 5.0])
    many = rm.Dynamics(scene, parameters={"hand.mass": masses})
    found = many.christoffel_symbols(q), many.coriolis_matrix(q, qdot, form="skew"), many.linearize_inverse(q, qdot, qdot).q
    for k, mass in enumerate(masses):
        one = rm.Dynamics(scene, "interpret", parameters={"hand.mass": mass})
        own = one.christoffel_symbols(q), one.coriolis_matrix(q, qdot, form="skew"), one.linearize_inverse(q, qdot, qdot).q
        assert all(agree(a[k], b, 1e-12) for a, b in zip(found, own, strict=True))
    plain = rm.Dynamics(scene)
    single = rm.Dynamics(scene, dtype="float32").christoffel_symbols(q)
    assert single.dtype == np.float32
    assert agree(single, plain.christoffel_symbols(q), 1e-5)


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda d: d.coriolis_matrix(d.model.q0, d.model.qdot0, form="other"), r"form is 'other'. Valid: 'christoffel', 'skew'"),
    (lambda d: d.christoffel_symbols(d.model.q0, kind="third"), r"kind is 'third'. Valid: 'first', 'second'"),
])  # fmt: skip
def test_what_is_no_form_is_refused(call, sentence):
    with pytest.raises(rm.SceneError, match=sentence):
        call(rm.Dynamics("screw-chain"))
