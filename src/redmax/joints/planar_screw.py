"""Motions of a plane whose rotation goes with a translation along the normal: a nut on a thread that may also slide sideways.

The group H_p x R^2 of Mueller, Screw and Lie group theory, Table 1: planar joint and screw joint with its axis normal to the plane.
"""

from __future__ import annotations

from typing import Any

from redmax.components.checks import finite
from redmax.components.given import Axis
from redmax.joints.along_axis import AlongAxis
from redmax.joints.base import Joint
from redmax.lie import se3, so3
from redmax.math import array


class PlanarScrewZ(Joint):
    """With the screw along z."""

    dof = 3
    proven = True

    def __init__(self, pitch: Any) -> None:
        self.pitch = pitch

    def transform(self, q: Any) -> Any:
        return se3.pose(so3.rotation_about("z", q[2]), array([q[0], q[1], self.pitch * q[2]]))


class PlanarScrew(AlongAxis):
    """Translation by q1, q2 (m) across `axis`, along the joint's two `directions`, and a screw motion by q3 (rad) about it.

    axis: "x", "y", "z" or any 3-vector; pitch: m per rad, so that a full turn advances by 2 pi pitch
    """

    dof = 3
    proven = True

    def __init__(self, axis: Axis, pitch: float) -> None:
        super().__init__(axis)
        self.pitch = float(finite("PlanarScrew", "pitch", pitch, ((),), "a finite number (m per rad)"))

    def along_z(self) -> Joint:
        return PlanarScrewZ(self.pitch)
