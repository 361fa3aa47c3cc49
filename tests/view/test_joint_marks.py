"""Marks of joints lie on their axes at all times, on whichever side carries them, and are no larger than the bodies there."""

import numpy as np
import pytest

import redmax as rm
from redmax.view.joint_marks import joint_marks
from redmax.view.stage import stage_of

AT = rm.pose(rm.rotation_about("x", 0.7) @ rm.rotation_about("z", -0.4), (0.3, 0.01, 0.0))
BODY = rm.pose(rm.rotation_about("y", -0.6), rm.rotation_about("y", -0.6) @ np.array([0.0, 0.0, -0.14]))


def two_links(joint, **motion):
    """A link that swings, and another one below on a joint whose frame is turned in both."""
    scene = rm.Scene()
    first = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Spherical(), com=(0.15, 0, 0), qdot=(1, 2, 3), name="first")
    scene.add_body(rm.Cuboid((0.04, 0.06, 0.3)), parent=first, joint=joint, at=AT, body=BODY, name="second", **motion)
    run = rm.simulate(scene, 1.0, 0.02)
    return run, [view for view in stage_of(run).marks if view.body == "second"]


def on_both_sides(run):
    """The joint's frame as the parent carries it, and as the child does: (T, 4, 4) each. The first link's joint frame is 0.15 along -x."""
    parent = run.pose("first") @ rm.pose(np.eye(3), (-0.15, 0, 0)) @ AT
    return parent, run.pose("second") @ np.linalg.inv(BODY)


def test_a_hinge_s_pin_lies_on_its_axis_in_both_bodies():
    axis = np.array([0.6, 0, 0.8])
    run, (pin,) = two_links(rm.Revolute(axis), qdot=[5.0])
    drawn = pin.poses @ pin.place
    for side in on_both_sides(run):
        direction = side[:, :3, :3] @ axis
        np.testing.assert_allclose(np.cross(drawn[:, :3, 2], direction), 0, atol=1e-9)
        np.testing.assert_allclose(drawn[:, :3, 3], side[:, :3, 3], atol=1e-9)
    assert pin.kind == "Revolute"
    assert np.hypot(*pin.vertices[:, :2].T).max() < 0.02
    assert 0.04 < np.ptp(pin.vertices[:, 2]) < 0.13


def test_the_pins_of_a_universal_joint_cross_at_right_angles_each_on_its_own_body():
    run, (first, second) = two_links(rm.Universal(), q=[0.4, -0.8], qdot=[2.0, -3.0])
    parent, child = on_both_sides(run)
    one, other = first.poses @ first.place, second.poses @ second.place
    np.testing.assert_allclose(np.cross(one[:, :3, 2], parent[:, :3, 0]), 0, atol=1e-9)
    np.testing.assert_allclose(np.cross(other[:, :3, 2], child[:, :3, 1]), 0, atol=1e-9)
    np.testing.assert_allclose(np.sum(one[:, :3, 2] * other[:, :3, 2], axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(one[:, :3, 3], other[:, :3, 3], atol=1e-9)


def test_a_rail_reaches_beyond_all_that_the_body_does_on_it():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.2, 0.1, 0.04)), joint=rm.Prismatic("x"), com=(0.3, 0, 0), q=[-0.1], qdot=[1.0], name="cart")
    run = rm.simulate(scene, 1.0, 0.05)
    (rail,) = stage_of(run).marks
    world = rail.vertices @ (rail.poses[0] @ rail.place)[:3, :3].T + (rail.poses[0] @ rail.place)[:3, 3]
    np.testing.assert_allclose(world[:, 1:].mean(axis=0), 0, atol=1e-12)
    assert world[:, 0].min() < -0.1 + 0.3 - 0.1
    assert world[:, 0].max() > 0.9 + 0.3 + 0.1


def test_a_plane_is_a_sheet_through_the_joint_that_covers_the_motion():
    run, marks = two_links(rm.Planar("x", (1.0, 1.0, 0.0)), qdot=[0.3, -0.2])
    assert marks == []
    (sheet,) = stage_of(run).drawings
    parent, child = on_both_sides(run)
    points = sheet.at(run.t[:1])[0]
    seen = points @ sheet.poses[-1, :3, :3].T + sheet.poses[-1, :3, 3]
    off = (seen - parent[-1, :3, 3]) @ parent[-1, :3, 2]
    np.testing.assert_allclose(off, 0, atol=1e-9)
    inside = np.linalg.inv(parent) @ child
    flat = (np.linalg.inv(parent[-1]) @ np.concatenate([seen.reshape(-1, 3), np.ones((seen.size // 3, 1))], axis=1).T)[:2].T
    for corner in inside[:, :2, 3]:
        assert (flat.min(axis=0) < corner).all()
        assert (corner < flat.max(axis=0)).all()


@pytest.mark.parametrize("joint", [rm.Fixed(), rm.Free(), rm.Translational()])
def test_joints_without_an_axis_have_no_mark(joint):
    _, marks = two_links(joint)
    assert marks == []


def test_a_hinge_in_empty_space_has_no_pin():
    scene = rm.Scene()
    scene.add_body(rm.Torus(0.5, 0.02), joint=rm.Revolute("z"), name="ring")
    scene.add_body(rm.Torus(0.5, 0.02), joint=rm.Revolute("z"), com=(0.5, 0, 0), name="ring on its rim")
    assert [view.body for view in stage_of(rm.simulate(scene, 0.1, 0.05)).marks] == ["ring on its rim"]


def test_a_rail_is_there_before_anything_has_moved_if_more_is_to_come():
    run, (rail,) = two_links(rm.Prismatic("z"), qdot=[0.5])
    links, start = run.model.links, run.observed.pose[:1]
    assert [mark.body for mark in joint_marks(links, start)[0]] == ["first"]
    (early,) = [mark for mark in joint_marks(links, start, reach=0.5)[0] if mark.body == "second"]
    assert 1.0 < np.ptp(early.vertices[:, 2]) < 1.5
    np.testing.assert_allclose(early.place, rail.place, atol=1e-12)


def test_a_mark_hangs_on_the_body_that_carries_it():
    for joint, motion in ((rm.Revolute("y"), {"qdot": [1.0]}), (rm.Prismatic("x"), {"qdot": [0.3]})):
        run, (mark,) = two_links(joint, **motion)
        np.testing.assert_array_equal(mark.poses, run.observed.pose[:, mark.carrier])
