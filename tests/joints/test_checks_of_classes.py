"""Checks of joints that are written as classes: their own Jacobians, their domains, and when and how often each is looked at."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import redmax as rm
from joints.broken_joints import at, sphere
from joints.findings import NUMBER, findings, place_in
from redmax.joints import checks
from redmax.joints.checks.check import verdict
from redmax.math import absolute, array, cos, sin, sqrt

BOX = rm.Cuboid((0.3, 0.2, 0.1))


@pytest.fixture(autouse=True)
def nothing_known_before():
    verdict.cache_clear()


class Slider(rm.Joint):
    """Along x, with a Jacobian that is wrong by 0.01 q in one entry."""

    dof = 1

    def __init__(self, wrong=0.01):
        self.wrong = float(wrong)

    def transform(self, q):
        return at(q[0], sin(q[0]))

    def jacobian(self, q):
        return array([[0.0], [0.0], [0.0], [1.0], [cos(q[0]) + self.wrong * q[0]], [0.0]])


def test_a_wrong_jacobian_is_named_by_entry():
    (message,) = findings(Slider())
    off = re.search(rf"linear y entry of column 0 is ({NUMBER}), differentiation finds ({NUMBER}) \(off by ({NUMBER})\)", message)
    q = place_in(message)[0]
    assert abs(q) > 3.0  # where it is largest
    assert float(off[1]) == pytest.approx(np.cos(q) + 0.01 * q, abs=1e-8)
    assert float(off[2]) == pytest.approx(np.cos(q), abs=1e-8)
    assert float(off[3]) == pytest.approx(0.01 * abs(q), rel=1e-2)
    assert findings(Slider(0.0)) == []


def test_a_jacobian_of_another_shape():
    class Flat(Slider):
        def jacobian(self, q):
            return np.zeros(6)

    with pytest.raises(rm.SceneError, match=r"Flat.*\(6, 1\).*\(6,\)"):
        rm.Scene().add_body(BOX, joint=Flat())


def test_more_coordinates_than_motions():
    class Many(rm.Joint):
        dof = 7

        def transform(self, q):
            return rm.pose(rm.lie.so3.exp(q[:3]), q[3:6] + q[6])

    with pytest.raises(rm.SceneError, match="'many' has 7 degrees of freedom; a rigid motion has at most 6"):
        rm.Scene().add_body(BOX, joint=Many(), joint_name="many")


def test_a_motion_that_repeats_itself_is_looked_at_for_a_period():
    class Cam(rm.Joint):
        """Once round in 100, with a corner that angles from -pi to pi do not meet."""

        dof = 1
        extent = ((0.0, 100.0),)

        def transform(self, q):
            return at(q[0], absolute(q[0] % 100.0 - 50.0))

    (message,) = findings(Cam())
    assert place_in(message) == [50.0]


def test_domains_are_open_and_count():
    rm.joint(sphere, 2, domain=((-np.pi, np.pi), (-np.pi / 2, np.pi / 2)))
    rm.joint(lambda q: at(sqrt(q[0])), 1, domain=[(0, 1)])
    rm.joint(lambda q: at(1 / q[0]), 1, domain=[(0, np.inf)])
    rm.joint(lambda q: at(sqrt(-q[0])), 1, domain=[(-np.inf, 0)])
    with pytest.warns(rm.RedmaxWarning, match="singular at q"):
        rm.joint(sphere, 2, domain=((-np.pi, np.pi), (-np.pi / 2, 1.58)))
    with pytest.raises(rm.SceneError, match=r"not finite at q = 5.*a smaller one"):
        rm.joint(lambda q: at(q[0], sqrt(5 - q[0])), 1, domain=[(4, 6)])

    class Quarter(rm.Joint):
        dof = 2
        domain = ((-1.0, 1.0), (0.0, 1.5))

        def transform(self, q):
            return sphere(q)

    rm.Scene().add_body(BOX, joint=Quarter())


@pytest.mark.parametrize("domain", [(0, 1), ((0, 1),), ((0, 1), (1, 0)), ((0, 1), (1, 1)), ((0, 1), (0, np.nan)), "all", [[0, 1, 2]] * 2])
def test_bad_domains(domain):
    with pytest.raises(rm.SceneError, match=r"sphere.*domain is.*(pairs|lower < upper)"):
        rm.joint(sphere, 2, domain=domain)


class Counted(rm.Joint):
    """A slider that knows how often it was traced."""

    dof = 1
    calls = 0

    def __init__(self, slope=1.0, kind=("a",)):
        self.slope, self.kind = float(slope), kind

    def transform(self, q):
        type(self).calls += 1
        return at(self.slope * q[0], 0.1 * self.slope * absolute(q[0] - 0.5))


def test_equal_joints_are_checked_once():
    class Sound(Counted):
        def transform(self, q):
            type(self).calls += 1
            return at(self.slope * q[0])

    scene = rm.Scene()
    for _ in range(50):
        scene.add_body(BOX, joint=Sound())
    assert Sound.calls == 1
    scene.add_body(BOX, joint=Sound(2.0))  # other data: another motion
    assert Sound.calls == 2
    Sound.calls = 0
    for _ in range(50):  # an attribute that cannot be compared: what it does is compared instead
        scene.add_body(BOX, joint=Sound(kind=["a"]))
    assert Sound.calls <= 51


def test_the_error_names_the_joint_every_time_and_the_warning_once():
    scene = rm.Scene()
    for name in ("hip", "knee"):
        with pytest.raises(rm.SceneError, match=rf"^Joint '{name}': its motion has a corner at q = 0.5:"):
            scene.add_body(BOX, joint=Counted(), joint_name=name)

    class Round(rm.Joint):
        dof = 2

        def transform(self, q):
            return sphere(q)

    with pytest.warns(rm.RedmaxWarning, match=r"^Joint 'hip': S is singular"):
        scene.add_body(BOX, joint=Round(), joint_name="hip")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.add_body(BOX, joint=Round(), joint_name="knee")


def test_a_function_is_checked_when_its_joint_is_made():
    def crooked(q):
        return at(q[0], absolute(q[0]))

    with pytest.raises(rm.SceneError, match=r"^Joint 'crooked'"):
        rm.joint(crooked, 1)


def test_checks_can_be_left_out():
    crooked = rm.joint(lambda q: at(q[0], absolute(q[0] - 0.5)), 1, check=False)
    scene = rm.Scene()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.add_body(BOX, joint=crooked)
        scene.add_body(BOX, joint=Counted(), check_joint=False)
    assert len(scene.links) == 2


def test_proven_joints_are_not_traced_but_their_subclasses_are():
    class Halved(rm.Revolute):
        def transform(self, q):
            return rm.pose(2.0 * np.eye(3), np.zeros(3))

    class Named(rm.Revolute):
        color = "red"

    checks.check_joint(Named(), "named")
    with pytest.raises(rm.SceneError, match="'half': its rotation is not orthonormal"):
        checks.check_joint(Halved(), "half")

    class Vouched(Halved):
        proven = True

    checks.check_joint(Vouched(), "vouched")
    kinds = (
        "ConstantVelocity", "Cylindrical", "Elliptic", "Fixed", "Free", "Free2D", "Free3D", "Helical", "Planar", "PlanarRotating",
        "PlanarScrew", "Prismatic", "Revolute", "Schoenflies", "Spherical", "SphericalEuler", "Translational", "Universal",
    )  # fmt: skip
    assert all(getattr(rm, kind).proven for kind in kinds)


def test_lengths_without_a_square_get_a_sentence():
    """The length of a column of S is beyond all numbers."""
    with pytest.raises(rm.SceneError, match="Joint 'body1'"), np.errstate(all="ignore"):
        rm.Scene().add_body(rm.Sphere(0.1), joint=rm.SurfaceContact(rm.surfaces.Sphere(1e308), rm.surfaces.Sphere(0.1)))
