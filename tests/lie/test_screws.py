"""A screw moves as its axis, point and pitch say, and gives them back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

import redmax as rm
from lie.tracing import by_trace
from random_examples import examples
from redmax.lie import Ad, rotation_about, screw, screw_of, se3, transform_point

points = arrays(float, 3, elements=st.floats(-2.0, 2.0, allow_subnormal=False))
twists = arrays(float, 6, elements=st.floats(-2.0, 2.0, allow_subnormal=False))


@examples(12, 100)
@given(points, points, st.floats(-1, 1), st.floats(-3, 3))
def test_a_motion_turns_about_the_line_and_advances_along_it(axis, point, pitch, q):
    axis = axis if np.linalg.norm(axis) > 0.1 else np.array([0.0, 1.0, 0.0])
    e = axis / np.linalg.norm(axis)
    E = se3.exp(screw(axis, point, pitch) * q)
    assert_allclose(E[:3, :3], rotation_about(e, q), atol=1e-14)
    for along in (0.0, 1.3):  # points of the line stay on it
        assert_allclose(transform_point(E, point + along * e), point + (along + pitch * q) * e, atol=1e-13)


@examples(20, 200)
@given(twists)
def test_a_twist_is_its_magnitude_times_its_screw(V):
    found = screw_of(V)
    assert_allclose(found.magnitude * screw(found.axis, found.point, found.pitch), V, atol=1e-12 * max(1, np.abs(found.point).max()))
    assert np.linalg.norm(found.axis) == pytest.approx(1)
    assert abs(found.axis @ found.point) <= 1e-12 * max(1, np.linalg.norm(found.point))


def test_translations_rest_and_names_of_axes():
    assert_allclose(screw((0, 3, 0), (1, 2, 3), np.inf), [0, 0, 0, 0, 1, 0])
    assert_allclose(se3.exp(2.5 * screw("-x", pitch=np.inf)), rm.pose(np.eye(3), (-2.5, 0, 0)))
    assert_allclose(screw("z", (1, 0, 0), 0.1), [0, 0, 1, 0, -1, 0.1])
    slide, rest = screw_of(np.array([0, 0, 0, 0, -4.0, 0])), screw_of(np.zeros(6))
    assert slide.pitch == np.inf
    assert slide.magnitude == 4
    assert_allclose(slide.axis, [0, -1, 0])
    assert rest.magnitude == 0
    assert_allclose(rest.axis, [0, 0, 1])


def test_another_frame_sees_the_same_screw():
    E = se3.exp(np.array([0.3, -0.8, 0.5, 1.0, -2.0, 0.7]))
    X = screw((1, 2, -1), (0.3, 0.1, 2.0), 0.4)
    there = screw(E[:3, :3] @ (1, 2, -1), transform_point(E, np.array([0.3, 0.1, 2.0])), 0.4)
    assert_allclose(Ad(E) @ X, there, atol=1e-14)


def test_batches_and_traces():
    rng = np.random.default_rng(3)
    axes, places, pitches = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), np.array([0.0, 0.3, np.inf, -1.0])
    found = screw(axes, places, pitches)
    for i in range(4):
        assert_allclose(found[i], screw(axes[i], places[i], float(pitches[i])), atol=1e-15)
    assert screw("z", places, np.inf).shape == (4, 6)
    assert_allclose(screw("z", (1, 2, 3), [0.5, np.inf]), [[0, 0, 1, 2, -1, 0.5], [0, 0, 0, 0, 0, 1]])
    parts = screw_of(found)
    assert_allclose(parts.pitch, pitches, atol=1e-14)
    assert_allclose(parts.magnitude, 1.0, atol=1e-15)
    x = np.array([0.3, -0.2, 0.9, 1.0, 2.0, 3.0, 0.7])
    assert_allclose(by_trace(lambda x: screw(x[:3], x[3:6], x[6]), x), screw(x[:3], x[3:6], x[6]), atol=1e-15)
    assert_allclose(by_trace(lambda V: screw_of(V).point, x[:6]), screw_of(x[:6]).point, atol=1e-15)
    line = by_trace(lambda V: screw_of(V).axis, x[:6], np.ones(6))  # d(w/|w|)
    e, size = x[:3] / np.linalg.norm(x[:3]), np.linalg.norm(x[:3])
    assert_allclose(line, (np.ones(3) - e * e.sum()) / size, atol=1e-14)


@pytest.mark.parametrize("given", [((0, 0, 0),), ((1, 2),), ("w",), (None,), ((1, 0, 0), (1, 2)), ((1, 0, 0), (0, 0, 0), np.nan),
                                   ((1, np.nan, 0),), ((1, 0, 0), (0, 0, 0), "x")])  # fmt: skip
def test_what_is_no_line_is_refused(given):
    with pytest.raises(rm.SceneError, match="screw takes an axis"):
        screw(*given)
    with pytest.raises(rm.SceneError, match="screw_of takes a twist"):
        screw_of(np.zeros(5))
