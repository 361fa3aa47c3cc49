"""The checks over joints of the library, proven or not: nothing is wrong with them, except where geometry says so."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from curves.definitions import CURVES
from joints.samples import KINDS, make
from joints.test_checks import findings, place_in
from redmax.lie import se3
from surfaces.definitions import SURFACES


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_passes(kind, count):
    rng = np.random.default_rng(7)
    for aligned in [False] * count + [True] * count:
        found = findings(make(kind, rng, aligned).joint)
        if kind == "SphericalEuler":  # one chart, which is singular where its outer axes coincide: looked for, it is found
            assert [text.split(" at ")[0] for text in found] == ["warning: S is singular"]
        else:
            assert found == []


@pytest.mark.parametrize("sample", CURVES, ids=lambda c: c.name)
def test_joints_on_curves_pass(sample):
    assert findings(rm.CurveJoint(sample.curve, "fixed")) == []
    for spin in (False, True):
        assert findings(rm.CurveJoint(sample.curve, up=sample.up, spin=spin)) == []


@pytest.mark.parametrize("sample", SURFACES, ids=lambda s: s.name)
def test_joints_on_surfaces_pass_in_all_charts(sample):
    for options in ({}, {"spin": True}, {"orientation": "fixed"}, {"orientation": "free"}):
        assert findings(rm.PointOnSurface(sample.surface, **options)) == []


def test_charts_of_rotations_pass():
    assert findings(rm.SphericalEuler()) == []
    (message,) = findings(rm.SphericalEuler("ZXZ", switching=False))
    assert "S is singular" in message
    assert np.sin(place_in(message)[1]) == pytest.approx(0, abs=1e-8)


def wandering(n: int, rng: np.random.Generator) -> np.ndarray:
    """Frames, each half a metre on and turned a little."""
    frames = [np.eye(4)]
    for _ in range(n - 1):
        frames.append(frames[-1] @ se3.exp(np.concatenate([rng.normal(0, 0.4, 3), [0.5, 0, 0] + rng.normal(0, 0.1, 3)])))
    return np.array(frames)


def test_splines_pass():
    rng = np.random.default_rng(0)
    for n in (4, 7, 60):
        assert findings(rm.SplineCurve(wandering(n, rng))) == []
    assert findings(rm.SplineCurve(wandering(8, rng), order=6)) == []
    assert findings(rm.SplineCurve(wandering(8, rng), knots=[0, 0, 0, 0, 1, 2, 2.5, 4, 5, 5, 5, 5])) == []
    heights = np.stack([*np.meshgrid(np.arange(6.0), np.arange(6.0), indexing="ij"), *rng.normal(0, 0.2, (4, 6, 6))], axis=-1)
    assert findings(rm.SplineSurface(heights)) == []
    assert findings(rm.TwistSurface(heights[..., [3, 4, 5, 0, 1, 2]])) == []


def test_a_spline_that_stands_still_is_found():
    """Four equal control frames: on the piece that they make, nothing moves."""
    frames = wandering(9, np.random.default_rng(1))
    frames[3:7] = frames[3]
    (message,) = findings(rm.SplineCurve(frames))
    assert "S is singular" in message
    assert 3.0 <= place_in(message)[0] <= 4.0


def test_compounds_are_checked_as_a_whole():
    assert findings(rm.CompositeJoint(rm.Revolute("x"), (0, 0, 1), rm.Prismatic("z"))) == []
    (message,) = findings(rm.CompositeJoint(rm.Revolute("x"), (1, 0, 0), rm.Revolute("x")))
    assert "q[0] and q[1] do not move independently" in message
    (message,) = findings(rm.CompositeJoint(rm.Revolute("x"), rm.Revolute("y"), rm.Revolute("z")))
    assert abs(place_in(message)[1]) == pytest.approx(np.pi / 2, abs=1e-8)
    assert not rm.Inverted(rm.Universal()).needs_check()
    assert rm.Inverted(rm.CompositeJoint(rm.Universal(), rm.Prismatic("z"))).needs_check()


@pytest.mark.parametrize(("radius", "R", "r"), [(0.6, 0.5, 0.2), (0.45, 0.7, 0.3)])
def test_surfaces_that_curve_alike_where_they_touch_are_found(radius, R, r):
    """Contact coordinates lose rank where the relative curvature does (Montana 1988): on the inner side of a torus its curvature around
    the hole, cos v / (R + r cos v), may be the opposite of a ball's, 1/radius."""
    for joint, v in ((rm.SurfaceContact(rm.surfaces.Sphere(radius), rm.surfaces.Torus(R, r), spin=True), 3),
                     (rm.SurfaceContact(rm.surfaces.Torus(R, r), rm.surfaces.Sphere(radius), spin=True), 1)):  # fmt: skip
        message = findings(joint)[0]
        assert "S is singular" in message
        c = np.cos(place_in(message)[v])
        assert c / (R + r * c) == pytest.approx(-1 / radius, abs=1e-6)
    assert findings(rm.SurfaceContact(rm.surfaces.Sphere(0.9 * (R - r)), rm.surfaces.Torus(R, r), spin=True)) == []  # it fits in the hole
    outside = [(-3, 3), (-1.5, 1.5), (-3, 3), (-1.5, 1.5), (-3, 3)]
    assert findings(rm.SurfaceContact(rm.surfaces.Sphere(radius), rm.surfaces.Torus(R, r), spin=True, domain=outside)) == []
