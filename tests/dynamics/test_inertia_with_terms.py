"""Products with M + J^T blkdiag(P_m) J + P_r and its inverse (RedMax notes Alg. 10 as a preconditioner), against dense matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.newton_euler import oracle
from mechanisms import Mechanism, StateSample, chain, every_kind, mechanisms
from random_examples import LONG, examples

moving = mechanisms(largest=8).filter(lambda m: m.nv > 0)


@dataclass(frozen=True, eq=False)
class Terms:
    """blocks: a square array for each joint; matrices: (bodies, 6, 6)."""

    blocks: list[np.ndarray]
    matrices: np.ndarray

    @property
    def joint(self) -> np.ndarray:
        """The blocks as the library takes them."""
        return np.concatenate([b.ravel() for b in self.blocks])

    def dense(self, m: Mechanism, s: StateSample) -> np.ndarray:
        """M + J^T blkdiag(P_m) J + P_r, with M of the Newton-Euler oracle."""
        J, _ = rm.Dynamics(m.model, backend="interpret").jacobian(s.q)
        J = J.reshape(len(m.links), 6, m.nv)
        A = oracle(m, s.q, s.qdot).inertia + np.einsum("bin,bij,bjm->nm", J, self.matrices, J)
        for i, block in enumerate(self.blocks):
            A[m.of(i), m.of(i)] += block
        return A


def positive(rng: np.random.Generator, n: int) -> np.ndarray:
    """A random symmetric positive semidefinite (n, n), singular at times."""
    root = rng.normal(size=(n, rng.integers(0, n + 1)))
    return root @ root.T


def random_terms(m: Mechanism, seed: int) -> Terms:
    rng = np.random.default_rng([seed, 5])
    blocks = [positive(rng, link.sample.joint.dof) for link in m.links]
    return Terms(blocks, np.array([positive(rng, 6) for _ in m.links]))


def few_kinds() -> Mechanism:
    """Of one, two and three coordinates, with and without a constant S; every kind has both terms in the compiled batches below."""
    return chain(1, ["Spherical", "Revolute", "paraboloid", "Universal"])


@examples(4, 20)
@given(m=moving, seed=st.integers(0, 2**16))
def test_products_are_those_of_the_dense_matrix(m, seed):
    s, terms = m.state(seed), random_terms(m, seed)
    d = rm.Dynamics(m.model, backend="interpret")
    A = terms.dense(m, s)
    assert agree(d.inertia_product(s.q, s.tau, terms.joint, terms.matrices), A @ s.tau, 1e-11)
    assert agree(d.inverse_inertia_product(s.q, A @ s.qddot, terms.joint, terms.matrices), s.qddot, 1e-8)


@pytest.mark.parametrize("kind", ["joint", "body"])
def test_either_kind_of_term_alone(kind):
    m = few_kinds()
    s, terms = m.state(0), random_terms(m, 1)
    if kind == "joint":
        terms = Terms(terms.blocks, 0.0 * terms.matrices)
        given = {"joint_terms": terms.joint}
    else:
        terms = Terms([0.0 * b for b in terms.blocks], terms.matrices)
        given = {"body_terms": terms.matrices}
    d = rm.Dynamics(m.model, backend="interpret")
    A = terms.dense(m, s)
    assert agree(d.inertia_product(s.q, s.tau, **given), A @ s.tau, 1e-12)
    assert agree(d.inverse_inertia_product(s.q, A @ s.qddot, **given), s.qddot, 1e-9)


def test_compiled_products_in_batches():
    """Every input may have leading axes of its own, or be shared by all worlds."""
    m = every_kind(1) if LONG else every_kind(1, kinds=("Revolute", "Universal", "Fixed", "Spherical", "SplineCurve", "torus"))
    d = rm.Dynamics(m.model)
    q, x, _ = m.states(9)
    many = [random_terms(m, i) for i in range(9)]
    joint, body = np.array([t.joint for t in many]), np.array([t.matrices for t in many])
    y, z = d.inertia_product(q, x, joint, body), d.inverse_inertia_product(q, x, joint, body)
    shared = d.inverse_inertia_product(q[0], x, many[0].joint, many[0].matrices)
    for i in (0, 8):  # of the first lanes, and of those that are filled up
        A = many[i].dense(m, m.state(i))
        assert agree(y[i], A @ x[i], 1e-12)
        assert agree(A @ z[i], x[i], 1e-8)
        assert agree(shared[i], d.inverse_inertia_product(q[0], x[i], many[0].joint, many[0].matrices), 1e-13)


def test_terms_that_are_zero_change_nothing():
    m = few_kinds()
    d, s = rm.Dynamics(m.model, backend="interpret"), m.state(0)
    zero = np.zeros(m.nv), np.zeros((len(m.links), 6, 6))
    for product in (d.inertia_product, d.inverse_inertia_product):
        assert agree(product(s.q, s.tau, *zero), product(s.q, s.tau), 1e-12)


def test_a_diagonal_is_short_for_diagonal_blocks():
    m = few_kinds()
    d, s = rm.Dynamics(m.model, backend="interpret"), m.state(0)
    diagonal = np.random.default_rng(0).uniform(0, 3, m.nv)
    blocks = np.concatenate([np.diag(diagonal[m.of(i)]).ravel() for i in range(len(m.links))])
    assert np.array_equal(d.inverse_inertia_product(s.q, s.tau, diagonal), d.inverse_inertia_product(s.q, s.tau, blocks))


def test_an_implicit_step_of_damped_joints_is_one_product():
    """(M + h D - h^2 K) a = f + h K qdot with K and D within joints: what `implicit` does in its compiled loop."""
    m = chain(1, ["Spherical", "Revolute", "paraboloid", "Universal"], forces=False)
    scene = m.scene()
    rng, h = np.random.default_rng(3), 0.01
    for link in scene.links:
        link.damping[:], link.stiffness[:] = rng.uniform(0, 1, len(link.damping)), rng.uniform(0, 30, len(link.damping))
    model = scene.model()
    damping, stiffness = (np.concatenate([getattr(link, n) for link in model.links]) for n in ("damping", "stiffness"))
    s, d = m.state(0), rm.Dynamics(model)
    force = -d.inverse(s.q, s.qdot, np.zeros(m.nv)) - h * stiffness * s.qdot
    a = d.inverse_inertia_product(s.q, force, h * damping + h * h * stiffness)
    after = rm.Simulation(model, dt=h, integrator="implicit", dynamics="recursive", initial=rm.State(0.0, s.q, s.qdot)).step()
    assert agree(after.qdot, s.qdot + h * a, 1e-10)


def test_terms_of_wrong_shape_or_symmetry_are_refused():
    m = few_kinds()
    d, s = rm.Dynamics(m.model, backend="interpret"), m.state(0)
    terms = random_terms(m, 0)
    with pytest.raises(rm.SceneError, match=r"joint_terms must have shape \(\.\.\., \d+\) \(a diagonal\) or"):
        d.inertia_product(s.q, s.tau, np.zeros(m.nv + 1))
    with pytest.raises(rm.SceneError, match=r"body_terms must have shape .*, 6, 6\)"):
        d.inertia_product(s.q, s.tau, None, terms.matrices[1:])
    skewed = terms.matrices.copy()
    skewed[0, 0, 1] += 1.0
    with pytest.raises(rm.SceneError, match=r"each body's 6x6 must be symmetric.* by 1"):
        d.inertia_product(s.q, s.tau, None, skewed)
    first = next(i for i, b in enumerate(terms.blocks) if len(b) > 1)
    terms.blocks[first][0, 1] += 2.0
    with pytest.raises(rm.SceneError, match="each joint's block must be symmetric"):
        d.inertia_product(s.q, s.tau, terms.joint)
    with pytest.raises(rm.SceneError, match="joint_terms must be an array of numbers"):
        d.inertia_product(s.q, s.tau, "stiff")
