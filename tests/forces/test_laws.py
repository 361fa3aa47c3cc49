"""Momentum, energy and power of every force, and its law written out again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redmax as rm
from dynamics.agreement import agree, disagreement
from forces.differences import derivative, later, moved
from forces.samples import (
    D6,
    K6,
    LEAN,
    SAMPLES,
    TILT,
    A,
    B,
    Bodies,
    C,
    body_wrenches,
    chosen,
    random_bodies,
    sample,
    settled,
    stored,
    world_wrenches,
)
from random_examples import examples

seeds = st.integers(0, 2**20)
FEW = examples(4, 25)


def power(force, bodies: Bodies) -> float:
    return float((body_wrenches(force, bodies) * bodies.phi).sum())


def storing(force, bodies: Bodies) -> float:
    """dV/dt along the motion."""
    return float(derivative(lambda dt: np.array(stored(force, later(bodies, dt)))))


@pytest.mark.parametrize("name", [n for n, s in SAMPLES.items() if s.internal])
@FEW
@given(seed=seeds)
def test_internal_forces_leave_momentum_alone(name, seed):
    """The wrenches about the world's origin add up to nothing."""
    force = sample(name)
    bodies = chosen(force, random_bodies(seed))
    W = world_wrenches(force, bodies)
    about_origin = np.concatenate([W[:, :3] + np.cross(bodies.E[:, :3, 3], W[:, 3:]), W[:, 3:]], axis=1)
    assert np.abs(about_origin.sum(0)).max() <= 1e-12 * max(np.abs(about_origin).max(), 1e-3)


@pytest.mark.parametrize("name", [n for n, s in SAMPLES.items() if s.conservative])
@examples(2, 10)
@given(seed=seeds)
def test_wrenches_are_the_slope_of_the_potential(name, seed):
    """Along every twist of every body, not only along the motion."""
    force = sample(name)
    bodies = chosen(force, random_bodies(seed))
    slopes = [
        float(derivative(lambda e, j=j, xi=xi: np.array(stored(force, moved(bodies, j, e * xi)))))
        for j in range(len(bodies.E))
        for xi in np.eye(6)
    ]
    W = body_wrenches(force, bodies).ravel()
    assert disagreement(-np.array(slopes), W, max(np.abs(W).max(), 1e-2)) < 1e-9


@pytest.mark.parametrize("name", [n for n, s in SAMPLES.items() if s.dissipative])
@FEW
@given(seed=seeds)
def test_dampers_only_take_energy(name, seed):
    """What a force does, and what it stores, is at most nothing together."""
    force = sample(name)
    bodies = chosen(force, random_bodies(seed))
    done, kept = power(force, bodies), storing(force, bodies)
    assert done + kept <= 1e-8 * max(abs(done), abs(kept), 1e-3)


def test_dampers_do_take_energy():
    for name in (n for n, s in SAMPLES.items() if s.dissipative):
        force = sample(name)
        assert min(power(force, b) + storing(force, b) for b in (chosen(force, random_bodies(s)) for s in range(3))) < -1e-3


def point(bodies: Bodies, i: int, x) -> np.ndarray:
    return bodies.E[i, :3, :3] @ x + bodies.E[i, :3, 3]


def speed(bodies: Bodies, i: int, x) -> np.ndarray:
    return bodies.E[i, :3, :3] @ (bodies.phi[i, 3:] + np.cross(bodies.phi[i, :3], x))


@FEW
@given(seed=seeds, slack=st.floats(0.1, 6.0))
def test_cable(seed, slack):
    """T = max(0, k (l - L) + d ldot) where l > L, else nothing; its energy k/2 (l - L)^2."""
    xa, xb, k, d = np.array([0.1, 0, 0.2]), np.array([0, 0.3, 0]), 5.0, 3.0
    force = settled(rm.Cable([A.point(*xa), (0, 0, 2), B.point(*xb)], stiffness=k, damping=d, rest=slack))
    bodies = chosen(force, random_bodies(seed))
    away = [point(bodies, 0, xa) - [0, 0, 2], point(bodies, 1, xb) - [0, 0, 2]]
    lengths = [float(np.linalg.norm(x)) for x in away]
    rate = sum(float(speed(bodies, i, x) @ (u / length)) for i, (x, u, length) in enumerate(zip((xa, xb), away, lengths, strict=True)))
    stretch = sum(lengths) - slack
    T = max(0.0, k * stretch + d * rate) if stretch > 0 else 0.0
    W = world_wrenches(force, bodies)
    for i in (0, 1):
        assert np.allclose(W[i, 3:], -T * away[i] / lengths[i], rtol=1e-12, atol=1e-12)
    assert stored(force, bodies) == pytest.approx(0.5 * k * stretch**2 if stretch > 0 else 0.0, rel=1e-12, abs=1e-13)


def test_a_cable_per_strain_has_the_published_law():
    """T = k e + d ldot / L, V = k e^2 L / 2 with e = (l - L) / L."""
    k, d, L = 40.0, 3.0, 0.3
    force = settled(rm.Cable([A, B], stiffness=k, damping=d, rest=L, per="strain"))
    bodies = chosen(force, random_bodies(2))
    dx, dv = point(bodies, 1, np.zeros(3)) - point(bodies, 0, np.zeros(3)), speed(bodies, 1, np.zeros(3)) - speed(bodies, 0, np.zeros(3))
    length = np.linalg.norm(dx)
    e = (length - L) / L
    T = k * e + d * (dx @ dv / length) / L
    assert T > 0
    assert agree(world_wrenches(force, bodies)[0, 3:], T * dx / length, 1e-12)
    assert stored(force, bodies) == pytest.approx(k * e * e * L / 2, rel=1e-13)


@FEW
@given(seed=seeds)
def test_bushing_energy_by_another_logarithm(seed):
    """V = 1/2 z' K z with the rotation vector of SciPy."""
    force = sample("whole bushing")
    bodies = chosen(force, random_bodies(seed))
    frames = bodies.E[0] @ LEAN, bodies.E[1] @ rm.pose(np.eye(3), (0.1, 0, 0))
    Q = np.linalg.inv(frames[0]) @ frames[1]
    r = Rotation.from_matrix(Q[:3, :3] @ TILT[:3, :3].T).as_rotvec()
    z = np.concatenate([r, Q[:3, 3] - TILT[:3, 3]])
    assert stored(force, bodies) == pytest.approx(0.5 * z @ K6 @ z, rel=1e-10, abs=1e-12)


@FEW
@given(seed=seeds)
def test_bushing_damper_sees_the_motion_of_b_from_a(seed):
    """Its power is -w' D w, with w the rate of the pose of b as an observer on a measures it, by differences."""
    force = settled(rm.Bushing((A, LEAN), (C, TILT), damping=D6))
    bodies = chosen(force, random_bodies(seed))

    def seen(dt: float) -> np.ndarray:
        E = later(bodies, dt).E
        return np.linalg.inv(E[0] @ LEAN) @ E[1] @ TILT

    Qdot = derivative(seen)
    W = Qdot[:3, :3] @ seen(0.0)[:3, :3].T
    w = np.array([W[2, 1], W[0, 2], W[1, 0], *Qdot[:3, 3]])
    assert power(force, bodies) == pytest.approx(-w @ D6 @ w, rel=1e-8)


def test_a_bushing_rests_where_the_scene_begins():
    force = sample("bushing")
    start = chosen(force, random_bodies(10_000))
    still = Bodies(start.E, np.zeros_like(start.phi), 0.0)
    assert np.abs(world_wrenches(force, still)).max() < 1e-12
    assert stored(force, still) < 1e-25


def test_three_numbers_or_a_matrix_are_the_same_bushing():
    bodies = chosen(sample("bushing"), random_bodies(3))
    whole = settled(rm.Bushing((A, LEAN), (B, TILT), stiffness=np.diag([1, 2, 3, 20, 20, 20])))
    parts = settled(rm.Bushing((A, LEAN), (B, TILT), translational=20 * np.eye(3), rotational=(1, 2, 3)))
    assert agree(body_wrenches(whole, bodies), body_wrenches(sample("bushing"), bodies), 1e-13)
    assert agree(body_wrenches(parts, bodies), body_wrenches(sample("bushing"), bodies), 1e-13)


def test_point_force_counts_its_potential_when_asked():
    constant, moving = rm.PointForce(A, (0, 0, 1), strength=3), rm.PointForce(A, (0, 0, 1), strength=lambda t: 3 + 0 * t)
    bodies = chosen(constant, random_bodies(0))
    height = bodies.E[0, 2, 3]
    assert stored(constant, bodies) == pytest.approx(-3 * height)
    assert stored(rm.PointForce(A, (0, 0, 1), strength=3, counted=False), bodies) == 0
    assert stored(moving, bodies) == 0
    assert stored(rm.PointForce(A, (0, 0, 1), strength=lambda t: 3 + 0 * t, counted=True), bodies) == pytest.approx(-3 * height)
    assert agree(world_wrenches(moving, bodies), world_wrenches(constant, bodies), 1e-15)
