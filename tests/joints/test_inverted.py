"""A joint seen from its child: the inverse motion, and chains described from either end."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.agreement import agree
from dynamics.hyperdual import motion_of
from joints import definitions as d
from joints.test_composite import AXIS, BOX, pendulum
from joints.test_motion import traced
from redmax.lie import se3


def test_inverted_is_the_inverse_motion():
    q = np.array([0.3, -0.2])
    inner = rm.CompositeJoint(rm.Universal(), (0.1, 0.2, 0.3))
    assert_allclose(rm.Inverted(inner).transform(q) @ inner.transform(q), np.eye(4), atol=1e-15)
    axis = rm.Inverted(rm.Revolute(AXIS))
    assert_allclose(axis.transform(q[:1]), rm.Revolute(AXIS).transform(-q[:1]), atol=1e-15)


@pytest.mark.parametrize("joint", [rm.Revolute(AXIS), rm.Universal(), rm.Spherical(), rm.PlanarScrew(AXIS, 0.2)])
def test_inverted_twice_is_the_joint_itself(joint):
    twice = rm.Inverted(rm.Inverted(joint))
    q, qdot = np.random.default_rng(2).normal(size=(2, joint.dof))
    for mine, known in zip(traced(twice, q, qdot), traced(joint, q, qdot)):
        assert_allclose(mine, known, atol=1e-14)
    keys = [[s.key for s in pendulum(j).model().kernels_of[0]] for j in (joint, twice)]
    assert keys[0] == keys[1]


ARM = rm.CompositeJoint(rm.Revolute("x"), (0.1, 0, 0.2), rm.Spherical())


@pytest.mark.parametrize("joint", [rm.Universal(), rm.Helical(AXIS, 0.3), ARM])
def test_a_chain_described_from_its_tip_moves_as_from_its_root(joint):
    """Two bodies that float, one the root or the other: the same accelerations of both."""
    heavy, light = rm.Cuboid((0.4, 0.2, 0.1), mass=3.0), BOX
    rng = np.random.default_rng(5)
    q, qdot = rng.uniform(-0.5, 0.5, (2, joint.dof))
    root, rates = rng.uniform(-0.5, 0.5, (2, 6))
    forward, backward = rm.Scene(gravity=(0, 0, 0)), rm.Scene(gravity=(0, 0, 0))
    a = forward.add_body(heavy, joint=rm.Free3D(), name="heavy")
    forward.add_body(light, parent=a, joint=joint, name="light")
    b = backward.add_body(light, joint=rm.Free3D(), name="light")
    backward.add_body(heavy, parent=b, joint=rm.Inverted(joint), name="heavy")
    one, two = (rm.Dynamics(scene.model(), backend="interpret") for scene in (forward, backward))
    seen = one.observe(np.append(root, q), np.append(rates, qdot))
    place = seen.pose[1]
    start = np.append(place[:3, 3], se3.log(place)[:3])
    _, S, _ = motion_of(d.free3d, start, np.zeros(6))
    speed = np.linalg.solve(S, seen.twist[1])
    other = two.observe(np.append(start, q), np.append(speed, qdot))
    assert_allclose(other.pose[::-1], seen.pose, atol=1e-13)
    assert_allclose(other.twist[::-1], seen.twist, atol=1e-13)
    found = []
    for dynamics, x, v in ((one, np.append(root, q), np.append(rates, qdot)), (two, np.append(start, q), np.append(speed, qdot))):
        qddot = dynamics.forward(x, v, np.zeros(6 + joint.dof))
        J, Jdot = dynamics.jacobian(x, v)
        found.append((J @ qddot + Jdot @ v).reshape(2, 6))
    assert agree(found[1][::-1], found[0], 1e-11)
