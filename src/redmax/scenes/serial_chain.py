"""Chains of equal links in a line that swing about parallel axes: the double pendulum, and one with welded links."""

from math import pi

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def double_pendulum() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -980))
    link = rm.Cuboid((10, 1, 1), density=1)
    upper = scene.add_body(link, joint=rm.Revolute("y"), com=(5, 0, 0), q=pi / 2)
    scene.add_body(link, parent=upper, joint=rm.Revolute("y"), at=(10, 0, 0), com=(5, 0, 0), q=pi / 4)
    return scene


def partly_welded() -> rm.Scene:
    """Five links; the second is welded to the first and the fourth to the third."""
    scene = rm.Scene(gravity=(0, 0, -980))
    link, parent = rm.Cuboid((10, 1, 1), density=1), None
    for i in range(5):
        hinged = i % 2 == 0
        parent = scene.add_body(
            link,
            parent=parent,
            joint=rm.Revolute("y") if hinged else rm.Fixed(),
            at=(10, 0, 0) if i else None,
            com=(5, 0, 0),
            q=pi / 4 if hinged else None,
        )
    return scene


ENTRIES = (
    redmax(-1, "double-pendulum", "Double pendulum", double_pendulum, ("revolute",)),
    redmax(0, "simple-chain", "Chain of five links, two of them welded on", partly_welded, ("revolute", "fixed")),
    redmax_diff(0, "diff-simple-chain", "Chain of five links, fully implicit", partly_welded, ("revolute", "fixed")),
)
