"""Derivatives of redmax accelerations follow from their program: along a direction, and by all inputs at once where nothing is pivoted."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.agreement import disagreement
from dynamics.redmax_scenes import SCENES
from redmax.backends.base import make_plan, make_runner, rolled_plan
from redmax.dynamics.choose import System, system
from redmax.program.cotangent import cotangent
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.program.tangent import tangent

STEP = 1e-6


def accelerations(chosen: System, implicit: bool) -> Program:
    stages = chosen.implicit if implicit else chosen.accelerations
    return Program("accelerations", stages, chosen.fields(), ("q", "qdot", "tau", "t", "h"), ("qddot",))


def run(plan: Plan, inputs: list[np.ndarray]) -> list[np.ndarray]:
    found = [np.empty((1, 1, len(slots))) for slots in plan.outputs]
    make_runner(plan, "interpret", "float64").run(inputs, found, 1)
    return [x[0, 0] for x in found]


def drawn(plan: Plan) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs, and a direction of q and qdot."""
    rng, sizes = np.random.default_rng(1), [len(slots) for slots in plan.inputs]
    q, qdot, dq, dqdot = (rng.normal(size=n) for n in (*sizes[:2], *sizes[:2]))
    still = [np.zeros(n) for n in sizes[2:]]
    return [0.3 * q, qdot, still[0], np.full(1, 0.2), np.full(1, 0.01)], [dq, dqdot, *still]


def slope(plan: Plan, inputs: list[np.ndarray], along: list[np.ndarray]) -> np.ndarray:
    return run(tangent(plan), [*inputs, *along])[1]


@pytest.mark.parametrize("kind", SCENES)
@pytest.mark.parametrize("implicit", [False, True])
def test_the_slope_along_a_direction(kind, implicit):
    chosen = system("redmax", SCENES[kind]().model(), backend="interpret")
    plan = make_plan(chosen.model, accelerations(chosen, implicit), "interpret")
    inputs, along = drawn(plan)
    ahead, behind = (run(plan, [x + s * d for x, d in zip(inputs, along, strict=True)])[0] for s in (STEP, -STEP))
    assert disagreement(slope(plan, inputs, along), (ahead - behind) / (2 * STEP)) < 1e-7


@pytest.mark.parametrize(("kind", "implicit"), [("prescribed", False), ("definite", True), ("led", True)])
def test_the_gradient_is_the_slope_turned_around(kind, implicit):
    """w' (J d) = (J' w)' d."""
    chosen = system("redmax", SCENES[kind]().model(), backend="interpret")
    program = accelerations(chosen, implicit)
    back = cotangent(rolled_plan(chosen.model, program, "interpret", keep=True), by=("q", "qdot"))
    plan = make_plan(chosen.model, program, "interpret")
    inputs, along = drawn(plan)
    w = np.random.default_rng(2).normal(size=len(plan.outputs[0]))
    _, by_q, by_qdot = run(back, [*inputs, w])
    assert by_q @ along[0] + by_qdot @ along[1] == pytest.approx(w @ slope(plan, inputs, along), rel=1e-10)
