"""Spline surfaces: against SciPy's tensor products, the papers' recursions, and what their definition promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline
from scipy.spatial.transform import Rotation

import redmax as rm
from joints.code_of_joints import code, cost
from joints.spline_definitions import given_knots, spline_surface, uniform_knots
from joints.spline_oracles import own_motion, own_motions, recursion
from joints.spline_samples import bowl
from random_examples import examples
from redmax.lie import se3

seeds = st.integers(0, 2**16)
TAIT_BRYAN, PROPER = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx"), ("xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
TWISTS = np.eye(6)[[3, 4, 5, 0, 1, 2]]  # translations first


def splines(values: np.ndarray, t: list[np.ndarray], orders: tuple[int, ...], q: np.ndarray, nu: tuple[int, ...]) -> np.ndarray:
    """SciPy's basis functions on each axis, or their derivatives, and the sum over the whole grid: (6,)."""
    total = values
    for i, k in enumerate(orders):
        weights = BSpline(t[i], np.eye(len(t[i]) - k), k - 1)(q[i], nu=nu[i])
        total = np.tensordot(weights, total, axes=(0, 0))
    return total


def with_derivatives(values, t, orders, q):
    """(6,), (6, n), (6, n, n)."""
    n = len(orders)
    unit = np.eye(n, dtype=int)
    first = np.stack([splines(values, t, orders, q, tuple(u)) for u in unit], axis=-1)
    second = np.array([[splines(values, t, orders, q, tuple(u + w)) for w in unit] for u in unit])
    return splines(values, t, orders, q, (0,) * n), first, np.moveaxis(second, -1, 0)


@examples(5, 10)
@given(seeds, st.integers(1, 3), st.sampled_from(TAIT_BRYAN + PROPER), st.booleans())
def test_jacobian_and_its_slope_are_those_of_the_papers(seed, n, turns, uniform):
    """Lee & Terzopoulos App. B over six exponentials with a base in front, at knots and between; other orders on each axis."""
    rng = np.random.default_rng(seed)
    orders = tuple(int(k) for k in rng.integers(4, 7, n))
    counts = [k + int(rng.integers(0, 4)) for k in orders]
    values = rng.normal(size=(*counts, 6))
    t = [uniform_knots(c, k) if uniform else given_knots(rng, c, k) for c, k in zip(counts, orders)]
    base = se3.exp(rng.normal(size=6))
    joint = rm.SplineSurface(values, order=orders, knots=None if uniform else t, rotation_order=turns, base=base)
    assert joint.dof == n
    assert joint.domain == joint.range == tuple((k[o - 1], k[c]) for k, o, c in zip(t, orders, counts))
    axes = list(zip(t, orders, counts))
    places = np.array([[rng.choice([k[o - 1], k[c], rng.uniform(k[o - 1], k[c]), k[o]]) for k, o, c in axes] for _ in range(4)])
    twists = [*TWISTS[:3], *[TWISTS[3 + "xyz".index(a)] for a in turns]]
    found = own_motions(joint, places)
    for i, q in enumerate(places):
        expected = recursion(base, twists, *with_derivatives(values, t, orders, q))
        size = max(1.0, np.abs(expected[2]).max())
        for own, other in zip(found, expected):
            assert_allclose(own[i], other, rtol=0, atol=1e-10 * size)
        assert_allclose(np.asarray(joint.jacobian(q), float), expected[1], rtol=0, atol=1e-10 * size)
        assert_allclose(np.asarray(joint.transform(q), float), expected[0], rtol=0, atol=1e-11)


def test_redmax_algorithm_5():
    """One cubic patch with the basis matrix of Eq. 53: f(C, q1, q2) = q1' B' C B q2, as printed, axis i of the grid with coordinate i."""
    B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    values = np.random.default_rng(2).normal(size=(4, 4, 6))

    def powers(x, d):
        return [np.array([1, x, x**2, x**3]), np.array([0, 1, 2 * x, 3 * x**2]), np.array([0, 0, 2, 6 * x])][d]

    def f(q, d1, d2):
        return np.einsum("a,abc,b->c", B @ powers(q[0], d1), values, B @ powers(q[1], d2))

    joint = rm.SplineSurface(values)
    for q in np.random.default_rng(3).uniform(0.0, 1.0, (5, 2)):
        slopes = np.stack([f(q, 1, 0), f(q, 0, 1)], axis=-1)
        mixed = f(q, 1, 1)
        curvatures = np.moveaxis(np.array([[f(q, 2, 0), mixed], [mixed, f(q, 0, 2)]]), -1, 0)
        for own, other in zip(own_motion(joint, q), recursion(np.eye(4), TWISTS, f(q, 0, 0), slopes, curvatures)):
            assert_allclose(own, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("turns", TAIT_BRYAN + PROPER)
def test_rotation_orders_are_scipys(turns):
    """Constant control values: every basis sums to one, so the pose is that of one control value, and S is zero."""
    value = np.array([0.3, -2.0, 0.7, 0.4, 1.1, -0.6])
    joint = rm.SplineSurface(np.broadcast_to(value, (5, 6, 6)), rotation_order=turns)
    E, S, _ = own_motion(joint, np.array([1.3, 2.4]))
    assert_allclose(E[:3, :3], Rotation.from_euler(turns.upper(), value[3:]).as_matrix(), rtol=0, atol=1e-14)
    assert_allclose(E[:3, 3], value[:3], rtol=0, atol=1e-14)
    assert_allclose(S, 0.0, atol=1e-13)


@examples(4, 8)
@given(seeds, st.integers(1, 3), st.booleans())
def test_cyclic_parameters_close_and_are_smooth(seed, n, uniform):
    """Against the spline unrolled over three periods; and the same after any number of turns."""
    rng = np.random.default_rng(seed)
    cyclic = [True, *rng.choice([True, False], n - 1).tolist()]
    orders = tuple(int(k) for k in rng.integers(4, 6, n))
    counts = [int(rng.integers(3, 7)) if c else k + int(rng.integers(0, 3)) for c, k in zip(cyclic, orders)]
    values = rng.normal(size=(*counts, 6))
    knots = [None if uniform else np.cumsum(rng.uniform(0.4, 1.4, m + (1 if c else k))) for m, c, k in zip(counts, cyclic, orders)]
    joint = rm.SplineSurface(values, order=orders, knots=knots, cyclic=cyclic)
    motion = spline_surface(values, orders, knots, cyclic)
    low, high = np.array(joint.range).T
    q = low + (high - low) * rng.uniform(0.0, 1.0, (4, n))
    E, S, dS = own_motions(joint, q)
    for i in range(4):
        assert_allclose(E[i], motion(q[i]).astype(float), rtol=0, atol=1e-12)
    turned = q + (high - low) * np.array(cyclic) * rng.integers(-4, 5, (4, n))
    for a, b in zip(own_motions(joint, turned), (E, S, dS)):
        assert_allclose(a, b, rtol=0, atol=1e-9 * max(1.0, np.abs(b).max()))
    at_seam = np.where(cyclic, high, q[0])
    for a, b in zip(own_motion(joint, np.where(cyclic, at_seam - 1e-9, at_seam)), own_motion(joint, at_seam)):
        assert_allclose(a, b, rtol=0, atol=1e-6 * max(1.0, np.abs(dS).max()) ** 2)


@examples(4, 15)
@given(seeds, st.booleans())
def test_two_continuous_derivatives_across_every_knot(seed, uniform):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(9, 8, 6))
    t = [uniform_knots(9, 5), uniform_knots(8, 4)] if uniform else [given_knots(rng, 9, 5), given_knots(rng, 8, 4)]
    joint = rm.SplineSurface(values, order=(5, 4), knots=None if uniform else t)
    inside = [np.unique(x[k - 1 : m + 1])[1:-1] for x, k, m in zip(t, (5, 4), (9, 8))]
    q = np.array([[a, b] for a in inside[0] for b in inside[1]])
    steps = 1e-9 * rng.choice([-1.0, 1.0], q.shape)
    at = own_motions(joint, q)
    size = max(1.0, np.abs(at[2]).max())
    for a, b, c in zip(own_motions(joint, q - steps), at, own_motions(joint, q + steps)):
        assert_allclose(a, b, rtol=0, atol=1e-6 * size**2)
        assert_allclose(c, b, rtol=0, atol=1e-6 * size**2)


def test_only_the_control_values_of_a_patch_act_on_it():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(7, 6, 6))
    joint, q = rm.SplineSurface(values), np.array([2.3, 0.6])
    acting = np.zeros((7, 6), bool)
    for index in np.ndindex(7, 6):
        other = values.copy()
        other[index] += 1.0
        acting[index] = not np.array_equal(np.asarray(rm.SplineSurface(other).transform(q)), np.asarray(joint.transform(q)))
    assert acting[2:6, 0:4].all()
    assert acting.sum() == 16


def test_a_base_moves_everything_and_changes_no_twist():
    rng = np.random.default_rng(4)
    values, A, q = rng.normal(size=(6, 5, 6)), se3.exp(rng.normal(size=6)), np.array([1.2, 0.7])
    plain, based, shifted = (own_motion(rm.SplineSurface(values, base=b), q) for b in (None, A, (1.0, 2.0, 3.0)))
    assert_allclose(based[0], A @ plain[0], rtol=0, atol=1e-14)
    assert_allclose(shifted[0][:3, 3], plain[0][:3, 3] + [1, 2, 3], rtol=0, atol=1e-14)
    for other in (based, shifted):
        assert_allclose(other[1], plain[1], rtol=0, atol=0)


def test_one_parameter_without_rotation_is_the_curve():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(8, 3))
    frames = np.tile(np.eye(4), (8, 1, 1))
    frames[:, :3, 3] = points
    knots = given_knots(rng, 8, 4)
    q = np.linspace(knots[3], knots[8], 11)[:, None]
    values = np.concatenate([points, np.zeros((8, 3))], axis=1)
    for a, b in zip(own_motions(rm.SplineSurface(values, knots=knots), q), own_motions(rm.SplineCurve(frames, knots=knots), q)):
        assert_allclose(a, b, rtol=0, atol=1e-11)


def test_the_cost_does_not_depend_on_the_size_of_the_grid_and_zero_columns_are_free():
    rng = np.random.default_rng(6)
    small, large = rng.normal(size=(4, 5, 6)), rng.normal(size=(60, 70, 6))
    assert cost(rm.SplineSurface(small)) == cost(rm.SplineSurface(large))
    flat = small * [1, 1, 1, 0, 0, 0]
    assert cost(rm.SplineSurface(flat)) < 0.55 * cost(rm.SplineSurface(small))
    first = code(rm.SplineSurface(small))
    assert first == code(rm.SplineSurface(rng.normal(size=(4, 5, 6))))
    assert first != code(rm.SplineSurface(small, rotation_order="zyx"))
    assert first != code(rm.SplineSurface(np.swapaxes(small, 0, 1)))  # as many numbers


def test_outside_its_range_the_motion_is_not_defined():
    joint = rm.SplineSurface(np.random.default_rng(0).normal(size=(6, 5, 6)), cyclic=(False, True))
    assert joint.domain == ((0.0, 3.0), (-np.inf, np.inf))
    for q in ([0.0, 7.0], [3.0, -2.0]):
        assert np.isfinite(np.asarray(joint.transform(np.array(q)), float)).all()
    for q in ([-1e-9, 1.0], [3.0 + 1e-9, 1.0]):
        assert np.isnan(np.asarray(joint.transform(np.array(q)), float)[:3]).any()
        assert np.isnan(np.asarray(joint.jacobian(np.array(q)), float)).any()


def test_a_body_in_a_bowl_keeps_its_energy():
    """Recursively; other dynamics do so in `test_spline_scenes`."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.SplineSurface(bowl()), q=(1.0, 2.2), qdot=(0.3, -0.2))
    run = rm.simulate(scene, duration=3.0, dt=0.05, integrator="adaptive")
    assert np.ptp(run.q, axis=0).min() > 1.0  # over several patches
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-6 * run.energy.kinetic.max()


def test_limits_of_one_parameter_beside_a_cyclic_one():
    """Down a tube, round and round, onto a soft end."""
    around, along = np.meshgrid(2 * np.pi * np.arange(6) / 6, -0.4 * np.arange(8), indexing="ij")
    values = np.stack([np.cos(around), np.sin(around), along, *np.zeros((3, 6, 8))], axis=-1)
    end = {"outside": "limit", "limit_stiffness": 500.0}
    joint = rm.SplineSurface(values, cyclic=(True, False), **end)
    assert_allclose(np.asarray(joint.force(np.array([-40.0, 5.5]), np.array([1.0, 1.0])), float), [0.0, -250.0])
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=joint, q=(0.0, 3.5), qdot=(4.0, 0.0))
    run = rm.simulate(scene, duration=1.5, dt=0.01, integrator="adaptive")
    assert run.q[:, 0].max() > 5.9
    assert run.q[:, 1].max() > 5.0
    assert run.qdot[:, 1].min() < -1.0
    assert np.abs(run.energy.total - run.energy.total[0]).max() < 1e-6 * run.energy.kinetic.max()


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((5, 5)), {}, "control values .n1, 6."),
        (np.ones((4, 4, 4, 4, 6)), {}, "control values .n1, 6."),
        (np.full((5, 6), np.inf), {}, "control values .n1, 6."),
        (np.ones((5, 3, 6)), {}, "there are 3 control values, expected 4 or more"),
        (np.zeros((5, 5, 6)), {}, "all control values are zero"),
        (np.ones((5, 5, 6)), {"order": (4, 4, 4)}, "order is .*one for each of the 2 parameters"),
        (np.ones((5, 5, 6)), {"order": (4, 3)}, "order is 3"),
        (np.ones((5, 5, 6)), {"knots": [np.arange(9.0)]}, "knots is .*one for each of the 2 parameters"),
        (np.ones((5, 5, 6)), {"knots": [None, np.arange(8.0)]}, "expected 9 ascending"),
        (np.ones((5, 5, 6)), {"rotation_order": "xxy"}, "rotation_order is 'xxy', expected three of x, y, z"),
        (np.ones((5, 5, 6)), {"rotation_order": "XYY"}, "rotation_order is 'XYY'"),
        (np.ones((5, 5, 6)), {"base": np.ones((4, 4))}, "base has a rotation block"),
        (np.ones((5, 5, 6)), {"cyclic": True, "outside": "limit"}, "a cyclic spline has no outside"),
        (np.ones((5, 5, 6)), {"outside": "limit", "limit_stiffness": (1.0, 2.0, 3.0)}, "limit_stiffness is .*or 2 of them"),
    ],
)
def test_what_cannot_be_a_surface(values, options, message):
    with pytest.raises(rm.SceneError, match=message):
        rm.SplineSurface(values, **options)


def test_modes_that_cannot_be():
    values = bowl()
    pair = "mode 0 .*expected a pair"
    for modes, message in (([values], pair), ([(values, 1.0)], pair), ([(values[1:], np.sin)], "have shape")):
        with pytest.raises(rm.SceneError, match=message):
            rm.DeformingSplineSurface(values, modes)
