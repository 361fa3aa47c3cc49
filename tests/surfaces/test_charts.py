"""Surfaces with poles: two charts of one surface, and frames that go on over a pole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from random_examples import examples
from redmax.lie import se3
from redmax.trace.local import derivatives

ROUND = {"Sphere": rm.surfaces.Sphere(0.6), "Ellipsoid": rm.surfaces.Ellipsoid((0.5, 0.8, 0.3))}
names = pytest.mark.parametrize("name", ROUND)
places = st.tuples(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.sampled_from([0.0, 1.0]))


def plain(x) -> np.ndarray:
    return np.asarray(x, float)


@names
@examples(12, 100)
@given(at=places)
def test_another_chart_has_the_same_point_and_normal(name, at):
    surface, (u, v, chart) = ROUND[name], at
    other = 1.0 - chart
    new = [float(x) for x in surface.convert(u, v, chart, other)]
    F, G = plain(surface.frame(u, v, chart)), plain(surface.frame(*new, other))
    assert_allclose(plain(surface.point(*new, other)), plain(surface.point(u, v, chart)), atol=1e-14)
    assert_allclose(G[:3, 3], F[:3, 3], atol=1e-14)
    assert_allclose(G[:3, 2], F[:3, 2], atol=1e-13)
    back = [float(x) for x in surface.convert(*new, other, chart)]
    assert np.cos(v) * abs(np.exp(1j * back[0]) - np.exp(1j * u)) < 1e-12
    assert back[1] == pytest.approx(v, abs=1e-12)


@names
@examples(12, 100)
@given(at=places)
def test_one_of_the_charts_is_always_good(name, at):
    surface, (u, v, chart) = ROUND[name], at
    other = 1.0 - chart
    clear = surface.clearance(u, v, chart), surface.clearance(*surface.convert(u, v, chart, other), other)
    assert max(clear) >= np.sqrt(0.5) - 1e-12
    assert clear[0] == pytest.approx(np.cos(v))


@names
@examples(12, 100)
@given(at=places)
def test_frames_and_twists_of_both_charts(name, at):
    """z is the normal, x along x_u; the twists are those of the frame."""
    surface, (u, v, chart) = ROUND[name], at
    point = lambda a, b: surface.point(a, b, chart)  # noqa: E731
    xu, xv = derivatives(point, [u, v], [(0,), (1,)])
    F = plain(surface.frame(u, v, chart))
    assert_allclose(F[:3, 0] * np.linalg.norm(xu), xu, atol=1e-14)
    assert_allclose(F[:3, 2] * np.linalg.norm(np.cross(xu, xv)), np.cross(xu, xv), atol=1e-14)
    for k, column in enumerate(derivatives(lambda a, b: surface.frame(a, b, chart), [u, v], [(0,), (1,)])):
        assert_allclose(se3.unbracket(np.linalg.inv(F) @ column), plain(surface.twists(u, v, chart))[:, k], atol=1e-13)
    assert_allclose(plain(surface.spatial_twists(u, v, chart)), se3.Ad(F) @ plain(surface.twists(u, v, chart)), atol=1e-13)
    assert_allclose(plain(surface.inverse_frame(u, v, chart)) @ F, np.eye(4), atol=1e-13)


@names
def test_frames_go_on_over_the_pole(name):
    """At v = pi/2 and beyond, the frame stays rigid and its normal outward, with no jump."""
    surface = ROUND[name]
    for u in (0.3, 2.0):
        frames = [plain(surface.frame(u, v)) for v in np.pi / 2 + np.array([-1e-9, 0.0, 1e-9, 0.4])]
        assert_allclose(frames[0], frames[1], atol=1e-8)
        assert_allclose(frames[2], frames[1], atol=1e-8)
        for F in frames:
            assert_allclose(F[:3, :3].T @ F[:3, :3], np.eye(3), atol=1e-14)
            assert F[:3, 3] @ F[:3, 2] > 0.1
