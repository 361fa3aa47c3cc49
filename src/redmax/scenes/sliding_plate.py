"""A plate that slides without turning, in the plane or in space, and carries two pendulums; and a cart with one."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def with_pendulums(scene: rm.Scene, slide: rm.Joint, q: tuple[float, float], qdot: tuple[float, float]) -> rm.Scene:
    """A plate on the joint `slide`; q, qdot: of the two pendulums."""
    plate, rod = rm.Cuboid((10, 10, 1), density=1), rm.Cuboid((1, 1, 10), density=1)
    base = scene.add_body(plate, joint=slide, name="plate")
    scene.add_body(rod, parent=base, joint=rm.Revolute("y"), at=(-5, 0, 0), com=(0, 0, -5), q=q[0], qdot=qdot[0])
    scene.add_body(rod, parent=base, joint=rm.Revolute("x"), at=(0, -5, 0), com=(0, 0, -5), q=q[1], qdot=qdot[1])
    return scene


def planar() -> rm.Scene:
    return with_pendulums(rm.Scene(gravity=(0, 0, -980)), rm.Planar(), q=(pi / 2, pi / 4), qdot=(0, 0))


def translational() -> rm.Scene:
    return with_pendulums(rm.Scene(gravity=(0, 0, 0)), rm.Translational(), q=(0, 0), qdot=(2, 1))


def fast_floating() -> rm.Scene:
    return with_pendulums(rm.Scene(gravity=(0, 0, 0)), rm.Translational(), q=(0, 0), qdot=(-10, 10))


def cart() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    base = scene.add_body(rm.Cuboid((20, 1, 1), density=1), joint=rm.Prismatic("x"), name="cart")
    rod = rm.Cuboid((1, 1, 10), density=1)
    scene.add_body(rod, parent=base, joint=rm.Revolute("y"), at=(-10, 0, 0), com=(0, 0, -5), q=pi / 2, name="pendulum")
    return scene


ENTRIES = (
    redmax(16, "planar-plate", "Plate that slides in a plane", planar, ("planar", "revolute")),
    redmax(17, "floating-plate", "Plate that floats without turning", translational, ("translational", "revolute")),
    redmax_diff(3, "diff-cart", "Cart with a pendulum, fully implicit", cart, ("prismatic", "revolute")),
    redmax_diff(4, "diff-planar-plate", "Plate that slides in a plane, fully implicit", planar, ("planar", "revolute")),
    redmax_diff(5, "diff-floating-plate", "Plate that floats, fully implicit", fast_floating, ("translational", "revolute"), duration=2.0),
)
