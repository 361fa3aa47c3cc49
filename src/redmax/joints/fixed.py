"""No motion: the child is welded to the parent."""

from __future__ import annotations

import numpy as np

from redmax.joints.base import Joint
from redmax.types import Array


class Fixed(Joint):
    """No motion: the child is welded to the parent. No coordinates."""

    dof = 0
    proven = True

    def transform(self, q: Array) -> np.ndarray:
        return np.eye(4)
