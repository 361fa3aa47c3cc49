"""K = d(wrench)/d(pose) along E exp(xi), D = -d(wrench)/d(twist) of every force: against differences, and against the printed formulas."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree, disagreement
from forces import notes
from forces.differences import derivative, moved, pushed
from forces.samples import SAMPLES, A, B, Bodies, C, body_wrenches, chosen, random_bodies, sample, settled
from redmax.forces.frames import Frame
from redmax.forces.law import sites_of
from redmax.forces.linear import by_differentiation, linearised
from redmax.forces.path import PathForce
from redmax.trace import Graph, evaluate_numeric

ORIGINS = np.random.default_rng(3).normal(size=(3, 3))


def at_origin(E: np.ndarray, o: np.ndarray) -> np.ndarray:
    """B with body twist = B (turn; shift), a turn about o and a shift in world axes."""
    R, p = E[:3, :3], E[:3, 3]
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ notes.skew(p - o), R.T]])


def assembled(linear, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    wrench = np.concatenate([np.asarray(w, float) for w in linear.wrenches])
    K, D = (np.block([[np.asarray(part[i, j], float) for j in range(count)] for i in range(count)]) for part in (linear.K, linear.D))
    return wrench, K, D


def in_body_axes(linear, bodies: Bodies) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wrenches, K and D as the notes have them, from those about the origins."""
    n = len(bodies.E)
    inverse = np.zeros((6 * n, 6 * n))
    for i in range(n):
        inverse[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.linalg.inv(at_origin(bodies.E[i], ORIGINS[i]))
    wrench, K, D = assembled(linear, n)
    return inverse.T @ wrench, inverse.T @ K @ inverse, inverse.T @ D @ inverse


def found(force, bodies: Bodies, how=linearised):
    frames = bodies.frames
    return in_body_axes(how(force, frames, list(ORIGINS[: len(frames)]), sites_of(force, frames), bodies.t), bodies)


def by_differences(force, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
    columns = [(j, xi) for j in range(len(bodies.E)) for xi in np.eye(6)]
    K = [derivative(lambda e, j=j, xi=xi: body_wrenches(force, moved(bodies, j, e * xi)).ravel()) for j, xi in columns]
    # no law has more than a cubic of the speed, of which two levels are exact
    D = [-derivative(lambda e, j=j, xi=xi: body_wrenches(force, pushed(bodies, j, e * xi)).ravel(), levels=2) for j, xi in columns]
    return np.array(K).T, np.array(D).T


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
@pytest.mark.parametrize("name", SAMPLES)
def test_against_differences(name, seed):
    force = sample(name)
    bodies = chosen(force, random_bodies(seed))
    wrench, K, D = found(force, bodies)
    expected = body_wrenches(force, bodies).ravel()
    scale = max(np.abs(expected).max(), 1e-3)
    K_expected, D_expected = by_differences(force, bodies)
    assert disagreement(wrench, expected, scale) < 1e-12
    assert disagreement(K, K_expected, scale) < 1e-9
    assert disagreement(D, D_expected, scale) < 1e-9


@pytest.mark.parametrize("name", [n for n in SAMPLES if isinstance(sample(n), PathForce)])
def test_formulas_of_paths_are_their_derivatives(name):
    """The short formulas for paths, and differentiation of the wrenches."""
    force = sample(name)
    bodies = chosen(force, random_bodies(4))
    for a, b in zip(found(force, bodies), found(force, bodies, by_differentiation), strict=True):
        assert disagreement(a, b, max(np.abs(b).max(), 1e-3)) < 1e-12


@pytest.mark.parametrize("name", SAMPLES)
def test_traced_as_of_numbers(name):
    """The trace that kernels are made of gives what the same function gives of numbers."""
    force = sample(name)
    bodies = chosen(force, random_bodies(5))
    graph = Graph()
    numbers = {f"f{i}": np.concatenate([f.R.ravel(), f.x, f.omega, f.v]) for i, f in enumerate(bodies.frames)}
    frames = []
    for i in range(len(bodies.E)):
        v = np.array(graph.inputs(f"f{i}", 18), object)
        frames.append(Frame(v[:9].reshape(3, 3), v[9:12], v[12:15], v[15:]))
    linear = linearised(force, frames, list(ORIGINS[: len(frames)]), sites_of(force, frames), graph.input("t", 0))
    flat = [x for part in (linear.wrenches, linear.K.values(), linear.D.values()) for block in part for x in np.ravel(block)]
    values = np.array(evaluate_numeric(flat, lambda base, i: bodies.t if base == "t" else numbers[base][i]), float)
    direct = linearised(force, bodies.frames, list(ORIGINS[: len(frames)]), sites_of(force, bodies.frames), bodies.t)
    expected = [float(x) for part in (direct.wrenches, direct.K.values(), direct.D.values()) for block in part for x in np.ravel(block)]
    assert disagreement(values, expected, 1e-3) < 1e-12


def test_directional_force_as_printed():
    """Eqs. 1.31-1.33."""
    x, a, k = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -3.0]), 2.5
    force = settled(rm.PointForce(A.point(*x), a, strength=k))
    for seed in range(3):
        bodies = chosen(force, random_bodies(seed))
        wrench, K, D = found(force, bodies)
        f, K_printed = notes.pull(k, bodies.E[0, :3, :3], x, a)
        assert agree(wrench, f, 1e-13)
        assert agree(K, K_printed, 1e-12)
        assert not D.any()


def test_point_to_point_force_as_printed():
    """Eqs. 1.35-1.37, the last with its sign turned."""
    x, k = np.array([[0.1, 0.2, -0.3], [0.4, 0, 0.1]]), 7.0
    force = settled(rm.PointSpring(A.point(*x[0]), B.point(*x[1]), stiffness=k))
    for seed in range(3):
        bodies = chosen(force, random_bodies(seed))
        wrench, K, _ = found(force, bodies)
        assert agree(wrench, k * notes.toward(bodies.E, x), 1e-12)
        assert agree(K, -k * notes.bent(bodies.E, x), 1e-12)


def test_spring_damper_as_printed():
    """Eqs. 1.65-1.68, corrected."""
    x, k, d, L = np.array([[0.1, 0.2, -0.3], [0.4, 0, 0.1]]), 30.0, 4.0, 0.6
    force = settled(rm.SpringDamper(A.point(*x[0]), B.point(*x[1]), stiffness=k, damping=d, rest=L, per="strain"))
    for seed in range(3):
        bodies = chosen(force, random_bodies(seed))
        expected = notes.path(bodies.E, bodies.phi, x, lambda s, r: (k * (s - L) / L + d * r / L, k / L, d / L))
        for a, b in zip(found(force, bodies), expected, strict=True):
            assert agree(a, b, 1e-11)


@pytest.mark.parametrize("count", [2, 3])
def test_path_of_any_tension_as_printed(count):
    """Eqs. 1.50-1.64, corrected, for a tension that is no straight line in length or rate."""
    places, x = [A, B, C][:count], np.array([[0.1, 0.2, -0.3], [0.4, 0, 0.1], [0.0, -0.3, 0.2]])[:count]
    made = rm.force(tension=lambda s, r: s**2 * (2 + r) + r**3, path=[b.point(*p) for b, p in zip(places, x, strict=True)])
    force = settled(made)
    for seed in range(3):
        bodies = chosen(force, random_bodies(seed))
        expected = notes.path(bodies.E, bodies.phi, x, lambda s, r: (s**2 * (2 + r) + r**3, 2 * s * (2 + r), s**2 + 3 * r**2))
        for a, b in zip(found(force, bodies), expected, strict=True):
            assert agree(a, b, 1e-11)


def test_body_damping_has_no_stiffness():
    """Sec. 1.9.1: D = d I, K = 0."""
    force = sample("body damping, one number")
    _, K, D = found(force, chosen(force, random_bodies(1)))
    assert np.abs(K).max() < 1e-14
    assert agree(D, 2.0 * np.eye(6), 1e-14)
