"""Constants without a value, 1/0 or log(0), get a sentence: of a user's function with its line, of a file's expression with its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.io import SceneFileError, loads
from redmax.trace import Graph, algebra

TEXT = """redmax: 1
parameters: {{a: {a}}}
bodies:
  - {{name: bob, shape: {{Sphere: {{radius: 0.1}}}}, joint: {{Revolute: {{axis: z}}}}, com: [1, 0, 0], {more}}}
"""
WITHOUT = ["1/0", "1/(a-a)", "0**-1", "10**400", "5 % 0", "a*10**400", "2**(1/0)", "10.0**400"]


def scene_with(**given: Any) -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(1, 0, 0), name="bob", **given)
    return scene


def forced(function: Callable[..., Any]) -> rm.Scene:
    scene = scene_with()
    scene.add_force(rm.force(function, bodies=[scene.find("bob")]))
    return scene


def mapped(function: Callable[..., Any]) -> rm.Scene:
    scene = scene_with()
    scene.set_map(function, coordinates=1)
    return scene


def wrenched(function: Callable[..., Any]) -> rm.Scene:
    scene = scene_with()
    scene.add_wrench("bob", force=function)
    return scene


FUNCTIONS: dict[str, Callable[[], rm.Scene]] = {
    "torque of plain numbers": lambda: scene_with(torque=lambda t, q, qdot: [1 / 0]),
    "torque": lambda: scene_with(torque=lambda t, q, qdot: q / 0.0),
    "torque of a long product": lambda: scene_with(torque=lambda t, q, qdot: [q[0] * 10**400]),
    "motion": lambda: scene_with(motion=lambda t: [t / 0.0]),
    "joint": lambda: scene_with_joint(lambda q: rm.pose(np.eye(3), [q[0] / 0.0, 0, 0])),
    "joint of plain numbers": lambda: scene_with_joint(lambda q: rm.pose(np.eye(3), [q[0], 1 / 0, 0])),
    "force": lambda: forced(lambda a: a.x / 0.0),
    "map": lambda: mapped(lambda q: [q[0] / 0.0]),
    "wrench": lambda: wrenched(lambda t: [t / 0.0, 0, 0]),
}


def scene_with_joint(function: Callable[..., Any]) -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.joint(function, 1))
    return scene


@pytest.mark.parametrize("what", FUNCTIONS)
def test_a_function_that_divides_by_zero_is_told_its_line(what: str):
    with pytest.raises(rm.TraceError, match=r"test_no_value\.py:\d+ \(.*(has no value|too large)"):
        rm.Simulation(FUNCTIONS[what](), integrator="euler")


@pytest.mark.parametrize("given", [[10**400], ["x"], [1j], [None]])
def test_what_a_function_returns_must_be_numbers_that_floats_hold(given: Any):
    for make in (lambda: scene_with(torque=lambda t, q, qdot: given), lambda: scene_with(motion=lambda t: given)):
        with pytest.raises(rm.SceneError, match="'bob' must return 1 number"):
            rm.Simulation(make(), integrator="euler")
    for make in (lambda: mapped(lambda q: given), lambda: wrenched(lambda t: [0.0, 0.0, *given])):
        with pytest.raises(rm.SceneError, match="must return"):
            rm.Simulation(make(), integrator="euler")


@pytest.mark.parametrize("text", WITHOUT)
def test_an_expression_without_a_value_is_told_its_text(text: str):
    for a, more in (("2", f'q: "{text}"'), ("2", f'torque: "q[0]*({text})"'), ("2", f'motion: "t*({text})"')):
        with pytest.raises(SceneFileError, match=r"text:4: .*has no value"):
            loads(TEXT.format(a=a, more=more)).model()
    if "a" not in text:
        with pytest.raises(SceneFileError, match=r"text:2: a: .*has no value"):
            loads(TEXT.format(a=f'"{text}"', more="q: 0"))
        with pytest.raises(SceneFileError, match="has no value"):
            loads(TEXT.format(a="2", more="q: 0"), {"a": text})


def test_folded_constants_keep_their_values_and_say_when_they_have_none():
    x = Graph().input("x", 0)
    assert (x * 0 + 3.0) / 2.0 == 1.5
    for call in (lambda: x / 0.0, lambda: algebra.power(0.0, -1.0), lambda: algebra.apply("log", 0.0), lambda: x * 10**400):
        with pytest.raises(rm.TraceError, match=r"has no value|too large"):
            call()
