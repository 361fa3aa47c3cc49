"""Surfaces, for joints that slide on one: `redmax.surfaces.Torus(0.2, 0.05)`."""

from redmax.surfaces.base import ParametricSurface
from redmax.surfaces.bezier_patch import BezierPatch
from redmax.surfaces.cylinder import Cylinder
from redmax.surfaces.ellipsoid import Ellipsoid
from redmax.surfaces.function import Surface
from redmax.surfaces.sphere import Sphere
from redmax.surfaces.torus import Torus

__all__ = ["BezierPatch", "Cylinder", "Ellipsoid", "ParametricSurface", "Sphere", "Surface", "Torus"]
