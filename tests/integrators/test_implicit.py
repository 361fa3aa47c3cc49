"""Linearly implicit Euler: one step against a dense assembly, and stability where explicit methods have none."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rates
from mechanisms import Mechanism, chain, every_kind, mechanisms
from random_examples import examples

seeds = st.integers(0, 2**16)


def impedance(m: Mechanism, s, t: float) -> tuple[np.ndarray, np.ndarray]:
    """K = d tau/dq and D = -d tau/d qdot of springs, dampers and torque functions: by differences, joint by joint, symmetric parts."""
    K, D = np.zeros((2, m.nv, m.nv))
    for i, link in enumerate(m.links):
        part = m.of(i)
        q, qdot, n = s.q[part], s.qdot[part], link.sample.joint.dof
        if not n:
            continue

        def torque(x: np.ndarray, link=link, n=n) -> np.ndarray:
            found = -link.stiffness * (x[:, :n] - link.rest) - link.damping * x[:, n:]
            if link.torque is not None:
                found = found + np.array([link.torque(t, row[:n], row[n:]) for row in x])
            return found

        slope = rates(torque, np.concatenate([q, qdot])).T
        K[part, part] = 0.5 * (slope[:, :n] + slope[:, :n].T)
        D[part, part] = -0.5 * (slope[:, n:] + slope[:, n:].T)
    return K, D


def dense_step(m: Mechanism, d: rm.Dynamics, s, h: float, tau: np.ndarray) -> np.ndarray:
    """qdot1 of (M + h D - h^2 K) qdot1 = (M + h D) qdot0 + h f, with f at (t1, q0, qdot0)."""
    t1 = s.t + h
    K, D = impedance(m, s, t1)
    M = d.inertia(s.q)
    f = tau - d.inverse(s.q, s.qdot, np.zeros(m.nv), t=t1)
    return np.linalg.solve(M + h * D - h * h * K, (M + h * D) @ s.qdot + h * f)


def step(m: Mechanism, s, h: float, dynamics: str, backend: str, tau: np.ndarray | None = None) -> rm.State:
    sim = rm.Simulation(m.model, dt=h, integrator="implicit", dynamics=dynamics, backend=backend, initial=rm.State(s.t, s.q, s.qdot))
    return sim.step(1, tau)


@examples(4, 25)
@given(m=mechanisms(largest=6).filter(lambda m: m.nv > 0), seed=seeds, h=st.sampled_from([1e-3, 1e-2, 0.05]))
def test_one_step_solves_the_equation_as_stated(m, seed, h):
    s = m.state(seed)
    expected = dense_step(m, rm.Dynamics(m.model, "interpret"), s, h, s.tau)
    state = step(m, s, h, "recursive", "interpret", s.tau)
    assert np.isclose(state.t, s.t + h, rtol=1e-15)
    assert agree(state.qdot, expected, 1e-8)
    assert agree(state.q, s.q + h * state.qdot, 1e-14)


@cache
def of_every_kind() -> tuple[Mechanism, np.ndarray]:
    """A mechanism, and what a step makes of its rates."""
    m = every_kind(1)
    return m, dense_step(m, rm.Dynamics(m.model, "interpret"), m.state(1), 0.02, np.zeros(m.nv))


@pytest.mark.parametrize(
    ("dynamics", "backend"),
    [(name, "interpret") for name in ("recursive", "redmax")]
    + [pytest.param(name, "llvm", marks=pytest.mark.long) for name in ("recursive", "redmax")],
)
def test_one_step_on_every_kind_of_joint(dynamics, backend):
    m, expected = of_every_kind()
    assert agree(step(m, m.state(1), 0.02, dynamics, backend).qdot, expected, 1e-8)


def test_without_impedance_it_is_symplectic_euler_with_the_force_at_the_end():
    """No springs, dampers or torques: the same as `euler`, where nothing depends on time."""
    m = chain(4, ["Spherical", "Revolute", "Prismatic"], forces=False)
    s = m.state(0)
    runs = [rm.simulate(m.model, 0.1, 0.01, integrator=name, initial=rm.State(0.0, s.q, s.qdot)) for name in ("implicit", "euler")]
    assert agree(runs[0].q, runs[1].q, 1e-12)


def oscillator(stiffness: float, damping: float, **more) -> rm.Scene:
    """A unit mass on a spring."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), stiffness=stiffness, damping=damping, rest=0.0, q=1.0, **more)
    return scene


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
def test_an_oscillator_steps_as_by_hand(dynamics):
    k, d, h = 50.0, 0.7, 0.02
    run = rm.simulate(oscillator(k, d), 20 * h, h, integrator="implicit", dynamics=dynamics)
    x, v = 1.0, 0.0
    for q, qdot in zip(run.q[1:, 0], run.qdot[1:, 0]):
        v = ((1 + h * d) * v + h * (-k * x - d * v)) / (1 + h * d + h * h * k)
        x = x + h * v
        assert np.isclose(q, x, rtol=1e-10)
        assert np.isclose(qdot, v, rtol=1e-9)


def test_time_is_taken_at_the_end_of_the_step():
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [6.0 * t])
    body = scene.add_body(rm.Sphere(0.1, mass=2.0), joint=rm.Prismatic("y"))
    scene.add_wrench(body, force=lambda t: [0.0, 8.0 * t, 0.0], frame="world")
    run = rm.simulate(scene, 1.0, 0.25, integrator="implicit")
    np.testing.assert_allclose(run.qdot[:, 0], 3.0 * 0.25 * np.cumsum([0, 0.25, 0.5, 0.75, 1.0]), rtol=1e-14)
    np.testing.assert_allclose(run.qdot[:, 1], 4.0 * 0.25 * np.cumsum([0, 0.25, 0.5, 0.75, 1.0]), rtol=1e-14)


def stiff(stiffness: float, damping: float) -> rm.Scene:
    scene = rm.Scene()
    bar = rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    parent = scene.add_body(
        bar, joint=rm.Spherical(), com=(0.2, 0, 0), q=(0.1, 0.2, 0.0), rest=(0, 0, 0), stiffness=stiffness, damping=damping
    )
    for axis in ("y", "z"):
        parent = scene.add_body(
            bar,
            joint=rm.Revolute(axis),
            parent=parent,
            at=(0.4, 0, 0),
            com=(0.2, 0, 0),
            q=0.2,
            rest=0.0,
            stiffness=stiffness,
            damping=damping,
        )
    return scene


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
def test_stable_with_springs_and_dampers_of_any_strength(dynamics):
    """Stiffness 1e9 and damping 1e6 at a step of 10 ms: the springs are closed, and stay so."""
    run = rm.simulate(stiff(1e9, 1e6), 0.5, 0.01, integrator="implicit", dynamics=dynamics)
    assert np.abs(run.q[-1]).max() < 1e-6
    assert np.abs(run.qdot[-1]).max() < 1e-4
    assert np.abs(run.q).max() <= 0.25


@pytest.mark.parametrize(("stiffness", "damping"), [(1e9, 0.0), (0.0, 1e6)])
def test_euler_is_not(stiffness, damping):
    with pytest.raises(rm.SimulationError):
        rm.simulate(stiff(stiffness, damping), 1.0, 0.01, integrator="euler")
    run = rm.simulate(stiff(stiffness, damping), 1.0, 0.01, integrator="implicit")
    assert np.isfinite(run.q).all()


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
def test_stiff_torque_functions_are_implicit_too(dynamics):
    """The same springs and dampers written as functions, coupled within a joint: the same motion, as stable."""
    k = np.array([[3e8, 1e8], [1e8, 2e8]])

    def torque(t, q, qdot):
        return [-k[0, 0] * q[0] - k[0, 1] * q[1] - 1e5 * qdot[0], -k[1, 0] * q[0] - k[1, 1] * q[1] - 1e5 * qdot[1]]

    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.2), mass=1.0), joint=rm.Universal(), com=(0.2, 0, 0), q=(0.2, 0.1), torque=torque)
    run = rm.simulate(scene, 0.3, 0.01, integrator="implicit", dynamics=dynamics)
    assert np.abs(run.q[-1]).max() < 1e-6


def test_prescribed_joints_have_their_velocity_at_the_end_of_each_step():
    """qdot1 = qd_p(t1) + b (q_p(t1) - q0), and the others as if it were their own."""
    b, h = 4.0, 0.02
    scene = rm.Scene()
    bar = rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    upper = scene.add_body(
        bar,
        joint=rm.Revolute("y"),
        com=(0.2, 0, 0),
        motion=lambda t: [0.5 * np.sin(3.0 * t)],
        gain=1.0,
        velocity_gain=b,
        on_motion=False,
        q=0.3,
    )
    scene.add_body(bar, joint=rm.Revolute("y"), parent=upper, at=(0.4, 0, 0), com=(0.2, 0, 0), q=0.5)
    model = scene.model()
    run = rm.simulate(model, 10 * h, h, integrator="implicit")
    d = rm.Dynamics(model.with_prescribed([]))
    for n in range(10):
        t1, q0, v0, v1 = (n + 1) * h, run.q[n], run.qdot[n], run.qdot[n + 1]
        assert np.isclose(v1[0], 1.5 * np.cos(3.0 * t1) + b * (0.5 * np.sin(3.0 * t1) - q0[0]), rtol=1e-12)
        missing = d.inverse(q0, v0, (v1 - v0) / h, t=t1)
        assert abs(missing[1]) < 1e-10


def test_damping_is_counted_once():
    """A body in honey: qdot1 = qdot0 / (1 + h d / m), whatever the step."""
    for h in (0.01, 0.5):
        run = rm.simulate(oscillator(0.0, 8.0, qdot=3.0), 4 * h, h, integrator="implicit")
        np.testing.assert_allclose(run.qdot[:, 0], 3.0 / (1 + 8.0 * h) ** np.arange(5), rtol=1e-13)


def test_nonlinear_damping_is_linearised_about_the_start():
    """tau = -c v^3: D = 3 c v0^2, so (1 + h D) (v1 - v0) = -h c v0^3."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), qdot=2.0, torque=lambda t, q, qdot: [-5.0 * qdot[0] ** 3])
    run = rm.simulate(scene, 0.1, 0.1, integrator="implicit")
    assert np.isclose(run.qdot[1, 0], 2.0 - 0.1 * 40.0 / (1 + 0.1 * 60.0), rtol=1e-13)
