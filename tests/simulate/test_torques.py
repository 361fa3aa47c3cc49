"""What drove a run: each source by its name, checked against inverse dynamics, energy and what was given, whatever way the run was made."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from mechanisms import assemble
from random_examples import examples
from redmax.run.combinations import allowed
from redmax.run.options import RunOptions

NAMES = ["shoulder.stiffness", "shoulder.damping", "shoulder servo", "wrist.damping", "elbow.torque", "stop", "drive", "crank.motion"]


def arm(driven: bool = True) -> rm.Scene:
    """A ball joint, a hinge, a slide and a prescribed crank; driven: with all that can drive them, or the joints and bodies alone."""
    scene, bar = rm.Scene(), rm.Cuboid((0.3, 0.05, 0.05), mass=1.0)

    def given(**options: Any) -> dict[str, Any]:
        return options if driven else {}

    upper = scene.add_body(
        bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), joint_name="shoulder", name="upper", q=0.2, **given(stiffness=2.0, damping=0.1)
    )
    wrist = scene.add_body(
        bar, joint=rm.Spherical(), parent=upper, at=(0.3, 0, 0), com=(0.15, 0, 0), joint_name="wrist", name="hand", **given(damping=0.05)
    )
    lower = scene.add_body(
        bar, joint=rm.Revolute("y"), parent=wrist, at=(0.3, 0, 0), com=(0.15, 0, 0), joint_name="elbow", name="lower", qdot=1.0,
        **given(torque=lambda t, q, qdot: 0.3 * np.cos(4.0 * t) - 0.02 * qdot),
    )  # fmt: skip
    slide = scene.add_body(rm.Sphere(0.05, mass=0.3), joint=rm.Prismatic("x"), joint_name="slide", name="bob", q=0.1)
    crank = scene.add_body(
        bar, joint=rm.Revolute("z"), com=(0.1, 0, 0), joint_name="crank", name="crank", **given(motion=lambda t: 0.5 * np.sin(3.0 * t))
    )
    if driven:
        scene.add_force(rm.Servo(upper, lambda t: 0.2 + 0.1 * np.sin(t), kp=30, kd=2, limit=3, name="shoulder servo"))
        scene.add_force(rm.JointLimit(lower, -0.1, 0.1, stiffness=20, damping=0.2, name="stop"))
        scene.add_force(rm.Actuator(slide, lambda t, q, qdot, k: k * np.sin(t) - qdot, k=2.0, name="drive"))
    assert crank.name == "crank"
    return scene


def needed(run: rm.Trajectory) -> np.ndarray:
    """Inverse dynamics of the joints and bodies alone, in doubles."""
    bare = rm.Dynamics(arm(driven=False).model())
    return bare.inverse(run.configurations.astype(float), np.asarray(run.qdot, float), np.asarray(run.qddot, float), t=run.times)


def close(a: Any, b: Any, tolerance: float) -> None:
    known = np.isfinite(np.asarray(b))
    assert np.array_equal(known, np.isfinite(np.asarray(a)))
    assert np.abs(np.where(known, np.asarray(a, float) - b, 0.0)).max() <= tolerance * np.abs(np.where(known, b, 0.0)).max()


METHODS = ("adaptive", "rk4", "euler", "implicit", "bdf1", "bdf2")
USUAL = [("recursive", "adaptive"), ("redmax", "implicit")]  # the others in long tests
WAYS = [
    pytest.param(dynamics, integrator, dtype, marks=() if (dynamics, integrator) in USUAL and dtype == "float64" else pytest.mark.long)
    for dynamics, integrator, dtype in itertools.product(("recursive", "redmax", "maximal"), METHODS, ("float64", "float32"))
    if allowed(arm().model(), RunOptions(dynamics=dynamics, integrator=integrator, dtype=dtype))
]


@pytest.mark.parametrize(("dynamics", "integrator", "dtype"), WAYS)
def test_all_that_drives_is_what_inverse_dynamics_asks_for(dynamics, integrator, dtype):
    """For every way to run, as a batch, with torques of a controller, and where nothing but the scene drives."""
    model, exact = arm().model(), 1e-9 if dtype == "float64" else 2e-4
    start = rm.State(0.0, model.q0 + np.array([[0.0], [0.01]]), model.qdot0 + np.array([[0.0], [0.1]]))
    for drive in ({}, {"controller": lambda t, q, qdot: 0.2 * np.cos(3.0 * t) - 0.1 * qdot}):
        run = rm.simulate(model, 0.04, 0.004, dynamics=dynamics, integrator=integrator, dtype=dtype, initial=start, **drive)
        close(run.torques.total, needed(run), exact)
        assert set(run.torques) == {*NAMES, *(["controls"] if drive else [])}
        for joint, columns in (("shoulder", [0]), ("wrist", [1, 2, 3]), ("elbow", [4]), ("slide", [5]), ("crank", [6])):
            parts = list(run.torques.driving(joint).values())
            parts += [run.torques["controls"][..., columns]] if drive else []
            close(sum(parts), run.torques.of(joint), 1e-12 if dtype == "float64" else 1e-5)
        one = run.world(1)
        np.testing.assert_array_equal(one.torques["stop"], run.torques["stop"][:, 1])
        np.testing.assert_array_equal(one.force("stop").potential, run.force("stop").potential[:, 1])


def test_work_of_what_drives_is_the_energy_of_the_bodies():
    """Against the energy of the joints and bodies alone, sample by sample."""
    run = rm.simulate(arm(), 1.0, 0.001, rtol=1e-11)  # the damper of the stop begins at once
    bare = rm.Dynamics(arm(driven=False).model()).observe(run.configurations, run.qdot, run.times)
    given = (run.torques.total * run.qdot).sum(axis=1)
    work = np.cumsum(np.concatenate([[0.0], (given[1:] + given[:-1]) / 2 * 0.001]))
    assert np.abs(bare.total - bare.total[0] - work).max() < 2e-4 * np.abs(bare.total - bare.total[0]).max()
    stop = run.force("stop")
    np.testing.assert_allclose(stop.power, run.torques["stop"][:, 0] * run.qdot[:, 4], rtol=1e-12, atol=1e-14)
    q = run.q[:, 4]
    np.testing.assert_allclose(stop.potential, 10 * np.maximum(np.abs(q) - 0.1, 0.0) ** 2, rtol=1e-9, atol=1e-14)
    assert stop.points.shape == (1001, 0, 3)
    assert stop.work[-1] < 0 < stop.potential.max()


@examples(2, 60)
@given(st.integers(0, 10**6))
def test_random_mechanisms(seed):
    rng = np.random.default_rng(seed)
    plan = [(str(rng.choice(["Revolute", "Prismatic", "Universal", "Spherical", "Translational"])), "shift", i - 1) for i in range(3)]
    mechanism = assemble(seed, plan)
    model = mechanism.model
    state = mechanism.state(seed)
    run = rm.simulate(model, 0.002, 0.001, integrator="rk4", initial=rm.State(0.0, state.q, state.qdot), backend="interpret")
    for i, link in enumerate(mechanism.links):
        q, v = run.q[:, mechanism.of(i)], run.qdot[:, mechanism.of(i)]
        own = 0.0 if link.torque is None else np.array([link.torque(t, *x) for t, *x in zip(run.t, q, v, strict=True)])
        expected = -link.stiffness * (q - link.rest) - link.damping * v + own
        np.testing.assert_allclose(run.torques.of(f"joint{i}"), expected, rtol=1e-12, atol=1e-12)
    asked = rm.Dynamics(model).inverse(run.q, run.qdot, run.qddot, t=run.t)
    np.testing.assert_allclose(asked, 0.0, atol=1e-9 * max(1.0, np.abs(run.qddot).max()))


@pytest.mark.parametrize(("integrator", "every", "stored"), [("adaptive", 1, True), ("adaptive", 5, True), ("adaptive", 1, False)])
def test_what_a_controller_answered_is_kept_and_makes_the_same_run(integrator, every, stored, tmp_path, monkeypatch):
    """Every answer, as it was held from each sample on; also where samples are written one by one."""
    monkeypatch.setattr("redmax.results.sink.PAUSE", 0.0)
    answers: list[np.ndarray] = []

    def controller(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        answers.append(np.cos(7.0 * t) - 0.1 * qdot)
        return answers[-1]

    options: dict[str, Any] = {"integrator": integrator, "every": every} | ({"out": tmp_path / "run.h5"} if stored else {})
    run = rm.simulate(arm(), 0.2, 0.01, controller=controller, **options)
    held = np.asarray(run.controls)
    np.testing.assert_array_equal(held[:-1], np.array(answers)[::every])
    np.testing.assert_array_equal(held[-1], held[-2])
    again = rm.simulate(arm(), 0.2, 0.01, controls=np.array(answers), integrator=integrator, every=every)
    np.testing.assert_array_equal(again.q, run.q)
    np.testing.assert_array_equal(again.torques.total[:-1], run.torques.total[:-1])
    close(needed(run), run.torques.total, 1e-9)


def test_files_tables_and_parts_have_the_same(tmp_path):
    run = rm.simulate(arm(), 0.1, 0.01, out=tmp_path / "run.h5", controller=lambda t, q, qdot: np.full(7, 0.1))
    loaded, memory = rm.load(tmp_path / "run.h5"), rm.simulate(arm(), 0.1, 0.01, controller=lambda t, q, qdot: np.full(7, 0.1))
    assert loaded.found("tau", "torques", "controls") is not None
    for name in memory.torques:
        np.testing.assert_array_equal(loaded.torques[name], memory.torques[name])
        np.testing.assert_array_equal(loaded[3:7].torques[name], memory.torques[name][3:7])
    assert not memory.torques["controls"][:, 6].any()  # of a prescribed joint, which follows its motion whatever is given
    table = run.to_pandas(["torques"])
    np.testing.assert_array_equal(table["shoulder servo.tau0"], memory.torques["shoulder servo"][:, 0])
    np.testing.assert_array_equal(table["wrist.tau2"], memory.torques.total[:, 3])
    units = table.attrs["units"]
    assert (units["elbow.torque.tau0"], units["drive.tau0"], units["slide.controls0"]) == ("N m", "N", "N")
    assert "crank.motion.tau0 (N m)" in run.to_csv(tmp_path / "run.csv", ["torques"]).read_text().partition("\n")[0]
    arrays = run.to_numpy()
    assert arrays["torques"].shape[1] == len(arrays["torque_names"]) == 10
    lean = rm.simulate(arm(), 0.1, 0.01, out=tmp_path / "lean.h5", store=["energy"])
    assert lean.found("tau") is None
    np.testing.assert_array_equal(lean.torques["stop"], rm.simulate(arm(), 0.1, 0.01).torques["stop"])


def test_what_nothing_drives():
    scene = arm(driven=False)
    run = rm.simulate(scene, 0.02, 0.01, integrator="euler")
    assert repr(run.torques) == "Torques(nothing drives a joint)"
    assert not run.torques.total.any()
    with pytest.raises(rm.RedmaxError, match="nothing drives a joint of the scene"):
        run.plot(what="torques")
    with pytest.raises(rm.SceneError, match="Did you mean 'stop'"):
        rm.simulate(arm(), 0.02, 0.01).torques["stopp"]


def test_worlds_that_break_off_and_runs_that_do():
    """What was held until then is kept; from there on torques are no numbers."""
    model = arm().model()
    start = rm.State(0.0, np.tile(model.q0, (2, 1)), np.tile(model.qdot0, (2, 1)))

    def second_too_strong(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        return np.array([[0.1], [0.1 if t < 0.045 else 1e200]]) * np.ones(7)

    with pytest.warns(rm.RedmaxWarning, match="broke off"), np.errstate(all="ignore"):
        run = rm.simulate(model, 0.1, 0.01, initial=start, controller=second_too_strong)
    assert np.isnan(run.torques.total[-1, 1]).all()
    assert np.isfinite(run.torques.total[:, 0]).all()
    one = run.world(1)
    assert np.isfinite(one.torques.total).all()
    assert one.controls[-1, 0] == 1e200
    with pytest.raises(rm.SimulationError) as broken, np.errstate(all="ignore"):
        rm.simulate(model, 0.1, 0.01, controller=lambda t, q, qdot: np.full(7, 0.1 if t < 0.045 else 1e200))
    part = broken.value.trajectory
    assert part.controls[-1, 0] == 1e200
    np.testing.assert_array_equal(part.controls[:-1], 0.1)


def test_a_simulation_says_what_it_held_and_goes_back_to_it():
    sim = rm.Simulation(arm(), controller=lambda t, q, qdot: np.full(7, 1.0 + t))
    assert not sim.tau.any()
    sim.step(3)
    np.testing.assert_allclose(sim.tau, 1.02)
    saved = sim.checkpoint()
    sim.step(tau=np.zeros(7))
    assert not sim.tau.any()
    sim.restore(saved)
    np.testing.assert_allclose(sim.tau, 1.02)


def test_parameters_reach_every_source():
    worlds = {"shoulder servo.kp": [1.0, 5.0], "upper.damping": [0.0, 0.3], "slide.stiffness": [0.0, 7.0]}
    run = rm.simulate(arm(), 0.05, 0.01, parameters=worlds, integrator="euler")
    aim = 0.2 + 0.1 * np.sin(run.t)[:, None]
    wanted = np.array([1.0, 5.0]) * (aim - run.q[..., 0]) + 2 * (0.1 * np.cos(run.t)[:, None] - run.qdot[..., 0])
    np.testing.assert_allclose(run.torques["shoulder servo"][..., 0], np.clip(wanted, -3, 3), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.torques["shoulder.damping"][..., 0], [0.0, -0.3] * run.qdot[..., 0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(run.torques["slide.stiffness"][..., 0], [0.0, -7.0] * (run.q[..., 5] - 0.1), rtol=1e-9, atol=1e-12)
    close(needed(run), run.torques.total, 1e-9)


def test_joints_that_exert_something_by_themselves():
    """A spline with limits does, one without does not; and a map of coordinates changes nothing of what drives."""
    frames = [rm.pose(np.eye(3), (0.1 * k, 0, 0.02 * k * k)) for k in range(6)]
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.SplineCurve(frames), q=2.0, name="free", damping=0.1)
    scene.add_body(rm.Sphere(0.1), joint=rm.SplineCurve(frames, outside="limit", limit_stiffness=50.0), q=3.2, name="held")  # up to 3
    run = rm.simulate(scene, 0.02, 0.01, integrator="euler", backend="interpret")
    assert list(run.torques) == ["free.damping", "held.exerted"]
    np.testing.assert_allclose(run.torques["held.exerted"], 50.0 * (3.0 - run.q[:, 1:]), rtol=1e-12)
    scene.set_map(np.array([[2.0], [3.2]]), q=[1.0])
    mapped = rm.simulate(scene, 0.02, 0.01, integrator="euler", backend="interpret")
    np.testing.assert_allclose(mapped.torques["free.damping"], -0.1 * mapped.qdot[:, :1], rtol=1e-12)


def test_a_tendon_over_several_joints_drives_each_of_them():
    """tau = -c T, and the sum is what inverse dynamics asks for."""
    scene, bare = arm(), rm.Dynamics(arm(driven=False))
    scene.add_force(rm.FixedTendon({"shoulder": 0.5, "elbow": -0.3, "slide": 1.0}, stiffness=40, damping=2, name="cord"))
    run = rm.simulate(scene, 0.1, 0.01, integrator="euler")
    cord = run.force("cord")
    np.testing.assert_allclose(run.torques["cord"], -np.outer(cord.tension, [0.5, -0.3, 1.0]), rtol=1e-12)
    np.testing.assert_array_equal(cord.torque, run.torques["cord"])
    np.testing.assert_allclose(cord.power, (cord.torque * run.qdot[:, [0, 4, 5]]).sum(axis=1), rtol=1e-9, atol=1e-12)
    close(run.torques.total, bare.inverse(run.configurations, run.qdot, run.qddot, t=run.times), 1e-9)
    assert list(run.torques.driving("elbow")) == ["elbow.torque", "stop", "cord"]
    np.testing.assert_array_equal(run.torques.driving("slide")["cord"], run.torques["cord"][:, 2:])
