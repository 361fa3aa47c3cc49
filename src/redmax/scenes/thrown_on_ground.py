"""A cuboid thrown on soft ground, in a plane and fully implicit: what its corners feel is a function of how deep and how fast they are.

    d = n . x < 0:   normal force -kn d n - kd n n'v,   tangential -kt a below the bound mu kn |d|, else -mu kn |d| a / |a|,   a = v - n n'v

The published code has the other sign in the last, where friction then pushes along the slip, and adds energy. Here it takes some. Damping
begins over the first 0.1 mm, as a jump there leaves some implicit steps without a solution.
"""

from typing import Any

import numpy as np

import redmax as rm
from redmax.math import minimum, sqrt, where
from redmax.scenes.base import redmax_diff

SIDES, STIFF, DRAG, DAMPING, FRICTION = (3.0, 1.0, 1.0), 1e5, 1e2, 30.0, 0.5  # cm, g/s^2, g/s, g/s
SHALLOW = 0.01  # cm
UP = np.array([0.0, 1.0, 0.0])


def pushed_by_ground(*corners: rm.Site, kn: float, kt: float, kd: float, mu: float) -> list[Any]:
    """The force on each corner."""
    found: list[Any] = []
    for corner in corners:
        depth, rising = corner.x[1], corner.v[1]
        slip = corner.v - rising * UP
        speed = sqrt(slip @ slip + 1e-24)
        bound = mu * kn * abs(depth)
        drag = where(bound > kt * speed, kt, bound / speed)
        inside = where(depth <= 0.0, 1.0, 0.0)
        damping = kd * minimum(abs(depth) / SHALLOW, 1.0)
        found.append(inside * ((-kn * depth - damping * rising) * UP - drag * slip))
    return found


def stored_in_ground(*corners: rm.Site, kn: float, kt: float, kd: float, mu: float) -> Any:
    """kn d^2 / 2 of each that is in it."""
    return sum(where(c.x[1] <= 0.0, 0.5 * kn * c.x[1] * c.x[1], 0.0) for c in corners)


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, -980, 0))
    box = scene.add_body(rm.Cuboid(SIDES, density=1), joint=rm.Free2D(), q=(-1, 2, 0), qdot=(5, 70, 2), name="box")
    corners = [box.point(*(np.array(SIDES) * (np.array(side) - 0.5))) for side in np.ndindex(2, 2, 2)]
    law: dict[str, Any] = {"kn": STIFF, "kt": DRAG, "kd": DAMPING, "mu": FRICTION}
    scene.add_force(rm.force(pushed_by_ground, bodies=corners, potential=stored_in_ground, name="ground", **law))
    slab = rm.Cuboid((8.0, 0.5, 4.0))
    scene.add_obstacle(slab, at=(0.0, -0.25, 0.0), name="slab", color="lightgray")
    scene.look = rm.Look(ground=False, camera=(-80, 65), trails=[rm.Trail(box)])
    return scene


FEATURES = ("free in a plane", "own force", "friction")
RUN: dict[str, Any] = {"dt": 5e-4, "duration": 0.6, "conservative": False}
ENTRIES = (redmax_diff(11, "diff-thrown-on-ground", "Cuboid thrown on soft ground, fully implicit", build, FEATURES, **RUN),)
