"""What is read off a state: poses and twists from the definition of the joints, energy, momentum, and how they change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate, rates
from dynamics.hyperdual import inverse
from dynamics.newton_euler import Ad, oracle
from mechanisms import Mechanism, every_kind, mechanisms
from random_examples import examples


def products_of_transforms(m: Mechanism, q: np.ndarray) -> np.ndarray:
    """Body poses by the library's own transforms and nothing else of it, (links, 4, 4)."""
    frames: list[np.ndarray] = []
    bodies: list[np.ndarray] = []
    for i, link in enumerate(m.links):
        parent = frames[link.parent] if link.parent >= 0 else np.eye(4)
        frames.append(parent @ link.at @ np.asarray(link.sample.joint.transform(q[m.of(i)]), float))
        bodies.append(frames[-1] @ link.body @ link.shape.frame)
    return np.array(bodies)


@examples(4, 25)
@given(m=mechanisms(largest=9), seed=st.integers(0, 2**16))
def test_poses_and_twists_are_those_of_the_definition(m, seed):
    s = m.state(seed)
    seen = rm.Dynamics(m.model, backend="interpret").observe(s.q, s.qdot)
    o = oracle(m, s.q, s.qdot)
    assert_allclose(seen.pose, o.E.astype(float), rtol=0, atol=1e-12)
    assert_allclose(seen.pose, products_of_transforms(m, s.q), rtol=0, atol=1e-12)
    assert agree(seen.twist, o.phi, 1e-12, floor=1.0)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_twists_are_the_rates_of_poses(seed):
    m = every_kind(seed)
    s = m.state(seed)
    d = rm.Dynamics(m.model)
    seen = d.observe(s.q, s.qdot)
    Edot = rate(lambda h: d.observe(s.q + h * s.qdot, s.qdot).pose, 1e-3)
    X = inverse(seen.pose) @ Edot
    twists = np.stack([X[:, 2, 1], X[:, 0, 2], X[:, 1, 0], X[:, 0, 3], X[:, 1, 3], X[:, 2, 3]], axis=-1)
    assert_allclose(twists, seen.twist, atol=1e-9 * np.abs(seen.twist).max())


@examples(4, 20)
@given(m=mechanisms(largest=8).filter(lambda m: m.nv > 0), seed=st.integers(0, 2**16))
def test_energy_and_momentum_are_sums_over_bodies(m, seed):
    s = m.state(seed)
    d = rm.Dynamics(m.model, backend="interpret")
    seen = d.observe(s.q, s.qdot)
    assert np.isclose(seen.kinetic, 0.5 * s.qdot @ d.inertia(s.q) @ s.qdot, rtol=1e-11)
    M = np.array([link.shape.mass_matrix for link in m.links])
    P = np.einsum("nij,nj->ni", M, seen.twist)
    assert np.isclose(seen.kinetic, 0.5 * np.sum(seen.twist * P), rtol=1e-12)
    momentum = sum(Ad(inverse(E)).T @ p for E, p in zip(seen.pose, P))
    assert agree(seen.momentum, momentum, 1e-12, floor=1.0)
    weight = -sum(link.shape.mass * m.gravity @ E[:3, 3] for link, E in zip(m.links, seen.pose))
    springs = sum(0.5 * link.stiffness @ (s.q[m.of(i)] - link.rest) ** 2 for i, link in enumerate(m.links))
    assert np.isclose(seen.potential, weight + springs, rtol=1e-11, atol=1e-11)
    assert np.isclose(seen.total, seen.kinetic + seen.potential)


def static_force(m: Mechanism, q: np.ndarray) -> np.ndarray:
    """Generalised gravity and springs, (nv,)."""
    o = oracle(m, q, np.zeros(m.nv))
    weight = o.external(None, 0.0) - o.external(None, 0.0, gravity=False)
    springs = np.concatenate([-link.stiffness * (q[m.of(i)] - link.rest) for i, link in enumerate(m.links)])
    return np.einsum("nij,ni->j", o.J, weight).astype(float) + springs


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_potential_energy_falls_along_gravity_and_springs(seed):
    m = every_kind(seed)
    d = rm.Dynamics(m.model)
    q = m.state(seed).q
    gradient = rates(lambda x: d.observe(x, np.zeros(m.nv)).potential, q)[:, 0]
    assert agree(-gradient, static_force(m, q), 1e-9)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_power_balance(seed):
    """d(T + V)/dt = qdot . (tau + torque functions) + power of the wrenches - power of the dampers."""
    m = every_kind(seed)
    s = m.state(seed)
    d = rm.Dynamics(m.model)
    qddot = d.forward(s.q, s.qdot, s.tau, s.wrench, s.t)

    def energy(h: float) -> np.ndarray:
        return d.observe(s.q + h * s.qdot + 0.5 * h * h * qddot, s.qdot + h * qddot).total

    power = s.qdot @ s.tau
    for i, link in enumerate(m.links):
        q, v = s.q[m.of(i)], s.qdot[m.of(i)]
        power -= link.damping @ v**2
        power += v @ link.torque(s.t, q, v) if link.torque is not None else 0.0
    acting = oracle(m, s.q, s.qdot).external(s.wrench, s.t, gravity=False).astype(float)
    power += np.sum(acting * d.observe(s.q, s.qdot).twist)
    step = 0.02 / np.sqrt(np.abs(qddot).max())
    assert np.isclose(rate(energy, step), power, rtol=1e-6, atol=1e-6 * d.observe(s.q, s.qdot).kinetic)


def test_momentum_changes_by_weight_alone():
    """A floating tree without further forces: linear momentum by m g, angular momentum by the moment of m g about the origin."""
    m = every_kind(3, kinds=("Free", "Revolute", "Spherical", "Helical", "Universal", "Prismatic"), forces=False)
    m = Mechanism(tuple(sorted_with_free_root(m)), (), np.array([1.0, -2.0, -9.0]))
    s = m.state(1)
    d = rm.Dynamics(m.model)
    tau = s.tau.copy()
    tau[m.of(0)] = 0.0  # torques within the tree leave its momentum alone, those of the free joint do not
    qddot = d.forward(s.q, s.qdot, tau)

    def momentum(h: float) -> np.ndarray:
        return d.observe(s.q + h * s.qdot + 0.5 * h * h * qddot, s.qdot + h * qddot).momentum

    pose = d.observe(s.q, s.qdot).pose
    force = [link.shape.mass * m.gravity for link in m.links]
    moment = sum(np.cross(E[:3, 3], f) for E, f in zip(pose, force))
    step = 0.02 / np.sqrt(np.abs(qddot).max())
    assert_allclose(rate(momentum, step), [*moment, *sum(force)], rtol=1e-6, atol=1e-6 * np.abs(momentum(0.0)).max())


def sorted_with_free_root(m: Mechanism):
    """The same links as a chain that begins with the free joint."""
    free = next(link for link in m.links if link.sample.kind == "Free")
    rest = [link for link in m.links if link is not free]
    for i, link in enumerate([free, *rest]):
        yield replace(link, parent=i - 1)


def test_batches_of_observations():
    m = every_kind(1)
    d = rm.Dynamics(m.model)
    q, qdot, _ = m.states(10)
    many = d.observe(q.reshape(5, 2, -1), qdot.reshape(5, 2, -1))
    assert many.kinetic.shape == (5, 2)
    assert many.pose.shape == (5, 2, len(m.links), 4, 4)
    one = d.observe(q[7], qdot[7])
    for name in ("kinetic", "potential", "momentum", "pose", "twist"):
        assert agree(getattr(many, name)[3, 1], getattr(one, name), 1e-12), name
