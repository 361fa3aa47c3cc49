"""Bodies whose twist is prescribed: the rows hold, and the wrench that holds them does what the motion needs."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import disagreement
from mechanisms import chain
from random_examples import LONG
from redmax.scenes import find

EXPLICIT = {"forward-euler": 1, "euler": 1, "rk4": 4}


def wave(t: Any, R: Any) -> Any:
    """Turning rate and two components of a world velocity, seen from the body; from rest."""
    from redmax.math import array

    v = R.T @ array([np.sin(t) * 0.3, 0.0, 0.2 * np.sin(2 * t)])
    return array([np.sin(t), v[0], v[2]])


def arm(velocity: Any = wave, **options: Any) -> rm.Scene:
    scene, parent = rm.Scene(gravity=(0, 0, -0.5)), None
    for i, start in enumerate((0.9, -1.7, 2.0, 0.5)):
        parent = scene.add_body(
            rm.Cuboid((0.5, 0.1, 0.1), mass=1), parent=parent, joint=rm.Revolute("y"), at=(0.5, 0, 0) if i else None, com=(0.25, 0, 0),
            q=start, name=f"link{i}", **(options if i == 1 else {}),
        )  # fmt: skip
    scene.prescribe_twist("link3", (1, 3, 5), velocity)
    return scene


def miss(run: rm.Trajectory) -> np.ndarray:
    """How far the rows are from their target, at each sample."""
    twist = run.model.twists[0]
    targets = [twist.target(t, R) for t, R in zip(run.t, run.pose(twist.name)[:, :3, :3], strict=True)]
    return np.abs(run.twist(twist.name)[:, list(twist.rows)] - targets).max(axis=1)


@cache
def exact_run() -> rm.Trajectory:
    return rm.simulate(arm(), 1.0, 2e-3, rtol=1e-10)


def test_the_rows_hold_during_a_run():
    run = exact_run()
    assert run.dynamics == "recursive"
    assert miss(run).max() < 1e-8


@pytest.mark.parametrize("name", [*EXPLICIT, "implicit"])
def test_integrators_keep_their_order(name):
    order = EXPLICIT.get(name, 1)
    dt = 0.08 if order == 4 else 8e-3
    exact = exact_run().q[160]
    errors = [np.linalg.norm(rm.simulate(arm(), 0.32, dt / 2**k, integrator=name).q[-1] - exact) for k in range(3)]
    assert np.abs(np.log2(errors[:-1]) - np.log2(errors[1:]) - order).max() < 0.2 * order


def test_an_implicit_step_ends_on_the_target():
    """G qdot1 = target(t1), with G and R at the start of the step."""
    h = 0.05
    sim = rm.Simulation(arm(), dt=h, integrator="implicit")
    engine, twist = rm.Dynamics(sim.model), sim.model.twists[0]
    for k in range(5):
        q = sim.state.q
        after = sim.step()
        J, _ = engine.jacobian(q)
        R = engine.observe(q, np.zeros(4)).pose[3, :3, :3]
        np.testing.assert_allclose(J[18:][[1, 3, 5]] @ after.qdot, twist.target((k + 1) * h, R), atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_accelerations_are_those_of_the_wrench_that_is_found(seed):
    """With the wrench that was found applied as a force, plain dynamics gives the same accelerations; and the rows hold."""
    mechanism = chain(seed, ("Universal", "Spherical", "Revolute", "Prismatic"))
    scene, state, body = mechanism.scene(), mechanism.state(seed), 2
    c = np.random.default_rng(seed).normal(size=(2, 3))
    scene.prescribe_twist(f"link{body}", (0, 4, 5), lambda t, R: c[0] * np.sin(t), acceleration=lambda t, R: c[0] * np.cos(t))
    model = scene.model()
    held, engine = rm.Dynamics(model), rm.Dynamics(mechanism.model)
    qddot, wrench = held.forward(state.q, state.qdot, state.tau, t=state.t), np.zeros((len(model.links), 6))
    wrench[body, [0, 4, 5]] = held.multipliers(state.q, state.qdot, state.tau, t=state.t)
    assert disagreement(engine.forward(state.q, state.qdot, state.tau, wrench, t=state.t), qddot) < 1e-8
    J, Jdot = engine.jacobian(state.q, state.qdot)
    rate = (J @ qddot + Jdot @ state.qdot)[6 * body : 6 * body + 6]
    np.testing.assert_allclose(rate[[0, 4, 5]], c[0] * np.cos(state.t), atol=1e-9)


def test_the_rate_of_the_target_is_exact():
    """Given by the user, or found by differentiating the velocity while the body turns."""
    twist = arm().twists[0]
    rng = np.random.default_rng(0)
    w, e, t = rng.normal(size=3), 1e-6, 0.7
    R = rm.rotation_about((1, 2, 3), 0.8)

    def turned(s: float) -> np.ndarray:
        return R @ rm.rotation_about(w, s * np.linalg.norm(w))

    slope = (twist.target(t + e, turned(e)) - twist.target(t - e, turned(-e))) / (2 * e)
    np.testing.assert_allclose(twist.target_rate(t, R, w), slope, atol=1e-9)


def test_the_power_of_the_wrench_is_the_energy_gained():
    run = exact_run()
    power = np.sum(run.prescribed_wrench("link3") * run.twist("link3"), axis=1)
    work = np.sum((power[1:] + power[:-1]) / 2 * 2e-3)
    assert abs(work) > 0.01
    assert work == pytest.approx(run.energy.total[-1] - run.energy.total[0], abs=1e-5)
    assert np.abs(run.reaction("link3")).max() > 1.0


def test_together_with_a_prescribed_joint():
    """redmax:20: the joint takes its accelerations, the body its twist, and both need work."""
    entry = find("redmax:20")
    run = rm.simulate(entry.scene(), 0.3, 2e-3, rtol=1e-9)
    assert miss(run).max() < 1e-6
    s = 7.0 * 2 * (run.t / 10 - 0.5)
    p = 1 / (1 + np.exp(-s))
    np.testing.assert_allclose(run.qddot[:, 2], 0.5 * np.pi * 1.4**2 * p * (1 - p) * (1 - 2 * p), atol=1e-10)
    body = run.model.twists[0].name
    power = np.sum(run.prescribed_wrench(body) * run.twist(body), axis=1) + run.torque[:, 2] * run.qdot[:, 2]
    work = np.sum((power[1:] + power[:-1]) / 2 * 2e-3)
    gained = run.energy.total[-1] - run.energy.total[0]
    assert work == pytest.approx(gained, rel=1e-4)


@pytest.mark.parametrize("reference", ["redmax:13", "redmax:20"])
def test_the_published_linkages_follow_their_profile(reference):
    """With implicit steps, the rows hold to first order."""
    entry = find(reference)
    misses = [miss(rm.simulate(entry.scene(), 0.5, dt, integrator="implicit"))[-1] for dt in (0.02, 0.01)]
    assert misses[1] < 0.6 * misses[0]
    assert miss(rm.simulate(entry.scene(), 1.0, 0.05, rtol=1e-7)).max() < 1e-5


def test_with_a_map():
    """Two bodies' hinges are coupled; the other coordinate follows from the prescribed rate of turning."""
    scene, parent = rm.Scene(), None
    for i in range(3):
        at = (0.5, 0, 0) if i else None
        parent = scene.add_body(rm.Cuboid((0.5, 0.1, 0.1), mass=1), parent=parent, joint=rm.Revolute("y"), at=at, com=(0.25, 0, 0))
    scene.set_map([[1, 0], [1, 0], [0, 1]], q=(0.2, 0.1))
    scene.prescribe_twist("body3", (1,), lambda t, R: [np.sin(t)])
    run = rm.simulate(scene, 0.3, 0.01, rtol=1e-10)
    np.testing.assert_allclose(2 * run.qdot_R[:, 0] + run.qdot_R[:, 1], np.sin(run.t), atol=1e-9)


def test_wrong_twists_are_answered():
    with pytest.raises(rm.SceneError, match="distinct numbers from 0 to 5"):
        arm().prescribe_twist("link3", (1, 6), [0, 0])
    scene = arm()
    scene.prescribe_twist("link1", (1, 2), lambda t, R: [t])
    with pytest.raises(rm.SceneError, match=r"must be 2 numbers\. Got shape"):
        rm.simulate(scene, 0.1)
    with pytest.raises(rm.SceneError, match="There is no body 'link9'"):
        arm().prescribe_twist("link9", (1,), [0.0])
    scene = arm()
    scene.prescribe_twist("link3", (0,), lambda t, R: [np.sin(t)])
    with pytest.raises(rm.SceneError, match=r"along row 0 \(angular x\), to 0 at t = 0 s, along which no joint that is free"):
        rm.simulate(scene, 0.1, 0.01, integrator="euler")


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
@pytest.mark.parametrize("name", ["rk4", "adaptive", "bdf2"])
def test_every_dynamics_and_integrator_follows_a_twist(dynamics, name):
    run = rm.simulate(arm(), 0.1, 2e-3, integrator=name, dynamics=dynamics)
    assert miss(run).max() < (1e-5 if name == "bdf2" else 1e-8)
    np.testing.assert_allclose(run.q[-1], exact_run().q[50], atol=1e-5 if name == "bdf2" else 1e-9)


def called(t: Any, R: Any) -> Any:
    """Cannot be traced."""
    return wave(float(t), R)


def called_rate(t: Any, R: Any) -> Any:
    return [np.cos(float(t))]


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
@pytest.mark.parametrize("name", ["rk4", "implicit", "bdf2"])
def test_functions_that_are_called_move_as_those_that_are_traced(dynamics, name):
    """In every dynamics and integrator, with the same forces, in batches too."""
    traced, told = (rm.simulate(scene, 0.02, 5e-3, integrator=name, dynamics=dynamics) for scene in (arm(), arm(called)))
    np.testing.assert_allclose(told.q, traced.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(told.multipliers, traced.multipliers, rtol=0, atol=1e-8)
    np.testing.assert_allclose(told.constraint("twist of link3").rate, traced.constraint("twist of link3").rate, rtol=0, atol=1e-10)


def test_functions_that_are_called_go_with_all_else():
    """Worlds of a batch, single precision, a rate that is given, maps, deformables, loops and limits."""
    start = rm.Simulation(arm()).state
    worlds = rm.State(0.0, np.tile(start.q, (3, 1)), start.qdot + 0.1 * np.arange(3)[:, None])
    runs = [rm.simulate(scene, 0.02, 0.01, integrator="rk4", initial=worlds) for scene in (arm(), arm(called))]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-11)
    single = rm.simulate(arm(called), 0.02, 0.01, integrator="implicit", dtype="float32")
    np.testing.assert_allclose(single.q, rm.simulate(arm(), 0.02, 0.01, integrator="implicit").q, rtol=0, atol=1e-6)
    cases = {mapped_links: ("implicit", "bdf1", "adaptive"), with_chain: ("implicit", "bdf1"), with_stop: ("bdf1", "adaptive")}
    for more, names in cases.items() if LONG else [(with_chain, ("implicit",)), (with_stop, ("adaptive",))]:
        traced, told = more(lambda t, R: [np.sin(t)]), more(lambda t, R: [np.sin(float(t))], called_rate)
        for name in names:
            ends = [rm.simulate(scene, 0.02, 0.005, integrator=name).q[-1] for scene in (traced, told)]
            np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)


def three_links(velocity: Any, rate: Any = None) -> tuple[rm.Scene, rm.BodyHandle]:
    scene, parent = rm.Scene(), None
    for i in range(3):
        at = (0.5, 0, 0) if i else None
        parent = scene.add_body(rm.Cuboid((0.5, 0.1, 0.1), mass=1), parent=parent, joint=rm.Revolute("y"), at=at, com=(0.25, 0, 0))
    assert parent is not None
    scene.prescribe_twist(parent, (1,), velocity, rate)
    return scene, parent


def mapped_links(velocity: Any, rate: Any = None) -> rm.Scene:
    scene, _ = three_links(velocity, rate)
    scene.set_map([[1, 0], [1, 0], [0, 1]], q=(0.2, 0.1))
    return scene


def with_chain(velocity: Any, rate: Any = None) -> rm.Scene:
    scene, last = three_links(velocity, rate)
    scene.add_deformable(rm.SpringChain((1.5, 0, 0), (1.5, 0, -0.5), 3, mass=0.3, stiffness=20).attach(last, 0))
    return scene


def with_stop(velocity: Any, rate: Any = None) -> rm.Scene:
    scene, last = three_links(velocity, rate)
    scene.add_constraint(rm.HardLimit(last, lower=-0.001))
    return scene
