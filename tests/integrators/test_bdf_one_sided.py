"""BDF1 and BDF2 beside constraints that only push: limits that hold, ropes that become taut, worlds that are caught by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.constraints.base import Constraint
from redmax.constraints.hard_limit import HardLimit
from redmax.math import sqrt


class Taut(Constraint):
    """A rope: the distance of two points is at most L."""

    size, one_sided = 1, True

    def __init__(self, first: Any, second: Any, length: float) -> None:
        self.hold((first, second), None)
        self.length = length

    def gap(self, sites, t):
        d = sites[1].x - sites[0].x
        return [self.length - sqrt(d @ d)]


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_pendulum_stays_on_its_limit(integrator):
    """It falls as if there were none, and stays where it has arrived; turned the other way it never leaves."""

    def run(limited: bool, g: float) -> Any:
        s = rm.Scene(gravity=(0, 0, g))
        body = s.add_body(rm.Cuboid((1, 0.1, 0.1), density=10), joint=rm.Revolute("y"), com=(0.5, 0, 0))
        if limited:
            s.add_constraint(HardLimit(body, -0.5, np.inf))
        return rm.simulate(s, 0.6, dt=0.01, integrator=integrator, progress=False)

    free, held = run(False, 9.81), run(True, 9.81)
    before = free.q[:, 0] > -0.5
    np.testing.assert_allclose(held.q[before], free.q[before], atol=1e-9)
    np.testing.assert_allclose(held.q[~before], -0.5, atol=1e-9)
    assert np.abs(held.qdot[-1]).max() < 1e-9
    np.testing.assert_allclose(run(True, -9.81).q, run(False, -9.81).q, atol=1e-9)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_rope_becomes_taut(integrator):
    """A ball falls, is caught without bounce, and swings on: its fall loses what went along the rope, and no more."""
    s = rm.Scene()
    ball = s.add_body(rm.Sphere(0.1, density=500), joint=rm.Translational(), q=(0.6, 0, 0), name="ball")
    s.add_constraint(Taut((0, 0, 0), ball.point(0, 0, 0), 1.0))
    run = rm.simulate(s, 0.7, dt=0.001, integrator=integrator, progress=False)
    far = np.linalg.norm(run.q, axis=1)
    assert far.max() < 1.0 + 1e-9
    caught = np.argmax(far > 1.0 - 1e-9)
    assert abs(run.t[caught] - np.sqrt(2 * 0.8 / 9.81)) < 3e-3
    assert (far[caught:] > 1.0 - 1e-9).all()
    along = 9.81 * np.sqrt(2 * 0.8 / 9.81) * 0.6  # of the speed, what is across the rope: it is 3-4-5
    assert abs(np.linalg.norm(run.qdot[caught + 2]) - along) < 0.02 * along


@pytest.mark.long
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_worlds_are_caught_by_themselves(integrator):
    """Each at its own time, by a rope and by a limit: as if it were alone, and in portions."""
    s, rng, options = rm.Scene(), np.random.default_rng(0), {"dt": 0.01, "integrator": integrator}
    ball = s.add_body(rm.Sphere(0.1, density=500), joint=rm.Translational())
    rod = s.add_body(rm.Cuboid((1, 0.1, 0.1), density=10), joint=rm.Revolute("y"), com=(0.5, 0, 0))
    s.add_constraint(rm.Rope([(0, 0, 0), ball], length=1))
    s.add_constraint(rm.HardLimit(rod, -0.5, 0.8))
    q = np.concatenate([rng.uniform(-0.55, 0.55, (11, 3)), rng.uniform(-0.4, 0.7, (11, 1))], axis=1)
    start = rm.State(0.0, q, rng.normal(size=(11, 4)))
    run = rm.simulate(s, 1.0, initial=start, progress=False, **options)
    assert np.linalg.norm(run.q[..., :3], axis=-1).max() < 1.0 + 1e-9
    assert np.ptp(run.q[..., 3]) > 0.5
    assert run.q[..., 3].max() < 0.8 + 1e-9
    for w in range(11):
        alone = rm.simulate(s, 1.0, initial=rm.State(0.0, start.q[w], start.qdot[w]), progress=False, **options)
        np.testing.assert_allclose(alone.q, run.q[:, w], rtol=0, atol=1e-11)
    sim = rm.Simulation(s, initial=start, **options)
    for count in (7, 13, 30):
        sim.step(count)
    np.testing.assert_array_equal(sim.step(50).q, run.q[-1])


@pytest.mark.parametrize(("integrator", "error"), [("bdf1", 2.5e-4), ("bdf2", 1e-6)])
def test_friction_lets_go_however_short_the_steps(integrator, error):
    """What a force is beyond its limits moves little in a short step, and is no rounding."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=2), joint=rm.Prismatic("x"), name="block", torque=lambda t, q, qdot: [8 * rm.math.sin(3 * t)])
    scene.add_constraint(rm.constraint(lambda q, qdot: qdot[0], joints=["block"], velocities=True, force_limits=3))
    start = np.arcsin(3 / 8) / 3
    run = rm.simulate(scene, 0.4, 0.0004, integrator=integrator)
    t = np.maximum(run.t, start)
    v = 8 / 6 * (np.cos(3 * start) - np.cos(3 * t)) - 1.5 * (t - start)
    assert np.abs(run.qdot[:, 0] - v).max() < 5 * error
