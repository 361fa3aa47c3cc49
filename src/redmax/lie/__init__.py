"""Rotations and rigid motions: the groups `so3`, `se3` and `so3xr3` (the direct product) as modules, `cayley`, `quaternions` and
`dual_quaternions`, and what the recursions use by name.

`bracket` and `unbracket` are those of 3-vectors; twists have `se3.bracket`.
"""

from redmax.lie import cayley, dual_quaternions, quaternions, se3, so3, so3xr3
from redmax.lie.adjoint import Adjoint, to_child
from redmax.lie.inertia import Inertia
from redmax.lie.reconstruct import reconstruct
from redmax.lie.screws import Screw, screw, screw_of
from redmax.lie.se3 import Ad, ad, inverse, point_jacobian, pose, rotation, transform_point, translation
from redmax.lie.so3 import bracket, from_quaternion, rotation_about, to_quaternion, unbracket
from redmax.lie.twists import TwistKind, convert_twist, convert_wrench

__all__ = [
    "Ad", "Adjoint", "Inertia", "Screw", "TwistKind", "ad", "bracket", "cayley", "convert_twist", "convert_wrench", "dual_quaternions",
    "from_quaternion", "inverse", "point_jacobian", "pose", "quaternions", "reconstruct", "rotation", "rotation_about", "screw", "screw_of",
    "se3", "so3", "so3xr3", "to_child", "to_quaternion", "transform_point", "translation", "unbracket",
]  # fmt: skip
