"""BDF1 and BDF2: each step solves its stated equation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import rates
from integrators.bdf_equations import Equations, run_of
from integrators.scenes import conservative, driven, pendulum
from mechanisms import chain, mechanisms
from random_examples import examples
from redmax.dynamics.common.residual import Residual
from redmax.integrators.backward_differences import BackwardDifferences
from redmax.integrators.bdf_samples import Clock, Past

seeds = st.integers(0, 2**16)
A = (2 - np.sqrt(2)) / 2


def short_step(e: Equations, s) -> float:
    """Short enough for the fastest joint: some torque functions are explosive, and a long step has no solution."""
    return float(min(5e-3, 0.1 / np.abs(e.d.forward(s.q, 0.3 * s.qdot, e.tau, t=s.t)).max()))


@examples(2, 15)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds)
def test_bdf1_solves_its_equation(m, seed):
    """M(q1) (q1 - q0 - h v0) = h^2 f(t1, q1, v1), v1 = (q1 - q0) / h."""
    s, e = m.state(seed), Equations(m.model, "interpret", m.state(seed).tau)
    h = short_step(e, s)
    q, v = run_of(BackwardDifferences(m.model, "interpret", False), s.q, 0.3 * s.qdot, s.tau, s.t, h, 2)
    for n in range(2):
        assert agree(v[n + 1], (q[n + 1] - q[n]) / h, 1e-10)
        assert e.left(q[n + 1] - q[n] - h * v[n], h * h, q[n + 1], v[n + 1], s.t + (n + 1) * h) < 2e-9


def check_bdf2(e: Equations, q, v, t0: float, h: float, tolerance: float = 1e-9) -> None:
    """The first step is SDIRK2, whose stage a follows from its end; the others as stated."""
    va = (q[1] - q[0] - A * h * v[1]) / ((1 - A) * h)  # from v1 = (q1 - q0 - (1 - a) h va) / (a h)
    qa = q[0] + A * h * va
    assert e.left(qa - q[0] - A * h * v[0], (A * h) ** 2, qa, va, t0 + A * h) < 100 * tolerance
    moved = q[1] - q[0] - (2 * A - 1) * h * v[0] - 2 * (1 - A) * h * va
    assert e.left(moved, (A * h) ** 2, q[1], v[1], t0 + h) < tolerance
    for n in range(2, len(q)):
        assert agree(v[n], 3 / (2 * h) * (q[n] - 4 / 3 * q[n - 1] + q[n - 2] / 3), 1e-9)
        moved = q[n] - 4 / 3 * q[n - 1] + q[n - 2] / 3 - 8 / 9 * h * v[n - 1] + 2 / 9 * h * v[n - 2]
        assert e.left(moved, 4 / 9 * h * h, q[n], v[n], t0 + n * h) < tolerance


@examples(2, 12)
@given(m=mechanisms(largest=4).filter(lambda m: m.nv > 0), seed=seeds)
def test_bdf2_solves_its_equations(m, seed):
    s, e = m.state(seed), Equations(m.model, "interpret", m.state(seed).tau)
    h = short_step(e, s)
    q, v = run_of(BackwardDifferences(m.model, "interpret", True), s.q, 0.3 * s.qdot, s.tau, s.t, h, 3)
    check_bdf2(e, q, v, s.t, h, 2e-9)


@pytest.mark.parametrize("h", [1e-2, 5e-2])
def test_large_compiled_steps_solve_them_too(h):
    model = conservative().model()
    e = Equations(model, "llvm")
    run = rm.simulate(model, 10 * h, h, integrator="bdf1")
    for n in range(10):
        v1 = (run.q[n + 1] - run.q[n]) / h
        assert agree(run.qdot[n + 1], v1, 1e-10)
        assert e.left(run.q[n + 1] - run.q[n] - h * run.qdot[n], h * h, run.q[n + 1], v1, (n + 1) * h) < 1e-9
    run = rm.simulate(model, 10 * h, h, integrator="bdf2")
    check_bdf2(e, run.q, run.qdot, 0.0, h)


def test_a_linear_oscillator_steps_as_by_hand():
    """x'' = -k x: (1 + h^2 k) x1 = x0 + h v0, and BDF2 from two values."""
    k, h = 40.0, 0.03
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), stiffness=k, rest=0.0, q=1.0)
    one = rm.simulate(scene, 10 * h, h, integrator="bdf1")
    two = rm.simulate(scene, 10 * h, h, integrator="bdf2")
    x, v = 1.0, 0.0
    for q in one.q[1:, 0]:
        x = (x + h * v) / (1 + h * h * k)
        v = v - h * k * x
        assert np.isclose(q, x, rtol=1e-8)
    x, v = two.q[:, 0], two.qdot[:, 0]
    for n in range(2, 11):
        expected = (4 / 3 * x[n - 1] - x[n - 2] / 3 + 2 / 3 * h * (4 / 3 * v[n - 1] - v[n - 2] / 3)) / (1 + 4 / 9 * h * h * k)
        assert np.isclose(x[n], expected, rtol=1e-8, atol=1e-9)


# Newton's method


@examples(2, 6)
@given(m=mechanisms(largest=5).filter(lambda m: m.nv > 0), seed=seeds)
def test_the_jacobian_is_that_of_the_residual(m, seed):
    s, h = m.state(seed), 0.05
    residual = Residual(m.model, "interpret")
    known_q, known_v = s.q - h * s.qdot + 0.1, s.q - h * s.qdot

    def state(q: np.ndarray) -> tuple:
        return q, (q - known_v) / h, (q - known_q) / h**2

    exact = h * h * residual.jacobian(state(s.q), s.t, (1 / h, 1 / h**2))
    found = rates(lambda rows: np.array([h * h * residual.value(*state(q), s.t) for q in rows]), s.q, 1e-3).T
    assert agree(exact, found, 1e-7)


def test_newton_converges_quadratically():
    """At most a handful of directions for each step, as exact ones need."""
    model = conservative().model()
    method = BackwardDifferences(model, "llvm", False)
    run_of(method, model.q0, model.qdot0, np.zeros(model.nv), 0.0, 0.01, 20)
    assert 20 <= method.iterations <= 20 * 5


# Around it


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_prescribed_joints_are_on_their_motion(integrator):
    """The others solve their own rows."""
    model, h = driven().model(), 0.01
    run = rm.simulate(model, 10 * h, h, integrator=integrator)
    np.testing.assert_allclose(run.q[:, 0], 0.6 * np.sin(2.0 * run.t), atol=1e-14)
    if integrator == "bdf1":
        d = rm.Dynamics(model.with_prescribed([]))
        for n in range(10):
            a = (run.q[n + 1] - run.q[n] - h * run.qdot[n]) / h**2
            missing = d.inverse(run.q[n + 1], run.qdot[n + 1], a, t=(n + 1) * h)
            assert np.abs(missing[1:]).max() < 1e-9 / h**2


def test_a_motion_may_turn_as_far_as_it_likes():
    """Its coordinates are not changed on the way, though they pass a full turn."""
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.2)), joint=rm.Spherical(), motion=lambda t: [0.0, 6.0 * t, 0.0])
    run = rm.simulate(scene, 1.2, 0.02, integrator="bdf2")
    np.testing.assert_allclose(run.q[:, 1], 6.0 * run.t, atol=1e-12)
    np.testing.assert_allclose(run.qdot[:, 1], 6.0, rtol=1e-9)


@pytest.mark.parametrize("level", ["velocity", "acceleration"])
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_motions_given_as_velocities_or_accelerations(integrator, level):
    scene = rm.Scene()
    scene.add_body(
        rm.Sphere(0.1),
        joint=rm.Prismatic("x"),
        motion=lambda t: [np.sin(3.0 * t)],
        motion_level=level,
        q=0.5,
        on_motion=level == "velocity",
    )
    run = rm.simulate(scene, 1.0, 0.002 if integrator == "bdf2" else 0.001, integrator=integrator)
    expected = 0.5 + (1 - np.cos(3.0)) / 3 if level == "velocity" else 0.5 + 1.0 / 3 - np.sin(3.0) / 9
    assert abs(run.q[-1, 0] - expected) < (2e-3 if integrator == "bdf1" else 2e-5)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
@pytest.mark.parametrize("scene", [conservative, driven])
def test_portions_are_one_run(integrator, scene):
    """History goes on: the second portion of BDF2 does not start anew."""
    model = scene().model()
    whole = rm.Simulation(model, dt=0.01, integrator=integrator)
    q, qdot = whole.room(9)
    whole.advance(1, whole.torques(), q, qdot)
    parts = rm.Simulation(model, dt=0.01, integrator=integrator)
    for n in range(9):
        parts.step()
        np.testing.assert_array_equal(parts.q, q[n])
        np.testing.assert_array_equal(parts.qdot, qdot[n])


def test_a_changed_state_starts_anew():
    """BDF2 after a reset is SDIRK2 again, not a step with a history that is not its own."""
    model = pendulum().model()
    sim = rm.Simulation(model, dt=0.01, integrator="bdf2")
    first = sim.step(3)
    sim.reset()
    assert np.array_equal(sim.step(3).q, first.q)
    sim.reset(rm.State(0.5, np.array([0.3]), np.array([1.0])))
    other = rm.Simulation(model, dt=0.01, integrator="bdf2", initial=rm.State(0.5, np.array([0.3]), np.array([1.0])))
    assert np.array_equal(sim.step(2).q, other.step(2).q)


def test_batches_and_strides():
    m = chain(2, ["Spherical", "Revolute"], forces=False)
    q, qdot, _ = m.states(3)
    runs = [rm.simulate(m.model, 0.06, 0.01, integrator="bdf2", initial=rm.State(0.0, q[w], qdot[w])) for w in range(3)]
    together = rm.simulate(m.model, 0.06, 0.01, integrator="bdf2", initial=rm.State(0.0, q, qdot), every=2)
    for w in range(3):
        np.testing.assert_allclose(together.q[:, w], runs[w].q[::2], atol=1e-12)


@pytest.mark.parametrize("second", [False, True])
def test_worlds_side_by_side_are_as_alone(second):
    """In lanes: with other numbers of iterations, and coordinates that change at other times."""
    m = chain(2, ["Spherical", "Revolute"], forces=False)
    method, (q, qdot, tau) = BackwardDifferences(m.model, "llvm", second), m.states(6)
    qdot = qdot * np.arange(6)[:, None]
    together = method.attempt(Past.fresh(0.0, q, qdot), tau, Clock(0.0, 0.01, 0.0), 40, 1)
    assert len(set(together.marks["iterations"][-1].tolist())) > 1
    for w in range(6):
        alone = method.attempt(Past.fresh(0.0, q, qdot).of(w), tau[w], Clock(0.0, 0.01, 0.0), 40, 1)
        np.testing.assert_allclose(together.q[:, w], alone.q[:, 0], atol=1e-11)  # one of them finds no solution after a while
        np.testing.assert_allclose(together.qdot[:, w], alone.qdot[:, 0], atol=1e-10)


def test_a_controllers_torque_is_held_within_each_step():
    model, h = pendulum().model(), 0.01
    e = Equations(model, "llvm")
    run = rm.simulate(model, 5 * h, h, integrator="bdf1", controller=lambda t, q, qdot: [3.0 + t])
    for n in range(5):
        e.tau = np.array([3.0 + n * h])
        assert e.left(run.q[n + 1] - run.q[n] - h * run.qdot[n], h * h, run.q[n + 1], run.qdot[n + 1], 0.0) < 1e-8


def test_turning_through_many_charts():
    """A top spinning by several turns: energy falls a little, poses stay near the exact ones."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.2), mass=1.0), joint=rm.Spherical(), q=(0.1, 0, 0), qdot=(0.1, 9.0, 0.1), name="top")
    model = scene.model()
    run = rm.simulate(model, 1.5, 0.005, integrator="bdf2", every=20)
    exact = rm.simulate(model, 1.5, 0.1, rtol=1e-10)
    assert np.abs(run.q).max() < 1.6 * np.pi
    np.testing.assert_allclose(run.pose("top"), exact.pose("top"), atol=0.03)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_small_things_move_as_large_ones(integrator):
    """A pendulum in other units: lengths and gravity by `size`, mass by its cube. The angle is the same, however small the forces are."""

    def angle(a: float) -> np.ndarray:
        scene = rm.Scene(gravity=(0, 0, -9.81 * a))
        shape = rm.Cuboid((0.4 * a, 0.1 * a, 0.1 * a), mass=a**3)
        scene.add_body(shape, joint=rm.Revolute("y"), com=(0.2 * a, 0, 0), q=1.0)
        return rm.simulate(scene, 0.2, 0.01, integrator=integrator).q

    one = angle(1.0)
    for size in (0.001, 100.0):
        np.testing.assert_allclose(angle(size), one, atol=1e-7, err_msg=str(size))


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_stable_with_springs_of_any_strength(integrator):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Universal(), com=(0.2, 0, 0), q=(0.2, 0.1), rest=(0, 0), stiffness=1e9, damping=1e6)
    run = rm.simulate(scene, 0.5, 0.01, integrator=integrator)
    assert np.abs(run.q[-1]).max() < 1e-6
