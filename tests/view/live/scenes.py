"""A pendulum, and other small scenes for the tests of the live viewer."""

from __future__ import annotations

from collections.abc import Mapping

import redmax as rm


def pendulum(length: float = 0.6, gravity: float = 9.81, density: float = 1000.0) -> rm.Scene:
    """A bar that falls from the horizontal."""
    scene = rm.Scene(title=f"Pendulum {length:g}", gravity=(0, 0, -gravity))
    scene.add_body(rm.Cuboid((length, 0.1, 0.1), density=density), name="bar", joint=rm.Revolute("y"), com=(length / 2, 0, 0))
    return scene


def make(parameters: Mapping[str, float]) -> rm.Scene:
    return pendulum(**parameters)
