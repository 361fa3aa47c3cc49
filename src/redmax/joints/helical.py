"""A screw: turning about an axis goes with moving along it (Lee & Terzopoulos Sec. 4.1).

Q = exp([s] q) with s = (a; h a), so that S = s is constant: the group H_p of Mueller, Screw and Lie group theory, Table 1.
"""

from __future__ import annotations

from typing import Any

from redmax.components.checks import finite
from redmax.components.given import Axis
from redmax.joints.along_axis import AlongAxis
from redmax.joints.base import Joint
from redmax.lie import se3, so3
from redmax.math import array


class HelicalZ(Joint):
    """Along z."""

    dof = 1
    proven = True

    def __init__(self, pitch: Any) -> None:
        self.pitch = pitch

    def transform(self, q: Any) -> Any:
        return se3.pose(so3.rotation_about("z", q[0]), array([0.0, 0.0, self.pitch * q[0]]))


class Helical(AlongAxis):
    """Rotation by q (rad) about `axis` with translation by `pitch` q along it.

    axis: "x", "y", "z" or any 3-vector; pitch: m per rad, so that a full turn advances by 2 pi pitch; negative for a left-hand thread
    """

    dof = 1
    proven = True

    def __init__(self, axis: Axis, pitch: float) -> None:
        super().__init__(axis)
        self.pitch = float(finite("Helical", "pitch", pitch, ((),), "a finite number (m per rad)"))

    def along_z(self) -> Joint:
        return HelicalZ(self.pitch)
