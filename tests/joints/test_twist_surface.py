"""Surfaces of twists: against the matrix exponential and its known differential, and what makes them worth having: no gimbal lock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import expm

import redmax as rm
from joints.code_of_joints import code, cost
from joints.spline_definitions import given_knots, uniform_knots
from joints.spline_oracles import bracket, own_motion, own_motions
from joints.spline_samples import bowl
from joints.test_spline_surface import splines
from random_examples import examples
from redmax.lie import se3

seeds = st.integers(0, 2**16)
QUARTER = np.pi / 2


@examples(5, 10)
@given(seeds, st.integers(1, 3), st.booleans())
def test_poses_and_jacobians_are_those_of_the_matrix_exponential(seed, n, uniform):
    """One to three parameters, other orders on each, knots given or not: SciPy's B-splines, and expm of them."""
    rng = np.random.default_rng(seed)
    orders = tuple(int(k) for k in rng.integers(4, 7, n))
    counts = [k + int(rng.integers(0, 3)) for k in orders]
    values = rng.uniform(-1.0, 1.0, size=(*counts, 6))
    t = [uniform_knots(c, k) if uniform else given_knots(rng, c, k) for c, k in zip(counts, orders)]
    base = se3.exp(rng.normal(size=6))
    joint = rm.TwistSurface(values, order=orders, knots=None if uniform else t, base=base)
    assert joint.dof == n
    assert joint.domain == joint.range == tuple((k[o - 1], k[c]) for k, o, c in zip(t, orders, counts))
    q = np.array([rng.uniform(k[o - 1], k[c]) for k, o, c in zip(t, orders, counts)])
    E, S, _ = own_motion(joint, q)
    xi = splines(values, t, orders, q, (0,) * n)
    assert_allclose(E, base @ expm(bracket(xi)), rtol=0, atol=1e-12)
    for i, unit in enumerate(np.eye(n, dtype=int)):
        along = splines(values, t, orders, q, tuple(unit))
        # expm of [[X, Y], [0, X]] has d exp(X) along Y in its corner (Higham, Functions of matrices, Eq. 3.16)
        both = expm(np.block([[bracket(xi), bracket(along)], [np.zeros((4, 4)), bracket(xi)]]))
        rate = np.linalg.solve(both[:4, :4], both[:4, 4:])
        assert_allclose(bracket(S[:, i]), rate, rtol=0, atol=1e-11 * max(1.0, np.abs(along).max()))


def test_there_is_no_gimbal_lock_where_three_angles_have_it():
    """Turns about three axes, with the second one at a quarter of a turn: angles lose a freedom, twists do not."""
    x, y, z = np.meshgrid(*3 * [np.linspace(-0.6, 0.6, 4)], indexing="ij")
    turns = np.stack([x, QUARTER + y, z, 0 * x, 0 * x, 0 * x], axis=-1)
    q = np.full(3, 0.5)
    by_angles = rm.SplineSurface(turns[..., [3, 4, 5, 0, 1, 2]])
    by_twists = rm.TwistSurface(turns)
    rank = [np.linalg.svd(np.asarray(joint.jacobian(q), float))[1] for joint in (by_angles, by_twists)]
    assert rank[0].min() < 1e-12 * rank[0].max()
    assert rank[1].min() > 0.5 * rank[1].max()


def test_a_cyclic_parameter_closes():
    turn = 2 * np.pi * np.arange(8) / 8
    values = np.stack([0.3 * np.cos(turn), 0.3 * np.sin(turn), 0 * turn, np.cos(turn), np.sin(turn), 0.2 * np.sin(2 * turn)], axis=-1)
    joint = rm.TwistSurface(values, cyclic=True)
    assert joint.domain is None
    for a, b in zip(own_motions(joint, np.array([[1.3], [8.0]])), own_motions(joint, np.array([[1.3 - 24.0], [0.0]]))):
        assert_allclose(a, b, rtol=0, atol=1e-12)


def test_the_cost_does_not_depend_on_the_size_of_the_grid_and_zero_columns_are_free():
    rng = np.random.default_rng(6)
    small, large = rng.uniform(-1, 1, (4, 5, 6)), rng.uniform(-1, 1, (40, 50, 6))
    assert cost(rm.TwistSurface(small)) == cost(rm.TwistSurface(large))
    assert cost(rm.TwistSurface(small * [0, 0, 0, 1, 1, 1])) < 0.5 * cost(rm.TwistSurface(small))
    assert code(rm.TwistSurface(small)) == code(rm.TwistSurface(rng.uniform(-1, 1, (4, 5, 6))))


def test_a_body_on_it_keeps_its_energy_and_does_not_see_how_its_poses_are_written():
    """Without rotation twists and angles give one joint: (w = 0; v) and x, y, z."""
    values = bowl() * [1, 1, 1, 0, 0, 0]
    last = []
    for joint in (rm.SplineSurface(values), rm.TwistSurface(values[..., [3, 4, 5, 0, 1, 2]])):
        scene = rm.Scene()
        scene.add_body(rm.Sphere(0.3), joint=joint, q=(1.5, 3.0), qdot=(0.2, 0.5))
        run = rm.simulate(scene, duration=1.0)
        assert run.energy.drift.max() < 1e-6
        last.append(run.q[-1])
    assert_allclose(last[0], last[1], rtol=0, atol=1e-9)


def test_outside_its_range_the_motion_ends_or_a_limit_pushes_back():
    values = bowl()[..., [3, 4, 5, 0, 1, 2]]
    ends = rm.TwistSurface(values)
    assert np.isnan(np.asarray(ends.transform(np.array([-1e-9, 1.0])), float)[:3]).any()
    limited = rm.TwistSurface(values, outside="limit", limit_stiffness=50.0)
    assert limited.domain is None
    assert_allclose(np.asarray(limited.force(np.array([-0.1, 1.0]), np.zeros(2)), float), [5.0, 0.0], atol=1e-12)


def test_a_whole_turn_is_too_much():
    values = np.zeros((4, 5, 6))
    values[2, 3, :3] = (4.0, 4.0, 4.0)
    with pytest.raises(rm.SceneError, match=r"TwistSurface: the control value at \(2, 3\) turns by 6\.9282 rad, expected less than a wh"):
        rm.TwistSurface(values)
    with pytest.raises(rm.SceneError, match="TwistSurface: all control values are zero"):
        rm.TwistSurface(np.zeros((4, 4, 6)))
    with pytest.raises(rm.SceneError, match=r"TwistSurface: values is .*, expected control values .*twists: a rotation vector"):
        rm.TwistSurface(np.zeros((4, 4, 5)))
