"""Conjugate gradients: on dense matrices, on the reduced system of RedMax, exactly preconditioned or not, and within runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from mechanisms import every_kind, mechanisms
from random_examples import examples
from redmax.dynamics.redmax.matrix_free import AlongTree, InPython
from redmax.dynamics.redmax.solve import ReducedSystem, matrix_free_solver
from redmax.solvers.conjugate_gradients import conjugate_gradients

SOME = ("Fixed", "Revolute", "Planar", "Universal", "Spherical", "Free", "Elliptic", "torus")
moving = mechanisms(largest=6).filter(lambda m: m.nv > 0)


def positive(rng: np.random.Generator, eigenvalues: np.ndarray) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(len(eigenvalues), len(eigenvalues))))
    return (Q * eigenvalues) @ Q.T


@examples(10, 50)
@given(n=st.integers(1, 40), seed=st.integers(0, 2**16))
def test_solves_dense_systems(n, seed):
    rng = np.random.default_rng(seed)
    A, x = positive(rng, 10.0 ** rng.uniform(-1.5, 1.5, n)), rng.normal(size=n)
    found = conjugate_gradients(lambda v: A @ v, A @ x)
    assert agree(found.x, x, 1e-9)
    assert found.residual <= 1e-12


def test_takes_as_many_iterations_as_there_are_eigenvalues():
    rng = np.random.default_rng(0)
    A = positive(rng, np.repeat([1.0, 3.0, 10.0], 10))
    assert conjugate_gradients(lambda v: A @ v, rng.normal(size=30), tolerance=1e-10).iterations == 3
    assert conjugate_gradients(lambda v: A @ v, rng.normal(size=30), np.linalg.inv(A).__matmul__).iterations == 1


def test_a_right_side_of_zero_takes_no_iteration():
    found = conjugate_gradients(lambda v: v, np.zeros(4))
    assert (found.iterations, found.residual) == (0, 0.0)
    assert not found.x.any()


def test_functions_may_return_the_same_buffer_each_time():
    rng = np.random.default_rng(1)
    A, P, x = positive(rng, np.linspace(1, 9, 12)), positive(rng, np.linspace(1, 2, 12)), rng.normal(size=12)
    out, back = np.empty(12), np.empty(12)
    found = conjugate_gradients(lambda v: np.matmul(A, v, out=out), A @ x, lambda v: np.matmul(P, v, out=back))
    assert agree(found.x, x, 1e-10)


def test_says_so_when_it_does_not_converge():
    rng = np.random.default_rng(2)
    A, b = positive(rng, np.linspace(1, 1e6, 30)), rng.normal(size=30)
    with pytest.raises(rm.SimulationError, match=r"stopped after 4 iterations at a relative residual of 0\.\d+, expected 1e-12"):
        conjugate_gradients(lambda v: A @ v, b, iterations=4)


@pytest.mark.parametrize("lowest", [-1.0, 0.0, np.nan])
def test_says_so_when_the_matrix_is_not_positive_definite(lowest):
    with pytest.raises(rm.SimulationError, match="need a positive definite matrix"):
        conjugate_gradients(lambda v: lowest * v, np.ones(5))
    with pytest.raises(rm.SimulationError, match="need a positive definite preconditioner"):
        conjugate_gradients(lambda v: v, np.ones(5), lambda v: lowest * v)


def some_terms(m, rng):
    """Symmetric positive terms of joints and bodies, and the dense matrix that they make."""
    blocks = [positive(rng, rng.uniform(0, 3, link.sample.joint.dof)) for link in m.links]
    joint, body = np.concatenate([b.ravel() for b in blocks]), np.array([positive(rng, rng.uniform(0, 2, 6)) for _ in m.links])
    return joint, body


def dense(m, q, joint, body):
    d = rm.Dynamics(m.model, backend="interpret")
    return d.inertia_product(q, np.eye(m.nv), joint, body)


@examples(4, 15)
@given(m=moving, seed=st.integers(0, 2**16))
def test_terms_within_joints_and_bodies_take_one_or_two_iterations(m, seed):
    s = m.state(seed)
    joint, body = some_terms(m, np.random.default_rng(seed))
    found = ReducedSystem(m.model, "interpret").solve(s.q, s.tau, joint, body)
    assert found.iterations <= 2
    assert agree(dense(m, s.q, joint, body) @ found.x, s.tau, 1e-8)


@examples(4, 12)
@given(m=mechanisms(largest=4).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_off_tree_terms_agree_with_the_dense_solution(m, seed):
    rng = np.random.default_rng(seed)
    s, system = m.state(seed), ReducedSystem(m.model, "interpret")
    joint, body = some_terms(m, rng)
    off = positive(rng, rng.uniform(0, 5, m.nv))
    A = dense(m, s.q, joint, body) + off
    found = system.solve(s.q, A @ s.qddot, joint, body, off)
    assert agree(found.x, s.qddot, 1e-7)


def test_off_tree_terms_of_low_rank_take_few_iterations():
    """A few springs between bodies change A by a matrix of low rank: the preconditioned matrix has rank + 1 eigenvalues."""
    m = every_kind(1)
    rng = np.random.default_rng(0)
    s, root = m.state(0), rng.normal(size=(m.nv, 3))
    system = ReducedSystem(m.model)
    found = system.solve(s.q, s.tau, np.ones(m.nv), off_tree=lambda x: root @ (root.T @ x), tolerance=1e-10)
    A = dense(m, s.q, np.ones(m.nv), None) + root @ root.T
    assert found.iterations <= 5 < m.nv
    assert agree(system.solve(s.q, s.tau, np.ones(m.nv), off_tree=root @ root.T, tolerance=1e-10).x, found.x, 1e-9)
    assert agree(A @ found.x, s.tau, 1e-8)


def test_prescribed_joints_are_held():
    m = every_kind(1)
    model = m.model.with_prescribed(m.model.joint_names[2:6])
    free = ~np.repeat(model.prescribed, [link.joint.dof for link in model.links])
    s, rng = m.state(0), np.random.default_rng(0)
    joint, body = some_terms(m, rng)
    found = ReducedSystem(model, "interpret").solve(s.q, s.tau, joint, body)
    A = dense(m, s.q, joint, body)[np.ix_(free, free)]
    assert found.iterations <= 2
    assert not found.x[~free].any()
    assert agree(found.x[free], np.linalg.solve(A, s.tau[free]), 1e-9)


@pytest.mark.parametrize(
    ("integrator", "prescribed"),
    [("implicit", ()), ("rk4", (1, 4))] + [pytest.param(*case, marks=pytest.mark.long) for case in (("implicit", (1, 4)), ("rk4", ()))],
)
def test_runs_agree_with_the_direct_solver(integrator, prescribed):
    m = every_kind(38, kinds=SOME)
    model = m.model.with_prescribed([m.model.joint_names[i] for i in prescribed])
    s = m.state(0)
    options = {"dt": 1e-3, "integrator": integrator, "dynamics": "redmax", "initial": rm.State(0.0, s.q, 0.1 * s.qdot)}
    direct, cg = (rm.simulate(model, 0.005, solver=solver, **options) for solver in ("direct", "cg"))
    assert agree(cg.q, direct.q, 1e-10)
    assert agree(cg.qdot, direct.qdot, 1e-9)


def test_the_interpreter_solves_as_compiled_code_does():
    m = every_kind(38, kinds=SOME)
    options = {"dt": 1e-3, "integrator": "implicit", "dynamics": "redmax", "solver": "cg"}
    compiled, interpreted = (rm.simulate(m.model, 0.002, backend=backend, **options) for backend in ("llvm", "interpret"))
    assert agree(interpreted.qdot, compiled.qdot, 1e-10)


def falling_up() -> rm.Model:
    """A hinge with a torque of so much negative stiffness that M - h^2 K is negative at h = 0.1."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((1, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), torque=lambda t, q, qdot: 200.0 * q, q=0.1)
    return scene.model()


def test_auto_solves_directly_where_the_matrix_is_not_positive_definite():
    options = {"dt": 0.1, "integrator": "implicit", "dynamics": "redmax"}
    assert agree(rm.simulate(falling_up(), 0.1, **options).q, rm.simulate(falling_up(), 0.1, solver="direct", **options).q, 1e-12)
    with pytest.raises(rm.SimulationError, match="need a positive definite preconditioner"):
        rm.simulate(falling_up(), 0.1, solver="cg", **options)


def test_auto_chooses_by_what_is_faster():
    model, coupled = falling_up(), rm.Scene()
    links = [coupled.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), at=(i, 0, 0)) for i in range(2)]
    coupled.add_force(rm.SpringDamper(links[0].point(0, 0, 0), links[1].point(0, 0, 0), stiffness=1.0))
    assert isinstance(matrix_free_solver("auto", model, "llvm"), AlongTree)
    assert isinstance(matrix_free_solver("cg", model, "llvm"), InPython)
    assert matrix_free_solver("direct", model, "llvm") is None
    assert isinstance(matrix_free_solver("auto", coupled.model(), "llvm"), AlongTree)
    assert matrix_free_solver("auto", coupled.model(), "llvm", implicit=True) is None


def test_a_solver_that_cannot_be_used_is_refused():
    model = every_kind(1).model
    with pytest.raises(rm.RedmaxError, match=r"no solver 'gauss'\. Valid: auto, direct, cg"):
        rm.simulate(model, 0.1, dynamics="redmax", solver="gauss")
    with pytest.raises(rm.RedmaxError, match="but 'redmax', without deformables, goes with solver 'auto' only"):
        rm.simulate(model, 0.1, dynamics="recursive", solver="cg")
