"""Bennett's linkage against its geometry and the Lagrangian of its one coordinate, both written out with NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import redmax as rm
from scenes.runs import scene_of

ALPHA, BETA = np.pi / 3, np.arcsin(0.8 * np.sin(np.pi / 3))
LINKS = ((1.0, ALPHA), (0.8, BETA), (1.0, ALPHA), (0.8, BETA))
K = np.sin((BETA + ALPHA) / 2) / np.sin((BETA - ALPHA) / 2)
TINY = 1e-30


def second(one: Any) -> Any:
    """theta_2 of tan(theta_1 / 2) tan(theta_2 / 2) = K."""
    return 2 * np.arctan(K / np.tan(one / 2))


def angles(one: Any) -> tuple[Any, ...]:
    return one, second(one), -one, -second(one)


def turned(a: Any, k: int) -> np.ndarray:
    """By a about x (k = 0) or z (k = 2)."""
    E = np.eye(4, dtype=complex)
    i, j = (k + 1) % 3, (k + 2) % 3
    E[i, i], E[i, j], E[j, i], E[j, j] = np.cos(a), -np.sin(a), np.sin(a), np.cos(a)
    return E


def along(length: float) -> np.ndarray:
    E = np.eye(4, dtype=complex)
    E[0, 3] = length
    return E


def frames(thetas: Any) -> list[np.ndarray]:
    """Of each link, behind its joint; and where the loop ends."""
    found, E = [], np.eye(4, dtype=complex)
    for theta, (length, twist) in zip(thetas, LINKS, strict=True):
        found.append(E @ turned(theta, 2))
        E = found[-1] @ along(length) @ turned(twist, 0)
    return [*found, E]


def lagrangian(one: float) -> tuple[float, float]:
    """m and V of 1/2 m(theta_1) theta_1'^2 - V(theta_1): the velocity of each link by steps along the imaginary axis."""
    m = V = 0.0
    for (length, _), E in zip(LINKS[:3], frames(angles(one + 1j * TINY)), strict=False):
        mass, centre = 1000 * length * 0.05**2, E[:3, 3] + E[:3, 0] * length / 2
        spin = E[:3, :3].real.T @ E[:3, :3].imag / TINY
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        inertia = mass / 12 * np.array([2 * 0.05**2, length**2 + 0.05**2, length**2 + 0.05**2])
        m += mass * np.sum((centre.imag / TINY) ** 2) + np.sum(inertia * w * w)
        V += mass * 9.81 * centre[2].real
    return m, V


@cache
def run() -> rm.Trajectory:
    return rm.simulate(scene_of("bennett"), 5.0, 0.05, rtol=1e-10, progress=False)


def test_it_begins_as_stated():
    assert run().q[0] == pytest.approx([1.0, second(1.0), -1.0], abs=1e-12)
    assert run().qdot[0, 0] == 0.5
    assert np.abs(frames(angles(1.0))[-1] - np.eye(4)).max() < 1e-14  # of the geometry written here, too


def test_it_stays_on_its_closed_form():
    """theta_3 = -theta_1 and theta_2 of theta_1, and rates that follow, although five of its rows ask for what two give."""
    one, two, three = run().q.T
    assert np.abs(two - second(one)).max() < 1e-9
    assert np.abs(three + one).max() < 1e-9
    assert max(np.abs(frames((a, b, c, -b))[-1] - np.eye(4)).max() for a, b, c in run().q) < 1e-9
    assert np.abs(run().qdot[:, 2] + run().qdot[:, 0]).max() < 1e-8
    assert np.ptp(one) > 2


def test_it_moves_as_its_lagrangian_says():
    """1/2 m theta_1'^2 + V is constant, and the time to a place is the integral of 1 / theta_1'."""
    assert run().energy.drift.max() < 1e-8
    m, V = np.array([lagrangian(one) for one in run().q[:, 0]]).T
    energy = 0.5 * m * run().qdot[:, 0] ** 2 + V
    assert np.ptp(energy) < 1e-8 * np.ptp(V)

    def slowness(one: float) -> float:
        m, V = lagrangian(one)
        return np.sqrt(m / (2 * (energy[0] - V)))

    assert quad(slowness, 1.0, run().q[20, 0], epsabs=1e-11)[0] == pytest.approx(run().t[20], abs=1e-8)


def test_it_is_where_its_lagrangian_takes_it():
    """theta_1 and its rate at 1 s and 5 s, to 11 digits: its one equation of motion, extrapolated, with m(theta_1) and V by complex steps.

    All in 80 bits. Two numbers of steps agree to 1e-15, and the energy to 4e-15.
    """
    exact = rm.simulate(scene_of("bennett"), 5.0, 0.25, rtol=1e-13, progress=False)
    found = np.array([exact.q[[4, -1], 0], exact.qdot[[4, -1], 0]])
    expected = [[2.5676889532584, 2.6764713495542], [1.9444179932147, 1.6523753961440]]
    np.testing.assert_allclose(found, expected, rtol=2e-12)
