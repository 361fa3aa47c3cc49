"""Scenes, models, dynamics, simulations, runs and errors go to other processes and come back the same, or say why they cannot."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.io import SceneFileError, loads


def pendulum(controlled: bool = False) -> rm.Scene:
    scene = rm.Scene(title="a pendulum", gravity=(0, 0, -9.8))
    torque = (lambda t, q, qdot: [-0.1 * q[0] + np.sin(t)]) if controlled else None
    upper = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.5, 0, 0), q=0.3, name="upper", torque=torque)
    lower = scene.add_body(rm.Sphere(0.1), joint=rm.SphericalEuler(), parent=upper, at=(1, 0, 0), com=(0.5, 0, 0), name="lower")
    scene.add_force(rm.SpringDamper(upper, lower.point(0, 0, 0.1), stiffness=3.0, damping=0.1, name="spring"))
    scene.add_wrench(upper, force=(0, 0.1, 0))
    return scene


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def same(a: rm.Trajectory, b: rm.Trajectory) -> bool:
    return all(np.array_equal(x, y) for x, y in ((a.t, b.t), (a.q, b.q), (a.qdot, b.qdot)))


def follow(t: float, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    return -0.3 * q - 0.1 * qdot


@pytest.mark.parametrize("way", [again, copy.copy, copy.deepcopy])
def test_scenes_models_and_dynamics_give_the_same_motion_to_the_last_bit(way: Any):
    scene = pendulum(controlled=True)
    model = scene.model().with_prescribed(["lower"])
    run = rm.simulate(scene, 0.1)
    assert same(rm.simulate(way(scene), 0.1), run)
    assert same(rm.simulate(way(scene.model()), 0.1), run)
    assert way(model).prescribed == model.prescribed
    q, qdot = run.q[-1], run.qdot[-1]
    assert np.array_equal(way(rm.Dynamics(scene.model())).forward(q, qdot), rm.Dynamics(scene.model()).forward(q, qdot))
    assert way(scene).title == "a pendulum"


def test_a_copied_scene_is_another():
    scene = pendulum()
    other = copy.deepcopy(scene)
    other.add_body(rm.Sphere(0.1))
    assert len(scene.links) == 2


@pytest.mark.parametrize("integrator", ["adaptive", "implicit", "bdf2"])
@pytest.mark.parametrize("way", [again, copy.copy, copy.deepcopy])
def test_a_simulation_goes_on_as_it_would_have(integrator: str, way: Any):
    sim = rm.Simulation(pendulum(), dt=0.01, integrator=integrator, rtol=1e-6, controller=follow)
    sim.step(3)
    other = way(sim)
    assert other.rtol == 1e-6
    assert np.array_equal(other.step(4).q, sim.step(4).q)
    assert other.t == sim.t


def test_what_is_small_comes_back_equal():
    scene = pendulum()
    run = rm.simulate(scene, 0.02, integrator="euler")
    upper = scene.find("upper")
    assert again(upper) == upper
    assert again(upper.point(1, 2, 3)) == upper.point(1, 2, 3)
    assert np.array_equal(again(run.state()).q, run.state().q)
    assert same(again(run), run)
    for part in (rm.Cuboid((1, 2, 3)), scene.links[0].joint, scene.forces[0], rm.Cloth((1, 1), (2, 2), density=1.0, stretch=1.0)):
        assert repr(again(part)) == repr(part)
        assert repr(copy.deepcopy(part)) == repr(part)


def test_errors_keep_their_sentence_and_what_they_carry():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(1, 0, 0), torque=lambda t, q, qdot: [1e300 * np.exp(q[0] + 1e3 * t)])
    with pytest.raises(rm.SimulationError) as blown:
        rm.simulate(scene, 1.0, integrator="euler")
    error = again(blown.value)
    assert str(error) == str(blown.value)
    assert same(error.trajectory, blown.value.trajectory)
    with pytest.raises(SceneFileError) as broken:
        loads("redmax: 1\nbodie: []\n")
    assert again(broken.value).problems == broken.value.problems
    interrupted = again(rm.Interrupted(blown.value.trajectory))
    assert "interrupted at" in str(interrupted)
    assert str(again(rm.TraceError("why"))) == "why"


def test_what_cannot_be_pickled_says_why_and_errors_travel_all_the_same():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(1, 0, 0), name="bob")
    scene.prescribe_twist("bob", 1, lambda t, R: [float(t)], lambda t, R: [1.0])  # cannot be traced
    for value in (scene, scene.model(), rm.Dynamics(scene.model())):
        with pytest.raises(rm.RedmaxError, match=r"cannot be pickled, since it cannot be saved: .*cannot be traced"):
            pickle.dumps(value)
    failed = rm.SimulationError("It blew up.", rm.simulate(scene, 0.01, integrator="euler"))
    assert str(again(failed)) == "It blew up."
    assert again(failed).trajectory is None
    sim = rm.Simulation(pendulum(), integrator="euler", controller=lambda t, q, qdot: -q)
    with pytest.raises(rm.RedmaxError, match="cannot be pickled, since its controller cannot"):
        pickle.dumps(sim)
    assert np.array_equal(copy.copy(sim).step().q, sim.step().q)


def moved(scene: rm.Scene) -> np.ndarray:
    return rm.simulate(scene, 0.05, integrator="euler").q


def test_a_process_that_is_started_afresh_simulates_the_same():
    scenes = [pendulum(), pendulum(controlled=True)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for here, there in zip(map(moved, scenes), pool.map(moved, scenes), strict=True):
            assert np.array_equal(here, there)
