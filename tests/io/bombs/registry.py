"""What all of them are made with, and where they are found: a function of a number that says how much."""

from __future__ import annotations

import base64
from collections.abc import Callable

import numpy as np

SCENE = "scene.yaml"
HEAD = "redmax: 1\n"
BODY = "bodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: Free}\n"
ARM = "bodies:\n  - {name: a, shape: {Sphere: {radius: 0.1}}, joint: {Revolute: {axis: y}}, com: [1, 0, 0]}\n"
BOMBS: dict[str, Callable[[int], str | dict[str, str]]] = {}


def bomb(function: Callable[[int], str | dict[str, str]]) -> Callable[[int], str | dict[str, str]]:
    BOMBS[function.__name__] = function
    return function


def files(name: str, n: int) -> dict[str, str]:
    made = BOMBS[name](n)
    return {SCENE: HEAD + made} if isinstance(made, str) else {file: text if file != SCENE else HEAD + text for file, text in made.items()}


def flow(things: object) -> str:
    return str(things).replace("'", "")


def encoded(array: object, kind: str = "float64") -> str:
    given = np.ascontiguousarray(array, {"float64": "<f8", "int64": "<i8", "bool": "|b1"}[kind])
    return f"{{array: {{type: {kind}, shape: {list(given.shape)}, data: {base64.b64encode(given.tobytes()).decode()}}}}}"


def jointed(joint: str) -> str:
    return f"bodies:\n  - {{shape: {{Sphere: {{radius: 1}}}}, joint: {{{joint}}}}}\n"
