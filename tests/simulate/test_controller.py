"""A controller in Python: asked at the beginning of each interval with the state there, its torque held until the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import redmax as rm
from simulate.scenes import ALL, FIXED, arm, batch


class Recorder:
    """A PD controller that remembers what it was asked and what it answered."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, np.ndarray, np.ndarray]] = []
        self.answers: list[np.ndarray] = []

    def __call__(self, t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        self.calls.append((t, q, qdot))
        self.answers.append(3.0 * (0.2 - q) - 0.3 * qdot + 0.1 * np.sin(10.0 * t))
        return self.answers[-1]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(), (2, 2)])
def test_the_controller_is_asked_at_each_interval(name, shape):
    model, recorder = arm().model(), Recorder()
    run = rm.simulate(model, 0.2, 0.01, integrator=name, controller=recorder, initial=batch(model, *shape))
    assert len(recorder.calls) == 20
    np.testing.assert_allclose([t for t, _, _ in recorder.calls], 0.01 * np.arange(20), rtol=1e-13, atol=1e-15)
    for k, (t, q, qdot) in enumerate(recorder.calls):
        assert isinstance(t, float)
        assert q.shape == qdot.shape == (*shape, 5)
        np.testing.assert_array_equal(q, run.q[k])
        np.testing.assert_array_equal(qdot, run.qdot[k])


@pytest.mark.parametrize("name", FIXED)
def test_every_changes_what_is_kept_not_when_the_controller_is_asked(name):
    one, other = Recorder(), Recorder()
    full = rm.simulate(arm(), 0.2, 0.01, integrator=name, controller=one)
    some = rm.simulate(arm(), 0.2, 0.01, integrator=name, controller=other, every=4)
    assert len(other.calls) == 20
    np.testing.assert_array_equal(some.q, full.q[::4])


@pytest.mark.parametrize(("name", "dt", "tolerance"), [("adaptive", 0.02, 1e-8), ("rk4", 0.002, 1e-7)])
def test_the_torque_is_held_until_the_next_call(name, dt, tolerance):
    """Against another integrator that is told to hold it."""
    model, recorder = arm().model(), Recorder()
    run = rm.simulate(model, 25 * dt, dt, integrator=name, rtol=1e-10, controller=recorder)
    dynamics, again = rm.Dynamics(model), Recorder()
    y = np.concatenate([model.q0, model.qdot0])
    for k in range(25):
        tau = again(dt * k, y[:5], y[5:])

        def rates(t: float, y: np.ndarray, tau: np.ndarray = tau) -> np.ndarray:
            return np.concatenate([y[5:], dynamics.forward(y[:5], y[5:], tau, t=float(t))])

        y = solve_ivp(rates, (dt * k, dt * (k + 1)), y, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        np.testing.assert_allclose(run.q[k + 1], y[:5], atol=tolerance)
        np.testing.assert_allclose(run.qdot[k + 1], y[5:], atol=10 * tolerance)
    continuous = rm.simulate(model, 25 * dt, dt, rtol=1e-10)
    assert np.abs(run.q - continuous.q).max() > 100 * tolerance


def test_what_the_controller_does_with_its_arguments_is_its_own_business():
    def rude(t: float, q: np.ndarray, qdot: np.ndarray) -> Any:
        q[:] = qdot[:] = 1e9
        return np.zeros(5)

    polite = rm.simulate(arm(), 0.1, integrator="rk4")
    np.testing.assert_array_equal(rm.simulate(arm(), 0.1, integrator="rk4", controller=rude).q, polite.q)


def test_an_answer_may_be_a_list_or_shared_by_all_worlds():
    model = arm().model()
    start = batch(model, 3)

    def run(answer: Any) -> np.ndarray:
        return rm.simulate(model, 0.1, integrator="rk4", initial=start, controller=lambda t, q, qdot: answer).q

    np.testing.assert_array_equal(run([0.1] * 5), run(np.full((3, 5), 0.1)))
    assert (run(np.arange(15).reshape(3, 5)) != run(np.zeros(5))).any()


@pytest.mark.parametrize("answer", [np.zeros(4), 1.0, np.zeros((2, 5)), np.zeros((3, 5, 1)), [0.0, np.nan, 0, 0, 0], "full", [np.inf] * 5])
def test_a_torque_that_does_not_fit_is_refused(answer):
    model = arm().model()
    with pytest.raises(rm.RedmaxError, match="tau"):
        rm.simulate(model, 0.1, initial=batch(model, 3), controller=lambda t, q, qdot: answer)
    with pytest.raises(rm.SceneError, match="tau"):
        rm.Simulation(model, initial=batch(model, 3)).step(1, tau=answer)


def test_an_error_in_the_controller_is_the_users():
    def broken(t: float, q: np.ndarray, qdot: np.ndarray) -> Any:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        rm.simulate(arm(), 0.1, controller=broken)


def test_a_controller_that_returns_nothing_is_named():
    """Nothing is not zero: a forgotten return would be a run without a controller."""

    def forgetful(t: float, q: np.ndarray, qdot: np.ndarray) -> Any:
        q = -3 * q

    said = r"The controller forgetful returned nothing at t = 0 s, expected tau, 5 numbers\. Return zeros"
    with pytest.raises(rm.SceneError, match=said):
        rm.simulate(arm(), 0.1, controller=forgetful)
    with pytest.raises(rm.SceneError, match=said):
        rm.Simulation(arm(), controller=forgetful).step()
