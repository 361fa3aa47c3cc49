"""Linkages whose last body is moved by its twist: it turns and slides as prescribed, and the others follow (RedMax notes Sec. 2.9)."""

from math import pi
from typing import Any

import redmax as rm
from redmax.math import array, exp, where
from redmax.scenes.base import redmax

UPRIGHT, LEVEL = rm.Cuboid((1, 1, 10), density=1), rm.Cuboid((10, 1, 1), density=1)
DOWN, RIGHT, UP = (0, 0, -10), (10, 0, 0), (0, 0, 10)


def profile(t: Any) -> tuple[Any, Any]:
    """w_y (rad/s, body axes) and v_x (cm/s, world axes): a turn within 4 s; then back within another 4 s, while sliding."""
    w = where(t < 2, -t, where(t < 6, t - 4, where(t < 8, 8 - t, 0.0)))
    v = where(t < 4, 0.0, where(t < 6, -2 * (t - 4), where(t < 8, 2 * (t - 8), 0.0)))
    return w, v


def plane_twist(t: Any, R: Any) -> Any:
    """Rows w_y, v_x and v_z of the twist, in body axes."""
    w, v = profile(t)
    moving = R.T @ array([v, 0.0, 0.0])
    return array([w, moving[0], moving[2]])


Link = tuple[rm.Body, Any, Any, dict[str, Any]]


def hinged(*links: Link) -> tuple[rm.Scene, rm.BodyHandle]:
    """Hinged links, each with its place on the one before, its own middle, and further options; the last of them."""
    scene, parent = rm.Scene(gravity=(0, 0, -980)), None
    for shape, at, middle, more in links:
        parent = scene.add_body(shape, parent=parent, joint=rm.Revolute("y"), at=at, com=[x / 2 for x in middle], **more)
    assert parent is not None
    return scene, parent


def moved(*links: Link) -> rm.Scene:
    """Hinged links, of which the last one's twist is prescribed."""
    scene, last = hinged(*links)
    scene.prescribe_twist(last, (1, 3, 5), plane_twist)
    return scene


FOUR: tuple[Link, ...] = (UPRIGHT, None, DOWN, {}), (LEVEL, DOWN, RIGHT, {}), (UPRIGHT, RIGHT, UP, {}), (LEVEL, UP, RIGHT, {})


def five(options: dict[str, Any]) -> tuple[Link, ...]:
    """One more in the middle, with options of its own."""
    return *FOUR[:2], (LEVEL, RIGHT, RIGHT, options), *FOUR[2:]


def moved_body() -> rm.Scene:
    """Four degrees of freedom, three of them taken by the last body."""
    return moved(*FOUR)


def follow(t: Any) -> Any:
    """A smooth rise to a quarter turn within 10 s."""
    a, b = 7.0, 0.5 * pi
    return [b / (1 + exp(-a * 2 * (t / 10 - 0.5)))]


def moved_body_and_joint() -> rm.Scene:
    """Five, the last one taken by a joint that follows a motion; implicit steps correct it, accelerations are taken as they are."""
    return moved(*five({"motion": follow, "velocity_gain": 5.0, "on_motion": False}))


LONG = {"duration": 10.0, "dt": 0.05, "conservative": False}
ENTRIES = (
    redmax(13, "prescribed-twist", "Linkage moved by its last body", moved_body, ("revolute", "prescribed twist"), **LONG),
    redmax(20, "prescribed-twist-and-joint", "Linkage moved by a body and a joint", moved_body_and_joint,
           ("revolute", "prescribed twist", "prescribed motion"), **LONG),
)  # fmt: skip
