"""The factors of a path's stiffness and damping are those of the derivatives of its wrenches, wherever its points lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import disagreement
from forces.samples import A, B, Bodies, C, chosen, random_bodies
from redmax.forces.law import sites_of
from redmax.forces.linear import by_differentiation, impedance
from redmax.forces.symmetric_path import SymmetricPath

H = 0.3
ORIGINS = np.random.default_rng(8).normal(size=(3, 3))
TRUNK = None
members = st.lists(st.sampled_from([TRUNK, A, B, C]), min_size=2, max_size=6).filter(any)
PATHS = {
    "there and back": [A, B, A],
    "twice over one body": [A, B, B, A, C, A],
    "within a body": [A, A, A],
    "from the world and back": [TRUNK, A, TRUNK],
    "past a point of the world": [A, TRUNK, B, C],
}


def tension(length, rate, t, k):
    return k * length * length + 3.0 * rate * length + rate * rate


def path(chain, seed: int = 0):
    places = np.random.default_rng(seed).uniform(-0.5, 0.5, (len(chain), 3)).tolist()
    points = [tuple(p) if body is TRUNK else body.point(*p) for body, p in zip(chain, places, strict=True)]
    return rm.force(tension=tension, path=points, k=2.0, stiffness_kind="symmetrised")


def both(chain, seed: int):
    force = path(chain, seed)
    bodies: Bodies = chosen(force, random_bodies(seed))
    frames = bodies.frames
    origins = list(ORIGINS[: len(frames)])
    sites = sites_of(force, frames)
    phi = [np.concatenate([f.omega, f.v + np.cross(f.omega, o - f.x)]) for f, o in zip(frames, origins, strict=True)]
    factored = impedance(force, frames, origins, sites, bodies.t)
    assert isinstance(factored, SymmetricPath)
    return [evaluated(x, phi) for x in (factored, by_differentiation(force, frames, origins, sites, bodies.t).symmetrised())]


def evaluated(linear, phi) -> tuple[np.ndarray, np.ndarray]:
    """f + h K phi, and h D - h^2 K as one matrix."""
    n = len(phi)
    blocks = np.block([[np.asarray(linear.block(i, j, H), float) for j in range(n)] for i in range(n)])
    return np.concatenate([np.asarray(x, float) for x in linear.pushed(phi, H)]), blocks


def compare(chain, seed: int) -> None:
    for factored, differentiated in zip(*both(chain, seed), strict=True):
        assert disagreement(factored, differentiated, max(np.abs(differentiated).max(), 1e-3)) < 1e-12


@pytest.mark.parametrize("name", PATHS)
def test_factors_are_the_derivatives(name):
    for seed in range(3):
        compare(PATHS[name], seed)


@settings(max_examples=25, deadline=None)
@given(members, st.integers(0, 50))
def test_factors_are_the_derivatives_of_any_path(chain, seed):
    compare(chain, seed)


@settings(max_examples=25, deadline=None)
@given(members, st.integers(0, 50))
def test_the_length_is_that_of_all_segments(chain, seed):
    """Those within a body are left out of a step, not of the path."""
    force = path(chain, seed)
    frames = chosen(force, random_bodies(seed)).frames
    sites = sites_of(force, frames)
    x, v = (np.array([getattr(s, name) for s in sites], float) for name in ("x", "v"))
    dx, dv = np.diff(x, axis=0), np.diff(v, axis=0)
    distances = np.linalg.norm(dx, axis=1)
    length, rate = force.length_and_rate(sites)
    assert float(length) == pytest.approx(distances.sum(), rel=1e-13)
    assert float(rate) == pytest.approx((dx * dv).sum(axis=1) @ (1 / distances), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(("q", "used"), [(0.5, True), (1.5, False)])
def test_points_that_come_and_go_or_move_are_no_part_of_the_fixed_length(q, used):
    """All but the last point are on one body: only the first segment keeps its length."""
    start, next_to, touched, end = (0.3, 0, 0), (0.2, 0.1, 0), (0.1, 0.4, 0.2), (0.2, 0.1, -0.3)
    places = [
        A.point(*start),
        A.point(*next_to),
        rm.ConditionalPoint(A.point(*touched), joint=A, between=(0.0, 1.0)),
        rm.MovingPoint(A, lambda x: (x, x * x, 0.1), joint=A),
        B.point(*end),
    ]
    force = rm.Cable(places, stiffness=1.0).replaced(coordinates=[(np.array([q]), np.zeros(1))])
    frames = chosen(force, random_bodies(2)).frames
    points = [frames[0].point(np.array(p)).x for p in [start, next_to, *[touched] * used, (q, q * q, 0.1)]]
    points.append(frames[1].point(np.array(end)).x)
    expected = np.linalg.norm(np.diff(np.array(points, float), axis=0), axis=1)
    assert force.fixed_length == pytest.approx(expected[0], rel=1e-14)
    assert float(force.length_and_rate(sites_of(force, frames))[0]) == pytest.approx(expected.sum(), rel=1e-13)
