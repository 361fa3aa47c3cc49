"""Four-bars whose hinges rub, the one that closes the loop too, and a chain that falls on a floor, as published (RedMax notes Sec. 2.11.1).

The first two are solved as the published numbers were made: turns end early, and while it is found what joints transmit, constraints
exert what they would on bodies without joints. The first owes its motion to that: with turns that go on it hardly moves. What is left out
is that f_a was added once more. See the page on joints that rub. The third walks on a floor by contact, with turns that converge: its
published number cannot be reproduced.
"""

from math import atan2, pi, sqrt
from typing import Any

import redmax as rm
from redmax.scenes.base import redmax

GRAVITY, HINGE = (0, 0, -980), rm.Revolute("y")
PUBLISHED: dict[str, Any] = {"tolerance": 1e-3, "regularisation": 1e-6, "centripetal": False, "external": "maximal"}
PIN: dict[str, Any] = {"radius": 0.5, "height": 0.5}


def four_bar(scene: rm.Scene, base: rm.BodyHandle, gain: float, friction: float) -> list[rm.BodyHandle]:
    """Crank, coupler and rocker on a base of length 10, on hinges that rub."""
    bar = lambda length: rm.Cuboid((length, 0.5, 0.5), density=1)  # noqa: E731
    a, b, c = 6.0, 12.0, 14.0
    s = (a + b + c) / 2
    z = 2 * sqrt(s * (s - a) * (s - b) * (s - c)) / a  # the height of a triangle with these sides
    x = sqrt(c * c - z * z)
    turned = lambda rise, run, at: rm.pose(rm.rotation_about("y", -atan2(rise, run)), at)  # noqa: E731
    crank = scene.add_body(bar(4), parent=base, joint=HINGE, at=(-5, 0, 0), com=(2, 0, 0), name="crank", color="tomato")
    coupler = scene.add_body(
        bar(c), parent=crank, joint=HINGE, at=(4, 0, 0), body=turned(z, x, (x / 2, 0, z / 2)), name="coupler", color="goldenrod"
    )
    rocker = scene.add_body(
        bar(b), parent=coupler, joint=HINGE, at=(x, 0, z), body=turned(z, x - a, (-(x - a) / 2, 0, -z / 2)), name="rocker",
        color="steelblue",
    )  # fmt: skip
    closure = scene.add_constraint(rm.HingeClosure(rocker.point(-b / 2, 0, 0), base.point(5, 0, 0), "y", name="closure", gain=gain))
    for body in (crank, coupler, rocker):
        scene.add_force(rm.JointFriction(body, friction, **PIN))
    scene.add_force(rm.ConstraintFriction(closure, friction, **PIN))
    return [crank, coupler, rocker]


def hanging_four_bar() -> rm.Scene:
    scene = rm.Scene(gravity=GRAVITY)
    base = scene.add_body(rm.Cuboid((10, 0.5, 0.5), density=1), name="base")
    four_bar(scene, base, 200.0, 0.3)
    scene.set_staggering(**PUBLISHED)
    return scene


def chain_on_floor() -> rm.Scene:
    """The floor is a row that only pushes, from where the ball has passed it."""
    scene, link = rm.Scene(gravity=GRAVITY), rm.Cuboid((10, 1, 1), density=1)
    first = scene.add_body(link, joint=HINGE, com=(5, 0, 0), q=pi / 4, name="first")
    second = scene.add_body(link, parent=first, joint=HINGE, at=(10, 0, 0), com=(5, 0, 0), q=-pi / 4, name="second")
    ball = scene.add_body(rm.Sphere(1, density=1), parent=second, at=(10, 0, 0), name="ball", color="tomato")
    floor = rm.constraint(lambda ball: ball.x[2] + 14.0, bodies=[ball], one_sided=True, gain=10.0, name="floor")
    for body in (first, second):
        scene.add_force(rm.JointFriction(body, 0.1, radius=1, height=1))
    scene.add_force(rm.ConstraintFriction(scene.add_constraint(floor), 0.2, points=[(0, 0, -1)], normals=[(0, 0, 1)]))
    scene.set_staggering(**PUBLISHED)
    scene.look = rm.Look(ground_height=-15.0)
    return scene


def walking_four_bar() -> rm.Scene:
    """On four balls, two of which its crank turns with."""
    scene, ball = rm.Scene(gravity=GRAVITY), rm.Sphere(1, density=1)
    scene.add_ground(contact=0.8)
    base = scene.add_body(rm.Cuboid((10, 0.5, 0.5), density=1), joint=rm.Free(), at=(0, 0, 1), name="base")
    crank, coupler, _ = four_bar(scene, base, 20.0, 0.8)
    foot: dict[str, Any] = {"contact": 0.8, "contact_group": 1, "color": "slategray"}
    for k, x in enumerate((-5, 5)):
        scene.add_body(ball, parent=base, at=(x, 0, 0), name=f"ball {k + 1}", **foot)
    lying = rm.pose(rm.rotation_about("x", pi / 2), (0, 0, 0))
    axle = scene.add_body(rm.Cylinder(0.5, 5, density=1), parent=coupler, body=lying, name="axle")
    for k, y in enumerate((2.5, -2.5)):
        scene.add_body(ball, parent=axle, at=(0, y, 0), name=f"foot {k + 1}", **foot)
    scene.add_constraint(rm.constraint(lambda q, qdot: qdot[0] - 4 * pi, joints=[crank], velocities=True, name="drive"))
    return scene


LOOP = ("revolute", "closed loop", "friction in joints")
RUN: dict[str, Any] = {"conservative": False}
ENTRIES = (
    redmax(30, "rubbing-four-bar", "Four-bar whose hinges rub", hanging_four_bar, LOOP, duration=1.0, dt=0.005, **RUN),
    redmax(
        31, "rubbing-chain-on-floor", "Chain that rubs, on a floor", chain_on_floor, ("revolute", "friction in joints", "friction"), **RUN
    ),
    redmax(33, "walking-four-bar", "Four-bar that walks", walking_four_bar, (*LOOP, "contact", "free"), duration=1.0, dt=0.005, **RUN),
)
