"""Runs whose worlds differ: each is the run of a scene that is built with its numbers, whatever integrates it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.differences import rate
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.choose import system
from redmax.integrators import METHODS
from redmax.program.tangent import tangent

WORLDS = 3
OPTIONS = [("recursive", name, "auto") for name in ("forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2")]
OPTIONS += [("redmax", "euler", "auto"), ("redmax", "rk4", "direct"), ("redmax", "implicit", "auto")]
OPTIONS += [("maximal", "rk4", "auto")]
LONG = [pytest.param("maximal", name, "auto", marks=pytest.mark.long) for name in ("adaptive", "implicit")]
DERIVED = ("qddot", "torque", "kinetic", "potential", "momentum", "position", "rotation", "twist", "reaction")
Hold = Callable[[rm.Scene], None]


def freely(scene: rm.Scene) -> None:
    """Nothing holds it."""


def arm(mass=1.0, fore=2.0, stiffness=30.0, at=(0.5, 0, 0), hinge=4.0, stop=50.0, com=(0.1, 0, 0), centre=0.2, hold: Hold = freely):
    scene = rm.Scene()
    upper = scene.add_body(
        rm.Cuboid((1, 0.1, 0.2), mass=mass), joint=rm.Revolute("y"), com=(0.5, 0, 0), name="upper", stiffness=hinge, rest=0.2, damping=0.1
    )
    lower = scene.add_body(
        rm.MassProperties(fore, (0.1, 0.2, 0.25)),
        joint=rm.Universal(),
        parent=upper,
        at=at,
        com=(0.1, centre, 0),
        name="fore",
        stiffness=1.0,
    )
    scene.add_force(
        rm.SpringDamper(upper.point(0.1, 0, 0.2), lower.point(0.3, 0.2, 1), stiffness=stiffness, damping=1, rest=0.4, name="tie")
    )
    scene.add_force(rm.JointLimit(upper, -0.1, 0.1, stiffness=stop, name="stop"))
    scene.add_body(rm.Sphere(0.1, mass=0.3), joint=rm.Fixed(), parent=lower, at=(0.2, 0, 0), com=com, name="tip")
    hold(scene)
    return scene


def mapped(scene: rm.Scene) -> None:
    scene.set_map(lambda q: [q[0], 0.5 * q[0], q[1] + 0.3 * np.sin(q[0])], coordinates=2, q=[0.1, 0.2])


def twisted(scene: rm.Scene) -> None:
    scene.prescribe_twist("fore", 1, lambda t, R: [np.sin(3 * t)])


RNG = np.random.default_rng(0)
VALUES = {
    "upper.mass": RNG.uniform(1, 2, WORLDS), "fore.mass": RNG.uniform(1, 2, WORLDS), "tie.stiffness": RNG.uniform(10, 50, WORLDS),
    "fore.at": RNG.uniform(0.2, 0.6, (WORLDS, 3)), "upper.stiffness": RNG.uniform(1, 5, WORLDS),
    "stop.stiffness": RNG.uniform(20, 60, WORLDS), "tip.com": RNG.uniform(0.05, 0.2, (WORLDS, 3)),
    "fore.com.y": RNG.uniform(0.1, 0.3, WORLDS),
}  # fmt: skip


def built(w: int, hold: Hold = freely) -> rm.Scene:
    *most, centre = [values[w] for values in VALUES.values()]
    return arm(*most, 0.2 if hold is twisted else centre, hold=hold)  # the frame of a prescribed twist stays


def check(tolerance: float = 1e-12, hold: Hold = freely, **options) -> rm.Trajectory:
    """All that a run says of each world is what the run of the world's own scene says."""
    given = {name: x for name, x in VALUES.items() if hold is not twisted or name != "fore.com.y"}
    run = rm.simulate(arm(hold=hold), 0.08, 0.01, parameters=given, **options)
    assert run.q.shape == (9, WORLDS, 3)
    for w in range(WORLDS):
        alone = rm.simulate(built(w, hold), 0.08, 0.01, **options)
        check_same(run, w, alone, tolerance)
        own = rm.Dynamics(built(w, hold).model(), run.engine.backend, run.engine.dtype)
        q, qdot = run.q[4], run.qdot[4]
        assert agree(run.engine.forward(q, qdot)[w], own.forward(q[w], qdot[w]), 10 * tolerance)
    return run


def check_same(run: rm.Trajectory, w: int, alone: rm.Trajectory, tolerance: float) -> None:
    for part in (run.world(w), run):
        at = ... if part is not run else (slice(None), w)
        for name in ("q", "qdot", *DERIVED):
            found = part.torque if name == "torque" else part.quantity(name)
            expected = alone.torque if name == "torque" else alone.quantity(name)
            assert agree(found[at], expected, tolerance, 1e-3), (name, disagreement(found[at], expected, 1e-3))
        for name in ("points", "tension", "power", "work", "potential"):
            assert agree(getattr(part.force("tie"), name)[at], getattr(alone.force("tie"), name), 10 * tolerance), name
        if run.model.map is not None:
            assert agree(part.q_R[at], alone.q_R, tolerance)
        assert agree(part.prescribed_wrench("fore")[at], alone.prescribed_wrench("fore"), tolerance, 1e-3)


@pytest.mark.parametrize(("dynamics", "integrator", "solver"), [*OPTIONS, *LONG])
def test_each_world_runs_as_the_scene_built_with_its_numbers(dynamics, integrator, solver):
    check(dynamics=dynamics, integrator=integrator, solver=solver)


HELD = [(mapped, "implicit"), (twisted, "euler")]
HELD_LONG = [(mapped, "euler"), (mapped, "adaptive"), (mapped, "bdf1"), (twisted, "adaptive"), (twisted, "implicit")]


@pytest.mark.parametrize(("hold", "integrator"), [*HELD, *[pytest.param(*case, marks=pytest.mark.long) for case in HELD_LONG]])
def test_runs_that_are_held(hold, integrator):
    check(hold=hold, dynamics="redmax", integrator=integrator)


def test_interpreted_and_in_single_precision():
    check(backend="interpret", integrator="euler")
    check(2e-5, dtype="float32", integrator="rk4")


@pytest.mark.long
def test_interpreted_and_in_single_precision_in_other_dynamics():
    check(backend="interpret", integrator="implicit", dynamics="maximal")
    check(2e-5, dtype="float32", integrator="euler", dynamics="redmax", hold=twisted)


def test_parameters_and_initial_states_make_one_batch():
    """Axes broadcast: masses along one, heights along the other."""
    start = rm.State(0.0, np.array([[[0.1, 0, 0]], [[0.3, 0, 0]]]), np.zeros(3))
    run = rm.simulate(arm(), 0.05, 0.01, initial=start, parameters={"upper.mass": [1.0, 2.0, 3.0]})
    assert run.q.shape == (6, 2, 3, 3)
    alone = rm.simulate(arm(mass=2.0), 0.05, 0.01, initial=rm.State(0.0, np.array([0.3, 0, 0]), np.zeros(3)))
    assert agree(run.q[:, 1, 1], alone.q, 1e-12)
    assert agree(run.world((1, 1)).energy.total, alone.energy.total, 1e-12)
    with pytest.raises(rm.SceneError, match="leading axes"):
        rm.simulate(arm(), 0.05, 0.01, initial=rm.State(0.0, np.zeros((2, 3)), np.zeros(3)), parameters={"upper.mass": [1.0, 2.0, 3.0]})


def test_copies_and_pickles_keep_them():
    sim = rm.Simulation(arm(), dt=0.01, integrator="rk4", parameters=VALUES)
    sim.step(3)
    others = copy.copy(sim), pickle.loads(pickle.dumps(sim))
    after = sim.step(4)
    assert all(np.array_equal(other.step(4).q, after.q) for other in others)
    run = rm.simulate(arm(), 0.05, 0.01, parameters=VALUES)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.energy.total, run.energy.total)
    assert np.array_equal(again.world(1).qddot, run.world(1).qddot)


def test_result_files_keep_them(tmp_path):
    """Written while the run goes on, or later; what a file holds and what is computed from it is that of each world."""
    run = rm.simulate(arm(), 0.05, 0.01, parameters=VALUES, out=tmp_path / "out.h5")
    rm.simulate(arm(), 0.05, 0.01, parameters=VALUES).save(tmp_path / "saved.h5", store=())
    alone = rm.simulate(built(1), 0.05, 0.01)
    for found in (run, rm.load(tmp_path / "out.h5"), rm.load(tmp_path / "saved.h5"), rm.load(tmp_path / "saved.h5", scene=arm())):
        check_same(found, 1, alone, 1e-12)
        part = found[2:4].world(1)
        assert agree(part.qddot, alone.qddot[2:4], 1e-12)
        assert set(found.engine.given) == set(VALUES)


def test_parameters_of_files_are_checked(tmp_path):
    import h5py

    for name, change in (("value", 0.5), ("nothing", -1.0)):
        rm.simulate(arm(), 0.02, 0.01, parameters={"upper.mass": [1.0, 2.0]}, out=tmp_path / f"{name}.h5")
        with h5py.File(tmp_path / f"{name}.h5", "r+") as file:
            file["parameters/0"][0] = change
        with pytest.raises(rm.RedmaxError, match="parameters are not as they were written"):
            rm.load(tmp_path / f"{name}.h5")


def carrying(mass: float = 1.0, stiffness: float = 5.0, tie: float = 20.0) -> rm.Scene:
    scene = rm.Scene()
    bar = rm.Cuboid((0.4, 0.05, 0.05), mass=mass)
    arm = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="arm", stiffness=stiffness)
    scene.add_force(rm.SpringDamper((0, 0, 1), arm, stiffness=tie, rest=0.3, name="cord"))
    scene.add_deformable(rm.SpringChain((0.4, 0, 0), (0.8, 0, 0), 3, mass=0.3, stiffness=50, name="rope").attach(arm, [0]))
    return scene


@pytest.mark.parametrize("integrator", ["implicit", *[pytest.param(i, marks=pytest.mark.long) for i in ("euler", "rk4", "bdf1")]])
def test_beside_deformables(integrator):
    given = {"arm.mass": [1.0, 2.0], "arm.stiffness": [4.0, 7.0], "cord.stiffness": [10.0, 30.0]}
    run = rm.simulate(carrying(), 0.03, 0.01, integrator=integrator, parameters=given)
    for w, values in enumerate(zip(*given.values(), strict=True)):
        alone = rm.simulate(carrying(*values), 0.03, 0.01, integrator=integrator)
        for name in ("q", "qdot", "kinetic", "potential", "reaction"):
            assert agree(run.quantity(name)[:, w], alone.quantity(name), 1e-11), name


def test_where_they_cannot_go():
    with pytest.raises(rm.SceneError, match="carries nodes of a deformable"):
        rm.simulate(carrying(), 0.05, 0.01, parameters={"arm.com.x": [0.1, 0.2]})
    with pytest.raises(rm.SceneError, match="moves the frame of a body whose twist is prescribed"):
        rm.simulate(arm(hold=twisted), 0.05, 0.01, parameters={"fore.com.x": [0.1, 0.2]})


@pytest.mark.parametrize("integrator", ["euler", "rk4", "implicit"])
def test_how_a_run_depends_on_its_numbers(integrator):
    """The tangent of the whole time loop, by a mass and a stiffness, against runs of scenes that are built with others."""
    model = arm().model().with_parameters(["upper.mass", "tie.stiffness"])
    dynamics, steps, h = system("recursive", model), 20, 0.01
    plan = tangent(rolled_plan(dynamics.model, METHODS[integrator].program(dynamics), "llvm"))
    inputs = {name: np.zeros(len(slots)) for name, slots in zip(plan.names[0], plan.inputs, strict=True)}
    inputs |= {"q": model.configurations.join(model.q0), "h": np.full(1, h), "parameters": np.array([1.0, 30.0])}
    inputs["tangent of parameters"] = np.array([1.0, 20.0])
    outputs = {name: np.empty((1, 1, len(slots))) for name, slots in zip(plan.names[1], plan.outputs, strict=True)}
    make_runner(plan, "llvm", "float64").run(inputs, outputs, 1, steps, steps)

    def moved(e: float) -> np.ndarray:
        run = rm.simulate(arm(mass=1.0 + e, stiffness=30.0 + 20.0 * e), steps * h, h, integrator=integrator, dynamics="recursive")
        return np.concatenate([run.q[-1], run.qdot[-1]])

    found = np.concatenate([outputs["tangent of q"][0, 0, :3], outputs["tangent of qdot"][0, 0]])
    assert agree(found, rate(moved, 1e-3), 1e-8)
