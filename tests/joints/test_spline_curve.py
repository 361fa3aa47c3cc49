"""Spline curves: against SciPy's splines, the papers' recursions, and what their definition promises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline

import redmax as rm
from joints.code_of_joints import code, cost
from joints.samples import ring_of_frames
from joints.spline_definitions import given_knots, uniform_knots
from joints.spline_oracles import own_motion, own_motions, recursion, twist_of
from joints.spline_samples import pose, random_frames
from random_examples import examples
from redmax.lie import se3
from redmax.trace import Graph

seeds = st.integers(0, 2**16)
ORDERS = (4, 5, 7)


def moved(points: np.ndarray) -> np.ndarray:
    frames = np.tile(np.eye(4), (len(points), 1, 1))
    frames[:, :3, 3] = points
    return frames


def positions(t: np.ndarray, order: int, count: int) -> np.ndarray:
    """Over the whole range: knots, both ends, and between."""
    inside = np.unique(t[order - 1 : count + 1])
    return np.concatenate([inside, *[a + (b - a) * np.array([0.1, 0.5, 0.93]) for a, b in pairwise(inside)]])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("uniform", [True, False])
def test_without_rotation_it_is_scipys_spline(order, uniform):
    rng = np.random.default_rng(order)
    points, count = rng.normal(size=(order + 6, 3)), order + 6
    t = uniform_knots(count, order) if uniform else given_knots(rng, count, order)
    joint, expected = rm.SplineCurve(moved(points), order=order, knots=None if uniform else t), BSpline(t, points, order - 1)
    assert joint.range == (t[order - 1], t[count])
    assert joint.domain == (joint.range,)
    q = positions(t, order, count)
    E, S, dS = own_motions(joint, q[:, None])
    assert_allclose(E, moved(expected(q)), rtol=0, atol=1e-12)
    assert_allclose(S[:, 3:, 0], expected(q, nu=1), rtol=0, atol=1e-11)
    assert_allclose(dS[:, 3:, 0, 0], expected(q, nu=2), rtol=0, atol=1e-10)
    assert not S[:, :3].any()
    assert not dS[:, :3].any()


@pytest.mark.parametrize("count", [3, 4, 7])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("uniform", [True, False])
def test_a_cyclic_one_is_scipys_periodic_spline(count, order, uniform):
    rng = np.random.default_rng(count)
    points = rng.normal(size=(count, 3))
    breaks = np.arange(count + 1.0) if uniform else np.cumsum(rng.uniform(0.3, 1.5, count + 1))
    period, k = breaks[-1] - breaks[0], order - 1
    turns, place = np.divmod(np.arange(-k, count + order), count)
    expected = BSpline(breaks[place] + turns * period, points[np.arange(count + k) % count], k)
    joint = rm.SplineCurve(moved(points), order=order, knots=None if uniform else breaks, cyclic=True)
    assert joint.domain is None
    q = positions(breaks, 1, count)
    for turn in (0, -1, 5):
        E, S, dS = own_motions(joint, q[:, None] + turn * period)
        assert_allclose(E[:, :3, 3], expected(q), rtol=0, atol=1e-12)
        assert_allclose(S[:, 3:, 0], expected(q, nu=1), rtol=0, atol=1e-11)
        assert_allclose(dS[:, 3:, 0, 0], expected(q, nu=2), rtol=0, atol=1e-10)


@examples(6, 25)
@given(seeds, st.sampled_from(ORDERS), st.booleans())
def test_jacobian_and_its_slope_are_those_of_the_papers(seed, order, uniform):
    """Lee & Terzopoulos App. B with SciPy's basis functions, at knots and between."""
    rng = np.random.default_rng(seed)
    count = order + 4
    frames = random_frames(rng, count)
    t = uniform_knots(count, order) if uniform else given_knots(rng, count, order)
    joint, every = rm.SplineCurve(frames, order=order, knots=None if uniform else t), BSpline(t, np.eye(count), order - 1)
    z = [twist_of(np.linalg.solve(a, b)) for a, b in pairwise(frames)]
    places = rng.choice(positions(t, order, count), 5)
    found = own_motions(joint, places[:, None])
    for i, q in enumerate(places):
        B = [np.cumsum(every(q, nu=d)[::-1])[::-1][1:] for d in range(3)]  # B~_1, B~_2, ...
        E, S, dS = recursion(frames[0], z, B[0], B[1][:, None], B[2][:, None, None])
        size = max(1.0, np.abs(dS).max())
        for own, expected in zip(found, (E, S, dS)):
            assert_allclose(own[i], expected, rtol=0, atol=1e-10 * size)
        assert_allclose(np.asarray(joint.jacobian(np.array([q])), float), S, rtol=0, atol=1e-10 * size)


def test_redmax_algorithm_4():
    """Uniform cubics on one piece: three exponentials with the basis matrix of Eq. 53, its line 10 with the first derivative."""
    rng = np.random.default_rng(5)
    frames = random_frames(rng, 4)
    B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    cumulative = np.array([B[i:].sum(axis=0) for i in range(1, 4)])
    z = [twist_of(np.linalg.solve(a, b)) for a, b in pairwise(frames)]
    for q in np.linspace(0.0, 1.0, 9):
        powers = np.array([[1, q, q**2, q**3], [0, 1, 2 * q, 3 * q**2], [0, 0, 2, 6 * q]])
        b, slope, curvature = powers @ cumulative.T
        expected = recursion(frames[0], z, b, slope[:, None], curvature[:, None, None])
        for own, other in zip(own_motion(rm.SplineCurve(frames), np.array([q])), expected):
            assert_allclose(own, other, rtol=0, atol=1e-12)


@examples(8, 25)
@given(seeds, st.sampled_from(ORDERS), st.booleans(), st.booleans())
def test_two_continuous_derivatives_across_every_knot(seed, order, uniform, cyclic):
    """Also where a knot occurs order - 3 times, and where a cyclic curve closes; within 1e-9 of each knot."""
    rng = np.random.default_rng(seed)
    count = order + 4
    frames = random_frames(rng, count) if not cyclic else ring_of_frames(rng, count, 1.0, 0.2)
    if cyclic:
        t = np.arange(count + 1.0) if uniform else np.cumsum(rng.uniform(0.3, 1.5, count + 1))
        knots = t
    else:
        t = uniform_knots(count, order) if uniform else given_knots(rng, count, order)
        knots = np.unique(t[order - 1 : count + 1])[1:-1]
    joint = rm.SplineCurve(frames, order=order, knots=None if uniform else t, cyclic=cyclic)
    before, at, after = (own_motions(joint, knots[:, None] + h) for h in (-1e-9, 0.0, 1e-9))
    size = max(1.0, np.abs(at[2]).max())
    for a, b, c in zip(before, at, after):
        assert_allclose(a, b, rtol=0, atol=1e-6 * size**2)
        assert_allclose(c, b, rtol=0, atol=1e-6 * size**2)


def test_a_knot_once_too_often_would_break_the_second_derivative():
    """The rule is sharp: with order - 2 times the same knot the spline that is refused has a jump in its second derivative."""
    t = np.array([0.0, 1, 2, 3, 4, 4, 5, 6, 7, 8])
    points = np.random.default_rng(0).normal(size=(6, 3))
    spline = BSpline(t, points, 3)
    assert np.abs(spline(4 - 1e-9, nu=2) - spline(4 + 1e-9, nu=2)).max() > 0.1
    with pytest.raises(rm.SceneError, match="the knot 4 occurs 2 times"):
        rm.SplineCurve(moved(points), knots=t)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("uniform", [True, False])
def test_equal_steps_give_the_screw_motion_through_them(order, uniform):
    """C_i = A exp(z g_i) with g the knot averages (Greville): splines reproduce what is linear, so G(q) = A exp(z q)."""
    rng = np.random.default_rng(7)
    count = order + 5
    t = uniform_knots(count, order) if uniform else given_knots(rng, count, order)
    A, z = se3.exp(rng.normal(size=6)), rng.normal(size=6) * 0.5
    averages = [t[i + 1 : i + order].mean() for i in range(count)]
    joint = rm.SplineCurve([A @ se3.exp(z * g) for g in averages], order=order, knots=None if uniform else t)
    q = positions(t, order, count)
    E, S, dS = own_motions(joint, q[:, None])
    assert_allclose(E, A @ se3.exp(z * q[:, None]), rtol=0, atol=1e-12)
    assert_allclose(S[:, :, 0], np.broadcast_to(z, (len(q), 6)), rtol=0, atol=1e-11)
    assert_allclose(dS, 0.0, rtol=0, atol=1e-10)


def test_only_the_frames_of_a_piece_act_on_it():
    """Bit for bit: frame f moves the pieces f - k + 1 to f, and no others."""
    rng = np.random.default_rng(3)
    for cyclic in (False, True):
        frames = ring_of_frames(rng, 9, 0.9, 0.2)
        joint = rm.SplineCurve(frames, order=4, cyclic=cyclic)
        pieces = int(joint.range[1])
        for f in range(9):
            other = frames.copy()
            other[f] = other[f] @ se3.exp(0.1 * rng.normal(size=6))
            changed = rm.SplineCurve(other, order=4, cyclic=cyclic)
            moves = {j for j in range(pieces) if not np.array_equal(pose(joint, j + 0.4), pose(changed, j + 0.4))}
            assert moves == {j % 9 if cyclic else j for j in range(f - 3, f + 1) if cyclic or 0 <= j < pieces}


@examples(4, 25)
@given(seeds)
def test_a_moved_curve_is_the_same_motion_seen_from_elsewhere(seed):
    """All frames times A from the left: G becomes A G, and S stays."""
    rng = np.random.default_rng(seed)
    frames, A = random_frames(rng, 7), se3.exp(rng.normal(size=6))
    joint, other = rm.SplineCurve(frames), rm.SplineCurve(A @ frames)
    q = np.array([rng.uniform(0.0, 4.0)])
    for a, b in zip(own_motion(other, q), own_motion(joint, q)):
        assert_allclose(a, A @ b if b.shape == (4, 4) else b, rtol=0, atol=1e-12 * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("count", [3, 5])
def test_a_cyclic_curve_closes(order, count):
    frames = ring_of_frames(np.random.default_rng(1), count, 1.0, 0.2)
    joint = rm.SplineCurve(frames, order=order, cyclic=True)
    q = np.array([[0.0], [0.3], [1.0], [count - 1e-9]])
    for turn in (-3, -1, 1, 1000):
        for a, b in zip(own_motions(joint, q), own_motions(joint, q + turn * count)):
            assert_allclose(a, b, rtol=0, atol=1e-10)
    shifted = rm.SplineCurve(np.roll(frames, -1, axis=0), order=order, cyclic=True)
    assert_allclose(pose(shifted, 0.25), pose(joint, 1.25), rtol=0, atol=1e-13)


def test_rounding_of_whole_turns_stays_inside():
    """Numbers of frames whose reciprocal is rounded, at whole numbers of turns and just below."""
    for count in (3, 7, 49, 98, 103):
        joint = rm.SplineCurve(moved(np.random.default_rng(count).normal(size=(count, 3))), cyclic=True)
        first = pose(joint, 0.0)
        for turn in (-49, -1, 1, 3, 49, 103, 10**6):
            assert_allclose(pose(joint, float(turn * count)), first, rtol=0, atol=1e-12)
            below = np.nextafter(turn * count, -np.inf)
            assert_allclose(pose(joint, below), first, rtol=0, atol=1e-12 + 4 * (turn * count - below))


def test_frames_that_cannot_be():
    good = random_frames(np.random.default_rng(0), 6)
    half = [rm.pose(rm.rotation_about("x", a), (0, 0, 0)) for a in (0.0, 1.0, 1.0 + np.pi, 4.5, 5.0, 5.5)]
    for frames, message in (
        (half, "between frames 1 and 2 lies a rotation by 180 degrees"),
        (good[:3], "there are 3 control values, expected 4"),
        (good[0], r"frames is .*expected poses \(n, 4, 4\)"),
        (np.where(np.arange(6)[:, None, None] == 2, 2.0 * good, good), "frame 2 has a rotation block"),
        (np.where(np.arange(6)[:, None, None] == 2, np.nan, good), "expected poses"),
        ("knee", "expected poses"),
    ):
        with pytest.raises(rm.SceneError, match=message):
            rm.SplineCurve(frames)
    with pytest.raises(rm.SceneError, match="there are 2 control values, expected 3 or more: a closed curve"):
        rm.SplineCurve(good[:2], cyclic=True)
    around = [rm.pose(rm.rotation_about("x", a), (0, 0, 0)) for a in (0.0, 1.0, 2.0, np.pi)]
    rm.SplineCurve(around)
    with pytest.raises(rm.SceneError, match="between frames 3 and 0"):
        rm.SplineCurve(around, cyclic=True)


def test_frames_a_little_off_are_made_rigid():
    frames = random_frames(np.random.default_rng(2), 6)
    frames[:, :3, :3] *= 1.0 + 1e-9
    E = pose(rm.SplineCurve(frames), 1.3)
    assert_allclose(E[:3, :3].T @ E[:3, :3], np.eye(3), rtol=0, atol=1e-14)


def test_the_cost_does_not_depend_on_the_number_of_frames():
    rng = np.random.default_rng(6)
    few, many = random_frames(rng, 5), random_frames(rng, 500)
    assert cost(rm.SplineCurve(few)) == cost(rm.SplineCurve(many))
    small, large = (cost(rm.SplineCurve(f, knots=np.arange(len(f) + 4.0))) for f in (few, many))
    assert 0 < large - small < 9 * 6  # a search of 9 steps


def test_curves_with_as_many_frames_share_their_code():
    """Whatever the frames, and the knots; orders, ends and numbers of frames make a difference."""
    rng = np.random.default_rng(8)
    frames = random_frames(rng, 17)
    first = code(rm.SplineCurve(frames))
    assert code(rm.SplineCurve(moved(rng.normal(size=(17, 3))))) == first
    assert code(rm.SplineCurve(frames, knots=np.arange(21.0))) == code(rm.SplineCurve(frames, knots=given_knots(rng, 17, 4)))
    others = [{"cyclic": True}, {"order": 5}, {"knots": np.arange(21.0)}, {"outside": "limit", "limit_stiffness": 9.0}]
    found = [first, code(rm.SplineCurve(frames[1:])), *[code(rm.SplineCurve(frames, **o)) for o in others]]
    assert len({frozenset(f) for f in found}) == len(found)


def test_closed_forms_take_fewer_operations_than_differentiation():
    from redmax.joints.motion import differentiated_jacobian
    from redmax.model.signatures import traced_data
    from redmax.trace import jvp, reachable

    joint = rm.SplineCurve(random_frames(np.random.default_rng(9), 9))
    counts = []
    for closed in (True, False):
        graph = Graph()
        own = joint.with_data(traced_data(graph, joint.data()))
        q, v = graph.input("q", 0), graph.input("v", 0)
        x = np.array([q, None], object)[:-1]
        E = own.transform(x)
        S = own.jacobian(x) if closed else differentiated_jacobian(E, [q])
        counts.append(len(reachable([*E.ravel(), *S.ravel(), *jvp(list(S.ravel()), {q: v})])))
    assert counts[0] < 0.5 * counts[1]
