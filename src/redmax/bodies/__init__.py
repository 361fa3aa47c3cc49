"""Rigid bodies: shapes with mass, inertia and a body frame at the centre of mass."""

from redmax.bodies.base import Body, Solid
from redmax.bodies.capsule import Capsule
from redmax.bodies.composite import Composite
from redmax.bodies.cone import Cone
from redmax.bodies.cuboid import Cuboid
from redmax.bodies.cylinder import Cylinder
from redmax.bodies.ellipsoid import Ellipsoid
from redmax.bodies.extrusion import Extrusion
from redmax.bodies.mass_properties import MassProperties
from redmax.bodies.mesh import Mesh
from redmax.bodies.sphere import Sphere
from redmax.bodies.torus import Torus

__all__ = [
    "Body", "Capsule", "Composite", "Cone", "Cuboid", "Cylinder", "Ellipsoid", "Extrusion", "MassProperties", "Mesh", "Solid", "Sphere",
    "Torus",
]  # fmt: skip
