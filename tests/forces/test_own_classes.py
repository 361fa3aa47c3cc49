"""Forces of one's own, written as classes as the library's are, and as functions: the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from forces.scenes import mechanism, with_force
from redmax.errors import SceneError


class Well(rm.Force):
    """V = -k exp(-x^2)."""

    def __init__(self, point: Any, depth: float) -> None:
        self.hold([point], None)
        self.depth = float(depth)

    def potential(self, sites: Sequence[rm.Site], t: Any) -> Any:
        return -self.depth * np.exp(-(sites[0].x @ sites[0].x))


class Rubber(rm.PathForce):
    def __init__(self, a: Any, b: Any, k: float) -> None:
        self.hold([a, b], None)
        self.k = float(k)

    def tension(self, length: Any, rate: Any, t: Any) -> Any:
        return self.k * (length - 1.0 / length**2) + 0.1 * rate


class Cubic(rm.JointForce):
    def __init__(self, joint: Any, k: float) -> None:
        self.hold(joint, None)
        self.k = float(k)

    def torque(self, q: Any, qdot: Any, t: Any) -> Any:
        return -self.k * q**3

    def potential(self, q: Any) -> Any:
        return 0.25 * self.k * (q**2 @ q**2)


def accelerations(make) -> np.ndarray:
    model = with_force(make).model()
    rng = np.random.default_rng(3)
    q, qdot = 0.4 * rng.normal(size=model.nq), rng.normal(size=model.nv)
    found = rm.Dynamics(model).forward(q, qdot), rm.Dynamics(model, "interpret").forward(q, qdot)
    assert agree(*found, 1e-11)
    return np.append(found[0], rm.Dynamics(model).observe(q, qdot).potential)


def test_a_class_and_a_function():
    well = accelerations(lambda a, b, c: Well(b.point(0.1, 0, 0), 2.0))
    also = accelerations(
        lambda a, b, c: rm.force(lambda s, k: (None, -2 * k * np.exp(-(s.x @ s.x)) * s.x), bodies=[b.point(0.1, 0, 0)], k=2.0)
    )
    assert agree(well[:-1], also[:-1], 1e-12)

    def rubber(length, rate, k):
        return k * (length - 1.0 / length**2) + 0.1 * rate

    assert agree(
        accelerations(lambda a, b, c: Rubber(a, c, 3.0)), accelerations(lambda a, b, c: rm.force(tension=rubber, path=[a, c], k=3.0)), 1e-12
    )
    assert agree(
        accelerations(lambda a, b, c: Cubic(b, 3.0)),
        accelerations(
            lambda a, b, c: rm.force(
                torque=lambda t, q, qdot, k: -k * q**3, potential=lambda q, k: 0.25 * k * (q**2 @ q**2), joint=b, k=3.0
            )
        ),
        1e-12,
    )


def test_classes_keep_the_energy():
    scene, (_, b, _) = mechanism()
    for force in (Well(b, 2.0), Cubic(b, 3.0)):
        scene.add_force(force)
    run = rm.simulate(scene, 1.0, 0.1, rtol=1e-11, progress=False)
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-8 * run.energy.kinetic.max()


def test_their_numbers_are_data():
    scene = rm.Scene()
    body = scene.add_body(rm.Sphere(0.1), joint=rm.Free())
    for depth in (1.0, 2.0, 3.0):
        scene.add_force(Well(body, depth))
    assert len(scene.model().acting) == 1
    both = rm.Dynamics(scene.model()).forward(np.array([0, 0, 0, 0.1, 0, 0]), np.zeros(6))
    mass = scene.links[0].shape.mass
    assert np.isclose(both[3], -2 * 6.0 * np.exp(-0.01) * 0.1 / mass)


class Preloaded(rm.PathForce):
    """A pull that was set at first."""

    def __init__(self, points, initial, excitation):
        self.hold(points, None)
        self.initial, self.excitation = initial, excitation

    def tension(self, length, rate, t):
        return self.initial + self.excitation


def test_numbers_of_a_class_are_its_own_whatever_their_names():
    """Two of a kind that differ in numbers share their kernels, not the numbers."""
    scene = rm.Scene(gravity=(0, 0, 0))
    balls = [scene.add_body(rm.Sphere(0.1, mass=1), joint=rm.Translational(), q=(i, 0, 1)) for i in range(2)]
    for i, (ball, pull) in enumerate(zip(balls, (3.0, 5.0), strict=True)):
        scene.add_force(Preloaded([(i, 0, 0), ball], pull, 0.5 * pull))
    model = scene.model()
    assert np.allclose(rm.Dynamics(model).forward(model.q0, model.qdot0)[[2, 5]], [-4.5, -7.5])


class Loose(rm.Force):
    def __init__(self, body):
        self.body = body


class Idle(rm.Force):
    def __init__(self, body):
        self.hold([body], None)


class Short(Idle):
    def wrenches(self, sites, t):
        return []


class Bare(Idle):
    def wrenches(self, sites, t):
        return [sites[0].x]


class Slack(rm.PathForce):
    def __init__(self, body):
        self.hold([(0, 0, 1), body], None)


class Still(rm.JointForce):
    def __init__(self, body):
        self.hold(body, None)


UNFINISHED = {
    r"Loose holds on to nothing: let its __init__ call self.hold": Loose,
    r"Idle 'force1' gives neither wrenches nor energy. Define wrenches\(sites, t\)": Idle,
    r"Short 'force1': wrenches must return a pair .* for each site. Got 0 of 1": Short,
    r"Bare 'force1': wrenches must return a pair": Bare,
    r"Slack 'force1' gives no tension. Define tension\(length, rate, t\)": Slack,
    r"Still 'force1' gives no torque. Define torque\(q, qdot, t\)": Still,
}


@pytest.mark.parametrize("message", UNFINISHED)
def test_classes_that_are_not_finished(message):
    scene = rm.Scene()
    ball = scene.add_body(rm.Sphere(0.1), joint=rm.Translational(), name="ball")
    with pytest.raises(SceneError, match=message):
        pushed(scene, UNFINISHED[message](ball))


def pushed(scene: rm.Scene, force: Any) -> np.ndarray:
    scene.add_force(force)
    return rm.Dynamics(scene.model(), "interpret").forward(np.zeros(3), np.zeros(3))
