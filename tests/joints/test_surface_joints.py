"""Joints on surfaces: motion, S and Sdot against their definitions up to near the poles, and what the geometry promises."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.hyperdual import motion_of
from joints import contact_definitions as d
from joints.evaluated import evaluated
from random_examples import examples
from surfaces.definitions import BY_NAME, SURFACES, frame

surfaces = pytest.mark.parametrize("sample", SURFACES, ids=lambda s: s.name)
PAIRS = [
    ("Torus", "Torus"), ("Sphere", "Sphere"), ("Sphere", "Ellipsoid"), ("Sphere", "Torus"), ("Torus", "Ellipsoid"), ("Ellipsoid", "Sphere"),
    ("Cylinder", "Sphere"), ("BezierPatch", "Torus"), ("Surface", "Cylinder"),
]  # fmt: skip
fractions = st.tuples(st.floats(0, 1), st.floats(0, 1))
numbers = st.lists(st.floats(-2, 2), min_size=5, max_size=5)


@cache
def made(kind, *args, **options) -> rm.Joint:
    """One joint for many examples: it is traced once."""
    return kind(*args, **options)


def charted(joint: rm.Joint, q) -> np.ndarray:
    """The configuration in the first charts."""
    return np.array([*q[: joint.dof], *[0.0] * len(joint.discrete)])


def sharpness(*samples_and_v) -> float:
    """How much larger rounding errors are near a pole: the axes along u and v are divided by cos v, and once more in their rates."""
    near = [np.cos(v) for sample, v in samples_and_v if sample.surface.charts]
    return min([1.0, *near]) ** -2


def check(joint: rm.Joint, motion, q, qdot, sharp: float = 1.0) -> np.ndarray:
    qdot = np.array(qdot[: joint.dof], float)
    E, S, Sdot = evaluated(joint, charted(joint, q), qdot)
    E0, S0, Sdot0 = motion_of(motion, np.array(q[: joint.dof], float), qdot)
    assert_allclose(E, E0, atol=1e-13 * sharp)
    assert_allclose(S, S0, atol=1e-12 * sharp)
    assert_allclose(Sdot, Sdot0, atol=1e-11 * sharp)
    assert_allclose(np.asarray(joint.transform(charted(joint, q)), float), E, atol=1e-13)
    return E


@surfaces
@examples(6, 25)
@given(at=fractions, more=numbers, v=numbers)
def test_sliding_on_a_surface(sample, at, more, v):
    u = sample.place(*at)
    sharp = sharpness((sample, u[1]))
    q = [*u, *more]
    for spin in (False, True):
        for inside in (False, True):
            joint = made(rm.PointOnSurface, sample.surface, spin=spin, inside=inside)
            E = check(joint, d.on_surface(sample.patch, "tangent", spin, inside), q, v, sharp)
            F = frame(sample.patch, *u).astype(float)
            assert_allclose(E[:3, 3], F[:3, 3], atol=1e-13)
            assert_allclose(E[:3, 2], -F[:3, 2] if inside else F[:3, 2], atol=1e-13 * sharp)
    E = check(made(rm.PointOnSurface, sample.surface, "fixed"), d.on_surface(sample.patch, "fixed"), q, v)
    assert_allclose(E[:3, :3], np.eye(3), atol=0)
    check(made(rm.PointOnSurface, sample.surface, "free"), d.on_surface(sample.patch, "free"), q, v)


@pytest.mark.parametrize(("one", "two"), PAIRS)
@examples(5, 20)
@given(a=fractions, b=fractions, spin=st.floats(-3, 3), v=numbers)
def test_two_surfaces_that_touch(one, two, a, b, spin, v):
    """The contact points coincide, normals are opposed (or the same, inside), and the axes along u make the given angle."""
    parent, child = BY_NAME[one], BY_NAME[two]
    q = [*parent.place(*a), *child.place(*b), spin]
    sharp = sharpness((parent, q[1]), (child, q[3]))
    F1, F2 = frame(parent.patch, *q[:2]).astype(float), frame(child.patch, *q[2:4]).astype(float)
    for options in ({"angle": 0.0}, {"angle": np.pi / 2}, {"angle": 0.7, "inside": True}, {"spin": True}, {"spin": True, "inside": True}):
        joint = made(rm.SurfaceContact, parent.surface, child.surface, **options)
        angle, inside = (None if joint.spin else options["angle"]), options.get("inside", False)
        E = check(joint, d.surface_contact(parent.patch, child.patch, angle, inside), q, v, sharp)
        contact = E @ F2
        assert_allclose(contact[:3, 3], F1[:3, 3], atol=1e-12)
        assert_allclose(contact[:3, 2], F1[:3, 2] if inside else -F1[:3, 2], atol=1e-12 * sharp)
        assert F1[:3, 0] @ contact[:3, 0] == pytest.approx(np.cos(spin if angle is None else angle), abs=1e-12 * sharp)
        _, S, _ = evaluated(joint, charted(joint, q), np.zeros(joint.dof))
        leaving = F2[:3, 2] @ (S[3:] - np.cross(F2[:3, 3], S[:3], axisb=0).T)  # relative velocity of the contact points along the normal
        assert_allclose(leaving, 0.0, atol=1e-12 * sharp)


def linking_number(one: np.ndarray, two: np.ndarray) -> float:
    """Gauss's integral over two closed polylines (n, 3)."""
    a, b = np.roll(one, -1, 0) - one, np.roll(two, -1, 0) - two
    r = (one + a / 2)[:, None] - (two + b / 2)[None]
    return float(((np.cross(a[:, None], b[None]) * r).sum(axis=-1) / np.linalg.norm(r, axis=-1) ** 3).sum() / (4 * np.pi))


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0, 0.0), (0.7, 0.25, -1.2, 0.1), (-2.0, -0.4, 0.3, -0.5)])
def test_links_of_a_chain_touch_and_do_not_meet(turn):
    """Two rings, each around the other's tube, touching at their inner equators: v = pi on both, tubes crossed."""
    R, r = 0.2, 0.04
    ring = rm.surfaces.Torus(R, r)
    q = np.array([0.0, np.pi, 0.0, np.pi]) + turn
    E = np.asarray(rm.SurfaceContact(ring, ring, angle=np.pi / 2).transform(q), float)
    a = np.linspace(0, 2 * np.pi, 241)
    u, v = np.meshgrid(a, a)
    x = ring.point(u.ravel(), v.ravel()) @ E[:3, :3].T + E[:3, 3]
    outside = np.hypot(np.hypot(x[:, 0], x[:, 1]) - R, x[:, 2]) - r  # distance of the child's points from the parent's tube
    assert outside.min() > -1e-12
    contact = E[:3, :3] @ np.asarray(ring.point(*q[2:]), float) + E[:3, 3]
    assert_allclose(contact, np.asarray(ring.point(*q[:2]), float), atol=1e-14)
    assert np.linalg.norm(x[outside.argmin()] - contact) < 0.02
    circle = R * np.stack([np.cos(a[:-1]), np.sin(a[:-1]), 0 * a[:-1]], axis=1)
    assert abs(linking_number(circle, circle @ E[:3, :3].T + E[:3, 3])) == pytest.approx(1.0, abs=1e-3)


def test_a_ball_inside_a_bowl_and_outside():
    bowl, ball = rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(0.2)
    q = np.array([0.3, -0.9, 1.0, 0.4, 0.5, 0.0, 0.0])
    for inside, distance in ((True, 0.8), (False, 1.2)):
        E = np.asarray(rm.SurfaceContact(bowl, ball, spin=True, inside=inside).transform(q), float)
        assert np.linalg.norm(E[:3, 3]) == pytest.approx(distance, abs=1e-14)


def test_domains():
    ball, ring, patch = rm.surfaces.Sphere(1.0), rm.surfaces.Torus(0.5, 0.2), BY_NAME["BezierPatch"].surface
    everywhere, latitudes = (-np.inf, np.inf), (-np.pi / 2, np.pi / 2)
    assert rm.PointOnSurface(ball).domain == (everywhere, everywhere)
    assert rm.PointOnSurface(ball, spin=True).domain == (everywhere, latitudes, everywhere)
    assert rm.PointOnSurface(patch, "free").domain == ((0.0, 1.0), (0.0, 1.0), *[everywhere] * 3)
    assert rm.SurfaceContact(ring, ball, spin=True).domain == (everywhere, everywhere, everywhere, latitudes, everywhere)
    assert rm.SurfaceContact(ring, ball, domain=[(0, 1)] * 4).domain == ((0.0, 1.0),) * 4
    stated = rm.SurfaceContact(ring, ball, spin=True, domain=[(-np.inf, 2)] * 5)
    assert stated.domain == (*[(-np.inf, 2.0)] * 3, latitudes, (-np.inf, 2.0))  # never beyond what the surfaces have
    assert rm.SurfaceContact(ring, ball).discrete == ()
    assert rm.SurfaceContact(ring, ball, spin=True).discrete == (ball.charts,)
    assert rm.SurfaceContact(ball, ball, spin=True).discrete == (ball.charts, ball.charts)


def test_without_spin_a_ball_may_go_over_the_pole():
    """Rz(u) Ry(-v) is regular everywhere: only the meaning of u and v as longitude and latitude ends at the pole."""
    joint = rm.PointOnSurface(rm.surfaces.Sphere(1.0))
    for v in np.pi / 2 + np.array([-1e-3, 0.0, 1e-3, 0.5]):
        _, S, _ = evaluated(joint, np.array([0.3, v]), np.zeros(2))
        assert np.linalg.cond(S) < 2.0
    assert joint.rechart([(np.array([0.3, 1.57]), np.zeros(2))]) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rm.PointOnSurface(rm.Sphere(1.0)), "surface is .*redmax.surfaces"),
        (lambda: rm.PointOnSurface(rm.surfaces.Sphere(1.0), "loose"), "orientation is 'loose'"),
        (lambda: rm.PointOnSurface(rm.surfaces.Sphere(1.0), "fixed", spin=True), "Leave them out"),
        (lambda: rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.Sphere(1.0)), "child is"),
        (lambda: rm.SurfaceContact(None, rm.surfaces.Sphere(1.0)), "parent is None"),
        (lambda: rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(1.0), spin=True, angle=1.0), r"set it as q\[4\]"),
        (lambda: rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(1.0), angle=np.inf), "angle is inf"),
        (lambda: rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(1.0), domain=[(0, 1)]), "expected 4 pairs"),
        (lambda: rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(1.0), domain=[(1, 0)] * 4), "lower < upper"),
        (lambda: rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(1.0), spin=True, domain=[(2, 3)] * 5), "nothing is left"),
    ],
)
def test_what_cannot_be_says_why(make, message):
    with pytest.raises(rm.SceneError, match=message):
        make()


@pytest.mark.parametrize("spin", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_the_angle_is_about_the_childs_normal(spin, inside):
    """From the parent's x axis to the child's; about the parent's normal it is the other way round, unless the child is inside."""
    angle, parent, child = 0.3, BY_NAME["Torus"], BY_NAME["Cylinder"]
    joint = rm.SurfaceContact(parent.surface, child.surface, inside=inside, **({"spin": True} if spin else {"angle": angle}))
    q = np.array([0.4, 0.2, -0.3, 0.5, angle])[: joint.dof]
    F1, F2 = (frame(s.patch, *at).astype(float)[:3, :3] for s, at in ((parent, q[:2]), (child, q[2:4])))
    contact = np.asarray(joint.transform(q), float)[:3, :3] @ F2
    for normal, expected in ((contact[:, 2], angle), (F1[:, 2], angle if inside else -angle)):
        assert np.arctan2(np.cross(F1[:, 0], contact[:, 0]) @ normal, F1[:, 0] @ contact[:, 0]) == pytest.approx(expected, abs=1e-12)
