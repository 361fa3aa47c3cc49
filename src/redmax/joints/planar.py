"""Translation in the xy plane, without rotation (RedMax supplement Eq. 27 in two directions)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.lie import se3
from redmax.math import array


class Planar(Joint):
    """Translation by q = (x, y) (m)."""

    dof = 2

    def transform(self, q: Any) -> Any:
        return se3.pose(np.eye(3), array([q[0], q[1], 0.0]))
