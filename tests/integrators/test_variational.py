"""Variational steps: the discrete Euler-Lagrange equations, and what they keep."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import redmax as rm
from integrators.scenes import conservative
from mechanisms import mechanisms
from random_examples import LONG, examples
from redmax.run.start import initial_state

BAR = rm.Cuboid((0.3, 0.05, 0.05), density=1000)


def variational(scene: Any, duration: float, dt: float, **more: Any) -> rm.Trajectory:
    return rm.simulate(scene, duration, dt, integrator="variational", **more)


def discrete_lagrangian(q0: np.ndarray, q1: np.ndarray, h: float) -> Any:
    """Of the bars of `variational-pendulum` in their plane, over complex numbers: V = log(E0^-1 E1) / h on SE(2), by its closed form.

    x to the right, y down, so that a turn about y by q leads the bar to (cos q, sin q)."""
    total = 0.0
    for k in range(2):
        (a0, x0), (a1, x1) = (middle(q, k) for q in (q0, q1))
        c, s = np.cos(a0), np.sin(a0)
        dx, turn = x1 - x0, a1 - a0
        p = np.array([c * dx[0] + s * dx[1], c * dx[1] - s * dx[0]])
        half = 0.5 * turn
        cot = half / np.tan(half)
        v = np.array([cot * p[0] + half * p[1], cot * p[1] - half * p[0]])
        total = total + (v @ v + (1.01 / 12) * turn * turn) / (2.0 * h) + 0.5 * h * 9.81 * (x0[1] + x1[1])
    return total


def middle(q: np.ndarray, k: int) -> tuple[Any, np.ndarray]:
    """Angle and centre of a bar."""
    angles = np.cumsum(q)
    ends = [np.array([np.cos(a), np.sin(a)]) for a in angles]
    return angles[k], 0.5 * ends[k] + sum(ends[:k], np.zeros(2))


def gradient(f: Any, q: np.ndarray) -> np.ndarray:
    return np.array([f(q + 1e-30j * e).imag / 1e-30 for e in np.eye(2)])


def by_another_program(q: np.ndarray, p: np.ndarray, h: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Position-momentum form: p_k = -D1 L_d solved by Newton's method with differences, p_k+1 = D2 L_d."""
    found, way = [], np.full(2, 1e-3)
    for _ in range(count):
        end = q + way
        for _ in range(12):
            missing = p + gradient(lambda a, end=end: discrete_lagrangian(a, end, h), q)
            ends = [end + d for e in 1e-6 * np.eye(2) for d in (e, -e)]
            slopes = [gradient(lambda a, end=end: discrete_lagrangian(a, end, h), q) for end in ends]
            columns = [(ahead - behind) / 2e-6 for ahead, behind in zip(slopes[::2], slopes[1::2], strict=True)]
            end = end - np.linalg.solve(np.array(columns).T, missing)
        p = gradient(lambda b, q=q: discrete_lagrangian(q, b, h), end)
        way, q = end - q, end
        found.append((q, p))
    return np.array([x for x, _ in found]), np.array([y for _, y in found])


def test_the_double_pendulum_equals_another_program():
    engine = rm.Dynamics("variational-pendulum")
    run = variational("variational-pendulum", 0.3, 0.01)
    q, p = by_another_program(run.q[0], engine.inertia(run.q[0]) @ run.qdot[0], 0.01, 30)
    assert np.abs(run.q[1:] - q).max() < 2e-13
    rates = [np.linalg.solve(engine.inertia(a), b) for a, b in zip(q, p, strict=True)]
    assert np.abs(run.qdot[1:] - rates).max() < 2e-12


def birkhoff(x: np.ndarray) -> float:
    """The mean of a quasi-periodic signal, by a smooth window."""
    t = (np.arange(len(x)) + 0.5) / len(x)
    window = np.exp(-1.0 / (t * (1.0 - t)))
    return float(window @ x / window.sum())


def test_the_energy_error_of_the_double_pendulum_does_not_grow():
    """In `make long`, a million steps. At 10 ms it is chaotic after 300 s, which leaves a bound; at 1 ms the mean is known to rounding."""
    steps = 1_000_000 if LONG else 200_000
    coarse = variational("variational-pendulum", 0.01 * steps, 0.01, every=10).energy
    assert coarse.drift.max() < 4e-3
    fine = variational("variational-pendulum", 1e-3 * steps, 1e-3, every=10).energy
    relative = fine.total / fine.kinetic.max()
    half = len(relative) // 2
    slope = (birkhoff(relative[half:]) - birkhoff(relative[:half])) / (steps / 2)
    assert abs(slope) < (1e-14 if LONG else 1e-13)
    assert fine.drift.max() < 1.1e-5


def floating() -> rm.Scene:
    """A chain that floats: no force acts from outside; a spring and a damper within."""
    scene = rm.Scene(gravity=(0, 0, 0))
    base = scene.add_body(BAR, joint=rm.Free3D(), qdot=(0.3, -0.2, 0.1, 1.0, 2.0, -0.5))
    ball = scene.add_body(BAR, parent=base, joint=rm.Spherical(), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=(2.0, -3.0, 1.0))
    held = {"qdot": (-4.0, 1.0), "stiffness": 0.3, "damping": 0.01}
    end = scene.add_body(BAR, parent=ball, joint=rm.Universal(), at=(0.3, 0, 0), com=(0.15, 0, 0.1), **held)
    scene.add_force(rm.SpringDamper(base.point(0, 0, 0.1), end.point(0, 0, 0.1), stiffness=5, damping=0.05))
    return scene


def test_a_floating_chain_keeps_its_momentum_to_rounding():
    """Whatever its own springs and dampers do, and where the ball joint changes to other coordinates."""
    run = variational(floating(), 20.0, 0.01)
    assert run.energy.total[-1] < 0.9 * run.energy.total[0]
    assert np.abs(np.diff(np.linalg.norm(run.q[:, 6:9], axis=1))).max() > 1.0  # from 1.5 pi to 0.5 pi
    about_world = run.momentum
    assert np.abs(about_world - about_world[0]).max() < 3e-12


def test_the_step_is_symplectic():
    """J' Omega J = Omega of a step (q, p) -> (q, p), by differences; rk4 is off by its error."""
    model = conservative().model()
    engine, start, n, h, d = rm.Dynamics(model), initial_state(model), model.nv, 0.02, 1e-5

    def step(q: np.ndarray, p: np.ndarray, integrator: str) -> np.ndarray:
        qdot = np.array([np.linalg.solve(engine.inertia(a), b) for a, b in zip(q, p, strict=True)])
        run = rm.simulate(model, h, h, integrator=integrator, initial=rm.State(0.0, q, qdot))
        momenta = [engine.inertia(a) @ b for a, b in zip(run.q[-1], run.qdot[-1], strict=True)]
        return np.concatenate([run.q[-1], momenta], axis=1)

    y = np.concatenate([start.q, engine.inertia(start.q) @ start.qdot])
    around = np.concatenate([y + d * np.eye(2 * n), y - d * np.eye(2 * n)])
    Omega = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    off = {}
    for name in ("variational", "rk4"):
        ahead, behind = np.split(step(around[:, :n], around[:, n:], name), 2)
        J = (ahead - behind).T / (2 * d)
        off[name] = np.abs(J.T @ Omega @ J - Omega).max()
    assert off["variational"] < 1e-8
    assert off["rk4"] > 1e-7


def test_the_step_is_symmetric():
    """Back from where it led, by the same way."""
    model = conservative().model()
    there = variational(model, 2.0, 0.01)
    back = variational(model, 2.0, 0.01, initial=rm.State(0.0, there.q[-1], -there.qdot[-1]))
    assert np.abs(back.q[-1] - there.q[0]).max() < 1e-9
    assert np.abs(there.q[-1] - there.q[0]).max() > 0.1


def damped() -> rm.Scene:
    """Dampers within a joint, along a twist, on a body, between bodies; a servo, a tendon and a hidden state."""
    scene = rm.Scene()
    first = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), q=0.5, damping=0.05, armature=1e-3, gear=2.0)
    ball = {"qdot": (0.5, 1.0, 0.2), "armature": 0.01, "damping": 0.02, "acts_on": "twist"}
    second = scene.add_body(BAR, parent=first, joint=rm.Spherical(), at=(0.3, 0, 0), com=(0.15, 0, 0), **ball)
    third = scene.add_body(BAR, parent=second, joint=rm.Revolute("z"), at=(0.3, 0, 0), com=(0.15, 0, 0), q=0.3)
    scene.add_force(rm.SpringDamper(first.point(0, 0, 0.1), second.point(0, 0, 0.1), stiffness=20, damping=1))
    scene.add_force(rm.SpringDamper((0.5, 0, 0.3), third.point(0, 0, 0), stiffness=10, damping=0.5))
    scene.add_force(rm.FixedTendon({first: 1.0, third: -0.5}, stiffness=2, damping=0.1, rest=0.2))
    scene.add_force(rm.Servo(third, 0.0, kp=1.0, kd=0.05))
    return scene


@cache
def exact(build: Any, end: float) -> tuple[rm.Model, rm.Trajectory]:
    model = build().model()
    return model, rm.simulate(model, end, end, rtol=1e-11)


def test_dampers_take_energy_as_they_should_to_second_order():
    model, expected = exact(damped, 0.4)
    assert expected.energy.total[-1] < expected.energy.total[0] - 0.1
    ends = [variational(model, 0.4, 0.4 / n, every=n) for n in (100, 200, 400)]
    for of in (lambda run: run.energy.total[-1:], lambda run: run.q[-1], lambda run: run.qdot[-1]):
        errors = [np.linalg.norm(of(run) - of(expected)) for run in ends]
        orders = np.log2(np.array(errors[:-1]) / errors[1:])
        assert np.abs(orders - 2.0).max() < 0.15, errors


@pytest.mark.parametrize("damping", [10.0, 1e3, 1e5])
def test_strong_dampers_leave_it_stable(damping):
    scene = rm.Scene()
    bar = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), damping=damping, qdot=1.0)
    end = scene.add_body(BAR, parent=bar, joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=-2.0)
    scene.add_force(rm.SpringDamper((0.2, 0, 0.5), end.point(0, 0, 0), stiffness=1.0, damping=damping))
    run = variational(scene, 2.0, 0.01)
    assert (np.diff(run.energy.total) < 1e-12).all()


@given(mechanism=mechanisms(), seed=st.integers(0, 1000))
@examples(1, 30)
def test_random_trees_move_as_by_adaptive(mechanism, seed):
    """Three times the step, nine times the error."""
    state = mechanism.state(seed)
    start = rm.State(0.0, state.q, 0.1 * state.qdot)
    try:
        expected = rm.simulate(mechanism.model, 6e-3, 6e-3, rtol=1e-12, initial=start).q[-1]
    except rm.SimulationError:
        assume(False)  # near the end of a spline, or where a joint is singular
        return
    coarse, fine = (np.abs(variational(mechanism.model, 6e-3, h, initial=start).q[-1] - expected).max(initial=0.0) for h in (3e-3, 1e-3))
    assert fine < 1e-3
    assert fine < 0.15 * coarse or fine < 1e-9


@pytest.mark.parametrize("level", ["position", "velocity", "acceleration"])
def test_prescribed_joints_are_followed_to_second_order(level):
    scene = rm.Scene()
    s, c = rm.math.sin, rm.math.cos
    motion = {"position": lambda t: [0.3 * s(4 * t)], "velocity": lambda t: [1.2 * c(4 * t)], "acceleration": lambda t: [-4.8 * s(4 * t)]}
    driven = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), qdot=1.2, motion=motion[level], motion_level=level)
    scene.add_body(BAR, parent=driven, joint=rm.Spherical(), at=(0.3, 0, 0), com=(0.15, 0, 0), qdot=(0.5, 1.0, 0.2))
    model = scene.model()
    expected = rm.simulate(model, 0.5, 0.5, rtol=1e-11)
    errors = []
    for n in (50, 100):
        run = variational(model, 0.5, 0.5 / n, every=n)
        errors.append(np.abs(np.concatenate([run.q[-1] - expected.q[-1], run.qdot[-1] - expected.qdot[-1]])).max())
    assert errors[1] < 5e-3
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_torques_that_are_held_are_those_of_the_motion_to_second_order():
    model = conservative().model()
    tau = 0.5 * np.cos(np.arange(model.nv))
    ends = []
    for integrator, n in (("rk4", 1000), ("variational", 50), ("variational", 100)):
        sim = rm.Simulation(model, dt=0.2 / n, integrator=integrator)
        ends.append(sim.step(n, tau=tau).q)
    coarse, fine = (np.abs(end - ends[0]).max() for end in ends[1:])
    assert 3.5 < coarse / fine < 4.5


def test_worlds_of_a_batch_and_portions_go_the_same_way_to_the_bit():
    model = damped().model()
    start = initial_state(model)
    rates = start.qdot + 0.1 * np.arange(11)[:, None]
    batch = variational(model, 0.1, 0.01, initial=rm.State(0.0, np.tile(start.q, (11, 1)), rates, start.chart))
    for w in (0, 10):
        sim = rm.Simulation(model, dt=0.01, integrator="variational", initial=rm.State(0.0, start.q, rates[w], start.chart))
        sim.step(4)
        here = sim.checkpoint()
        sim.step(6)
        end = sim.state.q
        sim.restore(here)
        assert (sim.step(6).q == end).all()
        assert np.abs(end - batch.q[-1, w]).max() < 1e-14


def test_what_has_no_variational_step_is_refused_or_breaks_off_in_a_sentence():
    scene = rm.Scene()
    bar = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.15, 0, 0), qdot=1.0)
    with pytest.raises(rm.RedmaxError, match=r"A step of 'variational' goes with dynamics 'recursive' only. Got dynamics='redmax'"):
        variational(scene, 0.1, 0.01, dynamics="redmax")
    with pytest.raises(rm.SimulationError, match=r"Newton's method found no end for the variational step that ends at t = 0\.5 s in 50"):
        variational(scene, 1.0, 0.5, initial=rm.State(0.0, [0.0], [500.0]))
    for dt in (0.018, 0.025):  # 2.7 rad and 3.75 rad a step, of which the equations have other solutions, with a tenth of the energy
        with pytest.raises(rm.SimulationError, match=rf"turned by more than 2\.5 rad in the variational step that ends at t = {dt:g} s"):
            variational("heavy-top", 10 * dt, dt)
    assert variational("heavy-top", 0.15, 0.015).energy.drift.max() < 0.01  # 2.25 rad
    scene.add_constraint(rm.PointInPlane(bar.point(0.15, 0, 0), (0, 0, 0), (0, 0, 1)))
    with pytest.raises(rm.RedmaxError, match=r"The scene has a constraint .* does not go with integrator .*'variational'\. .* Take 'bdf2'"):
        variational(scene, 0.1, 0.01)
