"""A kinetic sculpture, the scene that runs when none is named: joints of almost every kind, and nothing that takes energy away.

A crown turns on a mast. Its four arms carry a rod with a bead that bounces on a spring, a chain on ball joints, a tray that slides on
springs above its own pendulum, and a double pendulum. Above hovers a handle that turns about its middle axis of inertia, and therefore
flips over again and again, as Dzhanibekov saw it in orbit.
"""

from math import cos, pi, sin

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

MAST, REACH, RISE = 1.1, 0.8, pi / 15  # height of the mast below the crown, length and slope of the arms


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(mast(), at=(0, 0, -MAST), name="mast")
    hub = scene.add_body(crown(), joint=rm.Revolute("z"), at=(0, 0, 0.1), qdot=1.2, name="crown")
    bead_on_a_rod(scene, hub, arm(0))
    ball_chain(scene, hub, arm(1))
    sliding_tray(scene, hub, arm(2))
    double_pendulum(scene, hub, arm(3))
    hovering_handle(scene, height=0.65)
    return scene


def mast() -> rm.Composite:
    """A post on a base of two steps, described from the floor up."""
    steps = [(rm.Cylinder(0.42, 0.05, mass=0.5), (0, 0, 0.025)), (rm.Cylinder(0.3, 0.05, mass=0.3), (0, 0, 0.075))]
    return rm.Composite([*steps, (rm.Cylinder(0.04, MAST - 0.1, mass=0.2), (0, 0, MAST / 2 + 0.05))])


def arm(i: int) -> np.ndarray:
    """The end of the i-th arm in the crown: x points outwards, z up."""
    R = rm.rotation_about("z", i * pi / 2)
    return rm.pose(R, R @ (REACH * cos(RISE), 0, REACH * sin(RISE)))


def crown() -> rm.Composite:
    parts: list = [(rm.Sphere(0.1, mass=3), (0, 0, 0))]
    for i in range(4):
        R = rm.rotation_about("z", i * pi / 2) @ rm.rotation_about("y", pi / 2 - RISE)
        parts.append((rm.Capsule(0.026, REACH, mass=2), rm.pose(R, R @ (0, 0, REACH / 2))))
    return rm.Composite(parts)


def bead_on_a_rod(scene: rm.Scene, hub: rm.BodyHandle, end: np.ndarray) -> None:
    rod = scene.add_body(
        rm.Capsule(0.016, 0.85, mass=0.3), parent=hub, joint=rm.Universal(), at=end, com=(0, 0, -0.425), q=(0.6, 0.4), name="rod"
    )
    scene.add_body(
        rm.Sphere(0.085, mass=0.7), parent=rod, joint=rm.Prismatic("z"), at=(0, 0, -0.45), q=0.15, rest=0.08, stiffness=90, name="bead"
    )


def ball_chain(scene: rm.Scene, hub: rm.BodyHandle, end: np.ndarray) -> None:
    parent, at = hub, end
    for i, (length, radius) in enumerate(((0.34, 0.07), (0.28, 0.06), (0.22, 0.05))):
        link = rm.Composite([(rm.Capsule(0.02, length, mass=0.15), (0, 0, -length / 2)), (rm.Sphere(radius, mass=0.4), (0, 0, -length))])
        parent = scene.add_body(link, parent=parent, joint=rm.Spherical(), at=at, q=(0.6, -0.35, 0), name=f"ball{i + 1}")
        at = (0, 0, -length)


def sliding_tray(scene: rm.Scene, hub: rm.BodyHandle, end: np.ndarray) -> None:
    above = end @ rm.pose(np.eye(3), (0, 0, 0.05))
    plate = rm.Cylinder(0.22, 0.03, mass=0.6)
    tray = scene.add_body(plate, parent=hub, joint=rm.Planar(), at=above, q=(0.03, 0.07), rest=(-0.02, 0), stiffness=200, name="tray")
    drop = rm.Ellipsoid((0.08, 0.08, 0.28), mass=1)
    scene.add_body(drop, parent=tray, joint=rm.Universal(), at=(0, 0, -0.09), com=(0, 0, -0.28), q=(-0.3, 0.25), name="drop")


def double_pendulum(scene: rm.Scene, hub: rm.BodyHandle, end: np.ndarray) -> None:
    """Both swing across the arm, side by side."""
    bar, x = rm.Cuboid((0.035, 0.06, 0.4), mass=0.2), 0.05
    upper = scene.add_body(bar, parent=hub, joint=rm.Revolute("x"), at=end, com=(x, 0, -0.17), q=2.4, name="upper")
    scene.add_body(bar, parent=upper, joint=rm.Revolute("x"), at=(x, 0, -0.34), com=(0.04, 0, -0.17), q=0.7, name="lower")


def hovering_handle(scene: rm.Scene, height: float) -> None:
    """Springs carry its weight and hold it near its place; nothing hinders it from turning."""
    lying = rm.pose(rm.rotation_about("x", pi / 2), (0, 0, 0))
    handle = rm.Composite([(rm.Cylinder(0.035, 0.5, mass=0.9), lying), (rm.Cylinder(0.03, 0.26, mass=0.4), (0, 0, 0.13))])
    stiffness = 20.0
    rest = height + handle.mass * 9.81 / stiffness
    scene.add_body(
        handle,
        name="handle",
        joint=rm.Free3D(),
        q=(0, 0, height, 0, 0, 0),
        qdot=(0.2, 0, 0.15, 0.03, 0, 8),
        rest=(0, 0, rest, 0, 0, 0),
        stiffness=[stiffness] * 3 + [0] * 3,
    )


JOINTS = ("fixed", "revolute", "prismatic", "planar", "universal", "spherical", "free")
ENTRIES = (Entry("sculpture", "Kinetic sculpture", build, (*JOINTS, "stiffness", "composite body"), duration=10.0),)
