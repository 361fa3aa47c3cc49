"""A pendulum, and what the tests of the live viewer show it with."""

from __future__ import annotations

import time
from collections.abc import Mapping

import redmax as rm

QUIET = {"port": 0, "open_browser": False, "block": False}


def pendulum(length: float = 0.6, gravity: float = 9.81, density: float = 1000.0) -> rm.Scene:
    """A bar that falls from the horizontal."""
    scene = rm.Scene(title=f"Pendulum {length:g}", gravity=(0, 0, -gravity))
    scene.add_body(rm.Cuboid((length, 0.1, 0.1), density=density), name="bar", joint=rm.Revolute("y"), com=(length / 2, 0, 0))
    return scene


def make(parameters: Mapping[str, float]) -> rm.Scene:
    return pendulum(**parameters)


def until(condition, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)
