"""A tracked vehicle: a track of 60 links, closed to a loop, lies over two sprockets and on the ground; what drives it is friction.

The links are a tree of their own, in a plane, whose last one a closure holds at the first. Each bears on sprockets and ground by a
ball. The rear sprocket turns at a given rate. Hinges are damped a little: friction in all of them at once is a problem of 472 unknowns in
each turn, and takes seconds a step.
"""

from itertools import pairwise
from math import atan2, cos, pi, sin
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

LINKS, PITCH, BALL, SPROCKET = 60, 0.1, 0.04, 0.3  # m
SPEED, GRIP, DAMPING = 2.0, 0.9, 0.01  # rad/s, N m s


def on_loop(s: float, span: float, radius: float) -> tuple[float, float]:
    """A place on the way around two circles, whose middles are `span` apart, at the length s; from below the rear one, forward."""
    arc = pi * radius
    s %= 2 * (span + arc)
    if s < span:
        return s - span / 2, -radius
    if s < span + arc:
        a = (s - span) / radius - pi / 2
        return span / 2 + radius * cos(a), radius * sin(a)
    if s < 2 * span + arc:
        return span / 2 - (s - span - arc), radius
    a = (s - 2 * span - arc) / radius + pi / 2
    return -span / 2 + radius * cos(a), radius * sin(a)


def pins(span: float, radius: float) -> np.ndarray:
    """(LINKS + 1, 2): the ends of links of one pitch each, one after the other along the loop."""
    found, s = [on_loop(0.0, span, radius)], 0.0
    for _ in range(LINKS):
        low, high = s, s + 1.5 * PITCH
        for _ in range(60):
            middle = (low + high) / 2
            far = np.hypot(*np.subtract(on_loop(middle, span, radius), found[-1]))
            low, high = (middle, high) if far < PITCH else (low, middle)
        s = low
        found.append(on_loop(s, span, radius))
    return np.array(found)


def closed(radius: float) -> tuple[float, np.ndarray]:
    """How far sprockets are apart for the track to close, and the pins of its links."""
    low, high = 1.0, 2.5
    for _ in range(60):
        span = (low + high) / 2
        end = pins(span, radius)[-1]
        short = end[0] < -span / 2 or end[1] > -radius + 1e-9  # of all the way around
        low, high = (low, span) if short else (span, high)
    return low, pins(low, radius)


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=GRIP)
    radius = SPROCKET + BALL
    span, ends = closed(radius)
    upright = rm.pose(rm.rotation_about("x", pi / 2), (0, 0, radius + BALL))  # x forward, y up
    hull = scene.add_body(rm.Cuboid((span, 0.15, 0.3), mass=20), joint=rm.Free2D(), at=upright, name="hull", color="darkolivegreen")
    driven: dict[str, Any] = {"motion": lambda t: [-SPEED * t]}
    for name, x, more in (("rear", -span / 2, driven), ("front", span / 2, {})):
        scene.add_body(
            rm.Cylinder(SPROCKET, 0.12, mass=4), parent=hull, joint=rm.Revolute("z"), at=(x, 0, 0), contact=GRIP, contact_group=1,
            name=name, color="slategray", **more,
        )  # fmt: skip
    link: rm.BodyHandle | None = None
    angles = [atan2(*(b - a)[::-1]) for a, b in pairwise(ends)]
    for k, angle in enumerate(angles):
        place: dict[str, Any] = (
            {"joint": rm.Free2D(), "at": upright, "q": (*ends[0], angle)}
            if link is None
            else {"joint": rm.Revolute("z"), "at": (PITCH, 0, 0), "q": angle - angles[k - 1], "damping": DAMPING, "parent": link}
        )
        link = scene.add_body(
            rm.Sphere(BALL, mass=0.2), com=(PITCH / 2, 0, 0), contact=GRIP, contact_group=2, name=f"link {k + 1}",
            color="dimgray" if k % 2 else "gray", **place,
        )  # fmt: skip
    assert link
    first = scene.find("link 1")
    scene.add_constraint(rm.PointClosure(link.point(PITCH / 2, 0, 0), first.point(-PITCH / 2, 0, 0), name="closure"))
    return scene


FEATURES = ("contact", "friction", "ground", "free in a plane", "revolute", "closed loop", "prescribed motion", "damping")
ENTRIES = (Entry("track", "Track of sixty links", build, FEATURES, 4.0, 0.004, integrator="implicit", conservative=False),)
