"""A gripper with three soft fingers: beams of finite elements between rigid knuckles, which are driven, and rigid tips.

Each finger is a stable neo-Hookean solid of tetrahedra. The nodes of its upper end are carried by a knuckle that turns in the palm as it is
told, those of its lower end by a tip that nothing else holds. The knuckles close, wait and open, faster than the fingers can follow: they
bend, swing on, and come to rest where the knuckles point, but for the weight of the tips.
"""

import numpy as np

import redmax as rm
from redmax.math import cos, maximum, minimum
from redmax.scenes.base import Entry

FINGERS, AROUND, OUT = 3, 0.07, 0.45  # number, distance of the hinges from the middle (m), and how far the fingers lean outwards (rad)
KNUCKLE, LENGTH, WIDTH, THICK, TIP = 0.03, 0.12, 0.024, 0.014, 0.03  # m
CELLS = (10, 2, 2)  # of six tetrahedra each
YOUNGS, POISSON, DENSITY = 4e5, 0.45, 1100.0  # a soft rubber
CLOSED, QUICK = OUT + 0.12, 0.2  # rad: how far the knuckles turn; s: in which time
CLOSE, OPEN = 0.2, 1.6  # s: when they begin


def turned(t: float) -> list[float]:
    """How far the knuckles have turned at the time t."""
    return [CLOSED * (step((t - CLOSE) / QUICK) - step((t - OPEN) / QUICK))]


def step(x: float) -> float:
    """From 0 to 1 while x does, without a jump of the velocity."""
    return 0.5 - 0.5 * cos(np.pi * minimum(maximum(x, 0.0), 1.0))


def build() -> rm.Scene:
    scene = rm.Scene()
    palm = scene.add_body(palm_shape(), name="palm")
    for k in range(FINGERS):
        around = rm.rotation_about("z", 2 * np.pi * k / FINGERS)
        hinge = rm.pose(around @ rm.rotation_about("y", -OUT), around @ (AROUND, 0, 0))  # x outwards, z along the finger, up
        add_finger(scene, palm, hinge, f"{k + 1}")
    return scene


def add_finger(scene: rm.Scene, palm: rm.BodyHandle, hinge: np.ndarray, name: str) -> None:
    down = rm.rotation_about("y", np.pi / 2)  # what lies along x, along -z
    knuckle = scene.add_body(
        rm.Cuboid((0.022, 0.034, KNUCKLE), mass=0.03), parent=palm, joint=rm.Revolute("y"), at=hinge, com=(0, 0, -KNUCKLE / 2),
        motion=turned, name=f"knuckle {name}",
    )  # fmt: skip
    place = hinge @ rm.pose(np.eye(3), (0, 0, -KNUCKLE - LENGTH - TIP / 2))
    tip = scene.add_body(rm.Ellipsoid((0.011, 0.016, TIP / 2 + 0.004), mass=0.012), joint=rm.Free3D(), at=place, name=f"tip {name}")
    beam = rm.Tetrahedra.beam(
        LENGTH, WIDTH, THICK, CELLS, at=hinge @ rm.pose(down, (0, 0, -KNUCKLE)),
        density=DENSITY, youngs=YOUNGS, poisson=POISSON, rayleigh=(5.0, 0.0), name=f"finger {name}",
    )  # fmt: skip
    along = np.arange(len(beam.nodes)) % (CELLS[0] + 1)
    scene.add_deformable(beam.attach(knuckle, along == 0).attach(tip, along == CELLS[0]))


def palm_shape() -> rm.Composite:
    """A disc with a stub above it, at the height of the hinges."""
    return rm.Composite([(rm.Cylinder(AROUND + 0.012, 0.018, mass=0.5), (0, 0, 0.02)), (rm.Cylinder(0.03, 0.07, mass=0.3), (0, 0, 0.06))])


FEATURES = ("finite elements", "neo-Hookean", "deformable", "attached nodes", "free", "prescribed motion")
ENTRIES = (Entry("soft-gripper", "Soft gripper", build, FEATURES, 2.6, 0.01, integrator="implicit", conservative=False),)
