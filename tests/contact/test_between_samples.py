"""What the solver says of itself at samples is of all the steps since the one before: the worst residual, and sums of what it took."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import redmax as rm
from contact.test_deformables import block
from contact.worlds import DT, on_ground

STEPS, EVERY = 120, 8


def thrown() -> rm.Scene:
    """A box that falls onto its edge, and tumbles."""
    return on_ground(rm.Cuboid((0.2, 0.16, 0.12), mass=1.0), 0.2, (1.0, 0.3, 0.0), friction=0.4)


def starts(worlds: int) -> rm.State:
    rng = np.random.default_rng(3)
    q = np.concatenate([0.05 * rng.random((worlds, 3)), 0.5 * rng.standard_normal((worlds, 3))], axis=1)
    return rm.State(0.0, q, rng.standard_normal((worlds, 6)))


KINDS: dict[str, Callable[..., rm.Trajectory]] = {
    "implicit": lambda **o: rm.simulate(thrown(), STEPS * DT, DT, initial=rm.State(0.0, starts(1).q[0], starts(1).qdot[0]), **o),
    "euler": lambda **o: rm.simulate(thrown(), STEPS * DT, DT, integrator="euler", **o),
    "one after the other": lambda **o: rm.simulate(thrown(), STEPS * DT, DT, initial=starts(2), **o),
    "side by side": lambda **o: rm.simulate(thrown(), STEPS * DT, DT, initial=starts(5), **o),
    "controller": lambda **o: rm.simulate(thrown(), STEPS * DT, DT, controller=lambda t, q, v: np.full(6, 0.02), **o),
    "controls": lambda **o: rm.simulate(thrown(), STEPS * DT, DT, controls=np.full((STEPS, 6), 0.02), **o),
    "deformable": lambda **o: rm.simulate(block(0.3, 0.2), 6 * EVERY * DT, DT, **o),
    "interpreted": lambda **o: rm.simulate(thrown(), 2 * EVERY * DT, DT, backend="interpret", initial=low(), **o),
}


def low() -> rm.State:
    return rm.State(0.0, (0, 0, -0.1395, 0.01, 0.02, 0), (1, 0, -0.2, 0, 3, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_samples_tell_of_all_steps_between_them(kind):
    each, some = (KINDS[kind](every=every).contacts for every in (1, EVERY))

    def parts(values: np.ndarray) -> np.ndarray:
        return values[1:].reshape(-1, EVERY, *values.shape[1:])

    assert each.newton_steps.max() > 0
    assert (some.residual[1:] == parts(each.residual).max(axis=1)).all()
    assert (some.newton_steps[1:] == parts(each.newton_steps).sum(axis=1)).all()
    assert (some.convex_problems[1:] == parts(each.convex_problems).sum(axis=1)).all()
    assert (each.newton_steps[each.count == 0] == 0).all()


def test_a_simulation_begins_anew_with_each_step():
    sim = rm.Simulation(thrown(), dt=DT)
    run = KINDS["implicit"](every=1)
    sim.reset(rm.State(0.0, starts(1).q[0], starts(1).qdot[0]))
    for k in range(1, STEPS // 2):
        sim.step()
        assert sim.told is not None
        assert (sim.told.counts[-1, 0, 2:5] == run.contact_solver[k]).all()
