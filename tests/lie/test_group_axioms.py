"""SO(3) and SE(3) are groups, their brackets Lie algebras, and exp of a line a one-parameter subgroup."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from random_examples import examples
from redmax.lie import inverse, pose, rotation, rotation_about, se3, so3, transform_point, translation

numbers = st.floats(-3.0, 3.0, allow_subnormal=False)
twists = arrays(float, 6, elements=numbers)
points = arrays(float, 3, elements=numbers)


@examples(12, 100)
@given(points)
def test_exp_gives_rotations(w):
    R = so3.exp(w)
    assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


@examples(12, 100)
@given(twists, twists, twists)
def test_poses_form_a_group(a, b, c):
    A, B, C = se3.exp(a), se3.exp(b), se3.exp(c)
    assert_allclose((A @ B) @ C, A @ (B @ C), atol=1e-13)
    assert_allclose(A @ inverse(A), np.eye(4), atol=1e-13)
    assert_allclose(inverse(A @ B), inverse(B) @ inverse(A), atol=1e-13)
    assert_allclose(rotation(A @ B).T @ rotation(A @ B), np.eye(3), atol=1e-14)


@examples(12, 100)
@given(twists, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_exp_of_a_line_is_a_one_parameter_subgroup(V, s, t):
    assert_allclose(se3.exp(s * V) @ se3.exp(t * V), se3.exp((s + t) * V), atol=1e-13)
    assert_allclose(inverse(se3.exp(V)), se3.exp(-V), atol=1e-13)


@examples(12, 100)
@given(twists, points)
def test_a_pose_acts_on_points(V, x):
    E = se3.exp(V)
    assert_allclose(transform_point(E, x), (E @ np.append(x, 1.0))[:3], atol=1e-14)
    assert_allclose(transform_point(inverse(E), transform_point(E, x)), x, atol=1e-13)
    assert_allclose(pose(rotation(E), translation(E)), E, atol=0)


@examples(12, 100)
@given(points, points)
def test_bracket_is_the_cross_product_and_unbracket_undoes_it(w, x):
    assert_allclose(so3.bracket(w) @ x, np.cross(w, x), atol=1e-14)
    assert np.array_equal(so3.unbracket(so3.bracket(w)), w)


@examples(12, 100)
@given(twists, twists)
def test_the_4x4_of_twists_commute_as_ad_says(V, W):
    commutator = se3.bracket(V) @ se3.bracket(W) - se3.bracket(W) @ se3.bracket(V)
    assert np.array_equal(se3.unbracket(se3.bracket(V)), V)
    assert_allclose(se3.bracket(se3.ad(V) @ W), commutator, atol=1e-13)


@examples(12, 100)
@given(st.floats(-10.0, 10.0), points.filter(lambda a: np.linalg.norm(a) > 0.1))
def test_rotation_about_an_axis_is_exp_of_its_unit_vector(angle, axis):
    assert_allclose(rotation_about(axis, angle), so3.exp(angle * axis / np.linalg.norm(axis)), atol=2e-14)


def test_the_axes_by_name():
    for i, name in enumerate("xyz"):
        assert_allclose(rotation_about(name, 0.7), so3.exp(0.7 * np.eye(3)[i]), atol=1e-15)
    assert_allclose(rotation_about("z", np.pi / 2) @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)
