"""Two links and two chains of masses and springs between them, the world and each other (RedMax notes Secs. 2.7 and 2.8), in cm, g and s.

Twice: with the ends of the springs carried by the bodies, without coordinates of their own, so that their velocities follow from those
of the bodies (J_am of Eq. 2.86); and as published, with coordinates for all nodes and constraint rows that hold the ends to the bodies,
from which they slip by a millimetre. The first keeps its energy; the second runs with the step and the method of its publication.
"""

from typing import Any

import redmax as rm
from redmax.scenes.base import CGS, Entry, redmax

LENGTH, CORNER, STIFFNESS = 10.0, (30.0, 0.0, 10.0), 1e5


def links() -> tuple[rm.Scene, rm.BodyHandle, rm.BodyHandle]:
    scene, hinge = rm.Scene(gravity=(0, 0, -980)), rm.Revolute("y")
    link, half = rm.Cuboid((LENGTH, 1, 1), density=1), (LENGTH / 2, 0, 0)
    first = scene.add_body(link, joint=hinge, com=half, name="first link")
    return scene, first, scene.add_body(link, parent=first, joint=hinge, at=(LENGTH, 0, 0), com=half, name="second link")


def springs() -> tuple[rm.SpringChain, rm.SpringChain]:
    """From a corner in the world to the end of the second link, and between the middles of both."""
    hanging = rm.SpringChain(CORNER, (2 * LENGTH, 0, 0), 3, mass=1, stiffness=STIFFNESS, name="from the world")
    between = rm.SpringChain((LENGTH / 2, 0, 0), (1.5 * LENGTH, 0, 0), 2, mass=1, stiffness=STIFFNESS, name="between the links")
    return hanging, between


def attached() -> rm.Scene:
    (scene, first, second), (hanging, between) = links(), springs()
    scene.add_deformable(hanging.hold(0).attach(second, 2, at=(LENGTH / 2, 0, 0)))
    scene.add_deformable(between.attach(first, 0, at=(0, 0, 0)).attach(second, 1, at=(0, 0, 0)))
    return scene


def tied() -> rm.Scene:
    (scene, first, second), (hanging, between) = links(), springs()
    scene.add_deformable(hanging.tie(None, 0).tie(second, 2, at=(LENGTH / 2, 0, 0)).explicit())
    scene.add_deformable(between.tie(first, 0, at=(0, 0, 0)).tie(second, 1, at=(0, 0, 0)).explicit())
    return scene


FEATURES = ("revolute", "spring chain", "deformable")
ENTRIES = (Entry("mass-springs", "Links held by mass-spring chains", attached, (*FEATURES, "attached nodes"), 1.0, 5e-3, units=CGS),)
OPTIONS: dict[str, Any] = {"duration": 1.0, "dt": 5e-3, "conservative": False}
PUBLISHED = (redmax(12, "tied-mass-springs", "Links tied to mass-spring chains", tied, (*FEATURES, "constraint rows"), **OPTIONS),)
