"""Backward differences on a map and with points that follow a joint: batches, torques, parameters, types and failures go with both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from redmax.errors import RedmaxWarning
from redmax.integrators.backward_differences import BackwardDifferences

DT, STEPS, WORLDS = 0.01, 6, 5
MASSES = np.linspace(1.0, 2.0, WORLDS)
TAU = 0.5 * np.random.default_rng(3).normal(size=(STEPS, WORLDS, 2))


def arm(mass: float = 1.0) -> tuple[rm.Scene, rm.BodyHandle, rm.BodyHandle]:
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.4, 0.1, 0.1), mass=1.5), joint=rm.Revolute("y"), com=(0.2, 0, 0), name="upper")
    lower = scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.1), mass=mass), parent=upper, joint=rm.Revolute("z"), at=(0.4, 0, 0), com=(0.15, 0, 0), name="lower"
    )
    return scene, upper, lower


def mapped(mass: float = 1.0) -> rm.Scene:
    scene = arm(mass)[0]
    scene.set_map(lambda u: [u[0], 0.5 * np.sin(2.0 * u[0])], coordinates=1, q=0.2, qdot=1.0)
    return scene


def following(mass: float = 1.0) -> rm.Scene:
    scene, upper, lower = arm(mass)
    path = [(0, 0.3, 0.5), rm.MovingPoint(upper, lambda q: (0.3 + 0.05 * q, 0.1, 0.02 * q * q), joint=lower), lower.point(0.1, 0.1, 0)]
    scene.add_force(rm.Cable(path, stiffness=40.0, damping=1.0, rest=0.2))
    return scene


both = pytest.mark.parametrize("scene", [mapped, following])


def batch(scene: Callable[..., rm.Scene], tau: np.ndarray = TAU, **options: Any) -> rm.Trajectory:
    given = {"controls": tau, "parameters": {"lower.mass": MASSES}, "integrator": "bdf2"} | options
    return rm.simulate(scene(), STEPS * DT, DT, every=2, progress=False, **given)


@both
def test_worlds_with_torques_and_parameters_of_their_own_are_runs_by_themselves(scene):
    run = batch(scene)
    for w in (0, WORLDS - 1):
        alone = rm.simulate(scene(MASSES[w]), STEPS * DT, DT, every=2, controls=TAU[:, w], integrator="bdf2", progress=False)
        assert agree(run.q[:, w], alone.q, 1e-9)
        assert agree(run.qdot[:, w], alone.qdot, 1e-9)
    assert agree(batch(scene, dtype="float32").q, run.q, 1e-5)


@both
def test_a_world_that_has_no_solution_leaves_the_others_as_they_are(scene):
    wild = TAU.copy()
    wild[2:, 1] = 1e200
    with pytest.warns(RedmaxWarning, match="1 of 5 worlds"):
        run = batch(scene, wild, integrator="bdf1")
    assert [f.world for f in run.failures] == [(1,)]
    others = [0, 2, 3, 4]
    np.testing.assert_array_equal(run.q[:, others], batch(scene, integrator="bdf1").q[:, others])


@both
@pytest.mark.parametrize("second", [False, True])
def test_interpreted_steps_are_compiled_ones(scene, second):
    model = scene().model()
    size = 1 if model.map is not None else 2
    q, v = np.full((2, size), 0.2), np.array([[1.0], [-0.5]]) * np.ones(size)
    clock, ends = [np.full(1, x) for x in (0.0, 0.0, DT, 0.0)], []
    for backend in ("llvm", "interpret"):
        ends.append([np.empty((3, 2, size)) for _ in range(2)])
        BackwardDifferences(model, backend, second).run([q, v, np.ones(2), *clock], ends[-1], 2, 3)
    for compiled, interpreted in zip(*ends, strict=True):
        assert agree(compiled, interpreted, 1e-11)
