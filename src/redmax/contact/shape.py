"""Shapes that touch: of which kind, how large, and where on their body (or in the world).

Spheres, capsules, cylinders and cuboids are met in closed form, planes are for what does not move, and composites are their parts.
Ellipsoids and convex meshes are asked for from Python (contact/asked), but for ellipsoids on planes. A body that is given by its mass
properties is met as the shape it is displayed with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.bodies import Body, Capsule, Composite, Cuboid, Cylinder, Ellipsoid, MassProperties, Mesh, Sphere
from redmax.contact.material import ContactMaterial
from redmax.contact.polytope import convex_of
from redmax.errors import SceneError

VALID = "Sphere, Capsule, Cylinder, Cuboid, Ellipsoid, a convex Mesh, or a Composite of these"


@dataclass(frozen=True, eq=False)
class ContactShape:
    """A shape in the table of contacts. owner: the name of its body or obstacle; body: its number, -1 for the world

    pose: (4, 4) in the body frame, or in the world; size: (3,), by the kind (contact/pairs/placed.py); radius: of a ball around it
    group: shapes of one group, which is not 0, do not touch each other; node: its number in a deformable, -1 if it is none
    solid: of a mesh its faces (polytope.py), of a height field itself
    """

    owner: str
    body: int
    kind: str
    pose: np.ndarray
    size: np.ndarray
    radius: float
    material: ContactMaterial
    group: int = 0
    node: int = -1
    solid: Any = None


def sizes(shape: Body) -> tuple[str, np.ndarray, float] | None:
    """(kind, size, radius around the centre) of a shape that is met in closed form."""
    if isinstance(shape, Sphere):
        return "sphere", np.array([shape.radius, 0.0, 0.0]), float(shape.radius)
    if isinstance(shape, Capsule):
        return "capsule", np.array([shape.radius, shape.height / 2, 0.0]), float(shape.radius + shape.height / 2)
    if isinstance(shape, Cylinder):
        return "cylinder", np.array([shape.radius, shape.height / 2, 0.0]), float(np.hypot(shape.radius, shape.height / 2))
    if isinstance(shape, Cuboid):
        half = np.asarray(shape.size, float) / 2
        return "cuboid", half, float(np.linalg.norm(half))
    if isinstance(shape, Ellipsoid):
        return "ellipsoid", np.array(shape.radii, float), float(max(shape.radii))
    return None


def shapes_of(owner: str, body: int, shape: Body, pose: np.ndarray, material: ContactMaterial, group: int) -> Iterator[ContactShape]:
    """The shapes of a body, of which a composite has several. pose: of the shape's body frame."""
    if isinstance(shape, Composite):
        for (part, _), E in zip(shape.parts, shape.part_poses(), strict=True):
            yield from shapes_of(owner, body, part, pose @ E, material, group)
        return
    if isinstance(shape, MassProperties) and shape.display is not None:
        yield from shapes_of(owner, body, shape.display, pose @ shape.display.frame, material, group)
        return
    if isinstance(shape, Mesh):
        solid = convex_of(owner, shape.mesh())
        yield ContactShape(owner, body, "mesh", pose, np.zeros(3), solid.radius, material, group, solid=solid)
        return
    found = sizes(shape)
    if found is None:
        said = f"{owner!r} cannot touch others: its shape is of kind {type(shape).__name__}, expected {VALID}."
        raise SceneError(said + " Build it from these with redmax.Composite, or leave contact out.", owner=owner, argument="contact")
    yield ContactShape(owner, body, found[0], pose, found[1], found[2], material, group)
