"""Joints of bodies that move by themselves, beside constraints and without: kept closed by gains, or by projection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.constraints.four_bar import four_bar, gaps

import redmax as rm
from mechanisms import chain

LONG = pytest.mark.long
FIRST = ["implicit", *[pytest.param(name, marks=LONG) for name in ("euler", "forward-euler")]]


def pendulum() -> rm.Scene:
    """Two bars of different masses, the second with a rotor in its joint."""
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.3, 0.03, 0.03), mass=0.3), joint=rm.Revolute("y"), com=(0.15, 0, 0), q=-1.2)
    scene.add_body(
        rm.Cuboid((0.8, 0.03, 0.03), mass=0.8), joint=rm.Spherical(), parent=upper, at=(0.3, 0, 0), com=(0.4, 0, 0), q=(0.2, 0.8, 0.3)
    )
    return scene


def bodies(scene: rm.Scene, duration: float, dt: float, integrator: str, **options) -> rm.Trajectory:
    return rm.simulate(scene, duration, dt, integrator=integrator, dynamics="maximal", **options)


@pytest.mark.parametrize("integrator", FIRST)
@pytest.mark.parametrize("stabilisation", ["baumgarte", "project", pytest.param("auto", marks=LONG)])
def test_methods_keep_their_order_beside_constraints(integrator, stabilisation):
    """And what is off, of loops and of joints, is of second order in dt with gains alone, and roundings with projection."""
    exact = rm.simulate(four_bar(), 0.32, 0.32, rtol=1e-12).q[-1]
    runs = [bodies(four_bar(), 0.32, dt, integrator, stabilisation=stabilisation) for dt in (0.0005, 0.00025)]
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.1)
    off = [(gaps(run).max(), run.joint_drift.max()) for run in runs]
    if stabilisation == "baumgarte":
        assert np.log2(off[0] / np.array(off[1])) == pytest.approx(2, abs=0.3)
    if stabilisation == "project":
        assert np.max(off) < 1e-12


@pytest.mark.parametrize("integrator", ["implicit", pytest.param("euler", marks=LONG), pytest.param("rk4", marks=LONG)])
def test_a_minute_ends_on_the_constraints(integrator):
    run = bodies(four_bar(), 60, 0.01, integrator, every=10, stabilisation="project")
    assert gaps(run).max() < 1e-12
    assert run.joint_drift.max() < 1e-12


def test_steps_close_joints_that_are_open_by_more_than_drift():
    off = {drift: bodies(four_bar(), 1, 0.01, "implicit", drift=drift) for drift in (1.0, 1e-3, 1e-8)}
    plain = bodies(four_bar(), 1, 0.01, "implicit", stabilisation="baumgarte")
    assert np.array_equal(off[1.0].q, plain.q)
    largest = [max(gaps(run).max(), run.joint_drift.max()) for run in (off[1e-8], off[1e-3], plain)]
    assert largest[0] < largest[1] < 0.7 * largest[2]


@pytest.mark.parametrize("stabilisation", [pytest.param("baumgarte", marks=LONG), "project"])
def test_implicit_steps_without_constraints_converge(stabilisation):
    """Slip that steps leave is taken out by impulses of joints: nothing drives the pendulum, however long the steps are."""
    exact = rm.simulate(pendulum(), 0.4, 0.4, rtol=1e-10).q[-1]
    runs = [bodies(pendulum(), 0.4, dt, "implicit", stabilisation=stabilisation) for dt in (0.001, 0.0005)]
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.15)
    if stabilisation == "project":
        assert max(run.joint_drift.max() for run in runs) < 1e-12


def test_projection_gains_no_energy():
    for dt in (0.004, 0.016):
        energy = bodies(pendulum(), 4, dt, "implicit", stabilisation="project").energy
        assert energy.total.max() - energy.total[0] < 0.02 * energy.kinetic.max()


@pytest.mark.parametrize("seed", [0, *[pytest.param(n, marks=LONG) for n in range(1, 4)]])
def test_the_change_is_the_least_that_kinetic_energy_measures(seed):
    """Of mechanisms of random joints: what a step takes from the twists of bodies is orthogonal to all motion that joints allow."""
    m = chain(seed, ["Universal", "Free3D", "Revolute", "Spherical"])
    scene, s = m.scene(), m.state(seed)
    how = {"dt": 0.01, "integrator": "implicit", "dynamics": "maximal", "backend": "interpret"}
    steps = [rm.Simulation(scene, **how, stabilisation=x) for x in ("baumgarte", "project")]
    for sim in steps:
        sim.begin_at(rm.State(s.t, s.q, 2.0 * s.qdot))
    left, ended = (sim.step() for sim in steps)
    runner: Any = steps[0].runner
    twists, dynamics = runner.history.twist.reshape(-1, 6), rm.Dynamics(scene, backend="interpret")
    J = dynamics.jacobian(ended.q)[0].reshape(len(twists), 6, -1)
    inertias = [link.shape.mass_matrix for link in m.model.links]
    change = [M @ (V - L @ ended.qdot) for M, V, L in zip(inertias, twists, J, strict=True)]
    size = sum(np.abs(M @ V).max() for M, V in zip(inertias, twists, strict=True))
    assert np.abs(ended.q - left.q).max() > 1e-6
    assert np.abs(sum(L.T @ x for L, x in zip(J, change, strict=True))).max() < 1e-10 * size


def test_worlds_of_a_batch_close_by_themselves():
    """What each does alone, what the interpreter does, and what goes on from where it ended."""
    scene, how = four_bar(), {"integrator": "implicit", "dynamics": "maximal", "stabilisation": "auto", "drift": 1e-4}
    on = rm.simulate(scene, 0.2, 0.1, rtol=1e-6)
    many = rm.simulate(scene, 0.1, 0.01, initial=rm.State(0.0, on.q, on.qdot), **how)
    for k in range(len(on.q)):
        alone = rm.simulate(scene, 0.1, 0.01, initial=rm.State(0.0, on.q[k], on.qdot[k]), **how)
        assert np.abs(many.q[:, k] - alone.q).max() < 1e-12
    interpreted = rm.simulate(scene, 0.03, 0.01, backend="interpret", **how)
    assert np.abs(interpreted.q - rm.simulate(scene, 0.03, 0.01, **how).q).max() < 1e-12
    short = rm.simulate(scene, 0.1, 0.01, dtype="float32", **how)
    assert np.abs(short.q - rm.simulate(scene, 0.1, 0.01, **how).q).max() < 1e-5
