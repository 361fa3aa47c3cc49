"""A simulation that grows has the samples of one that runs through, and takes no more time on the wall than it is given."""

from dataclasses import replace

import numpy as np
import pytest

import redmax as rm
from redmax.errors import RedmaxError, SceneError
from redmax.run.options import RunOptions
from redmax.view.live.setup import Setup
from redmax.view.live.source import Finished, Growing
from view.live.scenes import pendulum


class Clock:
    """Goes on by a fixed time whenever somebody looks at it."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


@pytest.mark.parametrize("integrator", ["adaptive", "implicit", "bdf2"])
def test_any_pace_gives_the_samples_of_simulate_to_the_last_bit(integrator):
    expected = rm.simulate(pendulum(), 1.0, 0.01, integrator=integrator)
    source = Growing(rm.Simulation(pendulum(), dt=0.01, integrator=integrator), 1.0)
    source.preview()
    for t in (0.013, 0.4, 0.401, 0.77, 5.0):
        source.reach(t, 60.0)
        assert source.recording.t[-1] >= min(t, 1.0) - 1e-9
    run = source.trajectory()
    np.testing.assert_array_equal(run.q, expected.q)
    np.testing.assert_array_equal(run.qdot, expected.qdot)
    np.testing.assert_array_equal(source.recording.pose, expected.observed.pose)
    np.testing.assert_array_equal(source.recording.kinetic, expected.energy.kinetic)
    assert run.complete
    assert run.steps == expected.steps
    assert not source.grows


def test_fixed_steps_stop_where_they_are_wanted():
    source = Growing(rm.Simulation(pendulum(), dt=0.01, integrator="rk4"), 1.0)
    source.reach(0.25, 60.0)
    assert source.recording.count == 26
    assert source.grows
    assert not source.trajectory().complete


def test_the_budget_on_the_wall_is_kept():
    clock = Clock(0.004)
    source = Growing(rm.Simulation(pendulum(), dt=0.001, integrator="rk4"), 10.0, clock)
    before = clock.now
    source.reach(10.0, 0.1)
    assert clock.now - before < 0.12
    assert 1 < source.recording.count < 10_001


def test_a_preview_shows_more_and_leaves_the_simulation_where_it_was():
    source = Growing(rm.Simulation(pendulum(), dt=0.01), 0.5)
    ahead = source.preview()
    assert ahead.count > 10
    assert source.recording.count == 1
    assert source.sim.t == 0.0
    assert source.sim.steps == 0


def test_a_simulation_that_breaks_off_says_why_and_keeps_what_was_good():
    source = Growing(rm.Simulation(pendulum(), dt=0.01, integrator="rk4", controller=lambda t, q, v: [np.nan if t > 0.155 else 0.0]), 1.0)
    source.reach(1.0, 60.0)
    assert "controller" in source.failure
    assert not source.grows
    run = source.trajectory()
    assert not run.complete
    assert np.isfinite(run.q).all()
    assert len(run) == source.recording.count > 10


def test_what_cannot_be_seen_of_a_simulation_that_blows_up_is_left_out():
    """A spring that is far too stiff for its step: energies overflow before states do."""

    def stiff():
        scene = rm.Scene()
        scene.add_body(rm.Cuboid((0.5, 0.05, 0.05)), joint=rm.Prismatic("x"), name="bar", q=0.1, rest=0.0, stiffness=1e9)
        return scene

    source = Growing(rm.Simulation(stiff(), dt=0.01, integrator="rk4"), 1.0)
    assert source.preview().count == 1  # it is wild from its first step on
    source.reach(1.0, 60.0)
    run, shown = source.trajectory(), source.recording
    assert "broke off" in source.failure
    assert not source.grows
    assert shown.count == len(run.good) == 1
    assert np.isfinite(run.energy.total).all()
    with pytest.raises(rm.SimulationError) as caught:
        rm.simulate(stiff(), 1.0, 0.01, integrator="rk4")
    assert caught.value.trajectory.failure == run.failure  # the same account, wherever it ran
    assert len(caught.value.trajectory) == run.failure.samples == len(run)
    assert np.isfinite(shown.pose).all()
    assert np.isfinite(shown.kinetic + shown.potential).all()
    finished = Finished.of(source.trajectory())
    assert finished.recording.count == shown.count
    assert finished.end == shown.t[-1]


def test_a_finished_run_has_all_there_is():
    run = rm.simulate(pendulum(), 0.3, 0.01)
    source = Finished.of(run)
    assert (source.start, source.end, source.grows) == (0.0, 0.3, False)
    np.testing.assert_allclose(source.recording.twist, run.observed.twist, atol=1e-14)
    assert [source.recording.index(t) for t in (-1.0, 0.0, 0.0149, 0.0151, 0.3, 9.0)] == [0, 0, 1, 2, 30, 30]


def test_one_world_of_a_batch_is_asked_for():
    initial = rm.State(0.0, np.zeros((3, 1)), np.zeros((3, 1)))
    run = rm.simulate(pendulum(), 0.1, 0.01, initial=initial)
    with pytest.raises(RedmaxError, match=r"run\.world\(i\)\.view\(\)"):
        run.view(open_browser=False, block=False)


def test_a_duration_must_be_whole_steps():
    with pytest.raises(SceneError, match="whole number of steps"):
        Growing(rm.Simulation(pendulum(), dt=0.01), 0.105)


def test_of_a_run_longer_than_memory_some_samples_are_shown(monkeypatch):
    run = rm.simulate(pendulum(), 1.0, 0.01)
    monkeypatch.setattr("redmax.view.live.source.MEMORY", 8 * 27 * 30)
    seen = Finished.of(run).recording
    assert 15 <= seen.count <= 30
    np.testing.assert_array_equal(seen.t, run.t[:: round(seen.t[1] / 0.01)])
    np.testing.assert_allclose(seen.pose[-1], run.observed.pose[np.argmin(abs(run.t - seen.t[-1]))], atol=1e-14)


@pytest.mark.parametrize("solver", ["direct", "cg"])
def test_further_options_are_those_of_simulate(solver):
    setup = Setup({}, RunOptions(0.3, 0.01, integrator="implicit", dynamics="redmax", solver=solver))
    source = setup.source(lambda parameters: pendulum())
    source.reach(0.3, np.inf)
    expected = rm.simulate(pendulum(), 0.3, 0.01, integrator="implicit", dynamics="redmax", solver=solver)
    np.testing.assert_array_equal(source.trajectory().q, expected.q)
    with pytest.raises(RedmaxError, match="no solver 'guess'"):
        replace(setup, options=RunOptions(0.3, solver="guess")).source(lambda parameters: pendulum())
