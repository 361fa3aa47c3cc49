"""Bodies that are more than one primitive: a composite, and a triangle mesh."""

from math import pi

import numpy as np

import redmax as rm
from redmax.scenes.base import redmax


def composite() -> rm.Scene:
    """A pendulum of a rod and a cylinder across its end, in one rigid body described in the joint's frame."""
    lying = rm.pose(rm.rotation_about("y", pi / 2), (5, 0, -10))
    hammer = rm.Composite([(rm.Cuboid((1, 1, 10), density=1), (0, 0, -5)), (rm.Cylinder(1, 10, density=1), lying)])
    scene = rm.Scene(gravity=(0, 0, -980))
    scene.add_body(hammer, joint=rm.Revolute("y"), name="hammer")
    return scene


def box_mesh(x: float, y: float, z: float) -> rm.Mesh:
    """A box with these side lengths, as 8 vertices and 12 triangles that are counterclockwise seen from outside."""
    vertices = np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)]) / 2
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [triangle for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))]
    return rm.Mesh(vertices, np.array(faces), density=1)


def meshes() -> rm.Scene:
    """Two boxes given as meshes, each hanging by the middle of an upper edge."""
    scene = rm.Scene(gravity=(0, 0, -980))
    box = box_mesh(1, 2, 3)
    upper = scene.add_body(box, joint=rm.Revolute("y"), com=(0.5, 0, -1.5))
    scene.add_body(box, parent=upper, joint=rm.Revolute("y"), at=(0, 0, -3), com=(0.5, 0, -1.5))
    return scene


ENTRIES = (
    redmax(25, "composite-body", "A body of two parts", composite, ("revolute", "composite body")),
    redmax(26, "mesh-body", "Bodies from triangle meshes", meshes, ("revolute", "mesh body"), duration=1.0),
)
