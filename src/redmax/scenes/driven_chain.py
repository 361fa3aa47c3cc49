"""Three hinged links without gravity: driven by torques or a force, made to follow a motion, or held by springs and dampers."""

from math import pi
from typing import Any

import redmax as rm
from redmax.math import exp, where
from redmax.scenes.base import redmax


def three_links(*options: dict[str, Any]) -> rm.Scene:
    """A chain of three links; `options` are further arguments of each joint."""
    scene = rm.Scene(gravity=(0, 0, 0))
    link, parent = rm.Cuboid((10, 1, 1), density=1), None
    for i, more in enumerate(options):
        parent = scene.add_body(link, parent=parent, joint=rm.Revolute("y"), at=(10, 0, 0) if i else None, com=(5, 0, 0), **more)
    return scene


def torques() -> rm.Scene:
    """Torques that switch at 3 s and at 6 s, from the last joint to the first."""
    return three_links(
        {"torque": lambda t, q, qdot: [where(t < 6, 0.0, 100.0)]},
        {"torque": lambda t, q, qdot: [where(t < 3, 0.0, where(t < 6, 100.0, -100.0))]},
        {"torque": lambda t, q, qdot: [where(t < 3, 100.0, where(t < 6, -100.0, 0.0))]},
    )


def follow(t: Any) -> Any:
    """A smooth rise to 3/4 of a turn within 7 s."""
    a, b = 7.0, 1.5 * pi
    s = 2 * (t / 7 - 0.5)
    return [where(t < 7, b / (1 + exp(-a * s)), b)]


def prescribed() -> rm.Scene:
    """The first joint starts at rest, a little beside the curve.

    It takes the accelerations of `follow` without correction; implicit steps, which prescribe velocities, do correct it.
    """
    return three_links({"motion": follow, "velocity_gain": 5.0, "on_motion": False}, {}, {})


def pulled() -> rm.Scene:
    """A steady force at the far end, whose work is not counted as energy stored; all bodies move as if through oil."""
    scene = three_links({}, {}, {})
    links = [scene.find(link.name) for link in scene.links]
    for link in links:
        scene.add_force(rm.BodyDamping(link, 10.0))
    scene.add_wrench(links[-1].point(5, 0, 0), force=(0, 0, 1000), frame="world")
    return scene


def springs() -> rm.Scene:
    spring = {"stiffness": 1e4, "damping": 1e3}
    return three_links({"qdot": 1.0, **spring}, spring, spring)


DRIVEN = {"duration": 10.0, "conservative": False}
DAMPED = {"duration": 5.0, "conservative": False}
ENTRIES = (
    redmax(5, "joint-torque", "Torques that switch", torques, ("revolute", "torque of time"), dt=0.05, **DRIVEN),
    redmax(9, "prescribed-joint", "A joint that follows a motion", prescribed, ("revolute", "prescribed motion"), dt=0.02, **DRIVEN),
    redmax(10, "pulled-chain", "Damped links, pulled at the end", pulled, ("revolute", "damping on bodies", "applied wrench"),
           conservative=False),
    redmax(11, "joint-springs", "Springs and dampers in the joints", springs, ("revolute", "stiffness", "damping"), dt=0.02, **DAMPED),
)  # fmt: skip
