"""Gliders along the coasts of a globe (after Lee & Terzopoulos Fig. 5b).

Each coast is a closed spline curve on the sphere: of its control frames two axes are in the sphere's tangent plane, one of them along the
coast. The continents are invented: around a centre c, at angle phi, the coast is rho(phi) away, a sum of waves that get smaller as they
get shorter. It all stands on the Moon, so that the gliders take their time.
"""

from math import pi, radians

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.closed_curves import evenly, surface_frames, unit

LAND, FLOOR = 1.012, 0.97  # radii (m) of the land's surface and of where it begins, in a globe of radius 1
TILT, TURNING = radians(23.4), 0.3
WAVES, ROUGHNESS, FALL = range(2, 19), 0.33, 1.2  # which waves, how high and how much smaller the shorter ones
ORDER = 6  # of the spline: accelerations are then as smooth as the integrator's fifth order wants them

# latitude and longitude of the centre (degrees), mean radius (rad), control frames, a number that makes it different, speed at first (m/s)
CONTINENTS = {
    "boreal": (52.0, -20.0, 0.50, 400, 1, 1.6),
    "austral": (-34.0, -62.0, 0.46, 360, 2, 1.3),
    "levant": (8.0, 58.0, 0.48, 360, 5, -1.5),
    "occident": (30.0, -138.0, 0.52, 400, 8, 1.4),
    "island": (-48.0, 40.0, 0.22, 300, 13, -0.9),
    "orient": (-12.0, 150.0, 0.50, 400, 7, 1.5),
}


def coast(latitude: float, longitude: float, radius: float, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The centre (3,), and directions (n, 3) from the globe's middle to the coast, counterclockwise seen from outside."""
    turn = rm.rotation_about("z", radians(longitude)) @ rm.rotation_about("y", radians(90 - latitude))
    phi = 2 * pi * np.arange(3000) / 3000
    wave = sum(ROUGHNESS / k**FALL * np.cos(k * phi + 2 * pi * ((0.618 * k * k * number) % 1.0)) for k in WAVES)
    rho = radius * (1 + wave)
    return turn[:, 2], np.stack([np.sin(rho) * np.cos(phi), np.sin(rho) * np.sin(phi), np.cos(rho)], axis=-1) @ turn.T


def land(centre: np.ndarray, shore: np.ndarray, rings: int = 10) -> rm.Mesh:
    """A plate on the sphere, thinner than its height above it shows: rings from the centre to the shore, above and below."""
    n = len(shore)
    share = np.arange(1, rings + 1)[:, None, None] / rings
    over = unit(centre + share * (shore - centre)).reshape(-1, 3)
    vertices = np.concatenate([LAND * over, FLOOR * over, [LAND * centre, FLOOR * centre]])
    i, j = np.arange(n), np.roll(np.arange(n), -1)
    cap = [np.stack([np.full(n, 2 * rings * n), i, j], axis=1)]
    for k in range(rings - 1):
        a, b = k * n, (k + 1) * n
        cap += [np.stack([a + i, b + i, b + j], axis=1), np.stack([a + i, b + j, a + j], axis=1)]
    top = np.concatenate(cap)
    bottom = np.where(top == 2 * rings * n, top + 1, top + rings * n)[:, ::-1]
    edge, below = (rings - 1) * n, (2 * rings - 1) * n
    wall = np.concatenate([np.stack([edge + i, below + i, below + j], axis=1), np.stack([edge + i, below + j, edge + j], axis=1)])
    return rm.Mesh(vertices, np.concatenate([top, bottom, wall]), mass=0.1)


def glider() -> rm.Composite:
    """Its nose along x, a little above the origin."""
    parts = (
        (rm.Ellipsoid((0.085, 0.015, 0.017), mass=0.3), (0, 0, 0)),
        (rm.Ellipsoid((0.022, 0.16, 0.004), mass=0.12), (0.015, 0, 0.008)),
        (rm.Ellipsoid((0.012, 0.05, 0.003), mass=0.02), (-0.075, 0, 0.006)),
        (rm.Ellipsoid((0.014, 0.003, 0.03), mass=0.02), (-0.075, 0, 0.025)),
    )
    return rm.Composite([(part, (x, y, z + 0.035)) for part, (x, y, z) in parts])


def stand() -> rm.Composite:
    """A ring through the poles, on a foot; described about the globe's middle."""
    ring = rm.pose(rm.rotation_about("x", pi / 2), (0, 0, 0))
    pins = [rm.pose(np.eye(3), rm.rotation_about("y", TILT) @ (0, 0, z)) for z in (1.07, -1.07)]
    parts = [(rm.Torus(1.15, 0.02, mass=0.1), ring), *[(rm.Cylinder(0.02, 0.14, mass=0.01), pin) for pin in pins]]
    return rm.Composite([*parts, (rm.Cylinder(0.05, 0.2, mass=0.1), (0, 0, -1.26)), (rm.Cylinder(0.45, 0.05, mass=0.2), (0, 0, -1.37))])


def build() -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, -1.62))
    scene.add_body(stand(), name="stand")
    tilted = rm.pose(rm.rotation_about("y", TILT), (0, 0, 0))
    globe = scene.add_body(rm.Sphere(1.0, mass=30), joint=rm.Revolute("z"), at=tilted, qdot=TURNING, name="globe")
    plane = glider()
    for name, (latitude, longitude, radius, count, number, speed) in CONTINENTS.items():
        centre, shore = coast(latitude, longitude, radius, number)
        scene.add_body(land(centre, evenly(shore, 240)), parent=globe, name=name)
        points = LAND * unit(evenly(shore, count))
        curve = rm.SplineCurve(surface_frames(points, unit(points)), order=ORDER, cyclic=True)
        step = np.linalg.norm(points[1] - points[0])
        scene.add_body(plane, parent=globe, joint=curve, q=count / 3, qdot=speed / step, name=f"{name} glider")
    return scene


ENTRIES = (Entry("globe", "Gliders along coasts", build, ("spline curve", "revolute", "mesh body"), duration=12.0),)
