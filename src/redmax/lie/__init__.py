"""Rotations and rigid motions: the groups `so3` and `se3` as modules, and what the recursions use by name.

`bracket` and `unbracket` are those of 3-vectors; twists have `se3.bracket`.
"""

from redmax.lie import se3, so3
from redmax.lie.adjoint import Adjoint, to_child
from redmax.lie.inertia import Inertia
from redmax.lie.se3 import Ad, ad, inverse, point_jacobian, pose, rotation, transform_point, translation
from redmax.lie.so3 import bracket, from_quaternion, rotation_about, to_quaternion, unbracket

__all__ = [
    "Ad", "Adjoint", "Inertia", "ad", "bracket", "from_quaternion", "inverse", "point_jacobian", "pose", "rotation",
    "rotation_about", "se3", "so3", "to_child", "to_quaternion", "transform_point", "translation", "unbracket",
]  # fmt: skip
