"""How far a fitted joint is from the poses it was fitted to, in two numbers."""

from __future__ import annotations

import numpy as np

from redmax.types import Array


class LeftOver:
    """What fits of curves and of surfaces tell of their residuals: (N, 6), rad and m, NaN where a pose was missing."""

    residuals: Array

    @property
    def angle(self) -> float:
        """Root mean square of the angles (rad) between the poses and the joint."""
        return rms(self.residuals[:, :3])

    @property
    def distance(self) -> float:
        """Root mean square of the linear parts (m) of the residuals."""
        return rms(self.residuals[:, 3:])


def rms(x: Array) -> float:
    squares = np.sum(x * x, axis=1)
    known = np.isfinite(squares)
    return float(np.sqrt(squares[known].mean())) if known.any() else 0.0
