"""Implicit steps of deformables are compiled whole: the same motion interpreted, in lanes, with single precision, and by any solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import disagreement
from redmax.backends.base import make_runner, rolled_plan
from redmax.dynamics.choose import system
from redmax.dynamics.soft import solve
from redmax.integrators import METHODS
from redmax.integrators.base import counted_loop
from redmax.math import sin
from redmax.program.cotangent import cotangent
from redmax.program.plan import Plan
from redmax.program.program import Save
from redmax.program.tangent import tangent

BAR = rm.Cuboid((0.4, 0.05, 0.05), mass=1.0)


def arm(**second: Any) -> tuple[rm.Scene, rm.BodyHandle]:
    scene = rm.Scene()
    first = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.2, damping=0.1)
    return scene, scene.add_body(BAR, parent=first, joint=rm.Universal(), at=(0.4, 0, 0), com=(0.2, 0, 0), **second)


def sheet() -> rm.Cloth:
    place, damped = (0.95, 0, 0), (0.3, 1e-3)
    return rm.Cloth((0.3, 0.1), (3, 2), density=2.0, stretch=4e3, shear=2e3, bend=10.0, damping=1e-3, at=place, rayleigh=damped)


def carried(shape: rm.Deformable | None = None, **second: Any) -> rm.Scene:
    """By the second of two links, beside a spring between them."""
    scene, body = arm(**second)
    scene.add_deformable((shape or sheet()).attach(body, lambda x: x[:, 0] < 0.8 + 1e-9))
    scene.add_force(rm.SpringDamper(scene.find("body1").point(0, 0, 0.1), body.point(0, 0, 0.1), stiffness=30.0, damping=0.2))
    return scene


def tied(**second: Any) -> rm.Scene:
    """A chain between the second link and the world, held by rows on both ends."""
    scene, body = arm(**second)
    chain = rm.SpringChain((0.8, 0, 0), (1.2, 0, 0.1), 6, mass=0.3, stiffness=60, name="chain")
    scene.add_deformable(chain.tie(body, 0, at=(0.2, 0, 0)).tie(None, -1))
    return scene


def swung(t: Any) -> Any:
    return [0.3 * sin(4 * t), 0.1 * t]


SCENES: dict[str, Callable[[], rm.Scene]] = {
    "carried": carried,
    "carried and driven": lambda: carried(motion=swung),
    "tied": tied,
    "tetrahedra": lambda: carried(
        rm.Tetrahedra.beam(0.3, 0.1, 0.1, (3, 1, 1), at=(0.8, 0, 0), density=500, youngs=2e4, poisson=0.3, rayleigh=(0.3, 1e-3))
    ),
    "tied and driven": lambda: tied(motion=swung),
}


KINDS = [pytest.param(kind, marks=pytest.mark.long) if kind == "tetrahedra" else kind for kind in SCENES]  # whose kernels take a while


def run(scene: rm.Scene, **options: Any) -> np.ndarray:
    found = rm.simulate(scene, 0.05, 0.01, integrator="implicit", **options)
    return np.concatenate([found.q[-1], found.qdot[-1]], axis=-1)


def worlds(scene: rm.Scene, count: int) -> rm.State:
    start, rng = rm.Simulation(scene, integrator="implicit").state, np.random.default_rng(0)
    return rm.State(0.0, np.tile(start.q, (count, 1)), start.qdot + 0.3 * rng.normal(size=(count, len(start.qdot))))


@pytest.mark.parametrize("kind", KINDS)
def test_all_ways_to_run_a_step_move_alike(kind):
    """Alone and in lanes, interpreted, and with single precision."""
    scene = SCENES[kind]()
    states = worlds(scene, 5)
    alone = rm.State(0.0, states.q[4], states.qdot[4])
    sim = rm.Simulation(scene, integrator="implicit")
    assert not sim.plan.program.hosted
    together, single = run(scene, initial=states), run(scene, initial=alone)
    assert disagreement(together[4], single) < 1e-11
    assert disagreement(run(scene, initial=alone, backend="interpret"), single) < 1e-11
    assert disagreement(run(scene, initial=alone, dtype="float32"), single) < 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_all_solvers_move_alike(kind, monkeypatch):
    """By fronts, by conjugate gradients, and by a library, as large bodies are; ties are always eliminated."""
    scene = SCENES[kind]()
    exact = run(scene, solver="direct")
    assert disagreement(run(scene, solver="cg"), exact) < 1e-7
    monkeypatch.setattr(solve, "LARGEST", 0)
    sim = rm.Simulation(scene, integrator="implicit", solver="direct")
    assert sim.plan.program.hosted
    assert disagreement(run(scene, solver="direct"), exact) < 1e-10


def test_elimination_takes_over_where_the_matrix_is_not_definite(monkeypatch):
    """A hinge that is pushed from its rest, so hard that M - h^2 K is negative; the body itself is definite."""
    scene, body = arm(torque=lambda t, q, qdot: 4000.0 * q)
    scene.add_deformable(sheet().attach(body, lambda x: x[:, 0] < 0.8 + 1e-9))
    exact = run(scene, solver="direct")
    assert np.isfinite(exact).all()
    assert disagreement(run(scene, solver="cg"), exact) < 1e-9
    monkeypatch.setattr(solve, "LARGEST", 0)
    assert disagreement(run(scene, solver="cg"), exact) < 1e-9


def test_a_world_that_blows_up_leaves_its_neighbours_alone():
    scene = carried()
    states = worlds(scene, 3)
    states.qdot[1, 0] = 1e200
    with pytest.warns(rm.RedmaxWarning, match="1 of 3 worlds broke off"):
        found = rm.simulate(scene, 0.03, 0.01, integrator="implicit", initial=states)
    states.qdot[1] = states.qdot[0]
    assert (found.q[:, [0, 2]] == rm.simulate(scene, 0.03, 0.01, integrator="implicit", initial=states).q[:, [0, 2]]).all()


def step_plan(model: rm.Model, keep: bool = False) -> Plan:
    """One implicit step, (q, qdot, tau, clock) -> (q, qdot)."""
    program = METHODS["implicit"].program
    assert program is not None
    steps = program(system("recursive", model))
    body = tuple(stage for stage in counted_loop(steps).body if not isinstance(stage, Save))
    return rolled_plan(model, replace(steps, stages=body), "llvm", keep=keep)


def evaluated(plan: Plan, inputs: list[np.ndarray]) -> np.ndarray:
    out = [np.empty((1, 1, len(slots))) for slots in plan.outputs]
    make_runner(plan, "llvm", "float64").run(inputs, out, 1)
    return np.concatenate([x.ravel() for x in out])


@pytest.mark.parametrize(("kind", "reversed_too"), [("tied", False), pytest.param("carried", True, marks=pytest.mark.long)])
def test_steps_have_derivatives(kind, reversed_too):
    """Along a direction, against differences away from where springs begin to push; and reversed, by the product of both."""
    model, rng = SCENES[kind]().model(), np.random.default_rng(1)
    start = rm.Simulation(model, integrator="implicit").state
    state = [model.configurations.join(start.q + 0.02 * rng.normal(size=model.nv)), 0.3 * rng.normal(size=model.nv), np.zeros(model.nv)]
    clock, along = [np.full(1, x) for x in (0.0, 0.0, 0.01, 0.0)], [rng.normal(size=len(x)) for x in state]
    plan, still = step_plan(model), [0.0 * x for x in clock]
    slope = evaluated(tangent(plan), [*state, *clock, *along, *still])[2 * model.nv :]
    ends = [evaluated(plan, [x + e * d for x, d in zip(state, along, strict=True)] + clock) for e in (1e-7, -1e-7)]
    assert disagreement((ends[0] - ends[1]) / 2e-7, slope) < 1e-6
    if reversed_too:
        weights = rng.normal(size=(2, model.nv))
        back = evaluated(cotangent(step_plan(model, keep=True), by=("q", "qdot", "tau")), [*state, *clock, *weights])[2 * model.nv :]
        assert back @ np.concatenate(along) == pytest.approx(slope @ weights.ravel(), rel=1e-12)
