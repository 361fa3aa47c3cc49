"""Joints: one motion a file."""

from redmax.joints.base import Joint, joint
from redmax.joints.euler import SphericalEuler
from redmax.joints.fixed import Fixed
from redmax.joints.free import Free, Free3D
from redmax.joints.planar import Planar
from redmax.joints.prismatic import Prismatic
from redmax.joints.revolute import Revolute
from redmax.joints.spherical import Spherical
from redmax.joints.translational import Translational
from redmax.joints.universal import Universal

__all__ = [
    "Fixed", "Free", "Free3D", "Joint", "Planar", "Prismatic", "Revolute", "Spherical", "SphericalEuler", "Translational",
    "Universal", "joint",
]  # fmt: skip
