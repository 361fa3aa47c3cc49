"""A chain of one degree of freedom: each joint turns half as far as the one before it (hyper-reduced, RedMax notes Sec. 2.6)."""

import redmax as rm
from redmax.scenes.base import redmax


def three_links() -> rm.Scene:
    """Hinged links that hang in a line."""
    scene = rm.Scene(gravity=(0, 0, -980))
    link, parent = rm.Cuboid((10, 1, 1), density=1), None
    for i in range(3):
        parent = scene.add_body(link, parent=parent, joint=rm.Revolute("y"), at=(10, 0, 0) if i else None, com=(5, 0, 0))
    return scene


def build() -> rm.Scene:
    scene = three_links()
    scene.set_map([1, 1 / 2, 1 / 4])
    return scene


ENTRIES = (redmax(7, "coupled-chain", "Chain whose angles are coupled", build, ("revolute", "hyper-reduced coordinates"), dt=0.02),)
