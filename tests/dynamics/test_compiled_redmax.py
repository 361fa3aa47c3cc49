"""Steps of redmax dynamics are compiled whole: the same motion interpreted, in lanes and with single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import disagreement
from dynamics.redmax_scenes import SCENES, arm
from redmax.backends.base import make_plan, make_runner
from redmax.dynamics.choose import system
from redmax.dynamics.redmax.matrix_free import AlongTree
from redmax.program.program import Program


def worlds(scene: rm.Scene, count: int) -> rm.State:
    """States of several worlds, all of which the scene's map or joints allow."""
    model, spread = scene.model(), np.linspace(-0.2, 0.2, count)[:, None]
    if model.map is not None:
        q_R, qdot_R = model.map.q + spread * [1.0, 0.5], model.map.qdot + spread
        return rm.State(0.0, model.map.coordinates(q_R), model.map.rates(q_R, qdot_R))
    start = rm.Simulation(model, dynamics="redmax").state
    return rm.State(0.0, start.q + spread, start.qdot + spread)


def dense_end(scene: rm.Scene, integrator: str, **options: Any) -> np.ndarray:
    """By the dense solver, whatever else there is."""
    return end(scene, integrator, solver="direct", **options)


def end(scene: rm.Scene, integrator: str, **options: Any) -> np.ndarray:
    run = rm.simulate(scene, 0.05, 0.01, integrator=integrator, dynamics="redmax", **options)
    return np.concatenate([run.q[-1], run.qdot[-1]], axis=-1)


FIRST = [("definite", "euler"), ("exact", "implicit"), ("twisted and prescribed", "implicit"), ("led and twisted", "euler")]
OTHERS = [(kind, integrator) for kind in SCENES for integrator in ("euler", "implicit") if (kind, integrator) not in FIRST]


@pytest.mark.parametrize(("kind", "integrator"), [*FIRST, *[pytest.param(*case, marks=pytest.mark.long) for case in OTHERS]])
def test_worlds_in_lanes_move_as_they_do_alone(kind, integrator):
    scene = SCENES[kind]()
    states = worlds(scene, 5)
    together = dense_end(scene, integrator, initial=states)
    alone = rm.State(0.0, states.q[4], states.qdot[4])
    assert disagreement(together[4], dense_end(scene, integrator, initial=alone)) < 1e-11


@pytest.mark.parametrize("kind", ["prescribed", "exact", "twisted", "led"])
def test_single_precision(kind):
    scene = SCENES[kind]()
    assert disagreement(dense_end(scene, "implicit", dtype="float32"), dense_end(scene, "implicit")) < 1e-4


@pytest.mark.parametrize("kind", SCENES)
def test_interpreted_and_compiled_move_alike(kind):
    scene = SCENES[kind]()
    for integrator in ("euler", "implicit"):
        assert disagreement(dense_end(scene, integrator, backend="interpret"), dense_end(scene, integrator)) < 1e-11


@pytest.mark.parametrize("kind", ["plain", "prescribed", "definite"])
@pytest.mark.parametrize("implicit", [False, True])
def test_along_the_tree_and_dense_accelerations_are_the_same(kind, implicit):
    """And so are the torques that prescribed joints must exert. Forces between bodies are those of explicit steps."""
    model, rng = SCENES[kind]().model(), np.random.default_rng(3)
    if implicit and model.acting:
        return
    q, qdot, tau = 0.4 * rng.normal(size=(3, model.nv))
    found: list[np.ndarray] = []
    for solver in (AlongTree(any(model.prescribed)), None):
        chosen = system("redmax", model, solver)
        stages = chosen.implicit if implicit else chosen.accelerations
        program = Program("once", stages, chosen.fields(), ("q", "qdot", "tau", "t", "h"), ("qddot", "tau"))
        assert not program.hosted
        out = [np.empty((1, 1, model.nv)) for _ in range(2)]
        make_runner(make_plan(model, program, "llvm"), "llvm", "float64").run([q, qdot, tau, np.full(1, 0.3), np.full(1, 0.02)], out, 1)
        found.append(np.concatenate(out, axis=-1))
    assert disagreement(*found) < 1e-11


@pytest.mark.parametrize("integrator", ["rk4", "implicit"])
def test_runs_along_the_tree_and_dense_ones_are_the_same(integrator):
    scene = SCENES["prescribed"]()
    assert not rm.Simulation(scene, dynamics="redmax", integrator=integrator).plan.program.hosted
    assert disagreement(end(scene, integrator), end(scene, integrator, solver="direct")) < 1e-11


def test_a_target_that_cannot_be_traced_is_called():
    """With its rate given, as the documentation asks: the same motion as that of a function that can be traced."""
    traced, called = arm(), arm()
    traced.prescribe_twist("body4", (1,), lambda t, R: [0.3 * t * t])
    called.prescribe_twist("body4", (1,), lambda t, R: [0.3 * float(t) ** 2], lambda t, R: [0.6 * float(t)])
    for integrator in ("rk4", "implicit"):
        assert disagreement(end(called, integrator), end(traced, integrator)) < 1e-12
