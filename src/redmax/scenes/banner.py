"""A banner that hangs from a bar, which swings and turns on two cords that meet at a ball joint.

The cloth is a sheet of point masses and springs. The nodes of its upper edge are carried by the bar, without coordinates of their own;
the others move freely. What little damping there is takes the energy out of the cloth, not out of the swing.
"""

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

WIDTH, HEIGHT, CELLS = 0.9, 1.1, (12, 15)  # m, of the cloth
DROP, BAR, CORD = 0.4, 0.014, 0.005  # m: from the ball joint to the bar, and the radii of the bar and of the cords
SWING = rm.rotation_about("x", 0.9) @ rm.rotation_about("z", 1.0)  # of the bar, where it is let go


def frame() -> rm.Composite:
    """The bar along x below the origin, and the cords up to it."""
    along, reach = rm.rotation_about("y", np.pi / 2), WIDTH / 2 + 0.02
    slope, length = np.arctan2(reach, DROP), np.hypot(reach, DROP)
    cord = rm.Capsule(CORD, length, mass=0.03)
    cords = [(cord, rm.pose(rm.rotation_about("y", -s * slope), (s * reach / 2, 0, -DROP / 2))) for s in (-1, 1)]
    return rm.Composite([(rm.Capsule(BAR, 2 * reach + 0.04, mass=0.6), rm.pose(along, (0, 0, -DROP))), *cords])


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.03, mass=1), name="hook")
    start = rm.lie.so3.log(SWING)
    bar = scene.add_body(frame(), joint=rm.Spherical(), q=start, qdot=(0, 0, 1.5), name="bar")
    upright = rm.pose(rm.rotation_about("x", np.pi / 2), (0, 0, -DROP - HEIGHT / 2))  # below the bar while that is level
    at = rm.pose(SWING, (0, 0, 0)) @ upright
    cloth = rm.Cloth((WIDTH, HEIGHT), CELLS, density=0.25, stretch=400, shear=60, bend=4, damping=0.003, at=at, name="cloth")
    top = np.arange(len(cloth.nodes) - CELLS[0] - 1, len(cloth.nodes))
    scene.add_deformable(cloth.attach(bar, top))
    return scene


FEATURES = ("spherical", "cloth", "attached nodes", "deformable", "damping")
ENTRIES = (Entry("banner", "Banner on a swinging bar", build, FEATURES, 5.0, 0.01, integrator="implicit", conservative=False),)
