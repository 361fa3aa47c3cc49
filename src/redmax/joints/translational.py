"""Translation in all directions, without rotation (RedMax supplement Eqs. 27-28)."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.joints.base import Joint
from redmax.lie import se3
from redmax.types import Array


class Translational(Joint):
    """Translation by q = (x, y, z) (m)."""

    dof = 3
    proven = True

    def transform(self, q: Array) -> Any:
        return se3.pose(np.eye(3), q)
