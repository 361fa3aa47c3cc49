"""Hinged links with springs between them: without a length at rest, or with one and a damper (RedMax notes Secs. 1.9.3, 1.9.6)."""

from itertools import pairwise
from math import pi
from typing import Any

import redmax as rm
from redmax.scenes.base import redmax, redmax_diff

LINK = rm.Cuboid((10, 1, 1), density=1)
STIFF: dict[str, Any] = {"stiffness": 1e6, "damping": 1e3, "per": "strain"}  # and as long at rest as where the scene begins
AS_PUBLISHED: dict[str, Any] = {"stiffness_kind": "symmetrised"}  # what the published implicit steps take


def hinged(*angles: float) -> tuple[rm.Scene, list[rm.BodyHandle]]:
    """A chain of links with these angles between them."""
    scene, links = rm.Scene(gravity=(0, 0, -980)), []
    for angle in angles:
        parent, at = (links[-1], (10, 0, 0)) if links else (None, None)
        links.append(scene.add_body(LINK, parent=parent, joint=rm.Revolute("y"), at=at, com=(5, 0, 0), q=angle))
    return scene, links


def neighbours() -> rm.Scene:
    """Four links; a point of each is drawn to the far end of the next."""
    scene, links = hinged(pi / 2, pi / 16, pi / 16, pi / 16)
    for before, after in pairwise(links):
        scene.add_force(rm.PointSpring(before.point(-1, 0, 0), after.point(5, 0, 0), stiffness=100, **AS_PUBLISHED))
    return scene


def strut() -> rm.Scene:
    """A beam that is held fast, and two links below it; a stiff spring with a damper carries the first like a strut."""
    scene = rm.Scene(gravity=(0, 0, -980))
    beam = scene.add_body(LINK, com=(5, 0, 0))
    first = scene.add_body(LINK, parent=beam, joint=rm.Revolute("y"), at=(10, 0, 0), com=(5, 0, 0), q=pi / 2)
    scene.add_body(LINK, parent=first, joint=rm.Revolute("y"), at=(10, 0, 0), com=(5, 0, 0), q=-pi / 2)
    scene.add_force(rm.SpringDamper(beam.point(-2, 0, -0.5), first.point(1, 0.5, -0.5), **STIFF, **AS_PUBLISHED))
    return scene


def stays() -> rm.Scene:
    """Two links in a line, carried by a stay below them to the ground and one above them between the two."""
    scene, (first, second) = hinged(0.0, 0.0)
    scene.add_force(rm.SpringDamper((-5, 0, -5), second.point(0, 0, -2), **STIFF))
    scene.add_force(rm.SpringDamper(first.point(0, 0, 2), second.point(0, 0, 2), **STIFF))
    return scene


DAMPED = ("revolute", "spring with damper")
ENTRIES = (
    redmax(23, "point-springs", "Chain with springs from link to link", neighbours, ("revolute", "point spring")),
    redmax(24, "strut", "Links carried by a strut", strut, ("fixed", *DAMPED), conservative=False),
    redmax_diff(12, "diff-stays", "Links carried by stays, fully implicit", stays, DAMPED, conservative=False),
)
