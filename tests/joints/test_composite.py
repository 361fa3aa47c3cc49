"""Joints made of joints: the known ones they equal, the chains of massless links they replace, and which of them share kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.agreement import agree
from joints.test_motion import traced
from redmax.math import array, sin

BOX = rm.Cuboid((0.3, 0.2, 0.1), mass=2.0)
NOTHING = rm.MassProperties(0, (0, 0, 0))
AXIS, OTHER = np.array([0.48, -0.6, 0.64]), np.array([1.0, 2.0, -0.5])
SAME = {
    "Cylindrical": (rm.Cylindrical("x"), [rm.Revolute("x"), rm.Prismatic("x")]),
    "Cylindrical about any axis": (rm.Cylindrical(AXIS), [rm.Revolute(AXIS), rm.Prismatic(AXIS)]),
    "Universal": (rm.Universal(), [rm.Revolute("x"), rm.Revolute("y")]),
    "Planar": (rm.Planar(AXIS, OTHER), [rm.Prismatic(AXIS), rm.Prismatic(OTHER)]),
    "Free2D": (rm.Free2D(), [rm.Planar(), rm.Revolute("z")]),
    "PlanarScrew": (rm.PlanarScrew("z", 0.2), [rm.Planar(), rm.Helical("z", 0.2)]),
    "Schoenflies": (rm.Schoenflies(AXIS), [rm.Translational(), rm.Revolute(AXIS)]),
    "Free": (rm.Free(), [rm.Spherical(), rm.Translational()]),
    "Free3D": (rm.Free3D(), [rm.Translational(), rm.Spherical()]),
    "Euler angles": (rm.SphericalEuler("ZYX", switching=False), [rm.Revolute("z"), rm.Revolute("y"), rm.Revolute("x")]),
    "with something fixed": (rm.Revolute("y"), [rm.Fixed(), rm.Revolute("y"), rm.Fixed()]),
}


def pendulum(joint: rm.Joint) -> rm.Scene:
    """A joint between two hinges."""
    scene = rm.Scene()
    top = scene.add_body(BOX, joint=rm.Revolute("y"), com=(0.1, 0, 0.05))
    middle = scene.add_body(BOX, parent=top, joint=joint, at=(0.1, 0.2, 0.3), com=(0.1, -0.1, 0.05), name="middle", check_joint=False)
    scene.add_body(BOX, parent=middle, joint=rm.Revolute((1, 1, 0)), at=(0.2, 0, 0), com=(0.1, 0, 0.05), name="tip")
    return scene


def accelerations(joint: rm.Joint, t: float = 0.0) -> np.ndarray:
    model = pendulum(joint).model()
    q, qdot, tau = np.random.default_rng(model.nv).uniform(-0.5, 0.5, (3, model.nv))
    return rm.Dynamics(model, backend="interpret").forward(q, qdot, tau, t=t)


@pytest.mark.parametrize("name", SAME)
def test_known_joints_are_composites(name):
    joint, parts = SAME[name]
    whole = rm.CompositeJoint(*parts)
    q, qdot = np.random.default_rng(1).normal(size=(2, joint.dof))
    for mine, known in zip(traced(whole, q, qdot), traced(joint, q, qdot)):
        assert_allclose(mine, known, atol=1e-14)
    assert agree(accelerations(whole), accelerations(joint), 1e-11)


def test_nested_to_any_depth_is_the_flat_one():
    flat = rm.CompositeJoint(rm.Revolute("x"), (0, 0, 0.2), rm.Prismatic(AXIS), rm.Helical("y", 0.3), (0.1, 0, 0), rm.Planar())
    deep = rm.CompositeJoint(
        rm.CompositeJoint(rm.CompositeJoint(rm.Revolute("x"), (0, 0, 0.1)), (0, 0, 0.1)),
        rm.CompositeJoint(rm.CompositeJoint(rm.Prismatic(AXIS), rm.CompositeJoint(rm.Helical("y", 0.3), (0.1, 0, 0))), rm.Planar()),
    )
    q = np.array([0.3, -0.2, 0.7, 0.1, 0.4])
    assert_allclose(deep.transform(q), flat.transform(q), atol=1e-15)
    keys = [[s.key for s in pendulum(joint).model().kernels_of[0]] for joint in (flat, deep)]
    assert keys[0] == keys[1]


def with_massless_links(joints: list[rm.Joint], places: list[np.ndarray]) -> rm.Scene:
    """The pendulum, with a body without mass on every joint but the last."""
    scene = rm.Scene()
    last = scene.add_body(BOX, joint=rm.Revolute("y"), com=(0.1, 0, 0.05))
    at = rm.pose(np.eye(3), np.array([0.1, 0.2, 0.3])) @ places[0]
    for joint, place in zip(joints[:-1], places[1:-1]):
        last, at = scene.add_body(NOTHING, parent=last, joint=joint, at=at), place
    hand = places[-1] @ rm.pose(np.eye(3), np.array([0.1, -0.1, 0.05]))
    last = scene.add_body(BOX, parent=last, joint=joints[-1], at=at, body=hand)
    at = places[-1] @ rm.pose(np.eye(3), np.array([0.2, 0, 0]))
    scene.add_body(BOX, parent=last, joint=rm.Revolute((1, 1, 0)), at=at, com=(0.1, 0, 0.05))
    return scene


@pytest.mark.parametrize("aligned", [True, False])
def test_a_chain_of_massless_links_is_a_composite(aligned):
    tilt = np.eye(4) if aligned else rm.pose(rm.rotation_about(OTHER, 0.7), np.array([0.1, -0.2, 0.3]))
    places = [tilt, rm.pose(np.eye(3), np.array([0, 0, 0.25])), tilt, tilt @ tilt]
    joints: list[rm.Joint] = [rm.Revolute("x"), rm.Helical("y" if aligned else AXIS, 0.3), rm.Spherical()]
    sequence = [x for pair in zip(places, [*joints, rm.Fixed()]) for x in pair]
    chain = with_massless_links(joints, places).model()
    q, qdot, tau = np.random.default_rng(chain.nv).uniform(-0.5, 0.5, (3, chain.nv))
    found = rm.Dynamics(chain).forward(q, qdot, tau)
    assert agree(accelerations(rm.CompositeJoint(*sequence)), found, 1e-10)


def test_splines_within_composites():
    """Tables of a part are data too."""
    angles = np.array([np.pi, np.pi / 2, 0.0, -np.pi / 2])
    frames = [
        np.array([rm.pose(rm.rotation_about("y", a), np.array([-size * np.cos(a), 0.1, 0.2 * np.sin(a)])) for a in angles])
        for size in (1.0, 1.7)
    ]
    joints = [rm.CompositeJoint(rm.Revolute(AXIS), (0.1, 0.2, 0.3), rm.SplineCurve(f, cyclic=True), rm.Universal()) for f in frames]
    assert keys(joints[0]) == keys(joints[1])
    assert not agree(accelerations(joints[0]), accelerations(joints[1]), 1e-3)
    parts: list[rm.Joint] = [rm.Revolute(AXIS), rm.SplineCurve(frames[1], cyclic=True), rm.Universal()]
    places = [np.eye(4), rm.pose(np.eye(3), np.array([0.1, 0.2, 0.3])), np.eye(4), np.eye(4)]
    chain = with_massless_links(parts, places).model()
    q, qdot, tau = np.random.default_rng(chain.nv).uniform(-0.5, 0.5, (3, chain.nv))
    assert agree(accelerations(joints[1]), rm.Dynamics(chain).forward(q, qdot, tau), 1e-10)


def test_pinocchio_agrees():
    tilt = rm.pose(rm.rotation_about(OTHER, 0.7), np.array([0.1, -0.2, 0.3]))
    joint = rm.CompositeJoint(tilt, rm.Revolute(AXIS), (0, 0.1, 0.2), rm.Prismatic("x"), rm.Helical(OTHER, 0.3), tilt, rm.Universal(), tilt)
    scene = rm.Scene()
    scene.add_body(BOX, joint=joint, at=tilt, com=(0.1, 0.2, 0.3), check_joint=False)
    whole = pin.JointModelComposite()
    unit = OTHER / np.linalg.norm(OTHER)
    whole.addJoint(pin.JointModelRevoluteUnaligned(AXIS), pin.SE3(tilt))
    whole.addJoint(pin.JointModelPX(), pin.SE3(np.eye(3), np.array([0, 0.1, 0.2])))
    whole.addJoint(pin.JointModelHelicalUnaligned(unit, 0.3), pin.SE3.Identity())
    whole.addJoint(pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), pin.SE3(tilt))
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    index = model.addJoint(0, whole, pin.SE3(tilt), "joint")
    body = tilt @ rm.pose(np.eye(3), np.array([0.1, 0.2, 0.3]))
    model.appendBodyToJoint(index, pin.Inertia(2.0, np.zeros(3), BOX.inertia), pin.SE3(body))
    q, qdot, tau = np.random.default_rng(3).uniform(-0.5, 0.5, (3, 5))
    assert agree(rm.Dynamics(scene.model()).forward(q, qdot, tau), pin.aba(model, model.createData(), q, qdot, tau), 1e-11)


def keys(joint: rm.Joint) -> list[str]:
    """Of the kernels of a joint and its neighbours; general poses, so that no zero tells two joints apart."""
    scene = rm.Scene()
    tilt = rm.pose(rm.rotation_about(OTHER, 0.7), np.array([0.1, -0.2, 0.3]))
    scene.add_body(BOX, joint=joint, at=tilt, body=tilt)
    return [s.key for s in scene.model().kernels_of[0]]


def test_composites_that_differ_in_numbers_share_their_kernels():
    def sequence(axis: Any, pitch: float, at: Any) -> list[Any]:
        return [rm.Revolute(axis), at, rm.Helical((2, 1, 5), pitch), rm.Inverted(rm.PlanarScrew((1, 2, 3), 2 * pitch))]

    one = rm.CompositeJoint(*sequence(AXIS, 0.2, (0.1, 0.2, 0.3)))
    two = rm.CompositeJoint(*sequence((0.7, 2.1, -1.3), 0.7, (0.3, -0.2, 0.9)))
    assert keys(one) == keys(two)
    assert not agree(accelerations(one), accelerations(two), 1e-3)
    assert keys(rm.Inverted(one)) == keys(rm.Inverted(two))


def test_different_parts_have_different_kernels():
    joints = [
        rm.CompositeJoint(rm.Revolute(AXIS), rm.Prismatic(OTHER)),
        rm.CompositeJoint(rm.Prismatic(AXIS), rm.Revolute(OTHER)),
        rm.CompositeJoint(rm.Revolute(AXIS), rm.Inverted(rm.Prismatic(OTHER))),
        rm.CompositeJoint(rm.Inverted(rm.Revolute(AXIS)), rm.Prismatic(OTHER)),
        rm.Inverted(rm.CompositeJoint(rm.Revolute(AXIS), rm.Prismatic(OTHER))),
        rm.CompositeJoint(rm.Revolute(AXIS), rm.joint(lambda q: rm.pose(np.eye(3), array([q[0], 0.0, 0.0])), 1)),
        rm.CompositeJoint(rm.Revolute(AXIS), rm.joint(lambda q: rm.pose(np.eye(3), array([q[0], q[0], 0.0])), 1)),
    ]
    assert len({keys(joint)[0] for joint in joints}) == len(joints)


def test_parameters_of_users_parts_are_data():
    def wave(q, height):
        return rm.pose(np.eye(3), array([q[0], 0.0, height * sin(q[0])]))

    joints = [rm.CompositeJoint(rm.Revolute(AXIS), rm.joint(wave, 1, height=h)) for h in (0.3, 0.7)]
    assert keys(joints[0]) == keys(joints[1])
    assert not agree(accelerations(joints[0]), accelerations(joints[1]), 1e-3)
    assert set(joints[0].data()) == {"parts.0.axis", "parts.1.parameter_height", "places.0", "places.1", "places.2"}


def test_a_class_defined_again_is_another_part():
    def redefined(axis: str) -> rm.Joint:
        class Mine(rm.Joint):
            dof = 1

            def transform(self, q):
                return rm.pose(rm.rotation_about(axis, q[0]), np.zeros(3))

        return Mine()

    for axis in "xy":
        mine, known = rm.CompositeJoint(redefined(axis), rm.Prismatic("z")), rm.CompositeJoint(rm.Revolute(axis), rm.Prismatic("z"))
        assert agree(accelerations(mine), accelerations(known), 1e-11)


def test_bad_composites():
    with pytest.raises(rm.SceneError, match=r"3 \+ 3 \+ 1 = 7 .*at most 6"):
        rm.CompositeJoint(rm.Spherical(), rm.CompositeJoint(rm.Translational(), rm.Revolute("x")))
    for sequence in ((), ((0, 0, 1),)):
        with pytest.raises(rm.SceneError, match="at least one joint"):
            rm.CompositeJoint(*sequence)
    with pytest.raises(rm.SceneError, match="parentheses"):
        rm.CompositeJoint(rm.Spherical)
    for item in ("x", None, (1, 2), np.diag([1.0, 1, 2, 1]), (np.nan, 0, 0)):
        with pytest.raises(rm.SceneError, match="CompositeJoint: item 1"):
            rm.CompositeJoint(rm.Revolute("x"), item)
    with pytest.raises(rm.SceneError, match="Inverted takes a joint"):
        rm.Inverted(rm.Spherical)  # type: ignore[arg-type]
    from redmax.joints.body_frame import BodyFrame

    with pytest.raises(rm.SceneError, match=r"BodyFrame.*not the rates"):
        rm.Inverted(BodyFrame())
