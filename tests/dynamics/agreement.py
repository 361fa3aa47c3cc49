"""What "agree to 1e-x" means: max|a - b| / max|b| for each vector."""

from __future__ import annotations

from typing import Any

import numpy as np


def disagreement(actual: Any, expected: Any, floor: float = 1e-300) -> float:
    """max|a - b| / max(max|b|, floor), for b that may vanish; infinite where shapes differ or something is not a number."""
    a, b = np.asarray(actual, float), np.asarray(expected, float)
    if a.shape != b.shape or not np.isfinite(a).all():
        return float("inf")
    return float(np.abs(a - b).max() / max(np.abs(b).max(), floor)) if b.size else 0.0


def agree(actual: Any, expected: Any, tolerance: float, floor: float = 1e-300) -> bool:
    return disagreement(actual, expected, floor) <= tolerance
