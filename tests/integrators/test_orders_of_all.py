"""The order of convergence of every integrator, on every dynamics that it runs on."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import redmax as rm
from integrators.reference import solution
from integrators.scenes import driven
from redmax.integrators import METHODS

END = 0.4
ORDERS = {"forward-euler": 1, "euler": 1, "implicit": 1, "bdf1": 1, "bdf2": 2, "variational": 2, "rk4": 4, "adaptive": 5}
OF_BODIES = {"newmark-lie": 2, "midpoint-lie": 2, "lie-poisson": 2, "rattle": 2, "coadjoint": 4, "energy-momentum": 2}  # in test_bodies
ON_GROUPS = {"generalized-alpha": 2, "mk2": 2, "mk3": 3, "mk4": 4, "mk4-partitioned": 4, "cg3": 3, "cf4": 4}


def swing() -> rm.Scene:
    """A spring-loaded pendulum of three kinds of joint, with time in a torque and in a force; nothing prescribed."""
    scene = rm.Scene()
    first = scene.add_body(
        rm.Cuboid((0.4, 0.1, 0.1), mass=1.0),
        joint=rm.Universal(),
        com=(0.2, 0, 0),
        q=(0.3, -0.2),
        qdot=(0.5, 1.0),
        stiffness=3.0,
        damping=0.2,
    )
    second = scene.add_body(
        rm.Cuboid((0.3, 0.1, 0.1), mass=0.7), joint=rm.Revolute("y"), parent=first, at=(0.4, 0, 0), com=(0.15, 0, 0), q=0.5,
        torque=lambda t, q, qdot: [0.5 * np.sin(5.0 * t) - 0.1 * qdot[0] * qdot[0] * qdot[0]],
    )  # fmt: skip
    scene.add_wrench(second, force=lambda t: [np.sin(3.0 * t), 0.0, 1.0], frame="world")
    return scene


SCENES = {"swing": swing, "driven": driven}


@cache
def exact(name: str) -> tuple[rm.Model, np.ndarray]:
    model = SCENES[name]().model()
    return model, solution(model, np.array([0.0, END]))[-1]


def error(scene: str, integrator: str, dynamics: str, count: int) -> float:
    model, expected = exact(scene)
    run = rm.simulate(model, END, END / count, integrator=integrator, dynamics=dynamics, every=count)
    return float(np.linalg.norm(np.concatenate([run.q[-1], run.qdot[-1]]) - expected))


def orders(scene: str, integrator: str, dynamics: str, counts: list[int]) -> np.ndarray:
    errors = [error(scene, integrator, dynamics, n) for n in counts]
    return np.diff(np.log(errors)) / -np.diff(np.log(counts))


def test_every_integrator_is_here():
    assert {name: m.order for name, m in METHODS.items()} == ORDERS | ON_GROUPS | OF_BODIES


@pytest.mark.parametrize(
    ("scene", "integrator", "first"),
    [("driven", "implicit", 800), ("driven", "bdf2", 50), ("swing", "bdf1", 100), ("driven", "variational", 50)]
    + [("swing", "forward-euler", 800), ("swing", "euler", 800), ("swing", "rk4", 80)],
)
def test_on_recursive(integrator, first, scene):
    """The explicit ones converge on the driven mechanism too, as test_order says."""
    found = orders(scene, integrator, "recursive", [first, 2 * first, 4 * first])
    assert np.abs(found - ORDERS[integrator]).max() < 0.15, found


@pytest.mark.parametrize(("integrator", "first"), [("forward-euler", 400), ("euler", 400), ("implicit", 400), ("rk4", 40)])
def test_on_redmax(integrator, first):
    found = orders("swing", integrator, "redmax", [first, 2 * first])
    assert np.abs(found - ORDERS[integrator]).max() < 0.25, found


@pytest.mark.parametrize(("integrator", "first"), [("forward-euler", 30), ("euler", 30), ("implicit", 30), ("rk4", 40)])
def test_on_maximal(integrator, first):
    """Steps along the group keep the order; closing the joints does not spoil it."""
    found = orders("swing", integrator, "maximal", [first, 3 * first // 2])
    assert np.abs(found - ORDERS[integrator]).max() < 0.25, found


@pytest.mark.parametrize(("integrator", "first"), [(name, {2: 80, 3: 60, 4: 40}[order]) for name, order in ON_GROUPS.items()])
def test_along_groups_of_bodies(integrator, first):
    """Bodies by themselves, with joints as constraints: the group is SE(3) for each."""
    found = orders("swing", integrator, "maximal", [first, 3 * first // 2])
    assert np.abs(found - ON_GROUPS[integrator]).max() < 0.25, found


@pytest.mark.parametrize(("integrator", "like"), [("mk4", "rk4"), ("mk4-partitioned", "rk4"), ("cf4", "rk4")])
def test_along_groups_that_just_add_they_are_ordinary_methods(integrator, like):
    model, _ = exact("driven")
    runs = [rm.simulate(model, END, END / 8, integrator=name) for name in (integrator, like)]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-13)
    np.testing.assert_allclose(runs[0].qdot, runs[1].qdot, atol=1e-12)


@pytest.mark.parametrize(("integrator", "first"), [("mk2", 80), ("mk3", 80), ("cg3", 80)])
def test_on_ordinary_joints(integrator, first):
    found = orders("swing", integrator, "recursive", [first, 2 * first])
    assert np.abs(found - ON_GROUPS[integrator]).max() < 0.25, found


@pytest.mark.parametrize("dynamics", ["recursive", "redmax"])
def test_adaptive_gains_five_digits_from_ten_times_the_steps(dynamics):
    """Error against the number of steps, from one tolerance to another."""
    model, expected = exact("swing")
    errors, steps = [], []
    for rtol in (1e-4, 1e-7, 1e-10) if dynamics == "recursive" else (1e-4, 1e-8):
        run = rm.simulate(model, END, END, rtol=rtol, dynamics=dynamics)
        errors.append(np.linalg.norm(np.concatenate([run.q[-1], run.qdot[-1]]) - expected))
        steps.append(run.steps)
    found = np.diff(np.log(errors)) / -np.diff(np.log(steps))
    assert np.abs(found - 5).max() < 1.0, found


def test_adaptive_on_maximal_meets_its_tolerance():
    model, expected = exact("swing")
    run = rm.simulate(model, END, END, rtol=1e-5, dynamics="maximal")
    assert np.abs(np.concatenate([run.q[-1], run.qdot[-1]]) - expected).max() < 1e-4
