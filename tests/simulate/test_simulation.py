"""Simulation: stepping, setting, checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from simulate.scenes import ALL, FIXED, arm, batch, pendulum


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_steps_are_a_run(name, shape):
    """Bit for bit with a fixed step, whatever the portions."""
    model = arm().model()
    run = rm.simulate(model, 0.5, 0.01, integrator=name, initial=batch(model, *shape))
    sim = rm.Simulation(model, dt=0.01, integrator=name, initial=batch(model, *shape))
    for k in range(1, 51):
        state = sim.step()
        np.testing.assert_array_equal(state.q, run.q[k])
        np.testing.assert_array_equal(state.qdot, run.qdot[k])
        assert state.t == pytest.approx(run.t[k], rel=1e-14)
    again = rm.Simulation(model, dt=0.01, integrator=name, initial=batch(model, *shape))
    np.testing.assert_array_equal(again.step(50).q, run.q[-1])


def test_adaptive_steps_are_a_run_within_the_tolerance():
    run = rm.simulate(arm(), 0.5, 0.01, rtol=1e-9)
    sim = rm.Simulation(arm(), dt=0.01, rtol=1e-9)
    for k in range(1, 51):
        np.testing.assert_allclose(sim.step().q, run.q[k], atol=1e-9)
    assert sim.t == pytest.approx(0.5)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(), (5,)])
@pytest.mark.parametrize("controlled", [False, True])
def test_a_checkpoint_brings_back_every_bit(name, shape, controlled):
    model = arm().model()
    controller = (lambda t, q, qdot: -2.0 * q - 0.1 * qdot + np.sin(t)) if controlled else None
    sim = rm.Simulation(model, dt=0.013, integrator=name, initial=batch(model, *shape), controller=controller)
    sim.step(7)
    mark = sim.checkpoint()
    after = [sim.step() for _ in range(12)]
    for other in (sim, rm.Simulation(model, dt=0.013, integrator=name, initial=batch(model, *shape, seed=5), controller=controller)):
        other.restore(mark)
        assert other.state.t == mark.state.t
        for expected in after:
            found = other.step()
            assert found.t == expected.t
            np.testing.assert_array_equal(found.q, expected.q)
            np.testing.assert_array_equal(found.qdot, expected.qdot)


@pytest.mark.parametrize(
    ("name", "dynamics"),
    [("adaptive", "redmax"), ("implicit", "maximal")]
    + [pytest.param(*case, marks=pytest.mark.long) for case in (("adaptive", "maximal"), ("implicit", "redmax"))],
)
def test_a_checkpoint_brings_back_every_bit_of_any_dynamics(name, dynamics):
    """Also of coordinates that change: where a run stood before does not count."""
    scene = rm.Scene()
    ball = rm.SurfaceContact(rm.surfaces.Sphere(1.0), rm.surfaces.Sphere(0.2), spin=True, inside=True)
    scene.add_body(rm.Sphere(0.2, mass=1), joint=ball, q=(0, -0.3, 0, 0, 0), qdot=(0.5, 0, 1, 2, 0), name="ball")
    sim = rm.Simulation(scene, dt=0.02, integrator=name, dynamics=dynamics)
    sim.step(12)
    mark = sim.checkpoint()
    after = [sim.step() for _ in range(15)]
    assert len({s.chart["ball"] for s in after}) > 1
    for other in (sim, rm.Simulation(scene, dt=0.02, integrator=name, dynamics=dynamics)):
        other.restore(mark)
        for expected in after:
            found = other.step()
            assert found.chart == expected.chart
            np.testing.assert_array_equal(found.q, expected.q)
            np.testing.assert_array_equal(found.qdot, expected.qdot)


def test_a_checkpoint_is_a_copy():
    sim = rm.Simulation(arm())
    mark = sim.checkpoint()
    before = mark.state.q.copy()
    sim.step(5)
    np.testing.assert_array_equal(mark.state.q, before)
    sim.restore(mark)
    sim.state.q[:] = 99.0  # the state is a copy, too
    np.testing.assert_array_equal(sim.state.q, before)


def test_a_checkpoint_may_have_another_batch():
    model = arm().model()
    wide = rm.Simulation(model, integrator="rk4", initial=batch(model, 3)).checkpoint()
    sim = rm.Simulation(model, integrator="rk4")
    sim.restore(wide)
    assert sim.step().q.shape == (3, 5)


@pytest.mark.parametrize("name", ALL)
def test_reset_begins_again(name):
    sim = rm.Simulation(arm(), integrator=name)
    first = sim.step(10)
    sim.reset()
    assert sim.t == 0.0
    again = sim.step(10)
    np.testing.assert_array_equal(again.q, first.q)
    sim.reset(rm.State(2.0, np.zeros(5), np.ones(5)))
    assert sim.t == 2.0
    np.testing.assert_array_equal(sim.state.qdot, np.ones(5))


def test_torques_given_with_a_step():
    """A constant torque on a free wheel: a known angle; held in each interval; for one world or each its own."""
    scene = rm.Scene(gravity=(0, 0, 0))
    wheel = rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    scene.add_body(wheel, joint=rm.Revolute("z"))
    inertia = wheel.inertia[2, 2]
    for name in ("rk4", "adaptive"):
        sim = rm.Simulation(scene, dt=0.1, integrator=name)
        state = sim.step(5, tau=[0.3])
        assert state.q[0] == pytest.approx(0.5 * 0.3 / inertia * 0.25, rel=1e-8)
        state = sim.step(5)
        assert state.qdot[0] == pytest.approx(0.3 / inertia * 0.5, rel=1e-8)
        sim.reset(rm.State(0.0, np.zeros((3, 1)), np.zeros((3, 1))))
        state = sim.step(2, tau=[[0.0], [1.0], [2.0]])
        np.testing.assert_allclose(state.qdot[:, 0], 0.2 / inertia * np.arange(3.0), rtol=1e-8)
        shared = sim.step(1, tau=[1.0])
        np.testing.assert_allclose(shared.qdot[:, 0] - state.qdot[:, 0], 0.1 / inertia, rtol=1e-7)


def test_a_torque_given_replaces_the_controllers():
    sim = rm.Simulation(pendulum(), controller=lambda t, q, qdot: [1e3])
    free = rm.Simulation(pendulum())
    np.testing.assert_array_equal(sim.step(1, tau=[0.0]).q, free.step(1).q)


def test_no_steps():
    sim = rm.Simulation(arm())
    np.testing.assert_array_equal(sim.step(0).q, arm().model().q0)
    assert sim.t == 0.0


def test_time_is_counted_not_summed():
    """A hundred thousand steps of 0.1 s end at 10,000 s exactly."""
    sim = rm.Simulation(pendulum(q=np.pi / 2), dt=0.1, integrator="euler")
    q, qdot = sim.room(1)
    sim.advance(100_000, sim.torques(), q, qdot)
    assert sim.t == 10_000.0


def test_the_clock_of_forces_runs_with_the_simulation():
    """A force that jumps at t = 1 is felt by the step that begins there, and by none before."""
    import redmax.math as rmath

    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [rmath.where(t < 0.995, 0.0, 1.0)])
    for start in (0.0, 0.5):
        sim = rm.Simulation(scene, dt=0.01, integrator="euler", initial=rm.State(start, np.zeros(1), np.zeros(1)))
        sim.step(round((1.0 - start) / 0.01))
        assert sim.state.qdot[0] == 0.0
        sim.step()
        assert sim.state.qdot[0] == pytest.approx(0.01)


@pytest.mark.parametrize(("atol", "error"), [(None, 1e-4), (1e-12, 1e-7), ([1e-12], 1e-7)])
def test_atol_is_what_small_motions_are_measured_by(atol, error):
    """A grain that swings by a micrometre, against cos(200 t)."""
    scene = rm.Scene()
    scene.add_body(rm.Sphere(1e-6, mass=1e-12), joint=rm.Prismatic("x"), q=1e-6, rest=0, stiffness=4e-8)
    run = rm.simulate(scene, 0.1, 1e-3, rtol=1e-8, atol=atol)
    off = np.abs(run.q[:, 0] / 1e-6 - np.cos(200 * run.t)).max()
    assert error / 1e3 < off < error
    assert run.settings["atol"] == (1e-8 if atol is None else atol)


def test_atol_as_large_as_rtol_changes_nothing_and_others_are_refused(tmp_path):
    plain, given = (rm.simulate(arm(), 0.1, rtol=1e-6, **more) for more in ({}, {"atol": 1e-6}))
    np.testing.assert_array_equal(plain.q, given.q)
    fine = [1e-6, 1e-6, 1e-6, 1e-6, 1e-11]  # of the slide, which begins at 0
    each = rm.simulate(arm(), 0.1, rtol=1e-6, atol=fine, out=tmp_path / "run.h5")
    assert each.steps > plain.steps
    assert rm.load(tmp_path / "run.h5").settings["atol"] == fine
    for wrong in (0, -1.0, [1e-6], [[1e-6]], "small", np.nan, True):
        with pytest.raises(rm.SceneError, match="atol must be a number"):
            rm.simulate(arm(), 0.1, atol=wrong)
    with pytest.raises(rm.RedmaxError, match="Atol for each rate does not go with dynamics 'maximal'"):
        rm.simulate(arm(), 0.1, atol=[1e-6] * 5, dynamics="maximal")
    scene = arm()
    scene.defaults = {"atol": [1e-9] * 4}
    scene.save(tmp_path / "arm.yaml")
    with pytest.raises(rm.RedmaxError, match="atol must be a number, or 5 of them"):
        rm.Scene.load(tmp_path / "arm.yaml")
