"""Springs and chains of them: the published law, damping that only takes energy, masses and lengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deformables.evaluated import assembled, central_differences, energy_of, value
from deformables.samples import random_rotation
from redmax.deformables import Spring, SpringChain

coordinates = st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3)


@given(a=coordinates, b=coordinates, K=st.floats(0.1, 100.0), L=st.floats(0.1, 3.0))
def test_the_force_is_that_of_the_notes(a, b, K, L):
    """RedMax notes Eq. 2.82: f0 = (K e / L) dx / l, f1 = -f0."""
    x = np.array([a, b])
    dx = x[1] - x[0]
    length = np.linalg.norm(dx)
    if length < 1e-6:
        return
    f0 = K * (length - L) / L / L * dx / length
    found = value(Spring(), "forces", x, np.array([K, L, 0.0]))
    assert np.abs(found - [f0, -f0]).max() <= 1e-12 * K / L * (1 + length / L)
    assert value(Spring(), "energy", x, np.array([K, L, 0.0])) == pytest.approx(K / 2 * ((length - L) / L) ** 2)


@pytest.mark.parametrize("seed", range(5))
def test_gradient_and_stiffness(seed):
    rng = np.random.default_rng(seed)
    x, data = rng.normal(size=(2, 3)), np.array([3.0, 0.7, 0.0])
    f, K = value(Spring(), "forces", x, data), value(Spring(), "stiffness", x, data)
    assert np.abs(f - value(Spring(), "gradient", x, data)).max() < 1e-13
    measured = central_differences(lambda x: value(Spring(), "forces", x, data).ravel(), x, 1e-4)
    assert np.abs(K - measured).max() < 1e-9 * np.abs(K).max()


def test_a_spring_of_no_length_has_finite_forces():
    x = np.zeros((2, 3))
    for what in ("energy", "forces", "stiffness"):
        assert np.isfinite(value(Spring(), what, x, np.array([3.0, 0.7, 0.0]))).all()


@given(x=st.lists(coordinates, min_size=2, max_size=2), v=st.lists(coordinates, min_size=2, max_size=2))
def test_damping_takes_the_power_of_the_strain_rate(x, v):
    """P = -D edot^2, none for a rigid motion."""
    x, v = np.array(x), np.array(v)
    length = np.linalg.norm(x[1] - x[0])
    if length < 1e-3:
        return
    law, D, L = Spring(damped=True), 0.4, 0.7
    edot = (x[1] - x[0]) @ (v[1] - v[0]) / length / L
    assert (law.damping(x, v, np.array([3.0, L, D])) * v).sum() == pytest.approx(-D * edot**2, abs=1e-10)
    turning = np.cross([0.3, -0.2, 0.5], x) + [1.0, 2.0, 3.0]
    assert np.abs(law.damping(x, turning, np.array([3.0, L, D]))).max() < 1e-11


def test_a_chain_is_evenly_spaced_with_equal_masses():
    chain = SpringChain((0, 0, 1), (3, 0, 5), 6, mass=1.2, stiffness=40.0)
    assert np.abs(np.diff(chain.nodes, axis=0) - np.array([3, 0, 4]) / 5).max() < 1e-15
    assert chain.masses == pytest.approx([0.2] * 6)
    assert chain.elements[0].nodes.tolist() == chain.lines.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]
    assert chain.elements[0].data == pytest.approx(np.tile([40.0, 1.0, 0.0], (5, 1)))
    assert not chain.elements[0].law.damped
    assert np.abs(assembled(chain, "forces", chain.nodes)).max() < 1e-13


def test_the_tension_of_a_stretched_chain_is_the_same_along_it():
    """K e / L at each end, whichever way the chain points; a chain given a length is stretched from the start."""
    Q = random_rotation(np.random.default_rng(0))
    chain = SpringChain(Q @ (0, 0, 0), Q @ (2.0, 0, 0), 5, mass=1.0, stiffness=10.0, length=1.6, damping=0.1)
    L, e = 0.4, 0.25
    f = assembled(chain, "forces", chain.nodes)
    assert np.abs(f[1:-1]).max() < 1e-12
    assert f[0] == pytest.approx(Q[:, 0] * 10.0 * e / L)
    assert energy_of(chain, chain.nodes) == pytest.approx(4 * 10.0 / 2 * e**2)
    assert chain.elements[0].law.damped
