"""Free motion in a plane: a falling pair of hinged links that keeps turning, and a thrown cube."""

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff


def hinged_pair() -> rm.Scene:
    """The second link turns back as fast as the first one turns, so that at first it only moves along."""
    scene = rm.Scene(gravity=(0, -1, 0))
    link = rm.Cuboid((10, 1, 1), density=1)
    first = scene.add_body(link, joint=rm.Free2D(), qdot=(0, 0, 1), name="first")
    scene.add_body(link, parent=first, joint=rm.Revolute("z"), at=(5, 0, 0), com=(5, 0, 0), qdot=-1, name="second")
    return scene


def thrown_cube() -> rm.Scene:
    scene = rm.Scene(gravity=(0, -980, 0))
    scene.add_body(rm.Cuboid((1, 1, 1), density=1), joint=rm.Free2D(), q=(-10, -10, 0), qdot=(50, 200, 20), name="cube")
    return scene


ENTRIES = (
    redmax(35, "free-pair", "Hinged links in free fall, in a plane", hinged_pair, ("free in a plane", "revolute"), duration=10.0),
    redmax_diff(6, "diff-thrown-cube", "Cube thrown in a plane, fully implicit", thrown_cube, ("free in a plane",), dt=0.005, duration=0.4),
)
