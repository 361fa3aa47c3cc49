"""Checks when a joint is made: each defect is found where it is and as large as it is; what is sound passes without a word."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline, CubicSpline, PPoly

import redmax as rm
from joints.broken_joints import ERRORS, WARNINGS, Broken, at, turned
from joints.findings import NUMBER, findings, place_in
from random_examples import examples
from redmax.joints.checks.check import verdict
from redmax.math import Table, absolute, array, cos, exp, locate, sin, sqrt, tanh, where

BOX = rm.Cuboid((0.3, 0.2, 0.1))


@pytest.fixture(autouse=True)
def nothing_known_before():
    verdict.cache_clear()


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
