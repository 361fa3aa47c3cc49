"""What users write themselves, a joint, a force and a torque law with parameters of their own, goes through all of it with no further code.

Worlds in lanes, compiled, that differ in those parameters are, each, the interpreted run of a scene that was built with its numbers; all
dynamics move alike; and how a run depends on its state and on those parameters is known forwards and backwards.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree, disagreement
from dynamics.differences import rate
from dynamics.steps_derived import STEPS, case, check_derivatives
from redmax.backends.base import make_runner
from redmax.dynamics.maximal.runner import BAUMGARTE
from redmax.model.parameters import default_columns
from redmax.program.tangent import tangent

WORLDS, DT = 9, 0.01  # more worlds than lanes
OWN = {"arm.pitch": 0.2, "arm.ripple": 0.05, "drag.density": 1.2, "drag.area": 0.4, "servo.kp": 5.0, "servo.kd": 0.5}
START = rm.State(0.3, np.array([0.4, -0.3]), np.array([1.5, -2.0]))
FIRST = [("recursive", "euler"), ("recursive", "bdf1"), ("redmax", "implicit"), ("maximal", "rk4")]
PAIRS = [(d, i) for d in ("recursive", "redmax", "maximal") for i in ("euler", "rk4", "implicit")] + [("recursive", "bdf1")]


def but_long(first: list[tuple[str, str]]) -> list[Any]:
    return [pair if pair in first else pytest.param(*pair, marks=pytest.mark.long) for pair in PAIRS]


def screw(q, pitch, ripple):
    """A joint: along a thread that is not even."""
    return rm.pose(rm.rotation_about((0, 0, 1), q[0]), [0, 0, pitch * q[0] + ripple * np.sin(q[0])])


def drag(site, density, area):
    """A force: against the velocity, and growing with its square."""
    return -0.5 * density * area * site.v * np.sqrt(site.v @ site.v + 1e-3)


def servo(t, q, qdot, kp, kd):
    """A torque law: after an angle that changes with time."""
    return [kp * (np.sin(t) - q[0]) - kd * qdot[0]]


def scene(numbers: dict[str, float] = OWN) -> rm.Scene:
    own: dict[str, dict[str, Any]] = {"arm": {}, "drag": {}, "servo": {}}
    for name, value in numbers.items():
        owner, parameter = name.split(".")
        own[owner][parameter] = value
    scene, bar = rm.Scene(), rm.Cuboid((0.5, 0.1, 0.2))
    arm = scene.add_body(bar, joint=rm.joint(screw, dof=1, **own["arm"]), com=(0.25, 0, 0), name="arm")
    fore = scene.add_body(bar, parent=arm, joint=rm.Revolute("y"), at=(0.5, 0, 0), com=(0.25, 0, 0), name="fore")
    scene.add_force(rm.force(drag, bodies=[fore], name="drag", **own["drag"]))
    scene.add_force(rm.force(torque=servo, joint=fore, name="servo", **own["servo"]))
    return scene


def run(numbers: dict[str, float] = OWN, steps: int = 3, **options: Any) -> rm.Trajectory:
    return rm.simulate(scene(numbers), steps * DT, DT, initial=START, **options)


def last(run: rm.Trajectory) -> np.ndarray:
    """(..., nq + nv)."""
    return np.concatenate([run.q[-1], run.qdot[-1]], axis=-1)


@pytest.mark.parametrize(("dynamics", "integrator"), but_long(FIRST))
def test_each_world_in_lanes_is_the_interpreted_run_of_a_scene_built_with_its_numbers(dynamics, integrator):
    options: Any = {"dynamics": dynamics, "integrator": integrator}
    given = {name: value * np.random.default_rng(n).uniform(0.5, 2, WORLDS) for n, (name, value) in enumerate(OWN.items())}
    lanes = run(parameters=given, **options)
    for w in (0, WORLDS - 1):
        rebuilt = run({name: float(values[w]) for name, values in given.items()}, backend="interpret", **options)
        for name in ("q", "qdot", "qddot", "kinetic", "reaction"):
            found, expected = lanes.quantity(name)[:, w], rebuilt.quantity(name)
            assert agree(found, expected, 1e-11, 1e-3), (name, disagreement(found, expected, 1e-3))
    assert (np.ptp(last(lanes), axis=0) > 1e-4).all()  # the numbers do something


def test_all_dynamics_move_alike():
    """The maximal coordinates drift from the joints' as the method is wrong, h^5 in a step; the others are the same to rounding."""
    options: Any = {"integrator": "rk4", "backend": "interpret", "initial": START}
    expected, reduced, drifted = (last(rm.simulate(scene(), 2e-3, 1e-3, dynamics=d, **options)) for d in ("recursive", "redmax", "maximal"))
    assert agree(reduced, expected, 1e-13)
    assert agree(drifted, expected, 1e-9), disagreement(drifted, expected)


@pytest.mark.parametrize(("dynamics", "integrator"), but_long([("recursive", "bdf1"), ("redmax", "implicit")]))
def test_derivatives_by_states_and_own_parameters(dynamics, integrator):
    """Tangents by complex steps, cotangents by the dot product; and tangents by differences of scenes that are built with other numbers."""
    state = SimpleNamespace(q=START.q, qdot=START.qdot, tau=np.zeros(2), t=START.t)
    model = scene().model().with_parameters(list(OWN))
    c = case(model, dynamics, integrator, state, h=DT)
    check_derivatives(c)
    names, values = [p.name for p in model.parameters], np.concatenate(default_columns(model))
    plan, along = tangent(c.plan), np.random.default_rng(0).uniform(0.2, 1, len(OWN)) * values
    inputs = dict(zip(plan.names[0], [*c.inputs, *[0 * x for x in c.inputs]], strict=True))
    inputs |= {"qdot": START.qdot, "tangent of parameters": along}
    inputs |= {"baumgarte": np.full(1, BAUMGARTE)} if dynamics == "maximal" else {}
    outputs = {name: np.empty((1, 1, len(slots))) for name, slots in zip(plan.names[1], plan.outputs, strict=True)}
    make_runner(plan, "interpret", "float64").run(inputs, outputs, 1, STEPS, STEPS)

    def moved(e: float) -> np.ndarray:
        numbers = dict(zip(names, values + e * along, strict=True))
        return last(run(numbers, STEPS, dynamics=dynamics, integrator=integrator, backend="interpret"))

    found = np.concatenate([outputs["tangent of q"][0, 0, :2], outputs["tangent of qdot"][0, 0]])
    assert agree(found, rate(moved, 2e-2), 1e-7), (found, rate(moved, 2e-2))


@pytest.mark.long
@pytest.mark.parametrize(("dynamics", "integrator"), PAIRS)
def test_derivatives_of_compiled_worlds_in_lanes(dynamics, integrator):
    state = SimpleNamespace(q=START.q, qdot=START.qdot, tau=np.zeros(2), t=START.t)
    c = case(scene().model().with_parameters(list(OWN)), dynamics, integrator, state, h=DT, backend="llvm")
    check_derivatives(c, "llvm", worlds=WORLDS)
