"""What "agree to 1e-x" means: max|a - b| / max|b| for each vector."""

from __future__ import annotations

from typing import Any

import numpy as np


def disagreement(actual: Any, expected: Any) -> float:
    """max|a - b| / max|b| over the whole array; infinite where shapes differ or something is not a number."""
    a, b = np.asarray(actual, float), np.asarray(expected, float)
    if a.shape != b.shape or not np.isfinite(a).all():
        return float("inf")
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300)) if b.size else 0.0


def agree(actual: Any, expected: Any, tolerance: float) -> bool:
    return disagreement(actual, expected) <= tolerance
