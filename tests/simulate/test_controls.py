"""Torques of every step as an array: the motion is that of giving them step by step, in all methods, batches and types."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import redmax as rm
from redmax.errors import RedmaxWarning
from redmax.integrators.backward_differences import BackwardDifferences

DT, STEPS = 0.01, 12


def arm() -> rm.Scene:
    scene = rm.Scene()
    box = rm.Cuboid((0.4, 0.1, 0.1))
    upper = scene.add_body(box, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="upper")
    scene.add_body(box, parent=upper, joint=rm.Spherical(), at=(0.4, 0, 0), com=(0.2, 0, 0), name="lower")
    return scene


def torques(*batch: int) -> np.ndarray:
    return np.random.default_rng(len(batch)).normal(size=(STEPS, *batch, 4)) * 5


def step_by_step(tau: np.ndarray, initial: rm.State | None = None, **options) -> np.ndarray:
    """(steps + 1, ..., nq)."""
    sim = rm.Simulation(arm(), dt=DT, initial=initial, **options)
    return np.stack([sim.state.q, *[sim.step(tau=row).q for row in tau]])


METHODS = [
    {"integrator": "forward-euler"},
    {"integrator": "euler", "dtype": "float32"},
    {"integrator": "rk4"},
    {"integrator": "implicit"},
    {"integrator": "implicit", "dynamics": "redmax"},
    {"integrator": "euler", "dynamics": "maximal"},
    {"integrator": "bdf1"},
    {"integrator": "bdf2"},
    {"integrator": "adaptive", "rtol": 1e-6},
    {"integrator": "euler", "backend": "interpret"},
]


@pytest.mark.parametrize("options", METHODS, ids=lambda o: " ".join(map(str, o.values())))
def test_it_is_the_run_with_each_row_held_for_a_step(options):
    tau = torques()
    run = rm.simulate(arm(), STEPS * DT, DT, controls=tau, **options)
    expected = step_by_step(tau, **options)
    assert np.abs(run.q[-1] - rm.simulate(arm(), STEPS * DT, DT, **options).q[-1]).max() > 1e-2  # they do something
    assert np.allclose(run.q, expected, rtol=0, atol=1e-5 if "dtype" in options else 1e-11)


@pytest.mark.parametrize("integrator", ["rk4", "adaptive", "bdf1"])
@pytest.mark.parametrize("shared", [False, True])
def test_batches(integrator, shared):
    """Of every world its own, over two axes, or one row for all; every third step is kept."""
    tau, q0 = torques() if shared else torques(2, 3), np.random.default_rng(1).normal(size=(2, 3, 4)) * 0.3
    initial = rm.State(0.0, q0, np.zeros((2, 3, 4)))
    run = rm.simulate(arm(), STEPS * DT, DT, every=3, controls=tau, initial=initial, integrator=integrator)
    assert np.allclose(run.q, step_by_step(tau, initial, integrator=integrator)[::3], rtol=0, atol=1e-11)


ALIKE = [
    {"integrator": "rk4"},
    {"integrator": "adaptive", "backend": "interpret", "dtype": "float32"},
    {"integrator": "bdf2", "backend": "interpret"},
    {"integrator": "euler", "backend": "interpret", "dynamics": "maximal"},
]


@pytest.mark.parametrize("options", ALIKE, ids=lambda o: " ".join(o.values()))
def test_their_axes_make_the_worlds_where_nothing_else_does(options):
    """All begin where the one would, wherever that is; parameters that all worlds share do not make a batch."""
    tau, start, shared = torques(2, 3), rm.State(0.2, 0.1 * np.arange(4), np.ones(4)), {"upper.mass": 2.0}
    alike = rm.State(0.2, np.tile(start.q, (2, 3, 1)), np.tile(start.qdot, (2, 3, 1)))
    for asked, spread in ((start, alike), (None, rm.State(0.0, np.zeros((2, 3, 4)), np.zeros((2, 3, 4))))):
        run = rm.simulate(arm(), 3 * DT, DT, controls=tau, initial=asked, parameters=shared, **options)
        expected = rm.simulate(arm(), 3 * DT, DT, controls=tau, initial=spread, parameters=shared, **options)
        for name in ("times", "q", "qdot", "controls", "qddot"):
            np.testing.assert_array_equal(getattr(run, name), getattr(expected, name))


def test_torques_of_other_worlds_than_those_of_the_batch_are_refused():
    masses = {"upper.mass": [1.0, 2.0, 3.0]}
    with pytest.raises(rm.RedmaxError, match=r"of shape \(steps, 3, 4\), or \(steps, 4\) for all worlds. Got \(12, 2, 4\)"):
        rm.simulate(arm(), STEPS * DT, DT, controls=torques(2), parameters=masses, backend="interpret")


def held(scene: rm.Scene) -> rm.Scene:
    """The same arm on a turntable that follows a motion, its end held by a twist."""
    table = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("z"), motion=lambda t: 0.3 * rm.math.sin(5 * t), name="table")
    last = scene.add_body(rm.Sphere(0.1), parent=table, joint=rm.Universal(), at=(1, 0, 0), com=(0.3, 0, 0), name="last")
    scene.prescribe_twist(last, [1], lambda t, R: [rm.math.sin(t)])
    return scene


@pytest.mark.parametrize(("scene", "dynamics"), [(arm(), "recursive"), (held(arm()), "redmax")], ids=["free", "held"])
def test_accelerations_are_those_of_the_motion(scene, dynamics, tmp_path):
    """A forward Euler step is qdot + dt qddot: exact, of every world, from files and pickles too; reactions and torques follow."""
    model = scene.model()
    tau = np.random.default_rng(0).normal(size=(STEPS, 3, model.nv))
    initial = rm.State(0.0, np.tile(model.q0, (3, 1)), np.tile(model.qdot0, (3, 1)))
    run = rm.simulate(model, STEPS * DT, DT, controls=tau, initial=initial, integrator="forward-euler", dynamics=dynamics)
    slopes = np.diff(run.qdot, axis=0) / DT
    np.testing.assert_allclose(run.qddot[:-1], slopes, atol=1e-11)
    fitting = rm.Dynamics(model).inverse(run.q, run.qdot, run.qddot, t=run.times) if dynamics == "recursive" else run.controls
    np.testing.assert_allclose(np.asarray(fitting)[:-1], tau, atol=1e-10)
    assert not run.torque[..., [not p for p in np.repeat(model.prescribed, [link.joint.dof for link in model.links])]].any()
    run.save(tmp_path / "run.h5")
    stored = rm.load(tmp_path / "run.h5")
    for again in (stored, pickle.loads(pickle.dumps(run))):
        for name in ("controls", "qddot", "torque", "reactions"):
            np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    np.testing.assert_array_equal(stored[3:].world(1).qddot, run[3:].world(1).qddot)
    np.testing.assert_allclose(run.world(1).qddot, run.qddot[:, 1], atol=1e-11)


def test_a_world_that_its_torques_blow_up_is_left_behind():
    tau = torques(5)
    tau[6:, 2] = 1e200
    with pytest.warns(RedmaxWarning, match="1 of 5 worlds"):
        run = rm.simulate(arm(), STEPS * DT, DT, controls=tau, integrator="euler")
    assert [f.world for f in run.failures] == [(2,)]
    good = np.delete(np.arange(5), 2)
    assert np.isfinite(run.q[:, good]).all()
    assert run.failures[0].t == pytest.approx(0.06, abs=0.025)


def test_more_rows_than_steps_and_files(tmp_path):
    tau = torques()
    short, long = (rm.simulate(arm(), 0.05, DT, controls=x, integrator="euler") for x in (tau[:5], tau))
    assert (np.asarray(short.q) == np.asarray(long.q)).all()
    run = rm.simulate(arm(), 0.05, DT, controls=tau, integrator="euler", out=tmp_path / "run.h5")
    assert (np.asarray(run.q) == np.asarray(short.q)).all()
    np.testing.assert_array_equal(run.controls, tau[:6])  # at the end, what would come next
    np.testing.assert_allclose(run.qddot, long.qddot, atol=1e-12)


@pytest.mark.parametrize(
    ("controls", "why"),
    [
        (np.zeros((STEPS, 3)), r"of shape \(steps, 4\). Got \(12, 3\)"),
        (np.zeros(4), r"of shape \(steps, 4\). Got \(4,\)"),
        (np.zeros((STEPS, 2, 3)), r"of shape \(steps, 2, 4\), or \(steps, 4\) for all worlds. Got \(12, 2, 3\)"),
        (np.zeros((STEPS - 1, 4)), "controls has 11 rows, and the run takes 12 steps"),
        (np.where(np.arange(STEPS * 4).reshape(STEPS, 4) == 21, np.nan, 0.0), "Got nan in step 5, joint 'lower'"),
        ("strong", "controls must be an array of numbers. Got 'strong'"),
        (np.full((STEPS, 4), 1e39), r"controls must be finite, as float32\. Got 1e\+39 in step 0, joint 'upper'"),
    ],
)
def test_what_is_refused(controls, why):
    with pytest.raises(rm.RedmaxError, match=why) as told, np.errstate(over="ignore"):
        rm.simulate(arm(), STEPS * DT, DT, controls=controls, integrator="euler", dtype="float32")
    assert told.value.argument == "controls"
    assert told.value.got
    assert told.value.expected


def test_a_controller_beside_them_is_refused():
    with pytest.raises(rm.RedmaxError, match="Give one of them"):
        rm.simulate(arm(), STEPS * DT, DT, controls=torques(), controller=lambda t, q, qdot: -q)


def test_steps_of_backward_differences_read_them_in_the_compiled_loop(monkeypatch):
    """One call for a whole run, also on a map, and where a step has no solution the shorter ones that it is made of have its torques."""
    calls = []
    run = BackwardDifferences.run
    monkeypatch.setattr(BackwardDifferences, "run", lambda self, *a: calls.append(a[3:]) or run(self, *a))
    scene, tau = arm(), torques()
    scene.set_map(np.array([[1.0, 0.2], [0.0, 1.0], [0.5, 0.0], [0.0, -0.3]]))
    found = rm.simulate(scene, STEPS * DT, DT, controls=tau, integrator="bdf2", every=4, progress=False)
    assert sum(count for count, _ in calls) == STEPS
    assert all(stride == 4 for _, stride in calls)
    sim = rm.Simulation(scene, dt=DT, integrator="bdf2")
    expected = np.stack([sim.state.q, *[sim.step(tau=row).q for row in tau]])[::4]
    assert np.allclose(found.q, expected, rtol=0, atol=1e-9)
