"""Rocks on hills: a convex mesh, ellipsoids, a box and a can that tumble down a height field and come to rest in its valleys.

The ground is a table of heights; rocks are the convex hulls of points. Rolling friction lets what is round come to rest.
"""

import numpy as np

import redmax as rm
from redmax.scenes.base import Entry

SIZE, STEPS = 3.0, 25  # m, heights along each side


def hills() -> rm.HeightField:
    """Two waves across each other, in a bowl."""
    x = np.linspace(-1, 1, STEPS)
    u, v = np.meshgrid(x, x, indexing="ij")
    return rm.HeightField(0.12 * np.sin(5 * u) * np.cos(4 * v) + 0.5 * (u * u + v * v), (SIZE, SIZE))


def rock(seed: int, size: float) -> rm.Mesh:
    """The hull of points on an ellipsoid."""
    points = np.random.default_rng(seed).normal(size=(18, 3))
    return rm.Mesh.hull(size * points / np.linalg.norm(points, axis=1)[:, None] * (1.2, 1.0, 0.8), density=2000)


def terrain() -> rm.Scene:
    scene, law = rm.Scene(), rm.ContactMaterial(friction=0.6, rolling=0.01, torsional=0.005)
    scene.add_obstacle(hills(), contact=law, name="hills", color="darkseagreen")
    bodies = {
        "rock": (rock(1, 0.12), (0.9, 0.2), "slategray"),
        "slab": (rock(2, 0.1), (-0.8, 0.5), "dimgray"),
        "pebble": (rm.Ellipsoid((0.14, 0.1, 0.06), density=2000), (0.3, -0.9), "steelblue"),
        "egg": (rm.Ellipsoid((0.08, 0.08, 0.11), density=1000), (-0.5, -0.6), "ivory"),
        "box": (rm.Cuboid((0.2, 0.15, 0.12), density=500), (-0.9, -0.3), "peru"),
        "can": (rm.Cylinder(0.07, 0.18, density=800), (0.2, 0.8), "tomato"),
    }
    for k, (name, (shape, (x, y), color)) in enumerate(bodies.items()):
        R = rm.rotation_about("x", 0.5 * k) @ rm.rotation_about("y", 0.4)
        height = 0.5 * (x * x + y * y) / (SIZE / 2) ** 2 + 0.35
        scene.add_body(shape, joint=rm.Free3D(), at=rm.pose(R, (x, y, height)), contact=law, name=name, color=color)
    return scene


FEATURES = ("contact", "friction", "rolling friction", "height field", "convex mesh", "ellipsoid", "free")
ENTRIES = (Entry("terrain", "Rocks on hills", terrain, FEATURES, 4.0, 0.002, integrator="implicit", conservative=False),)
