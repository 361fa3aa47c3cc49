"""What the geometric scenes are made of: masses, inertias and places from sizes and densities, and how they begin."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import find


def box(a: float, b: float, c: float, mass: float) -> tuple[float, np.ndarray]:
    """Mass and moments about the centre of a cuboid with these edges."""
    return mass, mass / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])


TOP = 15.0, np.array([0.234375, 0.46875, 0.234375])
LINKS = {  # mass and moments of each body, and its centre in its joint frame
    "heavy-top": [(*TOP, (0, 1, 0))],
    "heavy-top-slow": [(*TOP, (0, 1, 0))],
    "asymmetric-top": [(2.0, np.array([0.1, 0.2, 0.25]), (0.1, 0.3, 0.5))],
    "free-body": [(1.0, np.array([2.0, 1.0, 2 / 3]), (0, 0, 0))],
    "free-body-unstable": [(1.0, np.array([1.0, 2.0, 3.0]), (0, 0, 0))],
    "ball-chain": [(*box(0.1, 0.2, 0.4, 1000 * 0.1 * 0.2 * 0.4), (0, 0, -0.2))] * 3,
    "bennett": [(*box(a, 0.05, 0.05, 1000 * a * 0.05**2), (a / 2, 0, 0)) for a in (0.8, 1.0, 0.8, 1.0)],  # the first is the ground
    "variational-pendulum": [(*box(1.0, 0.1, 0.1, 1.0), (0.5, 0, 0))] * 2,
}
START = {
    "heavy-top": ([0, 150, -4.61538], -9.81),
    "heavy-top-slow": ([0.5, 10, -1], -9.81),
    "asymmetric-top": ([1, 2, 10], -9.81),
    "free-body": ([np.cos(1.1) / 2, 0, 1.5 * np.sin(1.1)], 0.0),  # |pi| = 1
    "free-body-unstable": ([0.001, 1, 0.001], 0.0),
    "ball-chain": ([1, 2, 3, -2, 1.5, 0.5, 0, -4, 2.5], -9.81),
    "variational-pendulum": ([0.3, -0.6], -9.81),
}


@pytest.mark.parametrize("name", LINKS)
def test_bodies_have_the_mass_and_moments_of_their_shapes(name):
    model = find(name).scene().model()
    assert len(model.bodies) == len(LINKS[name])
    for link, (mass, moments, center) in zip(model.bodies, LINKS[name], strict=True):
        assert link.shape.mass == pytest.approx(mass, rel=1e-14)
        np.testing.assert_allclose(link.shape.inertia, np.diag(moments), rtol=0, atol=1e-14)
        np.testing.assert_allclose(link.body, rm.pose(np.eye(3), center), rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", START)
def test_scenes_begin_as_they_are_given(name):
    model, (rates, gravity) = find(name).scene().model(), START[name]
    np.testing.assert_allclose(model.qdot0, rates, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(model.gravity, [0, 0, gravity])
    expected = [0.5, 0.8] if name == "variational-pendulum" else [1, 0, 0, 0] * len(model.bodies)
    np.testing.assert_array_equal(model.q0, expected)


def test_bennetts_linkage_begins_closed():
    """(a, alpha) = (1, pi/3) and (0.8, beta), sin beta = 0.8 sin(pi/3): theta_2 and its rate from tan(theta_1/2) tan(theta_2/2) = K."""
    alpha, beta = np.pi / 3, np.arcsin(0.8 * np.sin(np.pi / 3))
    K = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    angle = 2 * np.arctan(K / np.tan(0.5))
    half = 0.5 * angle
    rate = -0.5 * np.tan(half) / np.cos(0.5) ** 2 / np.tan(0.5) * np.cos(half) ** 2  # theta_1 = 1 at 0.5 rad/s
    model = find("bennett").scene().model()
    np.testing.assert_allclose(model.q0, [1.0, angle, -1.0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(model.qdot0, [0.5, rate, -0.5], rtol=0, atol=1e-14)


def test_screws_of_a_chain_and_its_bodies():
    """In the reference configuration: axes, points and pitch by screws, centres of mass at (0.01 i, -0.02, 0.03) of frames in the world."""
    scene = find("screw-chain").scene()
    d, model = rm.Dynamics(scene), scene.model()
    places = [(0, 0, 0.25), (0.2, 0, 0.5), (0.4, 0.1, 0.5), (0.5, 0.2, 0.6)]
    screws = [((0, 0, 1), (0, 0, 0), 0.0), ((0, 1, 0), (0.1, 0, 0.5), 0.05), None, (np.ones(3) / np.sqrt(3), (0.4, 0.2, 0.6), 0.0)]
    seen = d.observe(np.zeros(4), np.zeros(4))
    J = d.jacobian(np.zeros(4), kind="spatial")[0].reshape(4, 6, 4)
    for i, (link, mass, place, screw) in enumerate(zip(model.bodies, (3, 2, 1.5, 1), places, screws, strict=True)):
        assert link.shape.mass == mass
        np.testing.assert_allclose(link.shape.inertia, (i + 1) * np.diag([0.03, 0.02, 0.01]), rtol=0, atol=1e-15)
        center = np.array(place) + (0.01 * (i + 1), -0.02, 0.03)
        np.testing.assert_allclose(seen.pose[i], rm.pose(np.eye(3), center), rtol=0, atol=1e-14)
        if screw is None:
            expected = [0, 0, 0, 1, 0, 0]  # along x
        else:
            axis, point, pitch = map(np.asarray, screw)
            expected = [*axis, *(np.cross(point, axis) + pitch * axis)]
        np.testing.assert_allclose(J[-1][:, i], expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(model.q0, [0.3, -0.5, 0.2, 0.7])
    np.testing.assert_array_equal(model.qdot0, [0.4, 1, -0.6, 0.9])
