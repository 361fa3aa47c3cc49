"""Maximal coordinates: the equations they solve, reactions, projection and stabilisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, logm

import redmax as rm
from dynamics.bodies import Bodies, poses
from integrators.scenes import CONSERVATIVE, conservative, driven
from mechanisms import Mechanism, every_kind, mechanisms
from random_examples import examples
from redmax.dynamics.maximal.runner import Ends
from redmax.dynamics.redmax.system import joint_frame_inertia
from redmax.joints.body_frame import BodyFrame
from redmax.joints.motion import jacobian_of
from redmax.joints.nearest import small_log
from redmax.lie import se3

seeds = st.integers(0, 2**16)


def bracket(xi: np.ndarray) -> np.ndarray:
    w, v = xi[:3], xi[3:]
    return np.array([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])


def flat(E: np.ndarray) -> np.ndarray:
    return E[:, :3].ravel()


def displaced(pose: np.ndarray, size: float, seed: int) -> np.ndarray:
    """All bodies moved a little by themselves, so that their joints are open."""
    E = poses(pose)
    return flat(E @ np.array([expm(bracket(size * x)) for x in np.random.default_rng(seed).normal(size=(len(E), 6))]))


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


@pytest.mark.parametrize(
    ("angle", "tolerance"), [(0.0, 0), (1e-9, 0), (1e-4, 1e-15), (0.2, 1e-15), (0.4, 1e-12), (1.0, 1e-5), (2.0, 2e-2), (3.0, 0.5)]
)
def test_the_logarithm_of_small_errors(angle, tolerance):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    xi = np.concatenate([angle * axis, [0.3, -0.2, 0.5]])
    E = expm(bracket(xi))
    assert np.abs(np.asarray(small_log(E[:3, :3], E[:3, 3]), float) - xi).max() <= tolerance + 4e-16


# The equations


class Frames:
    """Joint frames of bodies at poses, with numbers: G in the world, X from parents, S at coordinates q."""

    def __init__(self, model: rm.Model, pose: np.ndarray, q: np.ndarray) -> None:
        body = np.array([C.T @ link.body for C, link in zip(model.frames, model.links, strict=True)])
        self.parent = model.tree.parent
        self.to_joint = [np.asarray(se3.Ad(B), float) for B in body]
        self.G = poses(pose) @ np.linalg.inv(body)
        relative = [np.linalg.inv(self.G[p]) @ E if p >= 0 else E for p, E in zip(self.parent, self.G, strict=True)]
        self.X = [np.asarray(se3.Ad(np.linalg.inv(E)), float) for E in relative]
        self.M = joint_frame_inertia(model)
        parts = model.configurations.parts()
        cores = zip(model.cores, parts, strict=True)
        self.S = [np.asarray(jacobian_of(core, np.asarray(core.at("transform", q[p], 0.0)), q[p], 0.0), float) for core, p in cores]

    def reactions(self, twist: np.ndarray, rate: np.ndarray, gravity: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """What the joints exert on the bodies, (n, 6), by Newton's and Euler's equations from the leaves on."""
        F = np.zeros((len(self.parent), 6))
        for i in reversed(range(len(self.parent))):
            V, a = self.to_joint[i] @ twist[i], self.to_joint[i] @ rate[i]
            fall = np.concatenate([np.zeros(3), self.G[i, :3, :3].T @ gravity])
            ad = np.asarray(se3.ad(V), float)
            F[i] += self.M[i] @ (a - fall) - ad.T @ self.M[i] @ V - wrench[i]
            if self.parent[i] >= 0:
                F[self.parent[i]] += self.X[i].T @ F[i]
        return F


def quiet(m: Mechanism) -> rm.Model:
    """Without wrenches on bodies."""
    return Mechanism(m.links, (), m.gravity).model


@examples(2, 10)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds)
def test_open_joints_hold_what_they_do_not_allow_and_nothing_else(m, seed):
    """From bodies that are where no joint has them: Newton's equations, with joint forces that do no work but that of springs and torques.

    The rows are held to their rate: what they ask for goes as 2 b and b^2."""
    model, s = quiet(m), m.state(seed)
    bodies = Bodies(model, "interpret")
    pose, twist = bodies.inward(s.q, s.qdot)
    pose, twist = displaced(pose, 1e-3, seed), twist + 1e-3 * np.random.default_rng(seed).normal(size=len(twist))
    seen = bodies.outward(pose, twist, s.q)
    frames, phi = Frames(model, pose, seen.q), twist.reshape(-1, 6)
    rates = [bodies.accelerate(pose, twist, seen.q, s.tau, b=b) for b in (0.0, 1.0, 3.0)]
    parts = [model.v_slice(name) for name in model.joint_names]
    silent = [bodies.accelerate(pose, twist, seen.q, 0.0 * s.tau, b=0.0)]
    F, F0 = (frames.reactions(phi, r, model.gravity, np.zeros_like(phi)) for r in (rates[0], *silent))
    size = max(np.abs(F).max(), 1.0)
    for i, (p, S) in enumerate(zip(parts, frames.S, strict=True)):
        if not model.prescribed[i]:
            assert np.allclose(S.T @ (F[i] - F0[i]), s.tau[p], rtol=0, atol=1e-9 * size)
        asked = []
        for r in rates:
            V = [frames.to_joint[k] @ r[k] for k in (i, frames.parent[i])]
            asked.append(V[0] - (frames.X[i] @ V[1] if frames.parent[i] >= 0 else 0.0))
        for b, a in zip((1.0, 3.0), asked[1:], strict=True):
            change = a - asked[0] + 2 * b * seen.slip[i] + b * b * seen.gap[i]
            N = np.linalg.qr(S, mode="complete")[0][:, S.shape[1] :]
            assert np.allclose(N.T @ change, 0.0, rtol=0, atol=1e-9 * max(np.abs(a).max(), 1.0)), m.links[i].sample.kind


def check_reactions(m: Mechanism, s: Any, backend: str) -> None:
    """What a joint holds is the part of the reaction across S; the rest is the joint's own force."""
    d, model = rm.Dynamics(quiet(m), backend), quiet(m)
    qddot = d.forward(s.q, s.qdot, s.tau, t=s.t)
    expected = d.reactions(s.q, s.qdot, qddot, t=s.t)
    bodies = Bodies(model, backend)
    pose, twist = bodies.inward(s.q, s.qdot)
    frames, phi = Frames(model, pose, s.q), twist.reshape(-1, 6)
    found = frames.reactions(phi, bodies.accelerate(pose, twist, s.q, s.tau, s.t), model.gravity, np.zeros_like(phi))
    size = max(np.abs(expected).max(), 1.0)
    for i, C in enumerate(model.frames):
        turn = C[:3, :3].T  # from the user's joint frame to that of the kernels
        F, S = np.concatenate([turn @ expected[i, :3], turn @ expected[i, 3:]]), frames.S[i]
        N = np.linalg.qr(S, mode="complete")[0][:, S.shape[1] :]
        assert np.allclose(N.T @ found[i], N.T @ F, rtol=0, atol=1e-9 * size), i


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
    s, bodies = m.state(seed), Bodies(m.model, "interpret")
    pose, twist = bodies.inward(s.q, s.qdot)
    seen = bodies.outward(pose, twist, s.q + 0.05 * np.random.default_rng(seed).normal(size=m.nv))
    assert np.abs(seen.q - s.q).max() < 1e-10
    assert np.abs(seen.qdot - s.qdot).max() < 1e-9
    assert seen.drift.max() < 1e-10


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_the_error_that_is_left_has_no_part_along_the_joint(seed):
    m = every_kind(seed)
    s, bodies = m.state(seed), Bodies(m.model, "interpret")
    pose, twist = bodies.inward(s.q, s.qdot)
    pose = displaced(pose, 1e-2, seed)
    seen = bodies.outward(pose, twist, s.q)
    assert 1e-3 < np.abs(seen.gap).max() < 0.5
    assert np.allclose(seen.drift, np.linalg.norm(seen.gap, axis=1))
    for i, S in enumerate(Frames(m.model, pose, seen.q).S):
        if S.shape[1]:
            assert np.abs(np.linalg.solve(S.T @ S, S.T @ seen.gap[i])).max() < 1e-10, m.links[i].sample.kind
    again = bodies.outward(pose, twist, seen.q)
    assert np.abs(again.q - seen.q).max() < 1e-10


# Stabilisation


def opened(b: float, integrator: str, dt: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """A pendulum whose joint is open at the start, without relative velocity: times and how far it is open."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1), mass=1.0), joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.3, name="bar")
    sim = rm.Simulation(scene, dt=dt, integrator=integrator, dynamics="maximal")
    runner: Any = sim.runner
    runner.baumgarte = b
    pose, twist = Bodies(sim.model, "interpret").inward(sim.q[0], sim.qdot[0])
    pose = flat(poses(pose) @ expm(bracket(np.array([0, 0, 0, 0.0, 1e-4, 0.0]))))
    runner.history = Ends(sim.q, sim.qdot, pose[None], twist[None])
    sim.advance(1, sim.torques(), *sim.room(steps))
    return dt * np.arange(1, steps + 1), runner.drift[:, 0, 0]


@pytest.mark.parametrize("b", [2.0, 20.0])
def test_an_open_joint_closes_as_critically_damped(b):
    """e'' + 2b e' + b^2 e = 0 from rest: e(t) = e0 (1 + b t) exp(-b t)."""
    t, size = opened(b, "rk4", 0.1 / b, 40)
    np.testing.assert_allclose(size / 1e-4, (1 + b * t) * np.exp(-b * t), atol=2e-4)


def test_without_stabilisation_an_open_joint_stays_open():
    _, size = opened(0.0, "rk4", 0.02, 20)
    np.testing.assert_allclose(size, 1e-4, rtol=1e-6)


def test_an_implicit_step_closes_a_fraction_of_the_opening():
    """N^T V_rel = -b N^T e at the new velocity: e_k = e0 (1 - b h)^k to first order."""
    _, size = opened(5.0, "implicit", 0.01, 30)
    np.testing.assert_allclose(size / 1e-4, 0.95 ** np.arange(1, 31), rtol=1e-2)


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
    bodies, runner = Bodies(sim.model, "interpret"), sim.runner
    assert hasattr(runner, "drift")
    for _ in range(10):
        sim.step()
        pose, twist = bodies.inward(sim.q[0], sim.qdot[0])
        assert bodies.outward(pose, twist, sim.q[0]).drift.max() < 1e-12


@pytest.mark.parametrize("options", [{"integrator": "euler"}, {"integrator": "rk4", "stabilisation": "project"}])
def test_a_run_in_portions_is_one_run(options):
    """The bodies' own poses go on, not their projection, unless that is asked for."""
    model = CONSERVATIVE["chain"]().model()
    whole = rm.Simulation(model, dt=0.01, dynamics="maximal", **options)
    q, qdot = whole.room(12)
    whole.advance(1, whole.torques(), q, qdot)
    parts = rm.Simulation(model, dt=0.01, dynamics="maximal", **options)
    for _ in range(12):
        parts.step()
    np.testing.assert_array_equal(parts.q, q[-1])
    np.testing.assert_array_equal(parts.qdot, qdot[-1])


def test_worlds_of_a_batch_go_on_each_from_its_own_bodies():
    """A batch in portions is the batch at once; a world that is put elsewhere begins with closed joints there."""
    model = CONSERVATIVE["chain"]().model()
    start = rm.State(0.0, np.tile(model.q0, (5, 1)), np.linspace(0.5, 1.0, 5)[:, None] * model.qdot0)
    whole, parts = (rm.Simulation(model, dt=0.01, integrator="euler", dynamics="maximal", initial=start) for _ in range(2))
    q, qdot = whole.room(6)
    whole.advance(1, whole.torques(), q, qdot)
    parts.step(3)
    parts.step(3)
    np.testing.assert_array_equal(parts.q, q[-1])
    parts.q[2], parts.qdot[2] = model.q0, model.qdot0
    parts.step()
    whole.step()
    alone = rm.Simulation(model, dt=0.01, integrator="euler", dynamics="maximal").step()
    np.testing.assert_allclose(parts.q[2], alone.q, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(parts.q[3], whole.q[3])
