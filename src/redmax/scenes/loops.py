"""Loops of the published code: chains of hinges that close at a point, one with coupled angles, one with a slide, one that is driven.

Closures are kept by Baumgarte's method with the published gain, in steps that are linearly implicit (RedMax notes Secs. 1.10 and 2.8).
"""

from math import atan2, pi, sqrt

import redmax as rm
from redmax.scenes.base import redmax

GRAVITY, HINGE, GAIN = (0, 0, -980), rm.Revolute("y"), 5.0


def bar(x: float, z: float) -> rm.Cuboid:
    """Of unit density, 1 wide."""
    return rm.Cuboid((x, 1, z), density=1)


def loop() -> rm.Scene:
    """A bar hangs from another by two more; a pendulum below it."""
    scene = rm.Scene(gravity=GRAVITY)
    top = scene.add_body(bar(20, 1), name="top")
    left = scene.add_body(bar(1, 10), parent=top, joint=HINGE, at=(-10, 0, 0), com=(0, 0, -5), name="left")
    right = scene.add_body(bar(1, 10), parent=top, joint=HINGE, at=(10, 0, 0), com=(0, 0, -5), name="right")
    bottom = scene.add_body(bar(20, 1), parent=left, joint=HINGE, at=(0, 0, -10), com=(10, 0, 0), name="bottom")
    scene.add_body(bar(1, 10), parent=bottom, joint=HINGE, at=(10, 0, 0), com=(0, 0, -5), qdot=5.0, name="pendulum")
    scene.add_constraint(rm.PointClosure(right.point(0, 0, -5), bottom.point(10, 0, 0), name="closure", gain=GAIN))
    return scene


def coupled_loop() -> rm.Scene:
    """Six bars around, of which two angles are coupled; a pendulum at the lowest."""
    scene = rm.Scene(gravity=GRAVITY)
    top = scene.add_body(bar(10, 1), name="top")
    first = scene.add_body(bar(1, 10), parent=top, joint=HINGE, at=(5, 0, 0), com=(0, 0, -5), name="right upper")
    second = scene.add_body(bar(1, 10), parent=first, joint=HINGE, at=(0, 0, -10), com=(0, 0, -5), name="right lower")
    bottom = scene.add_body(bar(10, 1), parent=second, joint=HINGE, at=(0, 0, -10), com=(-5, 0, 0), name="bottom")
    lower = scene.add_body(bar(1, 10), parent=bottom, joint=HINGE, at=(-10, 0, 0), com=(0, 0, 5), name="left lower")
    upper = scene.add_body(bar(1, 10), parent=lower, joint=HINGE, at=(0, 0, 10), com=(0, 0, 5), name="left upper")
    scene.add_body(bar(1, 10), parent=bottom, joint=HINGE, at=(-5, 0, 0), com=(0, 0, -5), qdot=10.0, name="pendulum")
    scene.add_constraint(rm.PointClosure(upper.point(0, 0, 5), top.point(-5, 0, 0), name="closure", gain=GAIN))
    scene.add_constraint(rm.Coupling({second: 0.5, upper: -1.0}, 0.0, name="coupling", gain=GAIN))
    return scene


def sliding_loop() -> rm.Scene:
    """A bar that slides through the end of another closes the loop."""
    scene = rm.Scene(gravity=GRAVITY)
    top = scene.add_body(bar(22, 1), name="top")
    left = scene.add_body(bar(1, 10), parent=top, joint=HINGE, at=(-11, 0, 0), com=(0, 0, -5), name="left")
    slider = scene.add_body(bar(22, 1), parent=left, joint=rm.Prismatic("x"), at=(0, 0, -10), com=(11, 0, 0), name="slider")
    right = scene.add_body(bar(1, 10), parent=slider, joint=HINGE, at=(22, 0, 0), com=(0, 0, 5), name="right")
    scene.add_body(bar(1, 10), parent=slider, joint=HINGE, at=(11, 0, 0), com=(0, 0, -5), q=3 * pi / 4, name="pendulum")
    scene.add_constraint(rm.PointClosure(right.point(0, 0, 5), top.point(11, 0, 0), name="closure", gain=GAIN))
    return scene


def four_bar(scene: rm.Scene, base: rm.BodyHandle, gain: float) -> rm.BodyHandle:
    """Crank, coupler and rocker on a base of length 10, closed at its other end; the crank."""
    thin = lambda length: rm.Cuboid((length, 0.5, 0.5), density=1)  # noqa: E731
    a, b, c = 6.0, 12.0, 14.0
    s = (a + b + c) / 2
    z = 2 * sqrt(s * (s - a) * (s - b) * (s - c)) / a  # the height of a triangle with these sides
    x = sqrt(c * c - z * z)
    turned = lambda rise, run, at: rm.pose(rm.rotation_about("y", -atan2(rise, run)), at)  # noqa: E731
    crank = scene.add_body(thin(4), parent=base, joint=HINGE, at=(-5, 0, 0), com=(2, 0, 0), name="crank")
    coupler = scene.add_body(thin(c), parent=crank, joint=HINGE, at=(4, 0, 0), body=turned(z, x, (x / 2, 0, z / 2)), name="coupler")
    rocker = scene.add_body(
        thin(b), parent=coupler, joint=HINGE, at=(x, 0, z), body=turned(z, x - a, (-(x - a) / 2, 0, -z / 2)), name="rocker"
    )
    scene.add_constraint(rm.PointClosure(rocker.point(-b / 2, 0, 0), base.point(5, 0, 0), name="closure", gain=gain))
    return crank


def driven_four_bar() -> rm.Scene:
    """A four-bar on a hinge, whose crank turns at a constant rate: a row of velocities, without a place to hold."""
    scene, speed, gain = rm.Scene(gravity=GRAVITY), 4 * pi, 20.0
    base = scene.add_body(rm.Cuboid((10, 0.5, 0.5), density=1), joint=HINGE, at=(0, 0, 10), q=pi, name="base")
    crank = four_bar(scene, base, gain)
    scene.add_constraint(rm.constraint(lambda q, qdot: [qdot[0] - speed], joints=[crank], rows=1, velocities=True, name="drive", gain=gain))
    return scene


def limited_links() -> rm.Scene:
    """Two links, the second of which turns by no more than an eighth of a turn to either side."""
    scene, link = rm.Scene(gravity=GRAVITY), bar(10, 1)
    first = scene.add_body(link, joint=HINGE, com=(5, 0, 0), name="first")
    second = scene.add_body(link, parent=first, joint=HINGE, at=(10, 0, 0), com=(5, 0, 0), name="second")
    scene.add_constraint(rm.HardLimit(second, -pi / 4, pi / 4, name="limit", gain=GAIN))
    return scene


ENTRIES = (
    redmax(4, "loop", "Closed loop of hinges", loop, ("revolute", "closed loop")),
    redmax(6, "limited-links", "Links with a hard limit", limited_links, ("revolute", "hard limits"), conservative=False),
    redmax(8, "coupled-loop", "Closed loop with coupled angles", coupled_loop, ("revolute", "closed loop", "coupled angles"), dt=0.02),
    redmax(15, "sliding-loop", "Closed loop with a slide", sliding_loop, ("revolute", "prismatic", "closed loop")),
    redmax(
        32, "driven-four-bar", "Four-bar with a driven crank", driven_four_bar, ("revolute", "closed loop", "prescribed velocity"),
        duration=1.0, dt=0.005, conservative=False,
    ),
)  # fmt: skip
