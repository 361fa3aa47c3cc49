"""No motion: the child is welded to the parent."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.joints.base import Joint


class Fixed(Joint):
    """No motion: the child is welded to the parent. No coordinates."""

    dof = 0
    proven = True

    def transform(self, q: Any) -> np.ndarray:
        return np.eye(4)
