"""Joints: one motion a file."""

from redmax.joints.base import Joint, joint
from redmax.joints.curve_joint import CurveJoint
from redmax.joints.curve_on_curve import CurveOnCurve
from redmax.joints.elliptic import Elliptic
from redmax.joints.euler import SphericalEuler
from redmax.joints.fixed import Fixed
from redmax.joints.free import Free, Free3D
from redmax.joints.planar import Planar
from redmax.joints.point_on_surface import PointOnSurface
from redmax.joints.prismatic import Prismatic
from redmax.joints.revolute import Revolute
from redmax.joints.spherical import Spherical
from redmax.joints.surface_contact import SurfaceContact
from redmax.joints.translational import Translational
from redmax.joints.universal import Universal

__all__ = [
    "CurveJoint", "CurveOnCurve", "Elliptic", "Fixed", "Free", "Free3D", "Joint", "Planar", "PointOnSurface", "Prismatic", "Revolute",
    "Spherical", "SphericalEuler", "SurfaceContact", "Translational", "Universal", "joint",
]  # fmt: skip
