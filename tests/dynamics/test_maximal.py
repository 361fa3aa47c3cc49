"""Maximal coordinates: small functions, solvers, reactions, projection and stabilisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, logm

import redmax as rm
from dynamics.agreement import agree
from integrators.scenes import CONSERVATIVE, conservative, driven
from mechanisms import Mechanism, every_kind, mechanisms
from random_examples import examples
from redmax.dynamics.maximal import rigid
from redmax.dynamics.maximal.joints import complement, poses
from redmax.dynamics.maximal.solve import JointEquation, solve_sparse, solve_tree
from redmax.dynamics.maximal.system import Maximal
from redmax.joints.body_frame import BodyFrame
from redmax.lie import se3

seeds = st.integers(0, 2**16)


def bracket(xi: np.ndarray) -> np.ndarray:
    w, v = xi[:3], xi[3:]
    return np.array([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])


def flat(E: np.ndarray) -> np.ndarray:
    return E[:, :3].ravel()


def view_of(bodies: Maximal, q: Any, qdot: Any, tau: Any, t: float = 0.0, h: float = 1e-2) -> dict:
    pose, twist = bodies.inward(q, qdot, 0.0)
    bodies.control = tau
    return {"q": pose, "qdot": twist, "t": np.full(1, t), "h": np.full(1, h)}


# Small functions


def test_many_rigid_motions_equal_one_by_one():
    rng = np.random.default_rng(0)
    xi = rng.normal(size=(7, 6)) * 0.4
    xi[5], xi[6] = 1e-6 * xi[5], 0.0
    E = np.array([expm(bracket(x)) for x in xi])
    assert np.allclose(rigid.inverse(E) @ E, np.eye(4), atol=1e-15)
    assert np.allclose(rigid.adjoint(E), [np.asarray(se3.Ad(e), float) for e in E], atol=1e-15)
    assert np.allclose(rigid.small_log(E), xi, rtol=1e-9, atol=1e-15)
    V, W = rng.normal(size=(2, 7, 6))
    for v, w, a, b in zip(V, W, rigid.ad_product(V, W), rigid.coriolis(V, W)):
        ad = np.block([[rigid.skew(v[None, :3])[0], np.zeros((3, 3))], [rigid.skew(v[None, 3:])[0], rigid.skew(v[None, :3])[0]]])
        assert np.allclose(a, ad @ w, atol=1e-14)
        assert np.allclose(b, ad.T @ w, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 9.9e-5, 1.01e-4, 1e-3, 0.1, 1.0, 1.5])
def test_the_logarithm_of_errors_of_any_size_to_a_right_angle(angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    xi = np.concatenate([angle * axis, [0.3, -0.2, 0.5]])
    assert np.allclose(rigid.small_log(expm(bracket(xi))[None])[0], xi, rtol=1e-12, atol=1e-14)


def test_the_body_frame_joint_moves_along_the_group():
    """retract is E exp(delta); rate and velocity are inverses of each other, and the rate at which delta follows a constant twist."""
    joint, rng = BodyFrame(), np.random.default_rng(2)
    E, delta, phi = expm(bracket(rng.normal(size=6))), 0.5 * rng.normal(size=6), rng.normal(size=6)
    q = E[:3].ravel()
    moved = np.asarray(joint.retract(q, delta), float).reshape(3, 4)
    assert np.allclose(moved, (E @ expm(bracket(delta)))[:3], atol=1e-14)
    rate = np.asarray(joint.rate(delta, phi), float)
    assert np.allclose(np.asarray(joint.velocity(delta, rate), float), phi, atol=1e-13)

    def after(h: float) -> np.ndarray:
        L = logm(expm(bracket(delta)) @ expm(bracket(h * phi)))
        return np.real(np.array([L[2, 1], L[0, 2], L[1, 0], *L[:3, 3]]))

    h = 1e-4
    assert np.allclose(rate, (8 * (after(h) - after(-h)) - (after(2 * h) - after(-2 * h))) / (12 * h), atol=1e-9)


# The linear system


def random_system(seed: int, rows: Any, impedance: bool) -> tuple:
    """A tree of five bodies with random joints, as the solvers get them."""
    rng = np.random.default_rng(seed)
    parent, n = np.array([-1, 0, 1, 1, -1]), 5
    half = rng.normal(size=(n, 6, 6))
    M = half @ half.transpose(0, 2, 1) + np.eye(6)
    X = rigid.adjoint(np.array([expm(bracket(0.4 * x)) for x in rng.normal(size=(n, 6))]))
    joints = []
    for r in rows:
        Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        Y = Q[:, r:] @ rng.normal(size=(6 - r, 6 - r))
        joints.append(JointEquation(Q[:, :r], rng.normal(size=r), Y @ Y.T if impedance else np.zeros((6, 6))))
    return parent, M, rng.normal(size=(n, 6)), X, joints


@pytest.mark.parametrize("impedance", [False, True])
@pytest.mark.parametrize("rows", [(5, 5, 5, 5, 5), (3, 0, 6, 4, 1), (6, 6, 6, 6, 6), (0, 0, 0, 0, 0)])
def test_both_solvers_solve_the_equations_as_they_are_stated(rows, impedance):
    parent, M, f, X, joints = random_system(sum(rows), rows, impedance)
    results = (
        [solve(parent, M, f, X, joints) for solve in (solve_tree, solve_sparse)] if any(rows) else [solve_tree(parent, M, f, X, joints)]
    )
    for v, F in results:
        for i, j in enumerate(joints):
            u = X[i] @ v[parent[i]] if parent[i] >= 0 else np.zeros(6)
            carried = sum((X[c].T @ F[c] for c in range(5) if parent[c] == i), np.zeros(6))
            assert np.allclose(M[i] @ v[i], f[i] + F[i] - carried, atol=1e-9)
            assert np.allclose(j.N.T @ (v[i] - u), j.c, atol=1e-9)
            along = F[i] + j.K @ (v[i] - u)  # = N lambda
            assert np.allclose(along, j.N @ (j.N.T @ along), atol=1e-9)
    for a in results[1:]:
        assert agree(a[0], results[0][0], 1e-10)
        assert agree(a[1], results[0][1], 1e-10)


@examples(2, 8)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds, implicit=st.booleans())
def test_the_sparse_solution_is_that_of_the_tree(m, seed, implicit):
    s, found = m.state(seed), []
    bodies = Maximal(m.model, "interpret")
    for bodies.sparse in (False, True):
        view = view_of(bodies, s.q, s.qdot, s.tau, s.t)
        (bodies.solve_implicit if implicit else bodies.solve_explicit)(view)
        found.append((view["qddot"], bodies.reactions))
    assert agree(found[1][0], found[0][0], 1e-8)
    assert np.abs(found[1][1] - found[0][1]).max() < 1e-8 * max(np.abs(found[0][1]).max(), 1.0)


# Reactions


def check_reactions(m: Mechanism, s: Any, backend: str) -> None:
    """What a joint holds, N^T F, is the part of the reaction across S; the rest is the joint's own force."""
    d = rm.Dynamics(m.model, backend)
    qddot = d.forward(s.q, s.qdot, s.tau, t=s.t)
    expected = d.reactions(s.q, s.qdot, qddot, t=s.t)
    bodies = Maximal(m.model, backend)
    bodies.solve_explicit(view_of(bodies, s.q, s.qdot, s.tau, s.t))
    S = bodies.motion(s.q, s.qdot, 0.0).S
    size = max(np.abs(expected).max(), 1.0)
    for i, C in enumerate(m.model.frames):
        turn = C[:3, :3].T  # from the user's joint frame to that of the kernels
        F = np.concatenate([turn @ expected[i, :3], turn @ expected[i, 3:]])
        N = complement(S[i])
        assert np.allclose(N.T @ bodies.reactions[i], N.T @ F, rtol=0, atol=1e-9 * size), i
        assert np.allclose(S[i].T @ bodies.reactions[i], 0.0, atol=1e-9 * size), i


@examples(2, 10)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds)
def test_reactions_are_those_of_inverse_dynamics_across_the_joint(m, seed):
    check_reactions(m, m.state(seed), "interpret")


def test_compiled_reactions_on_every_kind_of_joint():
    m = every_kind(1, kinds=("Revolute", "Prismatic", "Universal", "Spherical", "torus", "Free"))
    check_reactions(m, m.state(1), "llvm")


# Projection


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_projection_finds_the_coordinates_of_displaced_bodies(seed):
    """From poses of q, starting at coordinates nearby: the same q, and nothing is left of the error."""
    m = every_kind(seed)
    s, bodies = m.state(seed), Maximal(m.model, "llvm")
    pose, twist = bodies.inward(s.q, s.qdot, 0.0)
    bodies.q = s.q + 0.05 * np.random.default_rng(seed).normal(size=m.nv)
    q, qdot, opening = bodies.outward(pose, twist, 0.0)
    assert np.abs(q - s.q).max() < 1e-10
    assert np.abs(qdot - s.qdot).max() < 1e-9
    assert opening.max() < 1e-10


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_the_error_that_is_left_has_no_part_along_the_joint(seed):
    m = every_kind(seed)
    s, bodies = m.state(seed), Maximal(m.model, "llvm")
    pose, twist = bodies.inward(s.q, s.qdot, 0.0)
    rng = np.random.default_rng(seed)
    E = poses(pose) @ np.array([expm(bracket(1e-2 * x)) for x in rng.normal(size=(len(m.links), 6))])
    j = bodies.joints(E, twist.reshape(-1, 6), 0.0)
    assert 1e-3 < np.abs(j.error).max() < 0.5
    S = bodies.motion(j.q, np.zeros(m.nv), 0.0).S
    for i, s_ in enumerate(S):
        if s_.shape[1]:
            assert np.abs(np.linalg.solve(s_.T @ s_, s_.T @ j.error[i])).max() < 1e-11, m.links[i].sample.kind
    again = bodies.joints(E, twist.reshape(-1, 6), 0.0)
    assert np.abs(again.q - j.q).max() < 1e-11


# Stabilisation


def opened(b: float, integrator: str, dt: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """A pendulum whose joint is open at the start, without relative velocity: times and the error of its joint, (steps, 6)."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.3, name="bar")
    sim = rm.Simulation(scene, dt=dt, integrator=integrator, dynamics="maximal")
    runner: Any = sim.runner
    bodies = runner.maximal
    bodies.baumgarte = b
    pose, twist = bodies.inward(sim.q[0], sim.qdot[0], sim.t)
    pose = flat(poses(pose) @ expm(bracket(np.array([0, 0, 0, 0.0, 1e-4, 0.0]))))
    n = [np.empty((steps, 1, 12)), np.empty((steps, 1, 6))]
    clock = [np.full(1, x) for x in (0.0, 0.0, dt, 0.0)]
    runner.inner.run([pose[None], twist[None], np.zeros(6), *clock], n, 1, steps)
    errors = []
    for E, phi in zip(n[0][:, 0], n[1][:, 0]):
        errors.append(bodies.joints(poses(E), phi.reshape(-1, 6), 0.0).error[0])
    return dt * np.arange(1, steps + 1), np.array(errors)


@pytest.mark.parametrize("b", [2.0, 20.0])
def test_an_open_joint_closes_as_critically_damped(b):
    """e'' + 2b e' + b^2 e = 0 from rest: e(t) = e0 (1 + b t) exp(-b t)."""
    t, e = opened(b, "rk4", 0.1 / b, 40)
    size = np.linalg.norm(e, axis=1)
    np.testing.assert_allclose(size / 1e-4, (1 + b * t) * np.exp(-b * t), atol=2e-4)


def test_without_stabilisation_an_open_joint_stays_open():
    _, e = opened(0.0, "rk4", 0.02, 20)
    np.testing.assert_allclose(np.linalg.norm(e, axis=1), 1e-4, rtol=1e-6)


def test_an_implicit_step_closes_a_fraction_of_the_opening():
    """N^T V_rel = -b N^T e at the new velocity: e_k = e0 (1 - b h)^k to first order."""
    _, e = opened(5.0, "implicit", 0.01, 30)
    np.testing.assert_allclose(np.linalg.norm(e, axis=1) / 1e-4, 0.95 ** np.arange(1, 31), rtol=1e-2)


@pytest.mark.parametrize(("scene", "integrator"), [(driven, "rk4"), (driven, "implicit"), (conservative, "euler")])
def test_drift_stays_small(scene, integrator):
    sim = rm.Simulation(scene(), dt=0.005, integrator=integrator, dynamics="maximal")
    q, qdot = sim.room(40)
    sim.advance(1, sim.torques(), q, qdot)
    runner: Any = sim.runner
    assert runner.drift.shape == (40, 1, len(sim.model.links))
    assert runner.drift.max() < {"euler": 2e-2, "implicit": 2e-2, "rk4": 1e-5}[integrator]
    assert runner.drift[-1].max() <= 1.01 * runner.drift.max()


def test_projection_after_each_step_leaves_no_drift():
    sim = rm.Simulation(conservative(), dt=0.005, integrator="rk4", dynamics="maximal", stabilisation="project")
    runner: Any = sim.runner
    for _ in range(10):
        sim.step()
        pose, twist = runner.maximal.inward(sim.q[0], sim.qdot[0], sim.t)
        assert runner.maximal.outward(pose, twist, sim.t)[2].max() < 1e-12


def test_a_run_in_portions_is_one_run():
    """The bodies' own poses go on, not their projection."""
    model = CONSERVATIVE["chain"]().model()
    whole = rm.Simulation(model, dt=0.01, integrator="euler", dynamics="maximal")
    q, qdot = whole.room(12)
    whole.advance(1, whole.torques(), q, qdot)
    parts = rm.Simulation(model, dt=0.01, integrator="euler", dynamics="maximal")
    for _ in range(12):
        parts.step()
    np.testing.assert_array_equal(parts.q, q[-1])
    np.testing.assert_array_equal(parts.qdot, qdot[-1])
