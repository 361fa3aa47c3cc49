"""Runs that cannot go on: an error that says when, where and what to do, with everything computed until then."""

from __future__ import annotations

import contextlib
import re
import time
from typing import Any

import numpy as np
import pytest

import redmax as rm
from simulate.scenes import ALL, FIXED, arm, batch, pendulum, stiff


def broken(*args: Any, **options: Any) -> rm.SimulationError:
    with pytest.raises(rm.SimulationError) as caught:
        rm.simulate(*args, **options)
    return caught.value


def time_in(message: str) -> float:
    return float(re.search(r"t = ([-+.\de]+) s", message)[1])


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("every", [1, 8])
def test_a_run_that_blows_up_says_when_and_where(name, every):
    error = broken(stiff(), 20.0, 0.01, integrator=name, every=every)
    message, run = str(error), error.trajectory
    assert "'spring'" in message
    assert "Try " in message
    assert "trajectory" in message
    assert not run.complete
    assert 2 <= len(run) < 2001
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.qdot).all()
    assert np.abs(run.qdot[-1]).max() > 1e50
    last, found = run.t[-1], time_in(message)
    assert last <= found + 1e-4 < last + 0.01 * every + 1e-3
    assert isinstance(error, rm.RedmaxError)
    assert isinstance(error, RuntimeError)


@pytest.mark.parametrize("name", FIXED)
def test_the_partial_run_is_that_of_a_shorter_one(name):
    """Bit for bit: what comes before the failure is not touched by it."""
    partial = broken(stiff(), 20.0, 0.01, integrator=name).trajectory
    count = len(partial) - 1
    shorter = rm.simulate(stiff(), count * 0.01, 0.01, integrator=name)
    np.testing.assert_array_equal(partial.q, shorter.q)
    np.testing.assert_array_equal(partial.qdot, shorter.qdot)
    np.testing.assert_allclose(partial.t, shorter.t)


def test_a_failure_in_one_world_of_a_batch():
    """If that is asked for, the first world that fails ends the run; the samples before are those of all worlds."""
    model = stiff().model()
    q = np.zeros((5, 2))
    q[3, 1] = 0.1
    start = rm.State(0.0, q, np.zeros((5, 2)))
    error = broken(model, 20.0, 0.01, integrator="rk4", initial=start, on_failure="raise")
    assert error.trajectory.q.shape[1:] == (5, 2)
    assert np.isfinite(error.trajectory.q).all()
    assert "'spring'" in str(error)


def test_a_failure_in_the_first_step():
    scene = pendulum(torque=lambda t, q, qdot: 1e308 * (1.0 + q * 1e10))
    error = broken(scene, 1.0, 0.01, integrator="rk4")
    assert len(error.trajectory) == 1
    np.testing.assert_array_equal(error.trajectory.q[0], [1.0])


@pytest.mark.parametrize("name", ALL)
def test_a_controller_that_blows_up(name):
    """Whether the state or the torque is the first to overflow."""
    with np.errstate(over="ignore"):
        error = broken(pendulum(), 20.0, 0.01, integrator=name, controller=lambda t, q, qdot: 1e5 * q + 1e4 * qdot, every=4)
    run = error.trajectory
    assert len(run) > 3
    assert np.isfinite(run.q).all()
    assert "'hinge'" in str(error) or "controller's tau" in str(error)
    np.testing.assert_allclose(np.diff(run.t), 0.04)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_controller_that_no_longer_answers_with_numbers(bad, name):
    """What was computed until then is not lost."""
    error = broken(pendulum(), 1.0, 0.01, integrator=name, controller=lambda t, q, qdot: [bad if t > 0.095 else 0.1])
    assert time_in(str(error)) == pytest.approx(0.1)
    assert "controller" in str(error)
    assert len(error.trajectory) == 11


def test_a_step_that_fails_is_an_error_of_the_library():
    """Also without `simulate`; the simulation stays at the last good state."""
    sim = rm.Simulation(stiff(), dt=0.01, integrator="rk4")
    with pytest.raises(rm.SimulationError, match="'spring'"):
        sim.step(5000)
    assert np.isfinite(sim.state.q).all()
    assert np.isfinite(sim.state.qdot).all()


SINGULAR = {
    "a pole": (lambda t, q, qdot: 1.0 / (1.0 - t) ** 2 + 0.0 * q, 1.0),
    "a pole of the state": (lambda t, q, qdot: 3.0 * (1.0 + qdot * qdot), None),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_adaptive_stops_where_the_motion_is_singular(name):
    """In good time, with all samples before it, as far as the singularity lets it come."""
    torque, pole = SINGULAR[name]
    started = time.perf_counter()
    error = broken(pendulum(torque=torque), 2.0, 0.01)
    assert time.perf_counter() - started < 20.0
    run = error.trajectory
    assert not run.complete
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.qdot).all()
    assert "'hinge'" in str(error)
    assert "adaptive step became too small" in str(error)
    assert time_in(str(error)) == pytest.approx(run.t[-1], abs=1e-5)
    near = float(str(error).partition(", near t = ")[2].split()[0])
    assert run.t[-1] < near < run.t[-1] + 0.01
    if pole:
        assert pole - 0.02 < run.t[-1] < pole
        assert near == pytest.approx(pole, abs=1e-5)
    shorter = rm.simulate(pendulum(torque=torque), run.t[-1] - 0.01, 0.01)
    np.testing.assert_allclose(run.q[: len(shorter)], shorter.q, rtol=1e-5, atol=1e-6)


def test_adaptive_goes_over_a_jump():
    """Not smooth, but not singular: shorter steps, and on."""
    import redmax.math as rmath

    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [rmath.where(t < 0.505, 0.0, 2.0)])
    run = rm.simulate(scene, 1.0, 0.01)
    np.testing.assert_allclose(run.qdot[:, 0], np.maximum(0.0, 2.0 * (run.t - 0.505)), atol=1e-7)


def test_adaptive_in_a_batch_where_one_world_fails():
    """The others' samples are there up to the failure."""
    model = pendulum(torque=lambda t, q, qdot: 3.0 * qdot * qdot).model()
    start = rm.State(0.0, np.full((3, 1), np.pi / 2), np.array([[0.0], [0.2], [0.01]]))
    run = broken(model, 2.0, 0.01, initial=start, on_failure="raise").trajectory
    assert run.q.shape[1:] == (3, 1)
    assert 2 < len(run) < 201
    assert np.isfinite(run.q).all()


def test_adaptive_with_a_controller_that_makes_it_fail():
    with np.errstate(over="ignore"):
        error = broken(pendulum(), 5.0, 0.01, controller=lambda t, q, qdot: 1e150 * (1.0 + q * q) * (t > 0.1))
    assert 10 <= len(error.trajectory) <= 15
    assert np.isfinite(error.trajectory.q).all()


def test_a_partial_run_can_be_looked_at(tmp_path):
    run = broken(stiff(), 20.0, 0.01, integrator="forward-euler").trajectory
    early = run.state(3)
    assert np.isfinite(early.q).all()
    assert "t = 0" in repr(run)
    calm = rm.simulate(stiff(), 1e-3, 1e-5, integrator="rk4", initial=rm.State(0.0, early.q * 0.0, early.qdot * 0.0))
    assert calm.complete


# Wrong input.

BAD: dict[str, tuple[dict[str, Any], type[rm.RedmaxError], str]] = {
    "a duration between steps": ({"duration": 0.105}, rm.SceneError, "whole number of steps"),
    "a duration shorter than a step": ({"duration": 0.001}, rm.SceneError, "whole number of steps"),
    "a negative duration": ({"duration": -1.0}, rm.SceneError, "duration must be a positive number. Got -1"),
    "no duration": ({"duration": 0.0}, rm.SceneError, "duration"),
    "a duration that is text": ({"duration": "long"}, rm.SceneError, "duration must be a positive number. Got 'long'"),
    "a negative dt": ({"dt": -0.01}, rm.SceneError, "dt must be a positive number. Got -0.01"),
    "no dt": ({"dt": 0.0}, rm.SceneError, "dt must be a positive number"),
    "a dt that is not a number": ({"dt": np.nan}, rm.SceneError, "dt must be a positive number. Got nan"),
    "an infinite dt": ({"dt": np.inf}, rm.SceneError, "dt"),
    "no tolerance": ({"rtol": 0.0}, rm.SceneError, "rtol must be a positive number"),
    "every of zero": ({"every": 0}, rm.SceneError, "every must be a whole number"),
    "every of a half": ({"every": 0.5}, rm.SceneError, "every must be a whole number"),
    "every beyond the end": ({"every": 11}, rm.SceneError, "every must divide the number of steps"),
    "every that leaves a rest": ({"every": 3}, rm.SceneError, "every must divide the number of steps"),
    "an unknown integrator": ({"integrator": "rk5"}, rm.RedmaxError, "no integrator 'rk5'. Did you mean 'rk4'. Valid: forward-euler"),
    "unknown dynamics": ({"dynamics": "fast"}, rm.RedmaxError, "no dynamics 'fast'. Valid: recursive"),
    "an unknown backend": ({"backend": "cuda"}, rm.RedmaxError, "no backend 'cuda'"),
    "an unknown type": ({"dtype": "float16"}, rm.RedmaxError, "float16"),
    "a state that is not a number": ({"initial": rm.State(0.0, np.array([np.nan] * 5), np.zeros(5))}, rm.SceneError, "q must be finite"),
    "an infinite rate": ({"initial": rm.State(0.0, np.zeros(5), np.array([np.inf] * 5))}, rm.SceneError, "qdot must be finite"),
    "a time that is not a number": ({"initial": rm.State(np.nan, np.zeros(5), np.zeros(5))}, rm.SceneError, "t must be finite"),
    "too few coordinates": ({"initial": rm.State(0.0, np.zeros(4), np.zeros(5))}, rm.SceneError, r"q must have shape .*, 5\).*\(4,\)"),
    "too many rates": ({"initial": rm.State(0.0, np.zeros(5), np.zeros(6))}, rm.SceneError, r"qdot must have shape \(\.\.\., 5\).*\(6,\)"),
    "coordinates without an axis": ({"initial": rm.State(0.0, np.array(1.0), np.zeros(5))}, rm.SceneError, "q must have shape"),
    "text": ({"initial": rm.State(0.0, "abcde", np.zeros(5))}, rm.SceneError, "q must be an array of numbers"),
    "batches that differ": ({"initial": rm.State(0.0, np.zeros((2, 5)), np.zeros((3, 5)))}, rm.SceneError, r"\(2, 5\).*\(3, 5\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("what", BAD)
def test_wrong_input_is_said_in_a_sentence(what, name):
    options, kind, words = BAD[what]
    given = {"duration": 0.1, "dt": 0.01, "integrator": name, **options}
    with pytest.raises(kind, match=words):
        rm.simulate(arm(), **given)


def test_an_empty_scene_is_refused():
    with pytest.raises(rm.SceneError, match="no body"):
        rm.simulate(rm.Scene(), 1.0)


def test_a_batch_for_another_model_is_refused():
    with pytest.raises(rm.SceneError, match="for this model"):
        rm.simulate(pendulum(), 1.0, initial=batch(arm().model(), 4))


@pytest.mark.parametrize("backend", ["llvm", "interpret"])
def test_samples_of_coarse_times_stay_within_their_arrays(backend):
    """In single precision, far from zero, ends of steps count as reaching samples beyond the last: there is no room for those."""
    sim = rm.Simulation(pendulum(), dt=0.01, dtype="float32", backend=backend, initial=rm.State(1e4, [0.3], [0.0]))
    memory_q, memory_v = (np.full((9, 1, 1), 7.0, "float32") for _ in range(2))
    with contextlib.suppress(rm.SimulationError):
        sim.advance(1, np.zeros(1, "float32"), memory_q[:1], memory_v[:1])
    assert (memory_q[1:] == 7.0).all()
    assert (memory_v[1:] == 7.0).all()


@pytest.mark.parametrize("integrator", ["adaptive", "rk4"])
def test_a_time_at_which_no_step_shows_is_an_error(integrator):
    for t in (1e14, -1e16, 1e300):
        with pytest.raises(rm.SceneError, match="too far from zero"):
            rm.simulate(pendulum(), 0.1, 0.01, integrator=integrator, initial=rm.State(t, [0.3], [0.0]))


def test_tolerances_that_cannot_be_met_end():
    """Steps are as good as rounding lets them be, however small rtol is; a rate that grows without bound ends in a sentence."""
    assert rm.simulate(pendulum(), 0.2, 0.01, rtol=1e-300).complete
    scene = rm.Scene()
    burst = {"torque": lambda t, q, qdot: [1e3 * qdot[0] * qdot[0] + 1.0]}
    scene.add_body(rm.Cuboid((1, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.5, 0, 0), **burst)
    with pytest.raises(rm.SimulationError, match="became too small"):
        rm.simulate(scene, 10, 0.01)
