"""Rotations by angles in all 12 orders: what each order means (SciPy says it independently), S and its rate, and the change of charts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import redmax as rm
from dynamics.differences import rate
from joints.test_motion import number
from random_examples import examples
from redmax.joints.euler import ORDERS
from redmax.joints.motion import traced_motion
from redmax.trace import Graph

angles = st.tuples(*[st.floats(-3.1, 3.1)] * 3)
rates = st.tuples(*[st.floats(-5, 5)] * 3)


def config(order: str, q) -> np.ndarray:
    return np.array([*q, ORDERS.index(order)], float)


def rotation(q: np.ndarray) -> np.ndarray:
    return Rotation.from_euler(ORDERS[int(q[3])], q[:3]).as_matrix()


def twist(q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """Body angular velocity by differences of SciPy's rotations."""
    W = rotation(q).T @ rate(lambda s: rotation(q + s * np.array([*qdot, 0.0])), 2e-3)
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def determinant(q: np.ndarray) -> float:
    return float(np.linalg.det(np.column_stack([twist(q, e) for e in np.eye(3)])))


def test_there_are_twelve_orders():
    assert len(set(ORDERS)) == 12
    assert all(len(o) == 3 and o[0] != o[1] != o[2] for o in ORDERS)


@cache
def traced(order: str, switching: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pose, S and Sdot qdot."""
    joint, graph = rm.SphericalEuler(order, switching=switching), Graph()
    q, qdot = (np.array([*graph.inputs(name, size)], object) for name, size in (("q", joint.size), ("qdot", 3)))
    m = traced_motion(joint, q, qdot)
    return m.E, m.S, m.bias(qdot)


@pytest.mark.parametrize("order", ORDERS)
@examples(5, 20)
@given(q=angles, qdot=rates)
def test_pose_twist_and_its_rate(order, q, qdot):
    for switching in (True, False):
        motion, values = traced(order, switching), {"q": config(order, q), "qdot": np.array(qdot)}
        E, S, bias = (number(part, values) for part in motion)
        assert_allclose(E[:3, :3], rotation(config(order, q)), atol=1e-14)
        assert_allclose((S @ qdot)[:3], twist(config(order, q), np.array(qdot)), atol=1e-9)
        assert_allclose(S[3:], 0)
        changing = rate(lambda s, S=motion[1]: number(S, {"q": config(order, np.add(q, s * np.array(qdot))), "qdot": qdot}) @ qdot, 2e-3)
        assert_allclose(bias, changing, atol=1e-8)


@pytest.mark.parametrize("order", ORDERS)
@examples(6, 20)
@given(q=angles, qdot=rates, past=rates)
def test_a_chart_is_left_where_it_nears_its_singularity(order, q, qdot, past):
    now, qdot = config(order, q), np.array(qdot)
    before = now - 0.01 * np.array([*past, 0.0])
    (p, pdot), (p_before, pdot_before) = rm.SphericalEuler(order).rechart([(now, qdot), (before, np.array(past))])
    assert_allclose(rotation(p), rotation(now), atol=1e-13)
    assert_allclose(rotation(p_before), rotation(before), atol=1e-13)
    assert p_before[3] == p[3]
    size = abs(determinant(now))
    if size > 0.5 + 1e-6:
        assert np.array_equal(p, now)
        assert np.array_equal(pdot, qdot)
    elif size < 0.5 - 1e-6:
        assert abs(determinant(p)) > 0.8  # of 12 charts one is far from singular: some entry of R is at most 1/sqrt(3)
        assert_allclose(twist(p, pdot), twist(now, qdot), atol=1e-8)
        assert_allclose(twist(p_before, pdot_before), twist(before, np.array(past)), atol=1e-8)
        assert np.abs(p_before - p).max() < np.pi + 1e-9  # the history stays beside the present


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.long)])
def test_the_chosen_chart_is_the_best_for_present_and_past(count):
    """The rule of the published scenes: of all charts the one that maximises the smaller of the two determinants."""
    rng = np.random.default_rng(4)
    for _ in range(count):
        q = np.array([*rng.uniform(-3, 3, 3), 1.0])
        q[1] = rng.choice([-1, 1]) * rng.uniform(1.1, 1.5)
        older = q + np.array([*rng.normal(size=3) * 0.3, 0.0])
        [(p, _), _] = rm.SphericalEuler().rechart([(q, np.zeros(3)), (older, np.zeros(3))])
        worst = []
        for n, order in enumerate(ORDERS):
            both = [Rotation.from_matrix(rotation(x)).as_euler(order) for x in (q, older)]
            worst.append(min(abs(determinant(np.array([*x, n]))) for x in both))
        assert worst[int(p[3])] == pytest.approx(max(worst), abs=1e-8)


def tumbling() -> rm.Scene:
    """A top-heavy pair that turns through every orientation."""
    scene = rm.Scene()
    upper = scene.add_body(
        rm.Cuboid((0.1, 0.2, 0.4)), joint=rm.SphericalEuler("XYZ"), com=(0.02, 0, -0.2), q=(0.3, 0.7, 0), qdot=(2, 9, -6), name="upper"
    )
    scene.add_body(
        rm.Cuboid((0.1, 0.1, 0.3)), parent=upper, joint=rm.SphericalEuler("YZX", switching=False), at=(0, 0, -0.4), com=(0, 0, -0.15),
        q=(0.1, 0.2, 0.3), qdot=(1, 0, 3), stiffness=5.0, name="lower",
    )  # fmt: skip
    return scene


def exponential() -> rm.Scene:
    """The same in exponential coordinates, without the spring."""
    scene = rm.Scene()
    R, qdot = Rotation.from_euler("XYZ", (0.3, 0.7, 0)), np.array([2, 9, -6.0])
    omega = twist(config("XYZ", (0.3, 0.7, 0)), qdot)
    q = R.as_rotvec()
    from redmax.lie import so3

    rates = np.linalg.solve(np.asarray(so3.dexp_right(q), float), omega)
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.4)), joint=rm.Spherical(), com=(0.02, 0, -0.2), q=q, qdot=rates, name="upper")
    return scene


def test_same_motion_as_exponential_coordinates():
    alone = rm.Scene()
    alone.add_body(
        rm.Cuboid((0.1, 0.2, 0.4)), joint=rm.SphericalEuler("XYZ"), com=(0.02, 0, -0.2), q=(0.3, 0.7, 0), qdot=(2, 9, -6), name="upper"
    )
    run, same = (rm.simulate(s, 3, 0.01, rtol=1e-10) for s in (alone, exponential()))
    assert_allclose(run.pose("upper"), same.pose("upper"), atol=1e-6)
    assert run.energy.drift.max() < 1e-8
    assert len(np.unique(run.chart("upper"))) >= 3  # it went through several charts
    assert abs(np.array([determinant(q) for q in run.configurations[::15]])).min() > 0.35  # and never near the singularity of one


@pytest.mark.parametrize("integrator", ["rk4", "bdf2"])
def test_convergence_is_not_lost_where_charts_change(integrator):
    order = {"rk4": 4, "bdf2": 2}[integrator]
    exact = rm.simulate(tumbling(), 0.3, 0.1, rtol=1e-11).pose("lower")[-1]
    steps = (0.004, 0.002) if integrator == "rk4" else (0.002, 0.001)
    errors = []
    for dt in steps:
        run = rm.simulate(tumbling(), 0.3, dt, integrator=integrator)
        assert len(np.unique(run.chart("upper"))) >= 2
        errors.append(np.abs(run.pose("lower")[-1] - exact).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.3


@pytest.mark.parametrize(("integrator", "order"), [("rk4", 4), ("bdf2", 2)])
def test_a_run_may_start_where_its_chart_is_singular(integrator, order):
    """ZXZ is so at q = 0, the default: a direction has no coordinate, but the run is in another chart before it needs one."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.3)), joint=rm.SphericalEuler("ZXZ"), com=(0.1, 0, -0.1), qdot=(1, 0, 0), name="rod")
    exact = rm.simulate(scene, 0.3, 0.1, rtol=1e-11).pose("rod")[-1]
    errors = [np.abs(rm.simulate(scene, 0.3, dt, integrator=integrator).pose("rod")[-1] - exact).max() for dt in (0.005, 0.0025)]
    assert np.log2(errors[0] / errors[1]) > order - 0.3


def test_systems_agree_and_a_batch_has_its_own_charts():
    end = rm.simulate(tumbling(), 1.0, 0.002, integrator="rk4")
    for other in ({"dynamics": "redmax"}, {"backend": "interpret"}):
        run = rm.simulate(tumbling(), 0.05, 0.002, integrator="rk4", **other)
        assert_allclose(run.q[-1], end.q[25], rtol=1e-9, atol=1e-10)
        assert run.state().chart == end.state(25).chart != end.state(0).chart
    q, qdot = np.tile(end.q[0], (9, 1)), np.tile(end.qdot[0], (9, 1))
    qdot[:, 0] += np.linspace(0, 2, 9)
    batch = rm.simulate(tumbling(), 1.0, 0.002, integrator="rk4", initial=rm.State(0.0, q, qdot, end.state(0).chart))
    assert_allclose(batch.q[-1, 0], end.q[-1], rtol=1e-8, atol=1e-9)
    assert len({tuple(batch.world(i).charts[:, 0]) for i in range(9)}) > 1
    alone = rm.simulate(tumbling(), 1.0, 0.002, integrator="rk4", initial=rm.State(0.0, q[5], qdot[5], end.state(0).chart))
    assert_allclose(batch.world(5).q[-1], alone.q[-1], rtol=1e-8, atol=1e-9)
    assert batch.world(5).state().chart == alone.state().chart


def test_a_run_goes_on_from_a_state_with_its_chart():
    whole = rm.simulate(tumbling(), 1.0, 0.01, integrator="rk4")
    half = rm.simulate(tumbling(), 0.5, 0.01, integrator="rk4").state()
    assert half.chart["upper"] != "XYZ"
    again = rm.simulate(tumbling(), 0.5, 0.01, integrator="rk4", initial=half)
    assert_allclose(again.q[-1], whole.q[-1], rtol=1e-12, atol=1e-12)
    with pytest.raises(rm.SceneError, match=r"'upper' has no chart 'XXZ'\. Valid: 'XYX'"):
        rm.simulate(tumbling(), 0.1, 0.01, initial=rm.State(0.0, half.q, half.qdot, {"upper": "XXZ"}))


@pytest.mark.parametrize("order", ["XXY", "xy", "abc", 3, None])
def test_unknown_orders_are_refused(order):
    with pytest.raises(rm.SceneError, match="one of the orders XYX, XYZ"):
        rm.SphericalEuler(order)


def test_springs_need_coordinates_that_stay():
    scene = rm.Scene()
    with pytest.raises(rm.SceneError, match=r"stiffness\[1\] of body 'rod' is 5, but SphericalEuler may change"):
        scene.add_body(rm.Sphere(1.0), joint=rm.SphericalEuler(), stiffness=(0, 5, 0), name="rod")
    flying = rm.CompositeJoint(rm.Translational(), rm.SphericalEuler())
    scene.add_body(rm.Sphere(1.0), joint=flying, stiffness=(5, 5, 5, 0, 0, 0), name="held by its place")
    with pytest.raises(rm.SceneError, match=r"stiffness\[4\]"):
        scene.add_body(rm.Sphere(1.0), joint=flying, stiffness=(0, 0, 0, 0, 1, 0))
    assert [link.name for link in scene.links] == ["held by its place"]
