"""A satellite that tumbles with four panels on sprung hinges, in accordion folds on both sides.

Nothing acts from outside: its centre of mass flies straight on and its angular momentum stays, whatever the panels do, and without damping
its energy stays too. With damping it loses what it can while its momentum stays, and ends turning about its axis of the largest moment, as
Explorer 1 did in 1958 with its four antennas.
"""

from __future__ import annotations

from math import pi

import redmax as rm
from redmax.scenes.base import Entry

PANEL, THICK, HUB = 1.2, 0.04, (0.9, 0.9, 2.0)  # m
SPRING = 60.0  # N m/rad
BENT = 0.25  # rad, how far the inner panels are from straight at the start, and the outer ones back


def satellite(damping: float = 0.0, spin: tuple[float, float, float] = (0.15, 0.1, 0.9)) -> rm.Scene:
    """The hub is free, its pose a unit dual quaternion. damping: of each hinge (N m s/rad); spin: of the hub (rad/s, body axes)"""
    scene = rm.Scene(gravity=(0, 0, 0))
    flying = rm.Free("dual-quaternion")
    hub = scene.add_body(rm.Cuboid(HUB, mass=120), joint=flying, qdot=(*spin, 0.02, 0.0, 0.01), name="hub", color="goldenrod")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        parent, at, turned = hub, (0.0, sign * HUB[1] / 2, 0.0), 0.0 if sign > 0 else pi
        for part, bent in (("inner", BENT), ("outer", -BENT)):
            place = rm.pose(rm.rotation_about("z", turned), at)
            parent = scene.add_body(
                rm.Cuboid((0.8, PANEL, THICK), mass=6), joint=rm.Revolute("x"), parent=parent, at=place, com=(0, PANEL / 2, 0),
                q=bent, rest=0.0, stiffness=SPRING, damping=damping, name=f"{side} {part}", color="steelblue",
            )  # fmt: skip
            at, turned = (0.0, PANEL, 0.0), 0.0
    return scene


ENTRIES = (Entry("satellite", "Satellite with sprung panels", satellite, ("free", "dual quaternion", "revolute", "spring"), 20.0),)
