"""Quaternions and dual quaternions are the rotations and the poses, twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from lie.tracing import SMALL, by_trace, same_in_batches
from random_examples import examples
from redmax.lie import dual_quaternions as dq
from redmax.lie import quaternions as quat
from redmax.lie import se3, so3

twists = arrays(float, 6, elements=st.floats(-1.7, 1.7, allow_subnormal=False))


@examples(12, 100)
@given(twists, twists)
def test_products_and_inverses_are_those_of_poses(V, W):
    A, B = se3.exp(V), se3.exp(W)
    a, b = dq.from_pose(A), dq.from_pose(B)
    assert_allclose(dq.to_pose(dq.product(a, b)), A @ B, atol=1e-14)
    assert_allclose(dq.to_pose(dq.inverse(a)), se3.inverse(A), atol=1e-14)
    assert_allclose(dq.product(a, dq.inverse(a)), dq.IDENTITY, atol=1e-14)
    p, q = so3.to_quaternion(A[:3, :3]), so3.to_quaternion(B[:3, :3])
    assert_allclose(so3.from_quaternion(quat.product(p, q)), A[:3, :3] @ B[:3, :3], atol=1e-14)
    assert_allclose(quat.product(p, quat.conjugate(p)), [1, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("angle", [*SMALL, np.pi - 1e-7, 5.0])
def test_exp_and_log_are_those_of_the_groups(angle):
    V = np.append(angle * np.array([0.6, -0.64, 0.48]), [0.3, -2.0, 0.7])
    d, q = dq.exp(V), quat.exp(V[:3])
    assert_allclose(d[:4], q, rtol=0, atol=1e-15)
    assert_allclose(dq.to_pose(d), se3.exp(V), atol=4e-15)
    assert_allclose(so3.from_quaternion(q), so3.exp(V[:3]), atol=1e-15)
    assert_allclose([d[:4] @ d[:4], d[:4] @ d[4:]], [1, 0], atol=1e-15)
    for sign in (1, -1):
        assert_allclose(dq.log(sign * d), se3.log(se3.exp(V)), atol=1e-8 if angle == np.pi - 1e-7 else 1e-13)
        assert_allclose(quat.log(sign * q), so3.log(so3.exp(V[:3])), atol=1e-8 if angle == np.pi - 1e-7 else 1e-14)
    if angle < 3.1:
        rate = np.array([0.2, 0.5, -0.9, 1.0, 0.4, -0.3])
        assert_allclose(by_trace(lambda x: dq.log(dq.exp(x)), V, rate), rate, atol=1e-12)
        assert_allclose(by_trace(lambda x: dq.to_pose(dq.exp(x)), V, rate), by_trace(se3.exp, V, rate), atol=1e-13)


def test_what_is_not_unit_is_made_so_and_its_pose_is_rigid():
    d = np.array([0.3, -1.0, 2.0, 0.5, 0.7, -0.2, 0.4, 1.1])
    unit, E = dq.normalised(d), dq.to_pose(d)
    assert_allclose([unit[:4] @ unit[:4], unit[:4] @ unit[4:]], [1, 0], atol=1e-15)
    assert_allclose(dq.to_pose(unit), E, atol=1e-15)
    assert_allclose(E[:3, :3].T @ E[:3, :3], np.eye(3), atol=1e-15)
    assert_allclose(dq.normalised(dq.exp(d[:6])), dq.exp(d[:6]), atol=1e-15)


@pytest.mark.parametrize(("f", "n"), [(dq.exp, 6), (dq.log, 8), (dq.inverse, 8), (dq.to_pose, 8), (dq.normalised, 8), (quat.exp, 3),
                                      (quat.log, 4), (quat.conjugate, 4)])  # fmt: skip
def test_batches_and_traces(f, n):
    V = np.random.default_rng(1).normal(size=(2, 3, 6))
    given = {6: V, 8: dq.exp(V), 3: V[..., :3], 4: quat.exp(V[..., :3])}[n]
    same_in_batches(f, given, 1)
    assert_allclose(by_trace(f, given[0, 0]), f(given[0, 0]), atol=1e-14)
    same_in_batches(dq.from_pose, se3.exp(V), 2)
