"""What ties coordinates and bodies beyond the joints: as rows or as a change of coordinates, never as a solver."""

from redmax.constraints.coordinate_map import CoordinateMap
from redmax.constraints.prescribed_twist import PrescribedTwist

__all__ = ["CoordinateMap", "PrescribedTwist"]
