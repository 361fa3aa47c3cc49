"""Joints: one motion a file."""

from redmax.joints.base import Joint, joint
from redmax.joints.basis_curve import BasisCurve
from redmax.joints.composite import CompositeJoint
from redmax.joints.constant_velocity import ConstantVelocity
from redmax.joints.curve_joint import CurveJoint
from redmax.joints.curve_on_curve import CurveOnCurve
from redmax.joints.cylindrical import Cylindrical
from redmax.joints.elliptic import Elliptic
from redmax.joints.euler import SphericalEuler
from redmax.joints.fixed import Fixed
from redmax.joints.free import Free, Free3D
from redmax.joints.helical import Helical
from redmax.joints.inverted import Inverted
from redmax.joints.planar import Planar
from redmax.joints.planar_rotating import Free2D, PlanarRotating
from redmax.joints.planar_screw import PlanarScrew
from redmax.joints.point_on_surface import PointOnSurface
from redmax.joints.prismatic import Prismatic
from redmax.joints.revolute import Revolute
from redmax.joints.schoenflies import Schoenflies
from redmax.joints.spherical import Spherical
from redmax.joints.spline_curve import SplineCurve
from redmax.joints.spline_surface import DeformingSplineSurface, SplineSurface
from redmax.joints.surface_contact import SurfaceContact
from redmax.joints.translational import Translational
from redmax.joints.twist_surface import TwistSurface
from redmax.joints.universal import Universal

__all__ = [
    "BasisCurve", "CompositeJoint", "ConstantVelocity", "CurveJoint", "CurveOnCurve", "Cylindrical", "DeformingSplineSurface", "Elliptic",
    "Fixed", "Free", "Free2D", "Free3D", "Helical", "Inverted", "Joint", "Planar", "PlanarRotating", "PlanarScrew", "PointOnSurface",
    "Prismatic", "Revolute", "Schoenflies", "Spherical", "SphericalEuler", "SplineCurve", "SplineSurface", "SurfaceContact",
    "Translational", "TwistSurface", "Universal", "joint",
]  # fmt: skip
