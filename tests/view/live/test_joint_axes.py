"""Joints are drawn as what they are: what lies on an axis does not move away from it, whatever the coordinates."""

import numpy as np
import pytest

import redmax as rm
from redmax.view.joint_axes import axes


def link(joint: rm.Joint, q=None):
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=joint, q=q, name="body")
    return scene.links[0]


def kinds(joint: rm.Joint) -> list[str]:
    return sorted(axis.kind for axis in axes(link(joint)))


def test_each_kind_of_joint_has_its_own_axes():
    assert kinds(rm.Revolute("y")) == ["turn"]
    assert kinds(rm.Prismatic((1, 1, 0))) == ["slide"]
    assert kinds(rm.Cylindrical("z")) == ["slide", "turn"]
    assert kinds(rm.Universal()) == ["turn", "turn"]
    assert kinds(rm.Helical("x", pitch=0.1)) == ["turn"]
    assert kinds(rm.Spherical()) == ["ball"]
    assert kinds(rm.Fixed()) == kinds(rm.Free()) == []


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, -2, 0), (1, 2, -2)])
def test_the_axis_of_a_hinge_is_its_own(direction):
    (axis,) = axes(link(rm.Revolute(direction)))
    unit = np.array(direction) / np.linalg.norm(direction)
    np.testing.assert_allclose(axis.direction, unit, atol=1e-12)
    np.testing.assert_allclose(axis.point, 0, atol=1e-12)


@pytest.mark.parametrize("joint", [rm.Universal(), rm.Cylindrical((1, 1, 1)), rm.Helical("y", pitch=0.3)])
def test_what_lies_on_an_axis_that_both_sides_have_stays_on_it(joint):
    """Of one coordinate at a time: turning about an axis moves its points along it at most."""
    for k, axis in enumerate(axes(link(joint))):
        q = np.array([0.4, -0.7])[: joint.dof]
        moved = q.copy()
        moved[k] += 0.9
        before, after = (np.asarray(joint.transform(x), float) for x in (q, moved))
        if axis.on == "parent":  # a place of the parent: find it on the child before, and look where that is after
            on_child = np.linalg.inv(before) @ [*(axis.point + 0.3 * axis.direction), 1]
            away = (after @ on_child)[:3] - axis.point
        else:
            away = (np.linalg.inv(before) @ after @ [*(axis.point + 0.3 * axis.direction), 1])[:3] - axis.point
        np.testing.assert_allclose(np.cross(away, axis.direction), 0, atol=1e-9)


def test_joints_with_a_curve_of_their_own_are_drawn_by_that():
    assert axes(link(rm.Elliptic(0.3, 0.2))) == []
