"""The surface on which a shoulder blade glides, for a spline surface joint: frames on the ribs that leave room for the clavicle.

Each frame lies on an ellipsoid around the ribs, at one of several heights and turned upwards by one of several angles; it is so far
around the ribs that the acromion is as far from the sternum as the clavicle is long.
"""

from itertools import product
from math import cos, radians, sin

import numpy as np

import redmax as rm

RIBS, OUTSIDE = (0.093, 0.133, 0.188), 0.026  # semi-axes (m): x forward, y to the left, z up; and where the blade glides, above them
STERNUM = np.array((0.09, 0.015, 0.085))  # where the clavicle begins (m)
ACROMION = (0.06, 0.08, 0.02)  # m, on the blade: up, sideways, outwards
UP, SPIN = np.radians(np.linspace(2, 42, 6)), np.radians(np.linspace(-25, 35, 6))  # of the control frames: above level, turned upwards
MIDDLE = radians(50), radians(22), 0.0  # around the ribs from the back, above level, and turned


def gliding(around: float, up: float, spin: float = 0.0) -> np.ndarray:
    """A frame (4, 4) on the ellipsoid: z outwards, x upwards and y to the side, the side turned up by `spin`."""
    a, b, c = np.array(RIBS) + OUTSIDE
    p = np.array((-a * cos(up) * cos(around), b * cos(up) * sin(around), c * sin(up)))
    side, z = np.array((a * sin(around), b * cos(around), 0.0)), p / (a * a, b * b, c * c)
    y, z = side / np.linalg.norm(side), z / np.linalg.norm(z)
    return rm.pose(np.column_stack([np.cross(y, z), y, z]) @ rm.rotation_about("z", -spin), p)


def apart(E: np.ndarray) -> float:
    """From the sternum to the acromion (m)."""
    return float(np.linalg.norm((E @ (*ACROMION, 1.0))[:3] - STERNUM))


CLAVICLE = apart(gliding(*MIDDLE))


def control_frame(up: float, spin: float) -> np.ndarray:
    """So far around the ribs that the clavicle fits, by bisection: the farther around, the closer to the sternum."""
    near, far = radians(10), radians(110)
    for _ in range(50):
        middle = (near + far) / 2
        near, far = (middle, far) if apart(gliding(middle, up, spin)) > CLAVICLE else (near, middle)
    return gliding(near, up, spin)


def joint() -> rm.SplineSurface:
    """Its coordinates count steps of height and of turn from the second control frame on."""
    base = gliding(*MIDDLE)
    values = np.empty((len(UP), len(SPIN), 6))
    for (i, up), (j, spin) in product(enumerate(UP), enumerate(SPIN)):
        E = np.linalg.inv(base) @ control_frame(up, spin)
        values[i, j] = *E[:3, 3], *angles(E)
    return rm.SplineSurface(values, base=base, outside="limit", limit_stiffness=50.0)


def angles(E: np.ndarray) -> tuple[float, float, float]:
    """About x, y and z, one after the other."""
    return float(np.arctan2(-E[1, 2], E[2, 2])), float(np.arcsin(E[0, 2])), float(np.arctan2(-E[0, 1], E[0, 0]))
