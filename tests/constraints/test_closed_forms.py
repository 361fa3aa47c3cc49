"""Constraints whose motion is known: a pendulum as a distance, Atwood's machine, a crank and slider, a differential that shares a speed."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import find

METHODS = [("recursive", "adaptive"), ("redmax", "adaptive"), ("maximal", "adaptive"), ("recursive", "rk4")]


def run(scene: rm.Scene, duration: float, dynamics: str, integrator: str) -> rm.Trajectory:
    options = {"dt": 0.05, "rtol": 1e-11} if integrator == "adaptive" else {"dt": 1e-3}
    return rm.simulate(scene, duration, dynamics=dynamics, integrator=integrator, progress=False, **options)  # type: ignore[arg-type]


def at(found: rm.Trajectory, name: str) -> np.ndarray:
    return found.q.reshape(len(found.t), -1)[:, found.model.q_slice(name)]


@pytest.mark.parametrize(("dynamics", "integrator"), METHODS)
def test_a_pendulum_is_a_point_at_a_distance(dynamics, integrator):
    """In space, from a state on the sphere: the same as a ball joint with the mass at its end."""
    start, speed = np.array([0.6, 0.0, -0.8]), np.array([0.0, 1.5, 0.0])
    free = rm.Scene()
    bob = free.add_body(rm.Sphere(1e-5, mass=0.7), joint=rm.Translational(), q=start, qdot=speed, name="bob")
    free.add_constraint(rm.Distance(bob, (0, 0, 0)))
    joined = rm.Scene()
    lean = -np.arctan2(0.6, 0.8)
    joined.add_body(rm.Sphere(1e-5, mass=0.7), joint=rm.Universal(), com=(0, 0, -1), q=(0.0, lean), qdot=(1.5 / 0.8, 0.0), name="bob")
    found, expected = run(free, 1.5, dynamics, integrator), run(joined, 1.5, "recursive", "adaptive")
    place = np.array([expected.pose("bob")[k].reshape(4, 4)[:3, 3] for k in range(len(expected.t))])
    every = (len(found.t) - 1) // (len(expected.t) - 1)
    assert np.abs(at(found, "bob")[::every][: len(place)] - place).max() < 2e-8


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
def test_atwood(dynamics):
    """The heavier weight falls by (m1 - m2) g / (m1 + m2 + I / r^2), I / r^2 = 1 kg of the wheel."""
    found = rm.simulate(find("atwood").scene(), 1.0, dt=0.1, dynamics=dynamics, integrator="adaptive", progress=False)
    a = (3.0 - 2.0) * 9.81 / (3.0 + 2.0 + 1.0)
    assert np.abs(at(found, "heavy")[:, 0] + 0.5 * a * found.t**2).max() < 1e-9
    assert np.abs(at(found, "light")[:, 0] - 0.5 * a * found.t**2).max() < 1e-9


@pytest.mark.parametrize("dynamics", ["recursive", "maximal"])
def test_a_crank_and_slider(dynamics):
    """Its kinetic energy is 1/2 I(theta) theta'^2, with I from the geometry alone, and nothing takes any of it."""
    scene = find("slider-crank").scene()
    r, rod = 0.2, 0.6
    mass = {link.name: link.shape.mass for link in scene.links}
    spin = {link.name: link.shape.inertia[1, 1] for link in scene.links}
    found = run(scene, 2.0, dynamics, "adaptive")
    theta = -at(found, "crank")[:, 0]
    assert np.abs(at(found, "slider")[:, 0] - (r * np.cos(theta) + np.sqrt(rod * rod - (r * np.sin(theta)) ** 2))).max() < 1e-9

    def inertia(angle: float) -> float:
        beta = r * cos(angle) / sqrt(rod * rod - (r * sin(angle)) ** 2)  # how the rod turns with the crank
        slide = -r * sin(angle) - r * sin(angle) * beta
        middle = np.array([-r * sin(angle) - 0.5 * r * sin(angle) * beta, r * cos(angle) - 0.5 * r * cos(angle)])
        parts = mass["crank"] * r * r / 4 + spin["crank"], mass["rod"] * middle @ middle + spin["rod"] * beta**2, mass["slider"] * slide**2
        return sum(parts)

    rate = -found.qdot.reshape(len(found.t), -1)[:, found.model.v_slice("crank")][:, 0]
    energy = np.array([0.5 * inertia(a) * v * v for a, v in zip(theta, rate, strict=True)])
    assert np.ptp(theta) > 2 * pi
    assert np.abs(energy / energy[0] - 1).max() < 1e-8


def test_a_differential_shares_its_speed():
    """Both wheels together turn twice as far as the cage, whatever the load on one of them does."""
    found = rm.simulate(find("differential").scene(), 3.0, dt=0.1, integrator="adaptive", progress=False)
    left, right, cage, planet = (at(found, name)[:, 0] for name in ("left", "right", "cage", "planet"))
    assert np.abs(left + right - 2 * cage).max() < 1e-10
    assert np.abs(left - right - 2 * planet).max() < 1e-10
    assert np.ptp(left - right) > 0.1
