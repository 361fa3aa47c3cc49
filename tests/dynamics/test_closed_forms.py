"""Mechanisms whose equation of motion fits on a line: they fix the signs, axes and frames that oracles could share with the code."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

import redmax as rm
from joints.user_joints import Elliptic, Screw

G = 9.81
MASS, INERTIA = 2.0, np.array([0.05, 0.03, 0.04])
BODY = rm.MassProperties(MASS, INERTIA)


def alone(joint: rm.Joint, **options) -> rm.Dynamics:
    scene = rm.Scene()
    scene.add_body(BODY, joint=joint, **options)
    return rm.Dynamics(scene.model())


def test_pendulum():
    """About +y a rod along x swings down: (I + m l^2) qdd = m g l cos q + tau - k (q - q0) - d qd."""
    d = alone(rm.Revolute("y"), com=(0.4, 0, 0), stiffness=3.0, damping=0.7, rest=0.2)
    for q, v, tau in ((0.0, 0.0, 0.0), (0.6, -1.5, 2.0), (-2.0, 3.0, -0.4)):
        expected = (MASS * G * 0.4 * np.cos(q) + tau - 3.0 * (q - 0.2) - 0.7 * v) / (INERTIA[1] + MASS * 0.16)
        assert_allclose(d.forward(np.array([q]), np.array([v]), np.array([tau])), [expected], rtol=1e-13)


def test_negative_axis_turns_the_other_way():
    plus, minus = alone(rm.Revolute("y"), com=(0.4, 0, 0)), alone(rm.Revolute("-y"), com=(0.4, 0, 0))
    q, v, tau = np.array([0.3]), np.array([0.5]), np.array([1.0])
    assert_allclose(minus.forward(q, v, tau), -plus.forward(-q, -v, -tau), rtol=1e-13)


def test_double_pendulum():
    """Two equal rods of length L about y (angles q1 and q1 + q2 below the horizontal): Lagrange's equations written out."""
    L, c, rotary = 0.6, 0.25, INERTIA[1]
    scene = rm.Scene()
    first = scene.add_body(BODY, joint=rm.Revolute("y"), com=(c, 0, 0))
    scene.add_body(BODY, joint=rm.Revolute("y"), parent=first, at=(L, 0, 0), com=(c, 0, 0))
    q, v, tau = np.array([0.4, 0.9]), np.array([-0.8, 1.7]), np.array([0.3, -0.5])
    C, S = np.cos(q[1]), np.sin(q[1])
    M22 = rotary + MASS * c * c
    M12 = M22 + MASS * L * c * C
    M11 = 2 * M22 + MASS * L * L + 2 * MASS * L * c * C
    h = MASS * L * c * S
    coriolis = np.array([-h * v[1] * (2 * v[0] + v[1]), h * v[0] ** 2])
    second = MASS * G * c * np.cos(q[0] + q[1])
    gravity = np.array([MASS * G * (c + L) * np.cos(q[0]) + second, second])
    expected = np.linalg.solve([[M11, M12], [M12, M22]], tau + gravity - coriolis)
    assert_allclose(rm.Dynamics(scene.model()).forward(q, v, tau), expected, rtol=1e-12)


def test_prismatic_and_planar_fall_along_gravity():
    axis = np.array([1.0, 2.0, 2.0]) / 3
    slide = alone(rm.Prismatic(3 * axis)).forward(np.array([0.3]), np.array([1.0]), np.array([4.0]))
    assert_allclose(slide, [4 / MASS - G * axis[2]], rtol=1e-14)
    tilted = np.eye(4)
    tilted[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # its x axis points down
    assert_allclose(alone(rm.Planar(), at=tilted).forward(np.zeros(2), np.zeros(2), np.array([0.0, 1.0])), [G, 1 / MASS], rtol=1e-14)


def test_a_free_body_falls_and_tumbles():
    """The centre of mass is at the joint's origin: its acceleration is g; I wdot = tau - w x I w in body axes."""
    d = alone(rm.Free3D())
    w = np.array([0.3, -0.7, 0.2])
    q = np.array([0.1, 0.2, 0.3, 0.0, 0.0, 0.0])
    qdot = np.concatenate([[1.0, 2.0, 3.0], w])  # at zero rotation qdot is the angular velocity
    tau = np.concatenate([np.zeros(3), [0.01, -0.02, 0.005]])
    expected = np.concatenate([[0, 0, -G], (tau[3:] - np.cross(w, INERTIA * w)) / INERTIA])
    assert_allclose(d.forward(q, qdot, tau), expected, rtol=1e-12)  # wdot = qddot at zero rotation: the rate of dexp times w is w x w / 2


def test_free_is_rotation_first():
    """q = (rotation, translation): the position is R p for Free, p for Free3D."""
    w, p = np.array([0.0, 0.0, np.pi / 2]), np.array([1.0, 0.0, 0.5])
    free = alone(rm.Free()).observe(np.concatenate([w, p]), np.zeros(6)).pose[0]
    free3d = alone(rm.Free3D()).observe(np.concatenate([p, w]), np.zeros(6)).pose[0]
    assert_allclose(free[:3, 3], [0.0, 1.0, 0.5], atol=1e-15)
    assert_allclose(free3d[:3, 3], p, atol=1e-15)
    assert_allclose(free[:3, :3], free3d[:3, :3], atol=1e-15)
    assert_allclose(free[:3, 0], [0, 1, 0], atol=1e-15)


def test_a_screw_under_gravity():
    """(I + m p^2) qdd = tau - m g p."""
    p = 0.15
    expected = (1.2 - MASS * G * p) / (INERTIA[2] + MASS * p * p)
    assert_allclose(alone(Screw(p)).forward(np.array([0.7]), np.array([2.0]), np.array([1.2])), [expected], rtol=1e-13)


def test_a_screw_without_pitch_is_a_hinge():
    q, v, tau = np.array([0.7]), np.array([2.0]), np.array([1.2])
    screw, hinge = (alone(joint, com=(0.1, 0.2, 0)).forward(q, v, tau) for joint in (Screw(0.0), rm.Revolute("z")))
    assert_allclose(screw, hinge, rtol=1e-13)


def test_a_circle_is_an_elliptic_track_and_a_hinge():
    """Of radius r, x axis along the tangent: the hinge's frame shifted by r and turned a quarter."""
    r = 0.5
    quarter = np.eye(4)
    quarter[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    quarter[0, 3] = r
    tilt = np.eye(4)
    tilt[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    q, v, tau = np.array([0.7]), np.array([2.0]), np.array([1.2])
    track = alone(Elliptic(r, r), at=tilt).forward(q, v, tau)
    assert_allclose(track, alone(rm.Revolute("z"), at=tilt, body=quarter).forward(q, v, tau), rtol=1e-12)


def test_a_bead_on_an_ellipse():
    """A point mass on (a cos q, b sin q) in a vertical plane: m (a^2 s^2 + b^2 c^2) qdd + m (a^2 - b^2) s c qd^2 = -m g b c."""
    a, b = 0.8, 0.3
    scene = rm.Scene(gravity=(0, -G, 0))
    scene.add_body(rm.MassProperties(MASS, (0, 0, 0)), joint=Elliptic(a, b))
    q, v = 0.9, 1.4
    s, c = np.sin(q), np.cos(q)
    expected = (-G * b * c - (a * a - b * b) * s * c * v * v) / (a * a * s * s + b * b * c * c)
    assert_allclose(rm.Dynamics(scene.model()).forward(np.array([q]), np.array([v]), np.zeros(1)), [expected], rtol=1e-12)


def test_a_universal_joint_is_two_hinges_around_a_massless_cross():
    one, two = rm.Scene(), rm.Scene()
    at, com = (0.1, 0.2, 0.3), (0.2, -0.1, 0.3)
    one.add_body(BODY, joint=rm.Universal(), at=at, com=com)
    cross = two.add_body(rm.MassProperties(0, (0, 0, 0)), joint=rm.Revolute("x"), at=at)
    two.add_body(BODY, joint=rm.Revolute("y"), parent=cross, com=com)
    rng = np.random.default_rng(0)
    for q, v, tau in rng.normal(size=(3, 3, 2)):
        assert_allclose(rm.Dynamics(one.model()).forward(q, v, tau), rm.Dynamics(two.model()).forward(q, v, tau), rtol=1e-11)


def test_a_planar_joint_is_two_sliders_and_a_translational_three():
    for joint, axes in ((rm.Planar(), "xy"), (rm.Translational(), "xyz")):
        one, many = rm.Scene(), rm.Scene()
        carrier = one.add_body(BODY, joint=joint, com=(0.1, 0.2, 0.3))
        one.add_body(BODY, joint=rm.Revolute("x"), parent=carrier, com=(0, 0, 0.4))
        last = None
        for axis in axes:
            shape, com = (BODY, (0.1, 0.2, 0.3)) if axis == axes[-1] else (rm.MassProperties(0, (0, 0, 0)), None)
            last = many.add_body(shape, joint=rm.Prismatic(axis), parent=last, com=com)
        many.add_body(BODY, joint=rm.Revolute("x"), parent=last, com=(0, 0, 0.4))
        q, v, tau = np.random.default_rng(1).normal(size=(3, len(axes) + 1))
        assert_allclose(rm.Dynamics(one.model()).forward(q, v, tau), rm.Dynamics(many.model()).forward(q, v, tau), rtol=1e-11)


def test_wrenches_act_in_the_axes_they_are_given_in():
    """A sliding, turned body: a force along world z, or along body z, at the body's origin or off it."""
    turned = np.eye(4)
    turned[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # body z is world x
    for frame, expected in (("world", [0, 0, 6.0]), ("body", [6.0, 0, 0])):
        scene = rm.Scene(gravity=(0, 0, 0))
        scene.add_wrench(scene.add_body(BODY, joint=rm.Translational(), body=turned), force=(0, 0, 6.0 * MASS), frame=frame)
        assert_allclose(rm.Dynamics(scene.model()).forward(np.zeros(3), np.zeros(3), np.zeros(3)), expected, atol=1e-14)
    scene = rm.Scene(gravity=(0, 0, 0))
    body = scene.add_body(BODY, joint=rm.Spherical())
    scene.add_wrench(body.point(0, 0.5, 0), force=(0, 0, 2.0))
    scene.add_wrench(body, torque=lambda t: (0.0, 3.0 * t, 0.0))
    acceleration = rm.Dynamics(scene.model()).forward(np.zeros(3), np.zeros(3), np.zeros(3), t=2.0)
    assert_allclose(acceleration, np.array([1.0, 6.0, 0.0]) / INERTIA, rtol=1e-13)
