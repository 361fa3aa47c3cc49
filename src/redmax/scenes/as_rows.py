"""Published scenes again, with what ties and drives them as rows of constraints: couplings, gears, a driven joint, a driven body.

The published code takes the same coordinates out of its equations, or prescribes the same rows; with the published gain and the same
steps, rows give the same motion (RedMax notes Secs. 2.6, 2.8 and 2.9). Tied nodes, redmax:12, are rows as they were published.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import redmax as rm
from redmax.scenes import coupled_chain, driven_bodies, driven_chain, gears
from redmax.scenes.base import CGS, Entry

GAIN = 5.0  # 1/s


def coupled() -> rm.Scene:
    """Each joint turns half as far as the one before it: two rows."""
    scene = coupled_chain.three_links()
    names = [link.name for link in scene.links]
    for before, after in pairwise(names):
        scene.add_constraint(rm.Coupling({after: 1.0, before: -0.5}, 0.0, name=f"{before} and {after}", gain=GAIN))
    return scene


def driven_joint() -> rm.Scene:
    """The first joint starts at rest, a little beside its motion, and is led to it."""
    scene = driven_chain.three_links({}, {}, {})
    scene.add_constraint(rm.PrescribedCoordinate(scene.links[0].name, driven_chain.follow, name="drive", gain=GAIN))
    return scene


def twist_rows(body: rm.BodyHandle) -> rm.Constraint:
    """Turning about y and sliding along x and z, in body axes, as functions of time."""

    def in_plane(site: rm.Site, t: Any) -> Any:
        x, y, z = site.R.T
        w, v_x, v_z = driven_bodies.plane_twist(t, site.R)
        return [y @ site.omega - w, x @ site.v - v_x, z @ site.v - v_z]

    return rm.constraint(in_plane, bodies=[body], rows=3, velocities=True, name="twist", gain=0.0)


def driven_body() -> rm.Scene:
    """Three rows of velocities, without a place to hold, on the last of four links."""
    scene, last = driven_bodies.hinged(*driven_bodies.FOUR)
    scene.add_constraint(twist_rows(last))
    return scene


def driven_body_and_joint() -> rm.Scene:
    """And one more for the middle of five."""
    scene, last = driven_bodies.hinged(*driven_bodies.five({"name": "middle"}))
    scene.add_constraint(twist_rows(last))
    scene.add_constraint(rm.PrescribedCoordinate("middle", driven_bodies.follow, name="drive", gain=GAIN))
    return scene


def meshing() -> rm.Scene:
    """The axles turn against each other, in one row."""
    scene = gears.wheels()
    scene.add_constraint(rm.Gear("top axle", "bottom axle", -1.0, phase=0.0, name="mesh", gain=GAIN))
    return scene


def again(entry: Entry, build: Callable[[], rm.Scene], *features: str) -> Entry:
    """A published scene with rows instead."""
    options = {"integrator": entry.integrator, "dynamics": entry.dynamics, "conservative": entry.conservative, "units": CGS}
    return Entry(f"{entry.name}-rows", f"{entry.title}, as rows", build, ("revolute", *features), entry.duration, entry.dt, **options)


def of(module: Any, number: int) -> Entry:
    return next(entry for entry in module.ENTRIES if entry.reference == f"redmax:{number}")


ENTRIES = (
    again(of(coupled_chain, 7), coupled, "coupled angles"),
    again(of(driven_chain, 9), driven_joint, "prescribed motion"),
    again(of(driven_bodies, 13), driven_body, "prescribed twist"),
    again(of(driven_bodies, 20), driven_body_and_joint, "prescribed twist", "prescribed motion"),
    again(of(gears, 34), meshing, "gear"),
)
