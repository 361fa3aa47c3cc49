"""A hand on a condyloid wrist, with a thumb on a saddle: two joints of two freedoms, each fitted to poses with stated errors.

The wrist: an ellipsoid, the carpal bones, in a socket, on which it slides as it bends by f and tilts by d. With R = R_y(f) R_x(d) and the
semi-axes A = diag(a), the socket at the origin and its normal n = (0, 0, -1), the middle of the ellipsoid is at n h(R), where
h = |A R^T n| is how far it reaches towards the socket.

The thumb: the trapezium is a saddle, round about an axis at the depth B below its middle in one direction, and about one at the height T
above it in the other. A bone that fits on it turns about both, so that its axes do not meet:

    G(f, b) = T(-B z) R_y(f) T((B + T) z) R_x(b) T(-T z)

Errors are 0.3 mm and 0.5 degrees (standard deviations).
"""

from functools import lru_cache
from math import pi

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.bones import bone

CARPALS = 0.014, 0.024, 0.013  # semi-axes (m): palm to back, side to side, along the arm
BELOW, ABOVE = 0.012, 0.018  # B and T (m) of the saddle
WRIST, THUMB = np.radians([(-75, 75), (-25, 40)]), np.radians([(-35, 35), (-30, 40)])  # ranges of f and d, of f and b
POSES, MILLIMETRES, DEGREES = 400, 0.3e-3, 0.5 * pi / 180
DOWN = rm.pose(rm.rotation_about("x", pi), (0, 0, 0))  # the fingers hang
STOP = 3.0  # N m/rad beyond the ends of the ranges


def on_socket(f: float, d: float) -> np.ndarray:
    """The middle of the carpal bones (4, 4), z towards the arm."""
    R = rm.rotation_about("y", f) @ rm.rotation_about("x", d)
    return rm.pose(R, (0, 0, -float(np.linalg.norm(np.array(CARPALS) * R[2]))))


def on_saddle(f: float, b: float) -> np.ndarray:
    """The end of the thumb's first bone (4, 4) on the middle of the saddle, z outwards."""
    R, z = rm.rotation_about("y", f), np.array((0.0, 0.0, 1.0))
    return rm.pose(R @ rm.rotation_about("x", b), -BELOW * z + (BELOW + ABOVE) * R @ z - ABOVE * R @ rm.rotation_about("x", b) @ z)


def measured(on: str) -> tuple[np.ndarray, np.ndarray]:
    """Poses (N, 4, 4) and parameters (N, 2), of the wrist ("socket") or the thumb ("saddle")."""
    pose, spans, seed = (on_socket, WRIST, 1) if on == "socket" else (on_saddle, THUMB, 2)
    rng = np.random.default_rng(seed)
    angles = rng.uniform(spans[:, 0], spans[:, 1], (POSES, 2))
    errors = rng.normal(size=(POSES, 6)) * np.repeat([DEGREES, MILLIMETRES], 3)
    return np.array([pose(*x) for x in angles.tolist()]) @ rm.lie.se3.exp(errors), angles


@lru_cache
def fit(on: str) -> rm.SurfaceFit:
    """Three centimetres count as much as a radian: the size of what moves."""
    poses, angles = measured(on)
    spans = WRIST if on == "socket" else THUMB
    return rm.fit_surface(poses, angles, grid=(6, 5), range=spans, metric=0.03, outside="limit", limit_stiffness=STOP)


def palm() -> rm.Composite:
    """From the middle of the carpal bones along -z, four fingers with it."""
    parts = [(rm.Ellipsoid(CARPALS, mass=0.06), (0, 0, 0)), (rm.Cuboid((0.02, 0.075, 0.08), mass=0.25), (0, 0, -0.055))]
    for y, length in ((-0.03, 0.06), (-0.01, 0.075), (0.01, 0.08), (0.03, 0.07)):
        parts.append((rm.Capsule(0.0075, length, mass=0.03), (0, y, -0.095 - length / 2)))
    return rm.Composite(parts)


def build() -> rm.Scene:
    scene = rm.Scene()
    arm = [(rm.Capsule(0.012, 0.15, mass=0.3), (0, y, 0.09)) for y in (-0.015, 0.015)]
    socket = rm.Cylinder(0.024, 0.006, mass=0.05), (0, 0, 0.003)
    forearm = scene.add_body(rm.Composite([*arm, socket]), name="forearm")
    hand = scene.add_body(palm(), joint=fit("socket").joint, parent=forearm, q=(0.9, 0.35), name="hand")
    side = rm.pose(rm.rotation_about("x", 2.3), (0.008, 0.042, -0.022))
    base = rm.Capsule(0.008, 0.04, mass=0.03)
    first = scene.add_body(base, joint=fit("saddle").joint, parent=hand, at=side, com=(0, 0, 0.026), q=(0.3, -0.2), name="metacarpal")
    tip, end = bone(0.045, 0.0075, (0.0085, 0.0075), 0.025), DOWN @ rm.pose(np.eye(3), (0, 0, -0.054))
    scene.add_body(tip, joint=rm.Revolute("y"), parent=first, at=end, q=0.3, stiffness=0.02, name="thumb")
    scene.add_force(rm.JointSpring(first, 0.05))
    return scene


TITLE, FEATURES = "Hand on a condyloid wrist, with a thumb on a saddle", ("spline surface", "fitted to poses", "stiffness")
ENTRIES = (Entry("hand", TITLE, build, FEATURES, duration=4.0),)
