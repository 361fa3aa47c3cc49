"""What a run returns: times, shapes, strides, batches, and the same bits every time."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from simulate.scenes import ALL, FIXED, arm, batch, pendulum


@pytest.mark.parametrize("name", ALL)
def test_times_and_shapes(name):
    run = rm.simulate(arm(), 0.5, 0.01, integrator=name)
    np.testing.assert_allclose(run.t, 0.01 * np.arange(51), rtol=1e-14)
    assert run.q.shape == run.qdot.shape == (51, 5)
    assert len(run) == 51
    assert run.complete
    assert run.integrator == name
    assert run.dynamics == "recursive"
    assert run.dt == 0.01
    assert run.wall_s >= 0.0
    assert run.compile_s > 0.0
    assert run.q.dtype == np.float64
    np.testing.assert_array_equal(run.q[0], [0.1, 0.2, 0.3, 0.4, 0.0])
    np.testing.assert_array_equal(run.qdot[0], [0.0, 0.0, 0.0, 1.0, 0.0])
    assert "arm" in repr(run)
    assert name in repr(run)


@pytest.mark.parametrize("name", FIXED)
def test_every_keeps_each_nth_sample(name):
    """The same bits; 153 steps are no multiple of the portions in which a run is computed."""
    full = rm.simulate(arm(), 1.53, 0.01, integrator=name)
    for every in (3, 9, 51, 153):
        run = rm.simulate(arm(), 1.53, 0.01, integrator=name, every=every)
        np.testing.assert_array_equal(run.q, full.q[::every][: len(run)])
        np.testing.assert_array_equal(run.qdot, full.qdot[::every][: len(run)])
        np.testing.assert_allclose(run.t, full.t[::every][: len(run)], rtol=1e-14)
        assert len(run) == 1 + 153 // every


def test_every_of_adaptive_is_a_longer_sampling_interval():
    full, run = rm.simulate(arm(), 1.2, 0.01, rtol=1e-9), rm.simulate(arm(), 1.2, 0.01, rtol=1e-9, every=6)
    np.testing.assert_allclose(run.t, full.t[::6], rtol=1e-14)
    np.testing.assert_allclose(run.q, full.q[::6], atol=1e-8)


def test_the_number_of_steps():
    assert rm.simulate(pendulum(), 1.0, 0.01, integrator="rk4").steps == 100
    assert rm.simulate(pendulum(), 1.0, 0.01, integrator="rk4", every=10).steps == 100
    assert rm.simulate(pendulum(), 1.0, 0.01, integrator="euler", controller=lambda t, q, v: [0.0]).steps == 100


def test_rounding_of_times_does_not_count():
    """0.1 is no binary number; durations that are multiples of it are multiples all the same."""
    for duration, dt, count in ((0.3, 0.1, 3), (1.1, 0.1, 11), (1e3, 1e-2, 100_000), (0.7, 0.07, 10)):
        assert len(rm.simulate(pendulum(), duration, dt, integrator="euler", every=count)) == 2


@pytest.mark.parametrize("name", ALL)
def test_initial_states_with_leading_axes(name):
    model = arm().model()
    start = batch(model, 2, 3)
    run = rm.simulate(model, 0.2, 0.01, integrator=name, initial=start)
    assert run.q.shape == run.qdot.shape == (21, 2, 3, 5)
    np.testing.assert_array_equal(run.q[0], start.q)
    assert run.energy.total.shape == (21, 2, 3)
    assert run.pose("bob").shape == (21, 2, 3, 4, 4)
    assert run.state().q.shape == (2, 3, 5)


@pytest.mark.parametrize("name", ALL)
def test_a_batch_is_its_worlds_run_alone(name):
    """To rounding: one world runs as scalar code, several in lanes. Each adaptive world chooses its own steps."""
    model = arm().model()
    start = batch(model, 11)
    together = rm.simulate(model, 0.5, 0.01, integrator=name, initial=start)
    for w in (0, 3, 10):
        alone = rm.simulate(model, 0.5, 0.01, integrator=name, initial=rm.State(0.0, start.q[w], start.qdot[w]))
        np.testing.assert_allclose(together.q[:, w], alone.q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(together.qdot[:, w], alone.qdot, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ALL)
def test_a_batch_of_one_and_a_broadcast_state(name):
    model = arm().model()
    one = rm.simulate(model, 0.1, 0.01, integrator=name, initial=batch(model, 1))
    assert one.q.shape == (11, 1, 5)
    wide = rm.State(0.0, model.q0, np.tile(model.qdot0, (3, 1)))
    run = rm.simulate(model, 0.1, 0.01, integrator=name, initial=wide)
    assert run.q.shape == (11, 3, 5)
    np.testing.assert_array_equal(run.q[:, 0], run.q[:, 2])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(), (9,)])
def test_the_same_run_twice_has_the_same_bits(name, shape, monkeypatch):
    model = arm().model()
    runs = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("REDMAX_THREADS", threads)
        runs.append(rm.simulate(model, 0.5, 0.01, integrator=name, initial=batch(model, *shape)))
    for run in runs[1:]:
        np.testing.assert_array_equal(run.q, runs[0].q)
        np.testing.assert_array_equal(run.qdot, runs[0].qdot)


@pytest.mark.parametrize("name", ALL)
def test_a_run_goes_on_from_a_state(name):
    """Time-dependent forces included: a state knows its time."""
    whole = rm.simulate(arm(), 1.0, 0.01, integrator=name, rtol=1e-10)
    first = rm.simulate(arm(), 0.4, 0.01, integrator=name, rtol=1e-10)
    second = rm.simulate(arm(), 0.6, 0.01, integrator=name, rtol=1e-10, initial=first.state())
    np.testing.assert_allclose(second.t, whole.t[40:], rtol=1e-14)
    np.testing.assert_allclose(second.q, whole.q[40:], atol=1e-9)
    middle = rm.simulate(arm(), 0.2, 0.01, integrator=name, rtol=1e-10, initial=first.state(20))
    np.testing.assert_allclose(middle.q, whole.q[20:41], atol=1e-9)


def test_a_run_changes_neither_scene_nor_state():
    scene, model = arm(), arm().model()
    start = batch(model, 4)
    before = (start.q.copy(), start.qdot.copy())
    first = rm.simulate(model, 0.1, initial=start)
    np.testing.assert_array_equal(start.q, before[0])
    np.testing.assert_array_equal(start.qdot, before[1])
    first.state().q[:] = 7.0
    assert np.abs(first.q).max() < 7.0
    rm.simulate(scene, 0.1)
    np.testing.assert_array_equal(scene.model().q0, model.q0)


def test_a_hundred_thousand_steps():
    run = rm.simulate(pendulum(), 100.0, 1e-3, integrator="rk4", every=1000)
    assert run.steps == 100_000
    assert len(run) == 101
    assert run.energy.drift.max() < 1e-6
    dense = rm.simulate(pendulum(), 100.0, 1e-3, integrator="rk4")
    np.testing.assert_array_equal(dense.q[::1000], run.q)
    adaptive = rm.simulate(pendulum(), 100.0, 1e-3, rtol=1e-9)
    assert len(adaptive) == 100_001
    np.testing.assert_allclose(adaptive.q[::1000], run.q, atol=1e-4)


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("shape", [(), (19,)])
def test_single_precision(name, shape):
    model = arm().model()
    single, double = (
        rm.simulate(model, 0.5, 2e-3, integrator=name, initial=batch(model, *shape), dtype=dtype) for dtype in ("float32", "float64")
    )
    assert single.q.dtype == single.qdot.dtype == np.float32
    np.testing.assert_allclose(single.q, double.q, atol=2e-4)
    np.testing.assert_allclose(single.energy.total, double.energy.total, atol=2e-4)


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
def test_single_precision_of_adaptive(rtol):
    """A tolerance beyond what floats can hold means: as good as they can."""
    single, double = rm.simulate(arm(), 0.5, 0.01, rtol=rtol, dtype="float32"), rm.simulate(arm(), 0.5, 0.01)
    assert single.q.dtype == np.float32
    np.testing.assert_allclose(single.q, double.q, atol=max(1e-3, 10 * rtol))


def test_no_degree_of_freedom():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1))
    for name in ALL:
        run = rm.simulate(scene, 0.1, 0.01, integrator=name)
        assert run.q.shape == (11, 0)
        np.testing.assert_allclose(run.energy.kinetic, 0.0)


def test_an_empty_batch():
    model = arm().model()
    for name in ALL:
        run = rm.simulate(model, 0.1, 0.01, integrator=name, initial=batch(model, 0))
        assert run.q.shape == run.qdot.shape == (11, 0, 5)


def test_progress_is_told():
    told: list[tuple[float, float]] = []
    rm.simulate(arm(), 1.0, 0.01, progress=lambda t, end: told.append((t, end)))
    times = [t for t, _ in told]
    assert times == sorted(times)
    assert 10 <= len(told) <= 101
    assert times[-1] == pytest.approx(1.0)
    assert {end for _, end in told} == {1.0}
    assert rm.simulate(arm(), 0.1, progress=False).complete


def test_a_progress_bar_writes_to_standard_error_only(capsys):
    rm.simulate(arm(), 0.1, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""


def test_an_error_in_progress_is_the_users():
    def broken(t, end):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rm.simulate(arm(), 0.1, progress=broken)


class Meter:
    """A progress that asks for energies."""

    def __init__(self):
        self.seen = []

    def __call__(self, t, end):
        self.t = t

    def energy(self, kinetic, potential):
        self.seen.append((kinetic, potential))


@pytest.mark.parametrize("worlds", [1, 3])
def test_progress_with_a_meter_is_told_the_energy_of_all_worlds(worlds):
    meter, scene = Meter(), arm()
    start = rm.State(0.0, np.linspace(0.1, 0.5, worlds * scene.model().nq).reshape(worlds, -1), np.zeros(scene.model().nv))
    run = rm.simulate(scene, 0.2, 0.01, initial=start, progress=meter)
    for told, sample in ((meter.seen[0], 0), (meter.seen[-1], -1)):
        assert all(isinstance(x, float) for x in told)
        np.testing.assert_allclose(told, [run.energy.kinetic[sample].sum(), run.energy.potential[sample].sum()], rtol=1e-12, atol=1e-14)
    assert (run.q == rm.simulate(scene, 0.2, 0.01, initial=start).q).all()


def test_progress_is_told_the_energy_only_a_few_times_a_second(monkeypatch):
    clock = iter(np.arange(0.0, 100.0, 0.1))  # a look at the clock each tenth of a second
    monkeypatch.setattr("redmax.run.progress.time.monotonic", lambda: next(clock))
    meter = Meter()
    rm.simulate(arm(), 1.0, 0.01, progress=meter)
    assert 5 < len(meter.seen) < 25  # of 50 portions
