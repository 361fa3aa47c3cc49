"""Gradients by the parameters that a scene file declares, through its expressions, against differences of runs of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import redmax as rm
from redmax.io import load

FILE = """
redmax: 1
parameters: {mass: 1.0, length: 0.4, k: 5, start: 0.3*length}
bodies:
  - name: upper
    shape: {Cuboid: {size: [length, 0.05, 0.05], mass: 2*mass}}
    joint: {Revolute: {axis: y}}
    com: [length/2, 0, 0]
    q: start + pi/4
    stiffness: k
  - name: lower
    parent: upper
    shape: {Cuboid: {size: [length, 0.05, 0.05], mass: mass}}
    joint: {Revolute: {axis: y}}
    at: [length, 0, 0]
    com: [length/2, 0, 0]
    qdot: 0.1*k**2
forces:
  - SpringDamper: {a: [0, 0, 1], b: {body: lower, point: [length/2, 0, 0]}, stiffness: 100*mass*length, rest: 0.3}
run: {duration: 0.05, dt: 0.01, integrator: rk4}
"""


def cost(now: rm.Moment) -> Any:
    x = now.point("lower", (0.2, 0, 0))
    return x @ x + 0.1 * (now.qdot @ now.qdot)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "two.yaml"
    path.write_text(FILE)
    return path


def test_slopes_go_through_expressions_and_initial_states(path):
    g = rm.gradient(path, cost, by=["length", "k", "mass"])
    found = g(parameters={"k": 4.0})

    def value(**given: float) -> float:
        run = rm.simulate(load(path, {"k": 4.0, **given}), 0.05, 0.01, integrator="rk4")
        x = (run.pose("lower")[-1] @ [0.2, 0, 0, 1])[:3]
        return float(x @ x + 0.1 * (run.qdot[-1] @ run.qdot[-1]))

    assert found.value == pytest.approx(value(), rel=1e-13)
    ends = [value(length=0.4 + s * 1e-3, k=4.0 + s * 2e-2, mass=1.0 - s * 3e-3) for s in (1, -1, 2, -2)]
    expected = (8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12
    assert 1e-3 * found.by["length"] + 2e-2 * found.by["k"] - 3e-3 * found.by["mass"] == pytest.approx(expected, rel=1e-7)


def test_as_a_vector_for_optimisers(path):
    g = rm.gradient(path, cost, by=["mass", "qdot", "upper.damping"])
    assert g.start[:1] == pytest.approx([1.0])
    value, slope = g.flat(g.start)
    assert value == g.value()
    assert slope[0] == pytest.approx(float(g(qdot=g.start[1:3]).by["mass"]))


@pytest.mark.parametrize(
    ("by", "match"),
    [
        (["k"], "'k' changes more than numbers that may differ from world to world"),
        (["mass", "upper.mass"], "'upper.mass' follows from 'mass' of the file. Give one of them"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(by, match, path):
    path.write_text(FILE.replace("stiffness: k", "torque: sin(k*q[0])"))
    with pytest.raises(rm.SceneError, match=match):
        rm.gradient(path, cost, by=by)


def test_each_world_has_its_own_values(path):
    g = rm.gradient(path, cost, by=["mass", "length"])
    many = g(parameters={"mass": [1.0, 1.3], "length": 0.4})
    for w, mass in enumerate((1.0, 1.3)):
        one = g(parameters={"mass": mass})
        assert many.value[w] == pytest.approx(one.value, rel=1e-13)
        for name in ("mass", "length"):
            assert many.by[name][w] == pytest.approx(float(one.by[name]), rel=1e-9)


TOUCHING = """
redmax: 1
parameters: {mu: 0.3, mass: 1.0, size: 0.1}
obstacles:
  - {name: ground, shape: Plane, contact: {friction: mu}}
bodies:
  - name: ball
    shape: {Sphere: {radius: size, mass: 2*mass}}
    joint: {Translational: {}}
    at: [0, 0, 0.0999]
    qdot: [1, 0.2, 0]
    contact: {friction: mu**2 + 0.2}
run: {duration: 0.05, dt: 0.005, integrator: implicit}
"""


def test_materials_of_contact(tmp_path):
    """Friction of two surfaces that follows from one number; what would change shapes is refused."""
    path = tmp_path / "slide.yaml"
    path.write_text(TOUCHING)

    def end(mu: float) -> float:
        return float(rm.simulate(load(path, {"mu": mu}), 0.05, 0.005, integrator="implicit").q[-1, 0])

    found = rm.gradient(path, lambda now: now.q[0], by=["mu", "mass"])()
    assert found.by["mu"] == pytest.approx((end(0.301) - end(0.299)) / 2e-3, rel=1e-6)
    assert abs(found.by["mass"]) < 1e-9
    many = rm.simulate(path, parameters={"mu": [0.2, 0.3]})
    assert [float(x) for x in many.q[-1, :, 0]] == pytest.approx([end(0.2), end(0.3)], rel=1e-9)
    with pytest.raises(rm.SceneError, match="'size' changes more than numbers that may differ from world to world"):
        rm.gradient(path, lambda now: now.q[0], by=["size"])
