"""TC10 and TC20: chains of linked rings, each sliding on the inner side of the one above (Si & Guenter Fig. 1 and Table 1).

A ring has four degrees of freedom on its neighbour: where each of the two tubes is touched, around the ring and around the tube. The
first hangs from an eye that does not move, and has the two of them that are on the eye. A curved chain is let go with a push across: it
swings round and bends this way and that, and its rings begin to turn about their own axes. Nothing rubs, so the energy stays.
"""

from collections.abc import Sequence
from functools import partial
from math import pi

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

MAJOR, MINOR = 0.1, 0.016  # m: the radius of a ring and that of its tube
PITCH = 2 * (MAJOR - MINOR)  # from the centre of one ring to that of the next
STEEL = 7800.0  # kg/m^3

RING, TUBE = rm.Torus(MAJOR, MINOR, density=STEEL), rm.surfaces.Torus(MAJOR, MINOR)
LINK = rm.SurfaceContact(TUBE, TUBE, angle=pi / 2)
HANGING = np.array([pi, pi, 0.0, pi])  # the x axis of a ring points up: it hangs by u = 0, and u = pi carries the next; v = pi is inside
SEAT = np.linalg.inv(TUBE.frame(pi, pi)) @ LINK.transform(HANGING)  # a hanging ring, seen from where it touches the one above
UPRIGHT = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])  # turns x up, and z along x


def torus_chain(n: int, lean: Sequence[float] = (0, 0), bend: Sequence[float] = (0, 0), rate: Sequence[float] = (0, 0)) -> rm.Scene:
    """n rings with 4 n - 2 degrees of freedom, under an eye; hanging straight down, their middle would be at the origin.

    lean: how far the first ring is turned (rad) about the eye's axis, which is the world's x, and about its tube; rate: how fast (rad/s)
    bend: how far the last ring is turned against the first, likewise; each in between takes its share
    """
    scene = rm.Scene()
    top = rm.pose(UPRIGHT, (0, 0, (n + 1) / 2 * PITCH))
    scene.add_body(eye(), at=top, name="eye")
    first = rm.CompositeJoint(rm.PointOnSurface(TUBE), SEAT)
    ring = scene.add_body(RING, joint=first, at=top, q=HANGING[:2] + lean, qdot=rate, name="ring1")
    hang_rings(scene, ring, n - 1, np.divide(bend, max(n - 1, 1)))
    return scene


def hang_rings(scene: rm.Scene, ring: rm.BodyHandle, n: int, turn: Sequence[float] | np.ndarray = (0.0, 0.0)) -> None:
    """n more rings below one, each turned against the one above it by (du, dv) as on what carries the first.

    Turns about the axes of rings: so the forces at the contacts go through the centres, and the chain does not begin with a jerk.
    """
    for i in range(n):
        about_upper, about_lower = turn = -turn[1], turn[0]  # each ring stands across the one above
        ring = scene.add_body(RING, parent=ring, joint=LINK, q=HANGING + [about_upper, 0, about_lower, 0], name=f"ring{i + 2}")


def eye() -> rm.Composite:
    """A ring under a plate, with x up. It does not move, so that its mass is of no account."""
    along_x = rm.rotation_about("y", pi / 2)
    shank = rm.Cylinder(MINOR, 0.06, mass=0.01), rm.pose(along_x, (MAJOR + 0.03, 0, 0))
    plate = rm.Cylinder(0.12, 0.02, mass=0.01), rm.pose(along_x, (MAJOR + 0.06, 0, 0))
    return rm.Composite([(rm.Torus(MAJOR, MINOR, mass=0.01), (0, 0, 0)), shank, plate])


FEATURES = ("surface contact", "point on surface", "composite joint", "torus on torus")


def entry(n: int) -> Entry:
    build = partial(torus_chain, n, lean=(0, 0.5), bend=(0.6, 1.0), rate=(0.8, 0))
    return Entry(f"torus-chain-{n}", f"Chain of {n} rings (TC{n})", build, (*FEATURES, f"{4 * n - 2} degrees of freedom"), duration=10.0)


ENTRIES = (entry(10), entry(20))
