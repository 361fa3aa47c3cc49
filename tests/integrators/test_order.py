"""Every method converges at its order to what another integrator finds, on a mechanism that has time in all its places."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import redmax as rm
from integrators.reference import solution, stacked
from integrators.scenes import driven
from redmax.integrators import METHODS

END, FINE = 1.0, 1e-3
N = 7


@cache
def model() -> rm.Model:
    return driven().model()


@cache
def exact() -> np.ndarray:
    """At every FINE seconds."""
    return solution(model(), FINE * np.arange(round(END / FINE) + 1))


def final_error(name: str, dt: float) -> float:
    run = rm.simulate(model(), END, dt, integrator=name)
    return float(np.linalg.norm(stacked(run)[-1] - exact()[-1]))


@pytest.mark.parametrize(("name", "dt"), [("forward-euler", 1e-3), ("euler", 1e-3), ("rk4", 5e-3)])
def test_halving_the_step_divides_the_error_by_two_to_the_order(name, dt):
    errors = [final_error(name, dt / 2**k) for k in range(4)]
    orders = np.log2(errors[:-1]) - np.log2(errors[1:])
    order = METHODS[name].order
    assert order == {"forward-euler": 1, "euler": 1, "rk4": 4}[name]
    assert (np.abs(orders - order) < [0.3, 0.15, 0.1]).all(), orders


def test_the_two_methods_of_euler_are_two_methods():
    assert final_error("euler", 1e-3) != final_error("forward-euler", 1e-3)


TOLERANCES = 10.0 ** np.arange(-4, -12, -1)


def adaptive_errors(every: float) -> tuple[np.ndarray, np.ndarray]:
    """Largest errors of q and of qdot over the samples, for each tolerance."""
    stride = round(every / FINE)
    found = []
    for rtol in TOLERANCES:
        error = np.abs(stacked(rm.simulate(model(), END, every, rtol=rtol)) - exact()[::stride])
        found.append((error[:, :N].max(), error[:, N:].max()))
    return np.array(found).T[0], np.array(found).T[1]


def test_the_error_of_adaptive_follows_its_tolerance():
    """Below it, and in proportion to it over seven decades."""
    for error in adaptive_errors(0.05):
        assert (error < TOLERANCES).all()
        slope = np.diff(np.log10(error)) / np.diff(np.log10(TOLERANCES))
        assert abs(slope.mean() - 1.0) < 0.1
        assert (np.abs(slope - 1.0) < 0.4).all()


def test_samples_between_steps_are_as_good_as_those_at_steps():
    """A sample each millisecond is mostly between steps, one each 50 ms at the end of one: as accurate, within a small factor."""
    few, many = adaptive_errors(0.05), adaptive_errors(FINE)
    loose = TOLERANCES > 1e-10  # below, the reference is no better between its own steps
    assert (many[0][loose] < 2.0 * few[0][loose]).all()
    assert (many[1][loose] < 10.0 * few[1][loose]).all()
    assert (many[1] < 10.0 * TOLERANCES).all()


def test_how_often_one_samples_does_not_change_the_motion():
    """More samples than steps, and fewer: the same within the tolerance at common times."""
    coarse, fine = rm.simulate(model(), END, 0.1, rtol=1e-9), rm.simulate(model(), END, 1e-4, rtol=1e-9)
    np.testing.assert_allclose(fine.q[::1000], coarse.q, atol=1e-9)
    np.testing.assert_allclose(fine.qdot[::1000], coarse.qdot, atol=1e-8)


@pytest.mark.parametrize("dt", [0.1, 1 / 3, 0.007, 1e-3])
@pytest.mark.parametrize("start", [0.0, 3.7])
def test_samples_are_at_their_times(dt, start):
    """A joint made to move as q = t tells when it was sampled; a curved one as well."""
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), motion=lambda t: [t])
    scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("y"), motion=lambda t: [np.sin(3.0 * t)])
    count = round(2.0 / dt)
    initial = rm.State(start, np.array([start, np.sin(3.0 * start)]), np.array([1.0, 3.0 * np.cos(3.0 * start)]))
    run = rm.simulate(scene, count * dt, dt, rtol=1e-10, initial=initial)
    expected = start + dt * np.arange(count + 1)
    np.testing.assert_allclose(run.t, expected, rtol=1e-15)
    np.testing.assert_allclose(run.q[:, 0], expected, rtol=1e-13)
    np.testing.assert_allclose(run.q[:, 1], np.sin(3.0 * expected), atol=1e-10)
    np.testing.assert_allclose(run.qdot[:, 1], 3.0 * np.cos(3.0 * expected), atol=1e-9)


def test_a_start_far_from_time_zero():
    """A million seconds in, where times are known to 1e-10 s only, each sample is still there."""
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: -4.0 * q)
    for start in (1e5, 1e6, 1e7):
        run = rm.simulate(scene, 1.0, 1e-3, initial=rm.State(start, np.ones(1), np.zeros(1)))
        assert len(run) == 1001
        assert run.complete


def test_adaptive_counts_its_steps():
    """At least one for each portion that it is asked for, and more for a tighter tolerance."""
    steps = [rm.simulate(model(), 0.1, 0.1, rtol=rtol).steps for rtol in (1e-3, 1e-6, 1e-9)]
    assert 1 <= steps[0] < steps[1] < steps[2]
    sim = rm.Simulation(model(), dt=1e-4)
    sim.step(7)
    assert sim.taken >= 7
