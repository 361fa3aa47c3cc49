"""All translations and the rotation about one axis: the motions of a SCARA robot, named after Schoenflies.

The group SO(2) x R^3 = SE(2) x R of Mueller, Screw and Lie group theory, Table 1.
"""

from __future__ import annotations

from typing import Any

from redmax.joints.along_axis import AlongAxis
from redmax.joints.base import Joint
from redmax.lie import se3, so3
from redmax.lie.three import rows, split, times
from redmax.math import array


class SchoenfliesZ(Joint):
    """Rotation about z, translation along the columns of `across`, (3, 3)."""

    dof = 4
    proven = True

    def __init__(self, across: Any) -> None:
        self.across = across

    def transform(self, q: Any) -> Any:
        return se3.pose(so3.rotation_about("z", q[3]), array(times(rows(self.across), split(q[:3]))))


class Schoenflies(AlongAxis):
    """Translation by q1, q2, q3 (m) along the parent's x, y, z, then rotation by q4 (rad) about `axis`: "x", "y", "z" or any 3-vector."""

    dof = 4
    proven = True

    def along_z(self) -> Joint:
        return SchoenfliesZ(self.frame[:3, :3].T)
