"""Loops that stay closed: projection, Baumgarte's gains, what fixed steps do between them, and the orders of methods with constraints."""

from __future__ import annotations

import numpy as np
import pytest
from tests.constraints.four_bar import angles, four_bar, gaps

import redmax as rm
from redmax.math import cos, sin

LONG = pytest.mark.long
FIXED = {"forward-euler": 1, "euler": 1, "implicit": 1, "rk4": 4}


def energy_drift(run: rm.Trajectory) -> float:
    return float(np.abs(run.energy.total - run.energy.total[0]).max() / run.energy.kinetic.max())


def test_a_loop_stays_closed_and_keeps_its_energy_for_a_minute():
    """By `adaptive`, whose samples within steps are on the constraints too; and the angles are those of the law of cosines."""
    run = rm.simulate(four_bar(), 60, 0.25, rtol=1e-10)
    assert gaps(run).max() < 1e-12
    assert energy_drift(run) < 1e-9
    crank, follower = -run.q[:, 0], -run.q[:, 2]
    expected = np.array([angles(x)[1] for x in crank])
    assert np.abs(np.angle(np.exp(1j * (follower - expected)))).max() < 1e-11


@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_fixed_steps_that_project_end_on_the_constraints(integrator):
    run = rm.simulate(four_bar(), 60, 0.01, every=10, integrator=integrator, stabilisation="project")
    assert gaps(run).max() < 1e-12


@pytest.mark.parametrize("dynamics", ["recursive", "redmax", "maximal"])
def test_rows_of_accelerations_alone_take_nothing_back(dynamics):
    """A ball that leaves its plane at v goes on so; by gains b, (1 + (b + v) t) exp(-b t) is left of where it was."""
    scene = rm.Scene(gravity=(0, 0, 0))
    ball = scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Translational(), q=[1.0, 0, 0], qdot=[0.1, 0, 0])
    scene.add_constraint(rm.PointInPlane(ball.point(0, 0, 0), (1, 0, 0), (1, 0, 0), name="plane"))
    start = rm.State(0.0, np.array([1.0 + 1e-6, 0, 0]), np.array([1e-6, 2.0, 0]))  # as steps may leave it
    how = {"integrator": "rk4", "dynamics": dynamics, "initial": start}
    left = rm.simulate(scene, 1.0, 0.01, stabilisation="none", **how)
    np.testing.assert_allclose(left.constraint("plane").gap[:, 0], 1e-6 * (1 + left.t), rtol=0, atol=1e-13)
    back = rm.simulate(scene, 1.0, 0.01, stabilisation="baumgarte", **how)
    t = back.t
    np.testing.assert_allclose(back.constraint("plane").gap[:, 0], 1e-6 * (1 + 6 * t) * np.exp(-5 * t), rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("stabilisation", [pytest.param("auto", marks=LONG), "baumgarte", "project"])
@pytest.mark.parametrize("integrator", FIXED)
def test_methods_keep_their_orders(integrator, stabilisation):
    exact = rm.simulate(four_bar(), 0.32, 0.32, rtol=1e-12).q[-1]
    runs = [rm.simulate(four_bar(), 0.32, dt, integrator=integrator, stabilisation=stabilisation) for dt in (0.001, 0.0005)]
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(FIXED[integrator], abs=0.1)
    if stabilisation == "baumgarte":  # what is off is of second order in dt, or of the method's
        off = [gaps(run).max() for run in runs]
        assert np.log2(off[0] / off[1]) == pytest.approx(max(2, FIXED[integrator]), abs=0.3)


def test_fixed_steps_project_where_rows_are_off_by_more_than_drift():
    off = {drift: gaps(rm.simulate(four_bar(), 1, 0.01, integrator="euler", drift=drift)).max() for drift in (1.0, 1e-3, 1e-8)}
    plain = gaps(rm.simulate(four_bar(), 1, 0.01, integrator="euler", stabilisation="baumgarte")).max()
    assert off[1.0] == plain
    assert off[1e-8] < off[1e-3] < 0.7 * plain


def test_constraints_with_gains_of_their_own_are_never_projected():
    runs = [rm.simulate(four_bar(gain=5.0), 0.5, 0.01, integrator="implicit", stabilisation=s).q for s in ("project", "baumgarte")]
    assert np.array_equal(runs[0], runs[1])


@pytest.mark.long
@pytest.mark.parametrize("dynamics", ["redmax", "maximal"])
def test_all_dynamics_project_alike(dynamics):
    by = {d: rm.simulate(four_bar(), 0.2, 0.02, rtol=1e-10, dynamics=d) for d in ("recursive", dynamics)}
    assert gaps(by[dynamics]).max() < 1e-12
    assert np.abs(by[dynamics].q - by["recursive"].q).max() < 1e-10


@pytest.mark.parametrize(
    ("integrator", "stabilisation"),
    [("euler", "auto"), *[pytest.param(*case, marks=LONG) for case in (("adaptive", "auto"), ("rk4", "project"))]],
)
def test_worlds_of_a_batch_project_by_themselves(integrator, stabilisation):
    """Each for as many turns as it needs: what it does alone, and what the interpreter does."""
    scene, how = four_bar(), {"dt": 0.02, "integrator": integrator, "stabilisation": stabilisation}
    on = rm.simulate(scene, 0.3, 0.1, rtol=1e-6)
    many = rm.simulate(scene, 0.2, initial=rm.State(0.0, on.q, on.qdot), **how)
    for k in range(len(on.q)):
        alone = rm.simulate(scene, 0.2, initial=rm.State(0.0, on.q[k], on.qdot[k]), **how)
        assert np.abs(many.q[:, k] - alone.q).max() < 1e-12
    interpreted = rm.simulate(scene, 0.04, backend="interpret", **how)
    assert np.abs(interpreted.q - rm.simulate(scene, 0.04, **how).q).max() < 1e-12


def test_projection_moves_as_little_as_kinetic_energy_measures():
    """qdot off the rows goes to the nearest on them: the change is orthogonal to all motion that is allowed."""
    scene = four_bar()
    model = scene.model()
    sim = rm.Simulation(scene, dt=1e-9, integrator="euler", stabilisation="project")
    before = model.qdot0 + np.array([0.3, -0.2, 0.1])
    sim.begin_at(rm.State(0.0, model.q0, before))
    after = sim.step().qdot
    allowed = model.qdot0  # the loop has one degree of freedom
    M = rm.Dynamics(scene).inertia(model.q0)
    assert abs(allowed @ M @ (after - before)) < 1e-6 * abs(allowed @ M @ before)
    assert np.linalg.matrix_rank(np.stack([allowed, after]), tol=1e-6) == 1


@pytest.mark.long
def test_short_floats_close_as_far_as_they_can():
    run = rm.simulate(four_bar(), 0.2, 0.02, integrator="rk4", stabilisation="project", dtype="float32")
    assert gaps(run).max() < 2e-6


@pytest.mark.parametrize("stabilisation", [pytest.param("baumgarte", marks=LONG), "project"])
@pytest.mark.parametrize("integrator", ["implicit", pytest.param("euler", marks=LONG)])
def test_rows_that_follow_a_function_of_time_keep_the_order(integrator, stabilisation):
    """What hangs on them feels their accelerations: gaps must be those at the time of the positions, also where a step looks at its end."""
    scene = rm.Scene()
    bars = rm.Cuboid((1, 0.05, 0.05), density=1000)
    bodies: list[rm.BodyHandle] = []
    for k, q in enumerate((0.5, -1.2, 0.7)):
        parent = bodies[-1] if k else None
        bodies.append(scene.add_body(bars, joint=rm.Revolute("y"), parent=parent, at=(float(k > 0), 0, 0), com=(0.5, 0, 0), q=q))
    path = lambda t: [1.2 + 0.3 * cos(4 * t), 0.0 * t, 0.2 * sin(4 * t)]  # noqa: E731
    scene.add_constraint(rm.PrescribedPoint(bodies[1].point(0.5, 0, 0), path, name="led"))
    scene.assemble()
    exact = rm.simulate(scene, 0.16, 0.16, rtol=1e-10).q[-1]
    runs = [rm.simulate(scene, 0.16, dt, integrator=integrator, stabilisation=stabilisation) for dt in (0.002, 0.001)]
    errors = [np.abs(run.q[-1] - exact).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.1)
    off = [np.abs(run.constraint("led").gap).max() for run in runs]
    assert off[1] < 1e-12 if stabilisation == "project" else np.log2(off[0] / off[1]) > 1.8
