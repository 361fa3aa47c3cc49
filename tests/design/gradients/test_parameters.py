"""Gradients by parameters of every kind at once, in worlds that differ in them: against differences of `simulate`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import redmax as rm
from dynamics.agreement import agree
from dynamics.differences import WEIGHTS
from redmax.dynamics.common.parameter_slopes import are_poses, value_of
from redmax.lie import se3
from redmax.model.parameters import known_parameters

WORLDS, STEPS, DT = 2, 4, 0.004
POINT = np.array([0.1, 0.2, 0.0])


def arm() -> rm.Scene:
    scene, bar = rm.Scene(), rm.Cuboid((0.4, 0.1, 0.1), mass=1.0)
    curve = [se3.exp(np.array([0, 0.3 * k, 0.1 * k, 0.3 * k, 0.05 * k * k, 0.1 * k])) for k in range(5)]
    upper = scene.add_body(
        bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), name="upper", stiffness=3.0, damping=0.2, rest=0.3, q=0.3, armature=0.1
    )
    at = rm.pose(rm.rotation_about("z", 0.4), (0.4, 0, 0))
    fore = scene.add_body(bar, joint=rm.Helical("x", 0.1), parent=upper, at=at, com=(0.2, 0, 0.05), name="fore", q=0.2)
    hand = scene.add_body(rm.Sphere(0.1, mass=0.5), joint=rm.SplineCurve(curve), parent=fore, at=(0.4, 0, 0), name="hand", q=1.3)
    scene.add_force(rm.SpringDamper(fore.frame((0.1, 0.05, 0)), (0.8, 0, 0.3), stiffness=20.0, damping=0.5, rest=0.4, name="spring"))
    path = [(0, 0, 0.5), upper.point(0.1, 0, 0.05), fore.point(0, 0.03, 0)]
    scene.add_force(rm.Muscle(path, force=30.0, optimal_length=0.6, activation=0.4, name="pull"))
    scene.add_force(rm.Bushing(hand.frame(at), (1, 0, 0.2), translational=20.0, rotational=3.0, name="mount"))
    scene.add_constraint(rm.Distance(hand.point(0.02, 0, 0), (1.0, 0.3, 0.8), compliance=0.02, length=0.7, name="cord"))
    scene.add_constraint(rm.Coupling({"upper": 1.0, "fore": -0.5}, 0.2, name="gear"))
    return scene


NAMES = [
    "upper.mass", "upper.com", "upper.inertia", "fore.at", "fore.at.turn", "fore.body.turn", "upper.stiffness", "upper.damping",
    "upper.rest", "upper.armature", "upper.axis", "fore.pitch", "hand.frames", "hand.radius", "gravity", "spring.stiffness", "spring.a",
    "pull.optimal_length", "mount.a.turn", "mount.translational", "cord.length", "cord.compliance", "cord.first",
]  # fmt: skip
ALL = [(d, i) for d in ("recursive", "redmax", "maximal") for i in ("forward-euler", "euler", "rk4", "implicit", "bdf1", "bdf2")]
SHORT = ("recursive", "implicit")


def moved(value: np.ndarray, step: np.ndarray) -> np.ndarray:
    return value @ se3.exp(step) if are_poses(value) else value + step


def ways(value: np.ndarray, name: str, rng: np.random.Generator) -> np.ndarray:
    """A way to change a value of each world."""
    if name.endswith("inertia"):
        return rng.normal(size=(WORLDS, 1, 1)) * value
    if are_poses(value):
        return 0.3 * rng.normal(size=(WORLDS, *value.shape[:-2], 6))
    return rng.normal(size=(WORLDS, *value.shape)) * np.maximum(np.abs(value), 0.1)


def cost(now: Any) -> Any:
    return np.array([1.0, 2.0, 3.0]) @ now.point("fore", POINT) + now.qdot @ now.qdot


def costs(parameters: dict[str, np.ndarray], **options: Any) -> np.ndarray:
    run = rm.simulate(arm(), STEPS * DT, DT, parameters=parameters, **options)
    E = run.pose("fore")[-1]
    return (E[..., :3, :3] @ POINT + E[..., :3, 3]) @ np.array([1.0, 2.0, 3.0]) + (run.qdot[-1] ** 2).sum(axis=-1)


@pytest.mark.parametrize(("dynamics", "integrator"), [p if p == SHORT else pytest.param(*p, marks=pytest.mark.long) for p in ALL])
def test_worlds_that_differ(dynamics, integrator):
    options = {"dynamics": dynamics, "integrator": integrator, "backend": "interpret" if (dynamics, integrator) == SHORT else "llvm"}
    known, rng = known_parameters(arm().model()), np.random.default_rng(1)
    along = {n: ways(value_of(known[n]), n, rng) for n in NAMES}
    given = {n: moved(value_of(known[n]), 0.05 * along[n]) for n in NAMES}
    found = rm.gradient(arm(), cost, STEPS * DT, DT, by=NAMES, **options)(parameters=given)
    h, ends = 1e-3, [(name, s * k) for name in NAMES for k in WEIGHTS for s in (1, -1)]
    batch = {n: np.stack([given[n], *[moved(given[n], k * h * along[n] * (n == name)) for name, k in ends]]) for n in NAMES}
    values, *rest = costs(batch, **options)
    assert agree(found.value, values, 1e-12)
    slopes = np.array(rest).reshape(len(NAMES), len(WEIGHTS), 2, WORLDS)
    slopes = np.einsum("k,nkw->nw", list(WEIGHTS.values()), slopes[:, :, 0] - slopes[:, :, 1]) / h
    for n, slope in zip(NAMES, slopes, strict=True):
        own = (found.by[n] * along[n]).reshape(WORLDS, -1).sum(axis=1)
        assert agree(own, slope, 1e-6, 1e-2), n


def test_runs_begin_where_the_scene_does_with_these_numbers():
    """A parameter that opens a constraint moves the beginning: the value is that of `simulate`, and vectors have the slope of that too."""
    g = rm.gradient(arm(), cost, STEPS * DT, DT, by=["gear.offset"], integrator="rk4")
    for offset in (0.2005, 0.21):
        with pytest.warns(rm.RedmaxWarning, match="off its constraints"):
            expected = costs({"gear.offset": np.array(offset)}, integrator="rk4")
        with pytest.warns(rm.RedmaxWarning, match="off its constraints"):
            found = g(parameters={"gear.offset": offset})
        assert found.value == pytest.approx(float(expected), rel=1e-13)
    value, slope = g.flat([0.21])
    assert value == pytest.approx(float(expected), rel=1e-9)
    ends = [g.flat([0.21 + k * 1e-3])[0] for k in (1, -1, 2, -2)]
    assert slope[0] == pytest.approx((8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12e-3, rel=1e-7)
