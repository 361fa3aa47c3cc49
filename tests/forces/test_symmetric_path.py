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
    return rm.force(tension=tension, path=points, k=2.0)


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
