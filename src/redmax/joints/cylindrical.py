"""Rotation about an axis and translation along it, independent of each other (RedMax supplement Eqs. 27-30).

The group SO(2) x R of Mueller, Screw and Lie group theory, Table 1; S = ((a; 0), (0; a)) is constant.
"""

from __future__ import annotations

from typing import Any

from redmax.joints.along_axis import AlongAxis
from redmax.joints.base import Joint
from redmax.lie import se3, so3
from redmax.math import array


class CylindricalZ(Joint):
    """About and along z."""

    dof = 2
    proven = True

    def transform(self, q: Any) -> Any:
        return se3.pose(so3.rotation_about("z", q[0]), array([0.0, 0.0, q[1]]))


class Cylindrical(AlongAxis):
    """Rotation by q1 (rad) about `axis`, translation by q2 (m) along it. axis: "x", "y", "z" or any 3-vector."""

    dof = 2
    proven = True

    def along_z(self) -> Joint:
        return CylindricalZ()
