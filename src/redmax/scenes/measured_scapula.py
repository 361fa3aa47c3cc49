"""A shoulder blade on a joint fitted to 800 noisy poses, as they might be measured: it glides on the ribs around, up and turning.

The poses are on an ellipsoid around the ribs, scattered over three angles, with errors of 1 mm and 1 degree (standard deviations). A spline
volume of twists with 6 x 5 x 4 control values comes nearest to them; its coordinates are the three angles. Springs, the muscles that
hold the blade, let it swing with the arm.
"""

from functools import lru_cache
from math import pi
from typing import Any

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry
from redmax.scenes.bones import bone
from redmax.scenes.ribs import MIDDLE, RIBS, gliding
from redmax.scenes.scapula import GLENOID, blade, hold

POSES, MILLIMETRE, DEGREE = 800, 1e-3, pi / 180
RANGE = np.radians([(15, 85), (-10, 50), (-35, 40)])  # around the ribs from the back, above level, and turned upwards
GRID = 6, 5, 4


def measured() -> tuple[np.ndarray, np.ndarray]:
    """Poses (N, 4, 4) in the frame of the ribs, and the angles (N, 3) at which each was taken."""
    rng = np.random.default_rng(2008)
    angles = rng.uniform(RANGE[:, 0], RANGE[:, 1], (POSES, 3))
    errors = rng.normal(size=(POSES, 6)) * np.repeat([DEGREE, MILLIMETRE], 3)
    return np.array([gliding(*x) for x in angles.tolist()]) @ rm.lie.se3.exp(errors), angles


@lru_cache
def fit() -> rm.SurfaceFit:
    """A decimetre counts as much as a radian."""
    poses, angles = measured()
    return rm.fit_surface(poses, angles, grid=GRID, range=RANGE, metric=0.1, outside="limit", limit_stiffness=50.0)


def build() -> rm.Scene:
    scene, facing = rm.Scene(), rm.pose(rm.rotation_about("z", pi), (0, 0, 0))
    trunk = [(rm.Ellipsoid(RIBS, mass=12), (0, 0, 0)), (rm.Capsule(0.022, 0.5, mass=3), (-0.08, 0, 0.03))]
    ribs = scene.add_body(rm.Composite(trunk), at=facing, name="ribs")
    scapula = scene.add_body(blade(), joint=fit().joint, parent=ribs, q=MIDDLE, damping=0.02, name="scapula")
    hang = rm.pose(gliding(*MIDDLE)[:3, :3].T, GLENOID)  # from the glenoid, in the axes of the world
    arm: dict[str, Any] = {"q": (0.4, -1.5, 0), "rest": (0.3, 0, 0), "stiffness": 5.0, "damping": 0.15}
    scene.add_body(bone(0.3, 0.012, (0.022, 0.018), 2.0), joint=rm.Spherical(), parent=scapula, at=hang, name="humerus", **arm)
    hold(scene, ribs, scapula)
    return scene


FEATURES = ("spline surface", "fitted to poses", "spherical", "springs and dampers")
ENTRIES = (Entry("measured-scapula", "Shoulder blade on a joint fitted to noisy poses", build, FEATURES, duration=4.0, conservative=False),)
