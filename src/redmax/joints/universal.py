"""Two rotations about perpendicular axes: Q = Rx(q1) Ry(q2) (RedMax supplement Eqs. 33-35)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.lie import se3, so3
from redmax.types import Array


class Universal(Joint):
    """Rotation by q1 about x, then by q2 about the new y (rad)."""

    dof = 2
    proven = True

    def transform(self, q: Array) -> Any:
        return se3.pose(so3.rotation_about("x", q[0]) @ so3.rotation_about("y", q[1]), np.zeros(3))
