"""A joint of one's own: a nut on a helix, written as one function from its coordinate to a pose; S, Sdot and the inertia follow from it.

The nut turns by q at radius r and climbs c per radian. On a spring k it would swing harmonically, at sqrt(k / (m (r^2 + c^2) + I_z));
the pendulum that it carries makes it more interesting.
"""

from math import cos, pi, sin
from typing import Any

import numpy as np

import redmax as rm
from redmax.math import array
from redmax.scenes.base import Entry

RADIUS, CLIMB = 0.5, 0.3 / (2 * pi)  # m, and m per radian


def helix(q: Any, radius: float, climb: float) -> Any:
    """The pose at angle q: x points outwards."""
    R = rm.rotation_about("z", q[0])
    return rm.pose(R, R @ array([radius, 0.0, 0.0]) + array([0.0, 0.0, climb * q[0]]))


def rail() -> rm.Composite:
    """The curve itself, as small balls along it."""
    angles = np.linspace(-2.2 * pi, 2.2 * pi, 89)
    return rm.Composite([(rm.Sphere(0.016), (RADIUS * cos(a), RADIUS * sin(a), CLIMB * a)) for a in angles])


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rail(), name="rail")
    k, load = 0.25, 1.4
    nut = scene.add_body(
        rm.Sphere(0.07, mass=1),
        joint=rm.joint(helix, dof=1, radius=RADIUS, climb=CLIMB),
        q=1.8 * pi,
        stiffness=k,
        rest=load * 9.81 * CLIMB / k,  # the spring carries the weight, so that q = 0 is at rest
        name="nut",
    )
    rod = rm.Composite([(rm.Capsule(0.012, 0.3, mass=0.1), (0, 0, -0.15)), (rm.Sphere(0.05, mass=load - 1.1), (0, 0, -0.3))])
    scene.add_body(rod, parent=nut, joint=rm.Spherical(), q=(0.4, 0.2, 0), name="pendulum")
    return scene


FEATURES = ("joint from a function", "spherical", "stiffness")
ENTRIES = (Entry("helix", "A nut on a helix: a joint from one function", build, FEATURES, duration=10.0),)
