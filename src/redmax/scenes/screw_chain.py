"""A chain that is given by screws alone: a revolute, a helical, a prismatic and another revolute joint, by their lines in the world.

No joint frames: where the bodies are when all coordinates are zero, what they weigh, and the four screws (Mueller and Terze, Geometric
methods and formulations, Eqs. 55-57).
"""

import numpy as np

import redmax as rm
from redmax.lie import screw
from redmax.scenes.base import Entry


def screw_chain() -> rm.Scene:
    """Bodies "body1" to "body4"; their reference frames are "body1.frame" to "body4.frame"."""
    lines = [screw("z"), screw("y", (0.1, 0, 0.5), pitch=0.05), screw("x", pitch=np.inf), screw((1, 1, 1), (0.4, 0.2, 0.6))]
    centers = np.array([(0.01 * i, -0.02, 0.03) for i in (1, 2, 3, 4)])
    bodies = [
        rm.MassProperties(mass, i * np.array([0.03, 0.02, 0.01]), display=rm.Composite([(shape, place - center)]))
        for i, mass, center, (shape, place) in zip((1, 2, 3, 4), (3.0, 2.0, 1.5, 1.0), centers, drawn(), strict=True)
    ]
    return rm.Scene.from_screws(
        lines, [(0, 0, 0.25), (0.2, 0, 0.5), (0.4, 0.1, 0.5), (0.5, 0.2, 0.6)], bodies, seen_from="spatial", centers=centers,
        q=(0.3, -0.5, 0.2, 0.7), qdot=(0.4, 1, -0.6, 0.9),
    )  # fmt: skip


def drawn() -> list[tuple[rm.Body, np.ndarray]]:
    """What the bodies look like, and where in their reference frames: a column, an arm, a slide on it, and a paddle."""
    shapes = [rm.Cylinder(0.05, 0.5), rm.Cuboid((0.5, 0.06, 0.06)), rm.Cuboid((0.12, 0.2, 0.1)), rm.Ellipsoid((0.14, 0.08, 0.03))]
    return list(zip(shapes, np.array([(0, 0, 0), (0.1, 0, 0), (0, -0.05, 0), (0, 0, 0)], float), strict=True))


ENTRIES = (
    Entry("screw-chain", "A chain by screws alone", screw_chain, ("revolute", "helical", "prismatic", "screws"), 0.6),
)  # fmt: skip
