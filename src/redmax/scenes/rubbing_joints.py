"""Two links on joints that rub: hinges, ball joints and slides, as published (RedMax notes Sec. 2.11).

Friction is solved for as the published numbers were made: forces may still change by three hundredths where turns end. A solution that is
converged further has more friction: see the page on joints that rub.
"""

from math import pi
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import redmax

RUN = {"duration": 1.0, "conservative": False}


def two_links(joints: list[rm.Joint], turned: np.ndarray | None, friction: float, **shape: Any) -> rm.Scene:
    """turned: the place of the first joint; shape: of both, where they touch."""
    scene = rm.Scene(gravity=(0, 0, -980))
    link = rm.Cuboid((10, 1, 1), density=1)
    first = scene.add_body(link, joint=joints[0], at=turned, com=(5, 0, 0))
    second = scene.add_body(link, parent=first, joint=joints[1], at=(10, 0, 0), com=(5, 0, 0))
    for body in (first, second):
        scene.add_force(rm.JointFriction(body, friction, **shape))
    scene.set_staggering(tolerance=1e-3, regularisation=1e-6, centripetal=False)
    return scene


def hinges() -> rm.Scene:
    turned = rm.pose(rm.rotation_about("x", pi / 4), (0, 0, 0))
    return two_links([rm.Revolute("z"), rm.Revolute("z")], turned, 0.6, radius=0.5, height=1)


def balls() -> rm.Scene:
    return two_links([rm.Spherical(), rm.Spherical()], None, 5, radius=1)


def slides() -> rm.Scene:
    turned = rm.pose(rm.rotation_about("y", pi / 3), (0, 0, 0))
    return two_links([rm.Prismatic("x"), rm.Prismatic("x")], turned, 0.8, size=(5, 0.5, 5))


ENTRIES = (
    redmax(27, "rubbing-hinges", "Two links on hinges that rub", hinges, ("revolute", "friction in joints"), **RUN),
    redmax(28, "rubbing-balls", "Two links on ball joints that rub", balls, ("spherical", "friction in joints"), **RUN),
    redmax(29, "rubbing-slides", "Two links on slides that rub", slides, ("prismatic", "friction in joints"), **RUN),
)
