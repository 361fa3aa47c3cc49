"""What ties coordinates and bodies beyond the joints: as rows or as a change of coordinates, never as a solver."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported when one of them is asked for first: scenes without constraints need none
    from redmax.constraints.base import Constraint
    from redmax.constraints.belt import Belt
    from redmax.constraints.closure import Closure
    from redmax.constraints.coupling import Coupling
    from redmax.constraints.distance import Distance
    from redmax.constraints.equal_angles import EqualAngles
    from redmax.constraints.gear import Gear
    from redmax.constraints.hard_limit import HardLimit
    from redmax.constraints.hinge import HingeClosure
    from redmax.constraints.on_curve import PointOnCurve
    from redmax.constraints.own import constraint
    from redmax.constraints.plane import PointInPlane
    from redmax.constraints.point import BallClosure, PointClosure
    from redmax.constraints.prescribed_coordinate import PrescribedCoordinate
    from redmax.constraints.prescribed_frame import PrescribedFrame
    from redmax.constraints.prescribed_point import PrescribedPoint
    from redmax.constraints.pulley import Pulley
    from redmax.constraints.rope import Rope
    from redmax.constraints.screw import ScrewCoupling
    from redmax.constraints.universal import UniversalClosure
    from redmax.constraints.weld import WeldClosure

__all__ = [
    "BallClosure", "Belt", "Closure", "Constraint", "Coupling", "Distance", "EqualAngles", "Gear", "HardLimit", "HingeClosure",
    "PointClosure", "PointInPlane", "PointOnCurve", "PrescribedCoordinate", "PrescribedFrame", "PrescribedPoint", "Pulley", "Rope",
    "ScrewCoupling", "UniversalClosure", "WeldClosure", "constraint",
]  # fmt: skip

HOMES = {
    "base": ("Constraint",),
    "belt": ("Belt",),
    "closure": ("Closure",),
    "coupling": ("Coupling",),
    "distance": ("Distance",),
    "equal_angles": ("EqualAngles",),
    "gear": ("Gear",),
    "hard_limit": ("HardLimit",),
    "hinge": ("HingeClosure",),
    "on_curve": ("PointOnCurve",),
    "own": ("constraint",),
    "plane": ("PointInPlane",),
    "point": (
        "BallClosure",
        "PointClosure",
    ),
    "prescribed_coordinate": ("PrescribedCoordinate",),
    "prescribed_frame": ("PrescribedFrame",),
    "prescribed_point": ("PrescribedPoint",),
    "pulley": ("Pulley",),
    "rope": ("Rope",),
    "screw": ("ScrewCoupling",),
    "universal": ("UniversalClosure",),
    "weld": ("WeldClosure",),
}

if not TYPE_CHECKING:

    def __getattr__(name):
        home = next((module for module, names in HOMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{home}"), name)
