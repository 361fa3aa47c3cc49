"""What the parts of composite joints have beyond their motion: forces, charts that change, domains, dependence on time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import redmax as rm
from dynamics.agreement import agree
from joints.test_composite import BOX, accelerations
from redmax.lie import se3
from redmax.math import array, sin


def test_a_subclass_with_a_force_keeps_it():
    """Its parent's core would not know of it: alone, in a composite, and inverted."""

    class Sprung(rm.Revolute):
        def force(self, q, qdot):
            return array([-3.0 * q[0]])

        def potential(self, q):
            return 1.5 * q[0] * q[0]

    for wrap in (lambda joint: joint, lambda joint: rm.CompositeJoint(rm.Prismatic("y"), joint), rm.Inverted):
        scene = rm.Scene(gravity=(0, 0, 0))
        joint = wrap(Sprung("z"))
        scene.add_body(rm.MassProperties(1.0, (1, 1, 1)), joint=joint)
        q = np.append(np.zeros(joint.dof - 1), 0.4)
        dynamics = rm.Dynamics(scene.model())
        assert_allclose(dynamics.forward(q, 0 * q, 0 * q)[-1], -1.2, rtol=1e-14)
        assert_allclose(dynamics.observe(q, 0 * q).potential, 0.24, rtol=1e-14)
        run = rm.simulate(scene, 3.0, 0.1, initial=rm.State(0.0, q, 0 * q))
        assert_allclose(run.q[:, -1], 0.4 * np.cos(np.sqrt(3.0) * run.t), atol=1e-6)


class Quadratic(rm.Joint):
    """A part with everything: a domain, a chart with a name, and coordinates that are changed beyond 1."""

    dof = 1
    chart = "square"
    domain = ((-2.0, 2.0),)

    def transform(self, q):
        return rm.pose(np.eye(3), array([q[0] + 0.1 * q[0] * q[0], 0.0, 0.0]))

    def retract(self, q, delta):
        return q + 2.0 * delta

    def rate(self, delta, velocity):
        return 0.5 * velocity

    def velocity(self, delta, rate):
        return 2.0 * rate

    def rechart(self, states):
        return [(q + 100.0, qdot - 100.0) for q, qdot in states]


def test_parts_keep_their_own_ways():
    joint = rm.Inverted(rm.CompositeJoint(rm.Prismatic("y"), Quadratic(), rm.Spherical()))
    assert joint.domain == ((-np.inf, np.inf), (-2.0, 2.0), *[(-np.inf, np.inf)] * 3)
    assert joint.chart == "square exp"
    q, v = np.arange(5.0), np.ones(5)
    assert_allclose(joint.retract(q, v), [1, 3, 3, 4, 5])
    assert_allclose(joint.rate(q, v), [1, 0.5, 1, 1, 1])
    assert_allclose(joint.velocity(q, v), [1, 2, 1, 1, 1])
    [(p, pdot), (older, olderdot)] = joint.rechart([(q, v), (q - 1, v)])
    turned, before = rm.Spherical().rechart([(q[2:], v[2:]), (q[2:] - 1, v[2:])])
    assert_allclose(p, [0, 101, *turned[0]])
    assert_allclose(pdot, [1, -99, *turned[1]])
    assert_allclose(older, [-1, 100, *before[0]])
    assert_allclose(olderdot, [1, -99, *before[1]])
    assert rm.CompositeJoint(rm.Revolute("x"), rm.Prismatic("z")).rechart([(q[:2], v[:2])]) is None


def thrown(joint: rm.Joint) -> tuple[rm.Scene, rm.State]:
    """A body that spins and flies, on a joint with three translations and a rotation."""
    scene = rm.Scene()
    scene.add_body(BOX, joint=joint, com=(0.1, 0.2, 0.3), name="body")
    last, rotation = joint.parts[-1], Rotation.from_rotvec([0.4, 0.5, 0.6])  # type: ignore[attr-defined]
    q = np.append([0.1, 0.2, 0.3], rotation.as_euler(last.order) if isinstance(last, rm.SphericalEuler) else rotation.as_rotvec())
    model = scene.model()
    J, _ = rm.Dynamics(model, backend="interpret").jacobian(model.configurations.join(q), np.zeros(6))
    return scene, rm.State(0.0, q, np.linalg.solve(J, [1.0, 6.0, 2.0, 0.5, 0.2, 3.0]))


@pytest.mark.parametrize(("integrator", "dt", "tolerance"), [("adaptive", 0.1, 1e-5), ("rk4", 1e-3, 1e-7), ("bdf2", 5e-3, 0.02)])
def test_charts_of_parts_change_on_the_way(integrator, dt, tolerance):
    """On exponential coordinates, and on Euler angles in a composite within: one motion."""
    joints = [
        rm.CompositeJoint(rm.Translational(), rm.Spherical()),
        rm.CompositeJoint(rm.Prismatic("x"), rm.CompositeJoint(rm.Planar("y", "z"), rm.SphericalEuler("ZXZ"))),
    ]
    runs = []
    for joint in joints:
        scene, start = thrown(joint)
        runs.append(rm.simulate(scene, 0.8, dt, integrator=integrator, initial=start))
        assert_allclose(runs[-1].pose("body")[-1], runs[0].pose("body")[-1], atol=tolerance)
    assert runs[0].chart("body") == "exp"
    w = np.linalg.norm(runs[0].q[:, 3:], axis=1)
    assert np.abs(np.diff(w)).max() > 1.0  # wound back
    assert len(np.unique(runs[1].chart("body"))) >= 2


def moving(q, t):
    return rm.pose(rm.rotation_about("z", q[0] + sin(2 * t)), array([0.1 * t * q[0], 0.0, sin(t)]))


def test_parts_may_depend_on_time():
    timed = rm.joint(moving, 1)
    whole = rm.CompositeJoint(rm.Revolute("x"), (0.1, 0, 0.2), timed, rm.Prismatic("y"))
    assert whole.timed
    assert not rm.CompositeJoint(rm.Revolute("x")).timed

    def by_hand(q, t):
        first = rm.pose(rm.rotation_about("x", q[0]), array([0.0, 0.0, 0.0]))
        return first @ rm.pose(np.eye(3), np.array([0.1, 0, 0.2])) @ moving(q[1:], t) @ rm.pose(np.eye(3), array([0.0, q[2], 0.0]))

    def back(q, t):
        return se3.inverse(by_hand(q, t))

    for t in (0.0, 0.7):
        assert agree(accelerations(whole, t), accelerations(rm.joint(by_hand, 3), t), 1e-11)
        assert agree(accelerations(rm.Inverted(whole), t), accelerations(rm.joint(back, 3), t), 1e-11)
