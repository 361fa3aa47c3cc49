"""Free bodies: nothing acts on them, and their energy and angular momentum stay while they tumble; one near its unstable axis.

They turn about their centre of mass, which stays. The first is that of Hairer, Lubich and Wanner (Geometric numerical integration, Sec.
VII.5): its angular velocity has the period 10.7314652348828 s, by Jacobi's elliptic functions. Of the second, which turns over again and
again, so much as a rounding decides when (Dzhanibekov). Configurations are unit quaternions; `coordinates` may say "matrix" or "exp".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.heavy_tops import Coordinates

MOMENTS = (2.0, 1.0, 2 / 3)  # kg m^2: of no mass alone, since 1 + 2/3 < 2
ANGLE = 1.1  # rad, of the angular momentum from the first axis towards the third


def free_body(coordinates: Coordinates = "quaternion") -> rm.Scene:
    """Of angular momentum (cos 1.1, 0, sin 1.1) kg m^2/s."""
    omega = np.array([np.cos(ANGLE), 0, np.sin(ANGLE)]) / MOMENTS
    body = rm.MassProperties(1, np.array(MOMENTS), display=rm.Ellipsoid((0.5, 1.0, 1.4)), effective=True)
    return tumbling(body, omega, coordinates)


def free_body_unstable(coordinates: Coordinates = "quaternion") -> rm.Scene:
    """About the axis of the middle moment, all but one part in a thousand."""
    handle = [(rm.Cuboid((1.2, 0.16, 0.16)), (0.0, 0, 0)), (rm.Cuboid((0.16, 0.7, 0.16)), (0.0, 0.3, 0))]
    body = rm.MassProperties(1, np.array([1.0, 2, 3]), display=rm.Composite(handle))
    return tumbling(body, (0.001, 1, 0.001), coordinates)


def tumbling(body: rm.Body, omega: Sequence[float] | np.ndarray, coordinates: Coordinates) -> rm.Scene:
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(body, joint=rm.Spherical(coordinates), qdot=omega, name="body", color="steelblue")
    return scene


FEATURES = ("spherical", "quaternion")
ENTRIES = (
    Entry("free-body", "Free body", free_body, FEATURES, 20.0),
    Entry("free-body-unstable", "Free body near its unstable axis", free_body_unstable, FEATURES, 40.0),
)  # fmt: skip
