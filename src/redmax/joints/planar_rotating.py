"""All motions of a plane: two translations in it and the rotation about its normal.

The planar lower pair, group SE(2) of Mueller, Screw and Lie group theory, Table 1. `Free2D` is its form in the xy plane, with the name
and the coordinates of the RedMax reference: the planar joint, then a rotation about z.
"""

from __future__ import annotations

from typing import Any

from redmax.joints.along_axis import AlongAxis
from redmax.joints.base import Joint
from redmax.lie import se3, so3
from redmax.math import array
from redmax.types import Array


class Free2D(Joint):
    """Translation by (x, y) (m) along the parent's axes, then rotation by theta (rad) about z; q = (x, y, theta)."""

    dof = 3
    proven = True

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.rotation_about("z", q[2]), array([q[0], q[1], 0.0]))


class PlanarRotating(AlongAxis):
    """Translation by q1, q2 (m) across `axis`, along the joint's two `directions`, then rotation by q3 (rad) about it.

    axis: the normal of the plane, "x", "y", "z" or any 3-vector
    """

    dof = 3
    proven = True

    def along_z(self) -> Joint:
        return Free2D()
