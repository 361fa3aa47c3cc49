"""J and Jdot of random trees: against the twists seen, differences along the motion, another derivation, and another engine."""

from __future__ import annotations

from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.newton_euler import oracle
from dynamics.pinocchio_twin import KINDS as SHARED
from dynamics.pinocchio_twin import Twin
from joints.samples import KINDS
from mechanisms import Mechanism, chain, every_kind, mechanisms
from random_examples import examples

seeds = st.integers(0, 2**16)


def interpreted(m: Mechanism) -> rm.Dynamics:
    return rm.Dynamics(m.model, backend="interpret")


@cache
def every(style: str | None = None) -> tuple[Mechanism, rm.Dynamics]:
    """Every kind of joint: compiled in all styles, each style by itself interpreted."""
    m = every_kind(1, style)
    return m, interpreted(m) if style else rm.Dynamics(m.model)


def mass_matrix(m: Mechanism) -> np.ndarray:
    """Block diagonal, (6 n, 6 n), at the body frames."""
    full = np.zeros((6 * len(m.links), 6 * len(m.links)))
    for i, link in enumerate(m.links):
        full[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = link.shape.mass_matrix
    return full


def ancestors(m: Mechanism, i: int) -> list[int]:
    line = []
    while i >= 0:
        line.append(i)
        i = m.links[i].parent
    return line


SIMPLE_STYLES = [pytest.param(style, marks=pytest.mark.long) for style in ("none", "shift", "quarter")]
STYLES = [pytest.param("general", marks=pytest.mark.long), *SIMPLE_STYLES]  # that of all kinds is compared with the oracle below


@examples(2, 30)
@given(m=mechanisms(largest=9), seed=seeds)
def test_both_equal_the_derivatives_of_the_poses(m, seed):
    """Against extended precision, where E(q) is differentiated and nothing is carried from joint to joint."""
    s = m.state(seed)
    o = oracle(m, s.q, s.qdot)
    J, Jdot = interpreted(m).jacobian(s.q, s.qdot)
    scale = max(np.abs(J).max(initial=0.0), 1.0)
    assert np.abs(J - o.J.reshape(J.shape).astype(float)).max(initial=0.0) < 1e-12 * scale
    assert np.abs(Jdot - o.Jdot.reshape(J.shape).astype(float)).max(initial=0.0) < 1e-11 * max(np.abs(Jdot).max(initial=0.0), 1.0)


@pytest.mark.parametrize("style", [None, *STYLES])
def test_twists_are_J_qdot(style):
    m, d = every(style)
    s = m.state(1)
    J, _ = d.jacobian(s.q, s.qdot)
    assert agree((J @ s.qdot).reshape(-1, 6), d.observe(s.q, s.qdot).twist, 1e-12)


@pytest.mark.parametrize("style", [None, pytest.param("quarter", marks=pytest.mark.long)])
def test_Jdot_is_the_rate_of_J_along_the_motion(style):
    m, d = every(style)
    s = m.state(5)
    _, Jdot = d.jacobian(s.q, s.qdot)
    assert agree(Jdot, rate(lambda h: d.jacobian(s.q + h * s.qdot, s.qdot)[0], 2e-3), 1e-9)


def test_rates_of_twists_are_J_qddot_plus_Jdot_qdot():
    m, d = every()
    s = m.state(1)
    J, Jdot = d.jacobian(s.q, s.qdot)

    def twist(h: float) -> np.ndarray:
        return d.observe(s.q + h * s.qdot + 0.5 * h * h * s.qddot, s.qdot + h * s.qddot).twist.ravel()

    assert agree(J @ s.qddot + Jdot @ s.qdot, rate(twist, 2e-3), 1e-9)


@pytest.mark.parametrize("style", [None, *STYLES])
def test_products_equal_the_filled_matrices(style):
    m, d = every(style)
    s, n = m.state(2), len(m.links)
    J, Jdot = d.jacobian(s.q, s.qdot)
    y, z = d.jacobian_product(s.q, s.qdot, s.tau)
    assert agree(y, (J @ s.tau).reshape(n, 6), 1e-12)
    assert agree(z, (Jdot @ s.tau).reshape(n, 6), 1e-12)
    assert agree(d.jacobian_transposed_product(s.q, s.wrench), J.T @ s.wrench.ravel(), 1e-12)


@examples(2, 20)
@given(m=mechanisms(largest=9).filter(lambda m: m.nv > 0), seed=seeds)
def test_products_equal_the_filled_matrices_on_random_trees(m, seed):
    s, n, d = m.state(seed), len(m.links), interpreted(m)
    J, Jdot = d.jacobian(s.q, s.qdot)
    y, z = d.jacobian_product(s.q, s.qdot, s.tau)
    for found, expected, terms in (
        (y.ravel(), J @ s.tau, np.abs(J) @ np.abs(s.tau)),
        (z.ravel(), Jdot @ s.tau, np.abs(Jdot) @ np.abs(s.tau)),
        (d.jacobian_transposed_product(s.q, s.wrench), J.T @ s.wrench.ravel(), np.abs(J.T) @ np.abs(s.wrench.ravel())),
    ):
        assert np.abs(found - expected).max() <= 1e-12 * max(terms.max(), 1.0), n


@examples(2, 15)
@given(m=mechanisms(largest=8).filter(lambda m: m.nv > 0), seed=seeds)
def test_the_reduced_inertia_is_JtMJ(m, seed):
    s, d = m.state(seed), interpreted(m)
    J, _ = d.jacobian(s.q)
    assert agree(J.T @ mass_matrix(m) @ J, d.inertia(s.q), 1e-10)


def test_kinetic_energy_and_weight_go_through_J():
    """T = 1/2 phi^T M phi, and J^T of the weights is what holds the mechanism at rest."""
    m = chain(1, ["Free", "Universal", "torus", "Helical", "Fixed", "Elliptic"], forces=False)
    d, s = interpreted(m), m.state(3)
    J, _ = d.jacobian(s.q)
    seen = d.observe(s.q, s.qdot)
    phi = J @ s.qdot
    assert np.isclose(0.5 * phi @ mass_matrix(m) @ phi, seen.kinetic, rtol=1e-12)
    weight = np.zeros((len(m.links), 6))
    for i, link in enumerate(m.links):
        weight[i, 3:] = link.shape.mass * seen.pose[i, :3, :3].T @ m.gravity
    assert agree(-d.inverse(s.q, np.zeros(m.nv), np.zeros(m.nv)), d.jacobian_transposed_product(s.q, weight), 1e-11)


@examples(2, 15)
@given(m=mechanisms(largest=10).filter(lambda m: m.nv > 0), seed=seeds)
def test_sparse_equals_dense_with_the_pattern_of_the_ancestors(m, seed):
    s, d = m.state(seed), interpreted(m)
    J, Jdot = d.jacobian(s.q, s.qdot)
    sparse, sparse_dot = d.jacobian(s.q, s.qdot, sparse=True)
    assert np.array_equal(sparse.toarray(), J)
    assert np.array_equal(sparse_dot.toarray(), Jdot)
    for i in range(len(m.links)):
        line = ancestors(m, i)
        for a in range(len(m.links)):
            block = J[6 * i : 6 * i + 6, m.of(a)]
            assert block.any(axis=0).all() if a in line else not block.any(), (i, a)
            if a not in line:
                assert not Jdot[6 * i : 6 * i + 6, m.of(a)].any()
    assert sparse.nnz <= sum(6 * m.links[a].sample.joint.dof for i in range(len(m.links)) for a in ancestors(m, i))


def test_a_column_moves_descendants_only_and_reads_nothing_below():
    """Column a of body i depends on the joints after a down to i: not on a's ancestors, nor on other branches."""
    m, d = every()
    s, rng = m.state(0), np.random.default_rng(0)
    J, _ = d.jacobian(s.q)
    for k in range(len(m.links)):
        part = m.of(k)
        if part.start == part.stop:
            continue
        q = s.q.copy()
        q[part] = m.links[k].sample.coordinates(rng)
        moved, _ = d.jacobian(q)
        for i in range(len(m.links)):
            line = ancestors(m, i)
            for a in line:
                rows, columns = slice(6 * i, 6 * i + 6), m.of(a)
                if k not in line or k in ancestors(m, a)[1:]:
                    assert np.allclose(moved[rows, columns], J[rows, columns], rtol=0, atol=1e-13), (i, a, k)


def check_derivatives(m: Mechanism, d: rm.Dynamics) -> None:
    s = m.state(2)
    J, Jdot = d.jacobian(s.q, s.qdot)
    o = oracle(m, s.q, s.qdot)
    for i, link in enumerate(m.links):  # body by body, so that a large one hides nothing
        rows = slice(6 * i, 6 * i + 6)
        assert agree(J[rows], o.J[i], 1e-12, floor=1.0), link.sample.kind
        assert agree(Jdot[rows], o.Jdot[i], 1e-11, floor=1.0), link.sample.kind


@pytest.mark.parametrize("style", [None, "general"])
def test_every_kind_of_joint_in_a_forest(style):
    check_derivatives(*every(style))


@pytest.mark.long
@pytest.mark.parametrize("kind", [k for k in KINDS if k != "Fixed"])
def test_each_joint_between_others(kind):
    m = chain(5, ["Universal", kind, "Revolute", "Fixed"])
    check_derivatives(m, interpreted(m))


@pytest.mark.parametrize("style", [None, pytest.param("general", marks=pytest.mark.long)])
def test_compiled_equals_interpreted(style):
    m = every_kind(1, style)
    d, i, s = rm.Dynamics(m.model), interpreted(m), m.state(7)
    for a, b in zip(d.jacobian(s.q, s.qdot), i.jacobian(s.q, s.qdot)):
        assert agree(a, b, 1e-12)
    for a, b in zip(d.jacobian_product(s.q, s.qdot, s.tau), i.jacobian_product(s.q, s.qdot, s.tau)):
        assert agree(a, b, 1e-12)
    assert agree(d.jacobian_transposed_product(s.q, s.wrench), i.jacobian_transposed_product(s.q, s.wrench), 1e-12)


@pytest.mark.parametrize("count", [1, 19])
def test_a_batch_is_its_worlds_one_by_one(count):
    """Alone, and side by side in lanes, some of which are not filled."""
    m, d = every()
    q, qdot, tau = m.states(count)
    wrench = np.random.default_rng(1).normal(size=(count, len(m.links), 6))
    J, Jdot = d.jacobian(q, qdot)
    assert J.shape == Jdot.shape == (count, 6 * len(m.links), m.nv)
    y, z = d.jacobian_product(q, qdot, tau)
    x = d.jacobian_transposed_product(q, wrench)
    for w in range(0, count, 6):
        one = d.jacobian(q[w], qdot[w])
        assert agree(J[w], one[0], 1e-12)
        assert agree(Jdot[w], one[1], 1e-12)
        assert agree(y[w].ravel(), one[0] @ tau[w], 1e-12)
        assert agree(z[w].ravel(), one[1] @ tau[w], 1e-12)
        assert agree(x[w], one[0].T @ wrench[w].ravel(), 1e-12)


def test_leading_axes_and_a_missing_qdot():
    m, d = every()
    q, qdot, _ = m.states(6)
    J, Jdot = d.jacobian(q.reshape(2, 3, -1), qdot.reshape(2, 3, -1))
    assert J.shape == (2, 3, 6 * len(m.links), m.nv)
    assert agree(Jdot[1, 2], d.jacobian(q[5], qdot[5])[1], 1e-12)
    still = d.jacobian(q[0])
    assert agree(still[0], J[0, 0], 1e-12)
    assert not still[1].any()


def test_many_roots_and_fixed_bodies():
    """A forest without any degree of freedom has a Jacobian without columns."""
    m = chain(0, ["Fixed", "Fixed"])
    J, Jdot = interpreted(m).jacobian(np.zeros(0), np.zeros(0))
    assert J.shape == Jdot.shape == (12, 0)


def check_pinocchio(m: Mechanism, d: rm.Dynamics, seed: int) -> None:
    """Rows of (linear; angular) in the local frame, columns by v = T qdot; Jdot qdot is what accelerates when qddot = 0.

    Pinocchio's own rate of J leaves out the rate of S within a joint, so its accelerations are compared instead.
    """
    twin, s = Twin(m), m.state(seed)
    x = twin.configuration(s.q)
    T, Tdot = twin.map(s.q, s.qdot)
    pin.computeJointJacobians(twin.model, twin.data, x)
    of_joint = [pin.getJointJacobian(twin.model, twin.data, k, pin.LOCAL) if k else np.zeros((6, m.nv)) for k in twin.joint]
    pin.forwardKinematics(twin.model, twin.data, x, T @ s.qdot, Tdot @ s.qdot)
    J, Jdot = d.jacobian(s.q, s.qdot)
    bias = (Jdot @ s.qdot).reshape(-1, 6)
    for i, k in enumerate(twin.joint):
        expected = twin.body(i).inverse().action @ of_joint[i].reshape(6, m.nv) @ T
        a = twin.body(i).actInv(twin.data.a[k])
        assert np.abs(J[6 * i : 6 * i + 6] - expected[[3, 4, 5, 0, 1, 2]]).max() < 1e-12 * max(np.abs(J).max(), 1.0), i
        assert np.abs(bias[i] - np.concatenate([a.angular, a.linear])).max() < 1e-11 * max(np.abs(bias).max(), 1.0), i


@examples(3, 20)
@given(m=mechanisms(kinds=SHARED, largest=9, forces=False).filter(lambda m: m.nv > 0), seed=seeds)
def test_interpreted_equals_pinocchio(m, seed):
    check_pinocchio(m, interpreted(m), seed)


@pytest.mark.parametrize("style", ["general", *SIMPLE_STYLES])
def test_every_kind_that_pinocchio_has(style):
    m = every_kind(5, style, SHARED, forces=False)
    check_pinocchio(m, interpreted(m), 0)
