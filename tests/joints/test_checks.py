"""Checks when a joint is made: each defect is found where it is and as large as it is; what is sound passes without a word."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline, CubicSpline, PPoly

import redmax as rm
from joints.broken_joints import ERRORS, WARNINGS, Broken, at, sphere, turned
from random_examples import examples
from redmax.joints import checks
from redmax.joints.checks.check import examine, subjects, verdict
from redmax.math import Table, absolute, array, cos, exp, locate, sin, sqrt, tanh, where

BOX = rm.Cuboid((0.3, 0.2, 0.1))
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


@pytest.fixture(autouse=True)
def nothing_known_before():
    verdict.cache_clear()


def findings(joint: rm.Joint) -> list[str]:
    """What the checks say, whether or not the joint is proven."""
    return [("error: " if f.fatal else "warning: ") + f.text for subject in subjects(joint) for f in examine(subject)]


def place_in(message: str, what: str = "q") -> list[float]:
    found = re.search(rf"{what} = \(?({NUMBER}(?:, {NUMBER})*)", message)
    assert found, message
    return [float(x) for x in found[1].split(", ")]


def check_message(message: str, broken: Broken) -> None:
    said = re.search(broken.says.replace("#", f"({NUMBER})"), message)
    assert said, message
    if broken.places:
        found = place_in(message)
        assert any(all(y is None or abs(x - y) < 1e-8 for x, y in zip(found, p, strict=True)) for p in broken.places), message
    if broken.size is not None:
        assert float(said[1]) == pytest.approx(broken.size, rel=1e-5)


@pytest.mark.parametrize("broken", ERRORS, ids=lambda b: b.name)
def test_what_cannot_work_is_an_error_with_place_and_size(broken):
    with pytest.raises(rm.SceneError) as error:
        rm.joint(broken.function, broken.dof)
    check_message(str(error.value), broken)


@pytest.mark.parametrize("broken", WARNINGS, ids=lambda b: b.name)
def test_what_works_in_part_is_a_warning_with_place_and_size(broken):
    with pytest.warns(rm.RedmaxWarning) as record:
        joint = rm.joint(broken.function, broken.dof)
    assert joint.dof == broken.dof
    assert len(record) == 1
    check_message(str(record[0].message), broken)
    assert record[0].filename == __file__


places = st.floats(-3.0, 3.0)
sizes = st.floats(0.01, 5.0)
KINKS = {
    "abs": absolute,
    "where": lambda x: where(x < 0.0, -x, x),
    "maximum": lambda x: rm.math.maximum(x, -x),
    "root": lambda x: sqrt(x * x),
}


@pytest.mark.parametrize("kind", KINKS)
@given(c=places, a=sizes, waves=st.floats(0.0, 30.0))
@examples(8, 25)
def test_a_kink_anywhere_is_found(kind, c, a, waves):
    """Also beside waves that change faster than any grid sees."""
    joint = rm.joint(lambda q: at(q[0], a * KINKS[kind](q[0] - c), 0.01 * sin(waves * q[0])), 1, check=False)
    (message,) = findings(joint)
    if kind == "root" and "not finite" in message:  # at a round number its derivative is 0/0
        assert place_in(message)[0] == pytest.approx(c, abs=1e-9)
        return
    assert place_in(message)[0] == pytest.approx(c, abs=1e-6 * max(1, abs(c)))
    assert float(re.search(rf"jumps by ({NUMBER})", message)[1]) == pytest.approx(2 * a, rel=1e-4)


@given(a=places, b=places, angle=st.floats(0, 6.3), size=sizes)
@examples(8, 25)
def test_a_crease_across_a_surface_is_found(a, b, angle, size):
    u, v = np.cos(angle), np.sin(angle)
    joint = rm.joint(lambda q: at(q[0], q[1], size * absolute(u * (q[0] - a) + v * (q[1] - b))), 2, check=False)
    (message,) = findings(joint)
    x, y = place_in(message)
    assert abs(u * (x - a) + v * (y - b)) < 1e-6
    assert "corner" in message


@given(pole=st.tuples(places, places), radius=st.floats(0.01, 10))
@examples(8, 25)
def test_a_pole_anywhere_is_found(pole, radius):
    """Polar coordinates about any point: the angle does nothing at the centre."""
    joint = rm.joint(lambda q: at(radius * (q[0] - pole[0]) * cos(q[1]), radius * (q[0] - pole[0]) * sin(q[1])), 2, check=False)
    (message,) = findings(joint)
    assert "warning: S is singular" in message
    assert place_in(message)[0] == pytest.approx(pole[0], abs=1e-6)


coefficients = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


@given(a=coefficients, b=coefficients, c=coefficients, frequency=st.integers(1, 50), rate=st.floats(-5, 5))
@examples(12, 40)
def test_smooth_motions_pass(a, b, c, frequency, rate):
    """Waves, exponentials and rotations of every kind; the first coordinate climbs, the second turns, so that S keeps its rank."""

    def transform(q):
        R = rm.rotation_about("z", q[1]) @ rm.lie.so3.exp(array(a) * sin(frequency * q[0]))
        p = array(b) * exp(rate * q[0] / 3) + array(c) * tanh(10 * (q[0] - b[0])) * cos(q[1])
        return rm.pose(R, p + array([0.0, 0.0, 4 * (1 + abs(rate)) * exp(abs(rate) * 1.1) * frequency * q[0] * 10]))

    assert findings(rm.joint(transform, 2, check=False)) == []


def ball(q):
    """Longitude and latitude, turning with them: at the pole the longitude still turns the body."""
    R = rm.rotation_about("z", q[0]) @ rm.rotation_about("y", -q[1])
    return rm.pose(R, R @ array([1.0, 0.0, 0.0]))


SOUND = {
    "wrap": (lambda q: rm.pose(rm.rotation_about("z", q[0] % 2.0 * np.pi), array([0.0, 0.0, 0.1 * q[0]])), 1),
    "fast": (lambda q: at(q[0], sin(50 * q[0])), 1),
    "growing": (lambda q: at(exp(5 * q[0])), 1),
    "steep": (lambda q: at(q[0] + 0.1 * tanh(1e4 * (q[0] - 0.3))), 1),
    "thirds": (lambda q: at(q[0], where(q[0] < 0.1234, 0.0, (q[0] - 0.1234) ** 3)), 1),
    "five halves": (lambda q: at(q[0], absolute(q[0] - 0.1234) ** 2.5), 1),
    "angle of a turn": (lambda q: turned(rm.math.atan2(sin(2 * q[0]), cos(2 * q[0]))), 1),
    "ball on a sphere": (ball, 2),
    "long": (lambda q: at(1e6 + 1e-3 * q[0], 0.0, 1e-3 * absolute(q[0]) ** 3), 1),
    "no motion": (lambda q: at(1.0), 0),
    "ferry": (lambda q, t: at(q[0] + sin(t), 0.1 * t), 1),
    "clock": (lambda q, t: turned(2.0 * t), 0),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_only_looks_bad_passes(name):
    function, dof = SOUND[name]
    assert findings(rm.joint(function, dof, check=False)) == []


def cam(spline):
    """Along x, with the height of a piecewise polynomial in y; pieces and coefficients from tables."""
    knots, tables = spline.x, [Table(row) for row in spline.c]

    def transform(q):
        i = locate(knots, q[0])
        x = q[0] - Table(knots)[i]
        height = 0.0
        for table in tables:
            height = height * x + table[i]
        return at(q[0], height)

    return rm.joint(transform, 1, check=False)


def test_the_cut_of_an_angle_is_seen():
    """At half a turn, where atan2 jumps: inside what is looked at, not on its border."""

    def half(q):
        angle = rm.math.atan2(rm.math.sin(q[0]), rm.math.cos(q[0]))
        return rm.pose(rm.rotation_about("z", angle / 2), rm.math.array([q[0], 0.0, 0.0]))

    with pytest.raises(rm.SceneError, match=r"its pose jumps at q = -?3\.14159265: by .* in position and by 3\.14159 rad"):
        rm.joint(half, 1)


def test_splines_are_as_smooth_as_they_are():
    """Cubic ones pass with any number of pieces; quadratic ones jump in curvature, as their knots say; straight ones have corners."""
    rng = np.random.default_rng(3)
    for pieces in (4, 30, 200):
        knots = np.sort(rng.uniform(-4.0, 4.0, pieces))
        assert findings(cam(CubicSpline(knots, rng.normal(size=pieces)))) == []
    for degree, word in ((2, "warning.*twice"), (1, "error.*corner")):
        knots = np.sort(rng.uniform(-4.0, 4.0, 12 + degree))
        spline = PPoly.from_spline(BSpline(knots, rng.normal(size=11), degree))
        (message,) = findings(cam(spline))
        assert re.search(word, message)
        x = place_in(message)[0]
        knot = knots[np.argmin(np.abs(knots - x))]
        assert x == pytest.approx(knot, abs=1e-7)
        size = float(re.search(rf"jumps by ({NUMBER})", message)[1])
        above, below = (spline.derivative(degree)(knot + side) for side in (1e-9, -1e-9))
        assert size == pytest.approx(abs(above - below), rel=1e-4)


def test_time_is_looked_at_too():
    jump = rm.joint(lambda q, t: at(q[0], where(t < np.sqrt(5), 0.0, 0.5)), 1, check=False)
    corner = rm.joint(lambda q, t: rm.pose(rm.rotation_about("z", q[0]), array([absolute(t - np.sqrt(5)), 0.0, 0.0])), 1, check=False)
    stuck = rm.joint(lambda q, t: at(q[0] * (t - np.sqrt(5))), 1, check=False)
    for joint, says in ((jump, "pose jumps.*by 0.5 "), (corner, "corner.*linear velocity for t jumps by 2 "), (stuck, "S is singular")):
        (message,) = findings(joint)
        assert re.search(says, message)
        assert place_in(message, "t") == pytest.approx([np.sqrt(5)], abs=1e-7)


def test_charts_that_are_left_in_time_pass():
    assert findings(rm.SphericalEuler()) == []
    assert findings(rm.Spherical()) == []

    class Stays(rm.SphericalEuler):
        rechart = rm.Joint.rechart

    messages = findings(Stays())
    assert len(messages) == 12  # every chart has its gimbal lock
    assert all("S is singular" in m for m in messages)
    assert {re.search("in chart '(...)'", m)[1] for m in messages} == set(Stays().discrete[0])


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
