"""Deformables that touch rigid things: soft fingers that lift a ball by friction, and a cloth that falls over a sphere and lies still.

The gripper's fingers are beams of finite elements, whose upper ends ride on two sliders. These close until the fingers are bent outwards by
the ball between them, which sticks to their nodes and goes up with the palm. The cloth is a sheet of springs; it meets the sphere with its
nodes, slides a little, hangs down around it, and comes to rest.
"""

from typing import Any

import numpy as np

import redmax as rm
from redmax.math import maximum, minimum
from redmax.scenes.base import Entry

RADIUS, MASS, FRICTION = 0.04, 0.15, 0.8  # of the ball: m, kg
LENGTH, WIDTH, THICK, CELLS = 0.11, 0.04, 0.022, (8, 3, 2)  # of a finger: m; cells of six tetrahedra each
OPEN, PRESS, LIFT = 0.015, 0.02, 0.2  # m: how far off the fingers begin, how much further than the ball they close, and how far up they go
CLOSE, UP = (0.1, 0.6), (0.8, 1.6)  # s: from and to
SKIN = 0.002  # m: radius of nodes

BALL, SHEET, SHEET_CELLS, SHEET_SKIN = 0.25, 1.0, 20, 0.01  # of the cloth's scene: radius, side (m); cells along it; radius of nodes (m)
CENTRE = (0.0, 0.0, 0.55)  # m: of the sphere


def way(t: Any, span: tuple[float, float]) -> Any:
    """From 0 to 1 within a span of time, without a jump of the velocity."""
    s = minimum(maximum((t - span[0]) / (span[1] - span[0]), 0.0), 1.0)
    return s * s * (3 - 2 * s)


def risen(t: Any) -> list[Any]:
    """How far the palm has gone up."""
    return [LIFT * way(t, UP)]


def closed(t: Any) -> list[Any]:
    """How far the sliders have."""
    return [(OPEN + PRESS) * way(t, CLOSE)]


def gripper() -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=FRICTION)
    ball = rm.Sphere(RADIUS, mass=MASS)
    scene.add_body(ball, joint=rm.Free(), at=(0, 0, RADIUS), contact=FRICTION, name="ball", color="tomato")
    top = RADIUS + LENGTH - 0.02
    palm = scene.add_body(
        rm.Cuboid((0.24, 0.05, 0.02), mass=0.5), joint=rm.Prismatic("z"), at=(0, 0, top + 0.03), motion=risen, name="palm", color="dimgray",
        material="metal",
    )  # fmt: skip
    for name, side in (("left", -1), ("right", 1)):
        x = side * (RADIUS + SKIN + OPEN + THICK / 2)
        slider = scene.add_body(
            rm.Cuboid((0.03, 0.045, 0.02), mass=0.1), joint=rm.Prismatic((-side, 0, 0)), parent=palm, at=(x, 0, -0.02), motion=closed,
            name=f"{name} slider", color="dimgray", material="metal",
        )  # fmt: skip
        down = rm.pose(rm.rotation_about("y", np.pi / 2), (x, 0, top))  # what lies along x, along -z
        beam = rm.Tetrahedra.beam(
            LENGTH, WIDTH, THICK, CELLS, at=down, density=1100.0, youngs=5e5, poisson=0.4,
            rayleigh=(4.0, 0.01), name=f"{name} finger",
        )  # fmt: skip
        held = np.arange(len(beam.nodes)) % (CELLS[0] + 1) == 0
        scene.add_deformable(beam.attach(slider, held).touching(FRICTION, radius=SKIN, nodes=~held).painted("steelblue"))
    return scene


def cloth(cells: int = SHEET_CELLS) -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    scene.add_obstacle(rm.Sphere(BALL), at=CENTRE, contact=0.5, name="sphere", color="slategray")
    sheet = rm.Cloth(
        (SHEET, SHEET), (cells, cells), density=0.2, stretch=60.0, shear=10.0, bend=0.3, rayleigh=(6.0, 0.004),
        at=(0.02, 0.03, 0.95), name="cloth",
    )  # fmt: skip
    scene.add_deformable(sheet.touching(0.5, radius=SHEET_SKIN).painted("tomato"))
    return scene


SOFT = ("contact", "friction", "deformable", "ground")
ENTRIES = (
    Entry(
        "soft-lift", "Soft fingers that lift a ball", gripper, (*SOFT, "finite elements", "attached nodes", "prescribed motion", "free"),
        3.0, 0.004, integrator="implicit", conservative=False,
    ),
    Entry(
        "cloth-on-sphere", "Cloth on a sphere", cloth, (*SOFT, "cloth", "obstacle"), 4.0, 0.005, integrator="implicit", conservative=False,
    ),
)  # fmt: skip
