"""Joints of one to three parameters fitted to scattered poses."""

from redmax.design.surfaces.fit_surface import fit_surface
from redmax.design.surfaces.surface_fit import SurfaceFit

__all__ = ["SurfaceFit", "fit_surface"]
