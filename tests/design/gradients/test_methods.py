"""Gradients of runs by the methods along groups, by adaptive steps, and by parameters of all kinds, to nine digits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import redmax as rm
from design.gradients.test_gradient import FIXED, check, double, to_target
from redmax.dynamics.common.parameter_slopes import WEIGHTS
from redmax.integrators import METHODS

ALONG_GROUPS = [m.name for m in METHODS.values() if m.program is not None and m.name not in (*FIXED, "adaptive")]


def mechanism(scene: rm.Scene) -> Any:
    """A scene, where it begins but for how fast."""
    model = scene.model()
    rates = lambda seed: np.random.default_rng(seed).normal(size=model.nv)  # noqa: E731
    return SimpleNamespace(model=model, nv=model.nv, state=lambda seed: SimpleNamespace(q=model.q0, qdot=rates(seed)))


def top() -> rm.Scene:
    scene = rm.Scene()
    body = {"joint": rm.Spherical("quaternion"), "com": (0.15, 0.02, 0), "q": (0.9, 0.1, -0.3, 0.3)}
    scene.add_body(rm.Cuboid((0.3, 0.1, 0.05), density=1000), name="top", **body)
    return scene


@pytest.mark.parametrize("integrator", ALONG_GROUPS)
def test_methods_along_groups(integrator):
    """Against complex steps: a heavy top."""
    check(mechanism(top()), integrator, "recursive", ["top.mass", "top.com"], 1)


@pytest.mark.parametrize("integrator", FIXED)
def test_parameters_of_all_kinds(integrator):
    """Against complex steps: of bodies and of joints."""
    scene = double(stiffness=2.0, damping=0.1, rest=0.2, armature=0.05)
    names = ["lower.mass", "lower.com", "upper.mass", "lower.stiffness", "lower.damping", "lower.rest", "lower.armature", "gravity"]
    check(mechanism(scene), integrator, "recursive", names, 2)


def test_adaptive_steps_to_nine_digits():
    """Where all but the first dt are one step, so that hardly anything follows from errors: against differences of order 8."""
    g = rm.gradient(double(), to_target, 0.05, 0.01, by=["q", "qdot", "tau", "lower.mass"], integrator="adaptive", rtol=0.1)
    rng = np.random.default_rng(3)
    x = g.start + 0.3 * rng.normal(size=len(g.start)) * (np.arange(len(g.start)) < len(g.start) - 1)
    for along in 0.006 * rng.normal(size=(2, len(x))):
        slope = g.flat(x)[1]
        rate = sum(w * (g.flat(x + k * along)[0] - g.flat(x - k * along)[0]) for k, w in enumerate(WEIGHTS, 1))
        assert abs(slope @ along - rate) <= 1e-9 * np.abs(slope * along).sum()


def arm() -> rm.Scene:
    scene, bar = rm.Scene(), rm.Cuboid((0.3, 0.05, 0.05), mass=1.0)
    upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.15, 0, 0), name="upper", q=0.3, qdot=0.5)
    lower = scene.add_body(bar, joint=rm.Revolute("y"), parent=upper, at=(0.3, 0, 0), com=(0.15, 0, 0), name="lower", q=0.4)
    path = [upper.point(0.1, 0, 0.05), lower.point(0.1, 0, 0.05)]
    scene.add_force(rm.Muscle(path, force=100, optimal_length=0.2, tendon_length=0.05, activation=0.4, name="flexor"))
    scene.add_deformable(rm.SpringChain((0.6, 0, 0), (1, 0, 0), 3, mass=0.3, stiffness=50, name="rope").attach(lower, [0]))
    return scene


@pytest.mark.parametrize("integrator", ["rk4", "bdf1"])
def test_parameters_of_muscles(integrator):
    """Beside a rope, whose nodes an objective sees; against differences of order 8."""
    names = ["force", "optimal_length", "tendon_length", "max_velocity", "activation", "path.0"]
    by = [f"flexor.{name}" for name in names]
    tip = lambda now: now.nodes("rope")[-1] @ [1.0, 2.0, 3.0] + now.qdot[:2] @ now.qdot[:2]  # noqa: E731
    g = rm.gradient(arm(), tip, 0.02, 0.002, by=["q", "qdot", *by], integrator=integrator)
    x, start, found = g.start, 0, g.flat(g.start)[1]
    for name, shape in g.sizes.items():
        part = slice(start, start := start + int(np.prod(shape)))
        along = np.zeros(len(x))
        along[part] = 2e-3 * np.maximum(np.abs(x[part]), 0.1) * np.random.default_rng(1).normal(size=part.stop - part.start)
        rate = sum(w * (g.flat(x + k * along)[0] - g.flat(x - k * along)[0]) for k, w in enumerate(WEIGHTS, 1))
        assert abs(found @ along - rate) <= 1e-6 * np.abs(found * along).sum(), name
        assert rate != 0.0


def test_an_objective_sees_the_nodes_that_a_run_has():
    """Of a deformable, all of them: those that a body carries, too."""
    run = rm.simulate(arm(), 0.02, 0.002, integrator="rk4")
    g = rm.gradient(arm(), lambda now: now.nodes("rope")[0, 2] + 10 * now.nodes("rope")[2, 0], 0.02, 0.002, integrator="rk4")
    where = run.nodes("rope")[-1]
    assert g.value() == pytest.approx(where[0, 2] + 10 * where[2, 0], rel=1e-12)
    with pytest.raises(rm.SceneError, match="'rope'"):
        rm.gradient(arm(), lambda now: now.nodes("roper")[0, 0], 0.02)


def test_parameters_that_an_objective_cannot_read_are_not_called_unknown():
    with pytest.raises(rm.SceneError, match=r"cannot read 'top.inertia': programs take what follows .* read: top.mass"):
        rm.gradient(top(), lambda now: now["top.inertia"][0, 0], 0.1, by=["top.inertia", "top.mass"])
    with pytest.raises(rm.SceneError, match=r"Take one of forward-euler, euler, .*bdf2.* rattle"):
        rm.gradient(top(), lambda now: now.q[0], 0.1, integrator="generalized-alpha")
