"""Dynamics of scenes that something holds: tied nodes, prescribed twists, a map of coordinates.

Oracles: nodes that are attached instead of tied move alike; the run's own differences; the dense redmax system, which has its rows inside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import redmax as rm

BAR = rm.Cuboid((0.4, 0.05, 0.05), mass=1.0)


def bars(count: int, **first: Any) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    scene, found = rm.Scene(), []
    for i in range(count):
        parent, at = (found[-1], (0.4, 0, 0)) if found else (None, (0, 0, 0))
        options = first if i == 0 else {}
        found.append(scene.add_body(BAR, parent=parent, joint=rm.Revolute("y"), at=at, com=(0.2, 0, 0), name=f"bar{i}", **options))
    return scene, found


def hung(how: str, **first: Any) -> rm.Model:
    """A bar whose end carries a chain of three masses, tied or attached to it; another end in the world."""
    scene, (bar,) = bars(1, **first)
    chain = rm.SpringChain((0.4, 0, 0), (0.4, 0, -0.3), 3, mass=0.6, stiffness=40, name="chain")
    loose = chain.moved(velocities=[[0, 0, 0], [0.3, 0.1, 0], [0, 0, 0.2]])
    scene.add_deformable(loose.tie(bar, 0, at=(0.2, 0, 0)) if how == "tied" else loose.attach(bar, 0, at=(0.2, 0, 0)))
    return scene.model()


def test_tied_nodes_accelerate_as_attached_ones() -> None:
    tied, attached = hung("tied"), hung("attached")
    nodes = np.array([[0.4, 0, 0], [0.42, 0.01, -0.17], [0.39, 0, -0.31]])
    q, qdot = np.concatenate([[0.0], nodes.ravel()]), np.concatenate([[2.0], [0, 0, -0.8], np.arange(6) / 10])
    keep = np.r_[0, 4:10]
    state, expected = (rm.Dynamics(m).forward(x, v) for m, x, v in ((tied, q, qdot), (attached, q[keep], qdot[keep])))
    assert_allclose(state[keep], expected, rtol=0, atol=1e-10)
    assert_allclose(state[1:4], [-0.4 * 4, 0, -0.4 * expected[0]], rtol=0, atol=1e-10)  # the end of the bar: r qdot^2 inwards, r qddot down
    wrench = np.zeros((4, 6))
    wrench[0] = [0, 1, 0, 0.3, 0, 2]
    tau = np.concatenate([[0.7], np.zeros(9)])
    pushed = rm.Dynamics(attached).forward(q[keep], qdot[keep], tau[keep], wrench)
    assert_allclose(rm.Dynamics(tied).forward([q, q], qdot, tau, wrench)[1][keep], pushed, rtol=0, atol=1e-10)
    single = rm.Dynamics(tied, dtype="float32").forward(q, qdot, tau, wrench)
    assert single.dtype == np.float32
    assert_allclose(single[keep], pushed, rtol=0, atol=1e-3)


def test_joints_have_nothing_to_do_in_a_motion_that_is_free() -> None:
    model = hung("tied")
    engine, state = rm.Dynamics(model), rm.simulate(model, 0.05, 0.001, integrator="implicit").state()
    qddot = engine.forward(state.q, state.qdot)
    assert_allclose(engine.inverse(state.q, state.qdot, qddot), 0.0, atol=1e-10)


def test_accelerations_of_a_tied_run_are_differences_of_its_rates() -> None:
    dt = 1e-5
    run = rm.simulate(hung("tied"), 40 * dt, dt, integrator="implicit")
    differences = np.diff(run.qdot, axis=0) / dt
    assert_allclose(run.qddot[1:-1], differences[1:], rtol=0, atol=2e-2)
    free = rm.Dynamics(run.model).forward_free(run.q[5], run.qdot[5])
    assert np.abs(free - differences[5]).max() > 1.0  # which the rows change


def twisted() -> rm.Model:
    scene, found = bars(3)
    scene.prescribe_twist(found[2], [1], lambda t, R: [0.5 * rm.math.sin(3 * t)])
    return scene.model()


def test_prescribed_twists_hold_the_accelerations() -> None:
    model = twisted()
    engine = rm.Dynamics(model)
    q, qdot, tau = np.random.default_rng(1).normal(size=(3, 3))
    found = engine.forward(q, qdot, tau, t=0.2)
    wrench = np.zeros((3, 6))
    wrench[2, 1] = engine.multipliers(q, qdot, tau, t=0.2)[0]
    assert_allclose(found, engine.forward_free(q, qdot, tau, wrench, 0.2), rtol=0, atol=1e-10)
    assert found.sum() == pytest.approx(1.5 * np.cos(0.6), abs=1e-10)  # hinges about one axis: their rates add up to the body's
    assert_allclose(engine.hybrid([q, q], qdot, tau, t=[0.2, 0.2])[0], [found, found], rtol=0, atol=1e-12)
    run = rm.simulate(model, 0.1, 0.01, integrator="rk4")
    assert_allclose(engine.forward(run.q, run.qdot, t=run.t), run.qddot, rtol=0, atol=1e-9)


def test_twists_beside_a_driven_joint() -> None:
    scene, found = bars(3, motion=lambda t: 0.1 * rm.math.sin(t))
    scene.prescribe_twist(found[2], [1], [0.4])
    model = scene.model()
    q, qdot = np.random.default_rng(2).normal(size=(2, 3))
    engine, wrench = rm.Dynamics(model), np.zeros((3, 6))
    qddot, tau = engine.hybrid(q, qdot, t=0.3)
    assert_allclose([qddot[0], qddot.sum()], [-0.1 * np.sin(0.3), 0.0], atol=1e-10)
    wrench[2, 1] = engine.multipliers(q, qdot, t=0.3)[0]
    assert_allclose(engine.inverse_free(q, qdot, qddot, wrench, 0.3)[0], tau, atol=1e-9)
    assert_allclose(tau[1:], 0.0, atol=1e-9)


def mapped(twist: bool = False) -> rm.Model:
    scene, found = bars(3)
    scene.set_map(lambda r: (r[0], rm.math.sin(r[1]), r[0] * r[1]), coordinates=2, q=(0.3, 0.2), qdot=(1.0, -0.5))
    if twist:
        scene.prescribe_twist(found[1], [1], [0.4])
    return scene.model()


def test_a_model_with_a_map_begins_where_its_run_does() -> None:
    model = mapped()
    run = rm.simulate(model, 0.01, 0.01, integrator="rk4")
    assert_allclose(model.q0, run.q[0], rtol=0, atol=0)
    assert_allclose(model.qdot0, run.qdot[0], rtol=0, atol=0)
    assert model.q0[2] == pytest.approx(0.06)


@pytest.mark.parametrize("twist", [False, True])
def test_accelerations_in_the_coordinates_of_a_map(twist: bool) -> None:
    """What is left of inverse dynamics does no work along the map; the twist's own wrench is in it."""
    model = mapped(twist)
    engine, wrench = rm.Dynamics(model), np.zeros((3, 6))
    q_R, qdot_R, tau = np.array([0.4, -0.3]), np.array([0.6, 1.2]), np.array([0.5, -1.0, 0.2])
    map: Any = model.map
    q, qdot, J = map.coordinates(q_R), map.rates(q_R, qdot_R), map.evaluate("J", q=q_R)
    qddot, found = engine.forward(q, qdot, tau, t=0.1), engine.forward_R(q_R, qdot_R, tau, t=0.1)
    assert_allclose(J @ found + map.evaluate("bias", q=q_R, qdot=qdot_R), qddot, rtol=0, atol=1e-9)
    assert_allclose(engine.forward_R([q_R, q_R], qdot_R, tau, t=[0.1, 0.1])[1], found, rtol=0, atol=1e-10)
    if twist:
        wrench[1, 1] = engine.multipliers(q, qdot, tau, t=0.1)[0]
        assert qddot[:2].sum() == pytest.approx(0.0, abs=1e-9)
    assert_allclose(J.T @ (engine.inverse_free(q, qdot, qddot, wrench, 0.1)[0] - tau), 0.0, atol=1e-9)
    run = rm.simulate(model, 0.05, 0.01, integrator="rk4")
    assert_allclose(engine.forward(run.q, run.qdot, t=run.t), run.qddot, rtol=0, atol=1e-8)


def test_wrenches_reach_a_map() -> None:
    """As those of the scene do."""
    scene, found = bars(2)
    scene.set_map([[1.0], [2.0]], q=0.3, qdot=1.0)
    plain = scene.model()
    scene.add_wrench(found[1], torque=(0, 0.7, 0), force=(0.1, 0, 2.0))
    wrench = np.zeros((2, 6))
    wrench[1] = [0, 0.7, 0, 0.1, 0, 2.0]
    given = rm.Dynamics(plain).forward_R([0.3], [1.0], wrench=wrench)
    assert_allclose(given, rm.Dynamics(scene.model()).forward_R([0.3], [1.0]), rtol=0, atol=1e-11)


def test_states_that_a_map_does_not_give_are_refused() -> None:
    engine = rm.Dynamics(mapped())
    with pytest.raises(rm.SceneError, match="is not one that the scene's map gives"):
        engine.forward([0.4, 0.1, 2.0], [0.0, 0.0, 0.0])
    with pytest.raises(rm.SceneError, match="is not one that the scene's map gives: the search for it went too far"):
        engine.forward([1e200] * 3, [0.0, 0.0, 0.0])
    with pytest.raises(rm.SceneError, match=r"q_R must be finite numbers of shape \(..., 2\)"):
        engine.forward_R([0.4, 0.1, 2.0], [0.0, 0.0])
    with pytest.raises(rm.SceneError, match="q must be finite"):
        engine.forward([0.4, np.nan, 2.0], [0.0, 0.0, 0.0])
    with pytest.raises(rm.SceneError, match=r"has no map; its coordinates are q"):
        rm.Dynamics(bars(1)[0].model()).forward_R([0.4], [0.0])
    scene, found = bars(2)
    scene.prescribe_twist(found[0], [1, 2], [0.1, 0.2])
    with pytest.raises(rm.SceneError, match="no joint that is free moves the body"):
        scene.model()
