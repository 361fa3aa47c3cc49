"""What conservative motion keeps, for long and for tight tolerances."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from integrators.scenes import CONSERVATIVE, conservative, pendulum, somersault


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_adaptive_keeps_the_energy_as_well_as_its_tolerance(name):
    model = CONSERVATIVE[name]().model()
    drifts = []
    for rtol in (1e-6, 1e-9, 1e-11):
        drifts.append(rm.simulate(model, 3.0, 0.01, rtol=rtol).energy.drift.max())
        assert drifts[-1] <= 10.0 * rtol
    assert drifts[-1] < 1e-3 * drifts[0]


def test_symplectic_euler_keeps_a_pendulums_energy_for_ever():
    """Over 300 swings the error neither grows nor fades; that of explicit Euler grows from the first step on."""
    dt, steps = 2e-3, 200_000
    run = rm.simulate(pendulum(), steps * dt, dt, integrator="euler", every=5)
    drift = run.energy.drift
    early, late = drift[: len(drift) // 10].max(), drift[-len(drift) // 10 :].max()
    assert early < 0.02
    assert late == pytest.approx(early, rel=0.02)
    explicit = rm.simulate(pendulum(), 10.0, dt, integrator="forward-euler").energy
    assert explicit.drift[-1] > 5.0 * early
    growth = explicit.total[::500]
    assert (np.diff(growth) > 0.0).all()


def test_rk4_loses_energy_in_the_fourth_power_of_its_step_or_better():
    drift = [rm.simulate(conservative(), 2.0, dt, integrator="rk4").energy.drift[-1] for dt in (4e-3, 2e-3, 1e-3)]
    assert drift[0] < 1e-5
    assert drift[0] / drift[1] > 14.0
    assert drift[1] / drift[2] > 14.0


@pytest.mark.parametrize(("name", "tolerance"), [("rk4", 1e-8), ("adaptive", 1e-7)])
def test_a_thrown_brick_keeps_its_momentum(name, tolerance):
    """Linear momentum changes with the weight, angular momentum with its moment about the origin: parabolas in time."""
    model = somersault().model()
    run = rm.simulate(model, 1.0, 1e-3, integrator=name)
    m, g, t = 1.0, np.array([0.0, 0.0, -9.81]), run.t[:, None]
    x0, p0 = run.pose("body1")[0, :3, 3], run.momentum[0, 3:]
    np.testing.assert_allclose(run.momentum[:, 3:], p0 + m * g * t, atol=tolerance)
    np.testing.assert_allclose(run.pose("body1")[:, :3, 3], x0 + p0 / m * t + 0.5 * g * t**2, atol=tolerance)
    moment = np.cross(x0, m * g) * t + np.cross(p0, g) * t**2 / 2
    np.testing.assert_allclose(run.momentum[:, :3], run.momentum[0, :3] + moment, atol=10 * tolerance)


def test_dissipation_takes_energy_away():
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.4, 0.1, 0.1)), joint=rm.Revolute("y"), com=(0.2, 0, 0), damping=0.5)
    for name in ("rk4", "adaptive", "euler"):
        total = rm.simulate(scene, 2.0, 1e-3, integrator=name).energy.total
        assert (np.diff(total) < 1e-9).all()
        assert total[-1] < total[0] - 0.1
