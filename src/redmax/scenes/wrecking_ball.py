"""A wrecking ball: a heavy sphere on a chain swings into a wall of boxes."""

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

LINKS, LINK, RADIUS, HIGH = 6, 0.25, 0.18, 2.0  # m: of the chain, of the ball, and where it hangs
ROWS, COLUMNS, BRICK, THICK = 7, 5, (0.2, 0.3, 0.15), 0.02  # m
BEGIN = 1.1  # rad: from hanging down


def build() -> rm.Scene:
    scene = rm.Scene()
    scene.add_ground(contact=0.7)
    link = None
    for k in range(LINKS):
        at = rm.pose(rm.rotation_about("y", BEGIN), (0, 0, HIGH)) if link is None else (0, 0, -LINK)
        link = scene.add_body(
            rm.Capsule(THICK, LINK, mass=0.5), joint=rm.Spherical(), parent=link, at=at, com=(0, 0, -LINK / 2), damping=0.02,
            name=f"link {k + 1}", color="dimgray", material="metal",
        )  # fmt: skip
    ball = rm.Sphere(RADIUS, mass=60.0)
    scene.add_body(ball, parent=link, at=(0, 0, -LINK - RADIUS), contact=0.4, name="ball", color="black", material="metal")
    for row in range(ROWS):
        for k in range(COLUMNS):
            y = BRICK[1] * (k - (COLUMNS - 1) / 2 + (0.25 if row % 2 else -0.25))
            at = np.array([RADIUS + BRICK[0] / 2 + 0.05, y, BRICK[2] * (row + 0.5)])
            scene.add_body(
                rm.Cuboid(BRICK, mass=3.0), joint=rm.Free3D(), at=at, contact=0.7, name=f"brick {row + 1}.{k + 1}",
                color="firebrick" if (row + k) % 2 else "chocolate",
            )  # fmt: skip
    return scene


FEATURES = ("contact", "friction", "ground", "free", "spherical", "damping")
ENTRIES = (Entry("wrecking-ball", "Wrecking ball", build, FEATURES, 2.0, 0.002, integrator="implicit", conservative=False),)
