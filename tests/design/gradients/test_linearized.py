"""One step linearised: equal to differences of steps, of every integrator, on groups and with constraints; and sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rate
from dynamics.test_jacobian_derivatives import moved

DT = 0.02


def swinging() -> rm.Scene:
    """A ball joint with quaternions, and a hinge with spring and damper."""
    scene = rm.Scene()
    arm = scene.add_body(rm.Cuboid((0.3, 0.2, 0.1)), joint=rm.Spherical("quaternion"), com=(0.1, 0, 0), name="arm")
    scene.add_body(
        rm.Cuboid((0.1, 0.3, 0.1)), joint=rm.Revolute("y"), parent=arm, at=(0.2, 0.1, 0), com=(0, 0.2, 0), stiffness=3.0, damping=0.1
    )
    return scene


@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [("forward-euler", 1e-9), ("euler", 1e-9), ("rk4", 1e-9), ("implicit", 1e-9), ("bdf1", 1e-8), ("bdf2", 1e-8), ("adaptive", 1e-7)],
)
def test_every_integrator(integrator, tolerance):
    scene = swinging()
    model, n, rng = scene.model(), 4, np.random.default_rng(0)
    q, (qdot, tau), e = np.array([0.8, 0, 0.6, 0, 0.3]), rng.normal(size=(2, n)), np.eye(n)
    options = {"integrator": integrator, "dynamics": "recursive", "backend": "interpret"}
    found = rm.linearize(scene, rm.State(0.0, q, qdot), tau, DT, **options, parameters={"arm.mass": 2.0})

    def step(q, qdot, tau, mass=2.0):
        sim = rm.Simulation(scene, dt=DT, initial=rm.State(0.0, q, qdot), parameters={"arm.mass": mass}, **options)
        state = sim.step(1, tau)
        ball = model.links[0].joint
        away = ball.difference(found.state.q[:4], state.q[:4]), state.q[4:] - found.state.q[4:]
        return np.concatenate([*[np.asarray(x, float) for x in away], state.qdot])

    assert agree(found.state.qdot, step(q, qdot, tau)[n:], 1e-12)
    x = rng.normal(size=2 * n)  # of all directions one says it
    along = rate(lambda h: step(moved(model, q, h * x[:n]), qdot + h * x[n:], tau), 1e-3)
    assert agree(found.A @ x, along, tolerance)
    assert agree(found.B @ x[:n], rate(lambda h: step(q, qdot, tau + h * x[:n]), 1e-3), tolerance)
    assert agree(found.parameters["arm.mass"], rate(lambda h: step(q, qdot, tau, 2.0 + h), 1e-3), 10 * tolerance)
    assert e.shape == found.B[:n].shape


def test_a_simulation_where_it_is_and_a_batch():
    sim = rm.Simulation("slider-crank", dt=0.01, integrator="rk4", backend="interpret")
    sim.step(3)
    before = sim.state
    found = rm.linearize(sim)
    assert np.array_equal(sim.state.q, before.q)
    after = sim.step(1)
    assert agree(found.state.q, after.q, 1e-12)
    G = rm.Dynamics("slider-crank", "interpret").constraint_jacobian
    dq = np.linalg.svd(G(before.q))[2][2]  # a way that the loop can go, with rates that it can have there
    dqdot = -np.linalg.pinv(G(before.q)) @ rate(lambda h: G(before.q + h * dq), 1e-3) @ before.qdot

    def step(h):
        start = rm.State(before.t, before.q + h * dq, before.qdot + h * dqdot)
        state = rm.Simulation("slider-crank", dt=0.01, integrator="rk4", backend="interpret", initial=start).step(1)
        return np.concatenate([state.q, state.qdot])

    assert agree(found.A @ np.concatenate([dq, dqdot]), rate(step, 1e-3), 1e-4)
    scene, q = swinging(), np.array([[0.8, 0, 0.6, 0, 0.3], [1.0, 0, 0, 0, 0.0]])
    options = {"integrator": "euler", "dynamics": "recursive", "backend": "interpret"}
    many = rm.linearize(scene, rm.State(0.0, q, np.ones((2, 4))), None, DT, **options)
    one = rm.linearize(scene, rm.State(0.0, q[1], np.ones(4)), None, DT, **options)
    assert many.A.shape == (2, 8, 8)
    assert agree(many.A[1], one.A, 1e-13)
    assert agree(many.B[1], one.B, 1e-13)


def under_way(integrator: str, dynamics: str = "recursive") -> rm.Simulation:
    sim = rm.Simulation(swinging(), dt=DT, integrator=integrator, dynamics=dynamics, backend="interpret")
    sim.reset(rm.State(0.0, sim.state.q, np.array([1.0, 2.0, 3.0, -1.0])))
    sim.step(3)
    return sim


@pytest.mark.parametrize("integrator", ["euler", "bdf1", "bdf2", "adaptive"])
def test_of_a_simulation_under_way_it_is_the_next_step(integrator):
    sim = under_way(integrator)
    found = rm.linearize(sim)
    after = sim.step(1)
    assert np.array_equal(found.state.q, after.q)
    assert np.array_equal(found.state.qdot, after.qdot)


def test_steps_that_read_two_states_have_a_derivative_by_both():
    sim, n, x = under_way("bdf2"), 4, np.random.default_rng(4).normal(size=8)
    here = sim.checkpoint()
    found = rm.linearize(sim)
    ball = sim.model.links[0].joint

    def step(now, before):
        """From states moved along velocities, the one here and that a step ago."""
        q, qdot = moved(sim.model, here.history.q[0], now[:n]), here.history.qdot[0] + now[n:]
        older = moved(sim.model, here.history.older_q[0], before[:n]), here.history.older_qdot[0] + before[n:]
        past = replace(here.history, q=q[None], qdot=qdot[None], older_q=older[0][None], older_qdot=older[1][None])
        sim.restore(replace(here, state=rm.State(here.state.t, q, qdot), history=past))
        state = sim.step(1)
        away = ball.difference(found.state.q[:4], state.q[:4]), state.q[4:] - found.state.q[4:]
        return np.concatenate([*[np.asarray(x, float) for x in away], state.qdot])

    still = np.zeros(2 * n)
    assert agree(found.A @ x, rate(lambda h: step(h * x, still), 1e-3), 1e-8)
    assert agree(found.past @ x, rate(lambda h: step(still, h * x), 1e-3), 1e-8)
    assert rm.linearize(under_way("bdf1")).past is None


@pytest.mark.long
def test_adaptive_steps_of_a_loop_in_worlds_side_by_side():
    """Each entry of the state after goes back in a world of its own, by choices that it takes by itself: as gradients of one run do."""
    options = {"integrator": "adaptive", "backend": "interpret"}
    found = rm.linearize("slider-crank", dt=0.01, **options)
    run = rm.gradient("slider-crank", lambda now: now.qdot[0], 0.01, 0.01, by=["q", "qdot"], **options)()
    assert agree(found.A[3], np.concatenate([run.by["q"], run.by["qdot"]]), 1e-12)


def test_sentences():
    with pytest.raises(rm.SceneError, match=r"redmax\.linearize cannot differentiate a step with contact between .* asked for from Python"):
        rm.linearize("terrain")
    with pytest.raises(rm.SceneError, match=r"redmax\.linearize cannot differentiate a step with a map of coordinates"):
        rm.linearize("coupled-chain", integrator="bdf1")
    with pytest.raises(rm.SceneError, match=r"goes on from poses and twists of its bodies.*initial=sim\.state"):
        rm.linearize(under_way("euler", "maximal"))
    with pytest.raises(rm.SceneError, match=r"redmax\.linearize cannot differentiate steps of 'adaptive' in dynamics 'maximal'"):
        rm.linearize(swinging(), integrator="adaptive", dynamics="maximal", backend="interpret")
    sim = rm.Simulation("screw-chain", integrator="euler", backend="interpret")
    with pytest.raises(rm.SceneError, match="linearize takes a Simulation as it is"):
        rm.linearize(sim, sim.state)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_steps_without_a_solution_have_no_derivative(integrator):
    """A torque that grows as the square of the rate: beyond some length of steps, no rate at their end goes with it."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((1, 1, 1), mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [30.0 + 30.0 * qdot[0] ** 2])
    options = {"integrator": integrator, "backend": "interpret"}
    assert rm.linearize(scene, dt=0.005, **options).B[1, 0] > 0.005
    with pytest.raises(rm.SimulationError, match=r"redmax\.linearize: Newton's method stopped at .*Take a shorter step: dt=0\.05"):
        rm.linearize(scene, dt=0.1, **options)
