"""Scenes that ask everything of redmax dynamics: prescribed joints and twists, forces in implicit steps, maps, some of these together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import redmax as rm
from integrators.scenes import driven
from redmax.math import array, sin

LINK = rm.Cuboid((0.5, 0.1, 0.1), mass=1)


def arm(count: int = 4, **options: Any) -> rm.Scene:
    scene, parent = rm.Scene(gravity=(0, 0, -0.5)), None
    for i in range(count):
        joint, at = rm.Universal() if i == 2 else rm.Revolute("y"), (0.5, 0, 0) if i else None
        parent = scene.add_body(LINK, parent=parent, joint=joint, at=at, com=(0.25, 0, 0), q=(0.3, -0.2) if i == 2 else 0.4, **options)
    return scene


def forced(kind: str) -> Callable[[], rm.Scene]:
    def build() -> rm.Scene:
        scene = arm(damping=0.1)
        ends = scene.find("body1").point(0.1, 0, 0.05), scene.find("body4").point(0.1, 0, 0)
        scene.add_force(rm.SpringDamper(*ends, stiffness=20.0, damping=0.5, stiffness_kind=kind))
        return scene

    return build


def twisted() -> rm.Scene:
    scene = arm()
    scene.prescribe_twist("body4", (1, 3), lambda t, R: array([0.4 + sin(t), (R.T @ array([0.1 * t, 0.0, 0.2]))[0]]))
    return scene


def both() -> rm.Scene:
    """A twist beside a joint that follows a motion."""
    scene = twisted()
    scene.add_body(LINK, parent="body4", joint=rm.Revolute("z"), at=(0.5, 0, 0), com=(0.25, 0, 0), motion=lambda t: [0.3 * sin(2 * t)])
    return scene


def curve(u: Any) -> list[Any]:
    return [u[0], 0.8 * sin(2 * u[0]), 0.3 * u[1] ** 2, u[1], 0.2 * u[0] * u[1]]


def led() -> rm.Scene:
    scene, parent = rm.Scene(), None
    for i in range(4):
        joint, at = rm.Universal() if i == 2 else rm.Revolute("y"), (0.5, 0, 0) if i else None
        parent = scene.add_body(LINK, parent=parent, joint=joint, at=at, com=(0.25, 0, 0), stiffness=2.0, damping=0.1)
    scene.add_force(rm.SpringDamper(scene.find("body1").point(0.1, 0, 0.05), parent.point(0.1, 0, 0), stiffness=20.0, damping=0.5))
    scene.set_map(curve, coordinates=2, q=(0.3, 0.5), qdot=(1.0, -0.4))
    return scene


def led_and_twisted() -> rm.Scene:
    scene = led()
    scene.prescribe_twist("body2", (1,), lambda t, R: [1.0 + 1.6 * np.cos(0.6) + sin(t)])
    return scene


SCENES: dict[str, Callable[[], rm.Scene]] = {
    "plain": arm, "prescribed": driven, "definite": forced("definite"), "exact": forced("exact"), "twisted": twisted,
    "twisted and prescribed": both, "led": led, "led and twisted": led_and_twisted,
}  # fmt: skip
