"""Surfaces: points, frames and the twists of frames against their definitions; where normals point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from dynamics.hyperdual import motion_of
from random_examples import examples
from redmax.lie import se3
from redmax.surfaces.base import ParametricSurface
from redmax.trace import Graph, evaluate_numeric
from surfaces.definitions import BY_NAME, SURFACES, frame

surfaces = pytest.mark.parametrize("sample", SURFACES, ids=lambda s: s.name)
fractions = st.tuples(st.floats(0, 1), st.floats(0, 1))


def plain(x) -> np.ndarray:
    return np.asarray(x, float)


@surfaces
@examples(8, 40)
@given(at=fractions)
def test_frames_and_their_twists_are_those_of_the_definition(sample, at):
    u, v = sample.place(*at)
    surface = sample.surface
    F, S, _ = motion_of(lambda q: frame(sample.patch, *q), np.array([u, v]), np.zeros(2))
    tight = 1e-13 / max(np.cos(v), 1e-3) if surface.charts else 1e-13
    assert_allclose(plain(surface.point(u, v)), F[:3, 3], atol=1e-14)
    assert_allclose(plain(surface.frame(u, v)), F, atol=tight)
    assert_allclose(plain(surface.twists(u, v)), S, atol=10 * tight)


@surfaces
@examples(8, 40)
@given(at=fractions)
def test_frames_are_rigid_with_x_along_u_and_z_along_the_normal(sample, at):
    u, v = sample.place(*at)
    F = plain(sample.surface.frame(u, v))
    R = F[:3, :3]
    assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) > 0
    _, xu, xv = (plain(x) for x in sample.patch(u, v))
    assert_allclose(R[:, 0] * np.linalg.norm(xu), xu, atol=1e-14)
    normal = np.cross(xu, xv)
    assert_allclose(R[:, 2] * np.linalg.norm(normal), normal, atol=1e-14)
    assert_allclose(plain(sample.surface.inverse_frame(u, v)) @ F, np.eye(4), atol=1e-14)
    assert_allclose(plain(sample.surface.spatial_twists(u, v)), se3.Ad(F) @ plain(sample.surface.twists(u, v)), atol=1e-13)


@pytest.mark.parametrize("name", ["Sphere", "Ellipsoid", "Torus", "Cylinder"])
@examples(12, 100)
@given(at=fractions)
def test_closed_forms_are_what_differentiating_the_point_gives(name, at):
    sample = BY_NAME[name]
    u, v = sample.place(*at)
    tight = 1e-12 / max(np.cos(v), 1e-3) ** 2 if sample.surface.charts else 1e-12
    assert_allclose(plain(sample.surface.frame(u, v)), plain(ParametricSurface.frame(sample.surface, u, v)), atol=tight)
    assert_allclose(plain(sample.surface.twists(u, v)), plain(ParametricSurface.twists(sample.surface, u, v)), atol=tight)


@surfaces
def test_traced_and_called_agree(sample):
    u, v = sample.place(0.3, 0.7)
    graph = Graph()
    a, b = graph.inputs("q", 2)
    for method in ("point", "frame", "inverse_frame", "twists", "spatial_twists"):
        traced, called = np.asarray(getattr(sample.surface, method)(a, b), object), plain(getattr(sample.surface, method)(u, v))
        found = evaluate_numeric(list(traced.ravel()), lambda _, i: (u, v)[i])
        assert_allclose(np.array([float(x) for x in found]).reshape(called.shape), called, atol=1e-13)


@examples(12, 100)
@given(at=fractions)
def test_normals_point_outwards(at):
    for name, inner in (
        ("Sphere", lambda u, v: np.zeros(3)),
        ("Ellipsoid", lambda u, v: np.zeros(3)),
        ("Torus", lambda u, v: np.array([0.5 * np.cos(u), 0.5 * np.sin(u), 0.0])),
        ("Cylinder", lambda u, v: np.array([0.0, 0.0, v])),
    ):
        sample = BY_NAME[name]
        u, v = sample.place(*at)
        F = plain(sample.surface.frame(u, v))
        assert (F[:3, 3] - inner(u, v)) @ F[:3, 2] > 0.1


@examples(12, 100)
@given(at=fractions)
def test_points_lie_on_the_surface(at):
    u, v = BY_NAME["Torus"].place(*at)
    x, y, z = plain(rm.surfaces.Torus(0.5, 0.2).point(u, v))
    assert (np.hypot(x, y) - 0.5) ** 2 + z**2 == pytest.approx(0.04, abs=1e-14)
    p = plain(rm.surfaces.Ellipsoid((0.5, 0.8, 0.3)).point(u, v))
    assert np.sum((p / [0.5, 0.8, 0.3]) ** 2) == pytest.approx(1.0, abs=1e-14)


def test_a_function_is_as_good_as_a_class():
    def ring(u, v, radii):
        reach = radii[0] + radii[1] * np.cos(v)
        return np.array([reach * np.cos(u), reach * np.sin(u), radii[1] * np.sin(v)])

    own, given = rm.surfaces.Torus(0.5, 0.2), rm.surfaces.Surface(ring, radii=(0.5, 0.2))
    for method in ("frame", "twists", "spatial_twists", "inverse_frame"):
        assert_allclose(plain(getattr(given, method)(0.4, 2.5)), plain(getattr(own, method)(0.4, 2.5)), atol=1e-14)


def test_a_patch_of_degree_one_is_bilinear():
    corners = np.array([[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 1]]], float)
    patch = rm.surfaces.BezierPatch(corners)
    assert_allclose(patch.point(0.3, 0.7), [0.3, 0.7, 0.21], atol=1e-15)
    assert_allclose(patch.points, corners, atol=1e-14)


S = rm.surfaces


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: S.Sphere(0), "Sphere: radius"),
        (lambda: S.Cylinder("fat"), "Cylinder: radius"),
        (lambda: S.Torus(0.2, 0.2), "less than major"),
        (lambda: S.Torus(-1, 0.2), "Torus: major"),
        (lambda: S.Ellipsoid((1, 2)), "Ellipsoid: semi_axes"),
        (lambda: S.BezierPatch(np.zeros((1, 3, 3))), r"shape \(1, 3, 3\)"),
        (lambda: S.BezierPatch(np.zeros((3, 3))), "BezierPatch: points"),
        (lambda: S.Surface(1), "function"),
        (lambda: S.Surface(lambda u, v: [u, v]), r"shape \(2,\)"),
        (lambda: S.Surface(lambda u, v: [u, v, u], ((0, 1), (1, 0))), "low < high"),
        (lambda: S.Surface(lambda u, v: [u, v, u], 7), "domain is 7"),
    ],
)
def test_what_is_no_surface_says_why(make, message):
    with pytest.raises(rm.SceneError, match=message):
        make()
