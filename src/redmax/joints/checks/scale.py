"""The sizes that a motion usually has, so that what is small or large means the same in all units.

A length L makes twists comparable, |v| = L |w| on average; each column of S is divided by its usual norm, so that it counts the
same whatever its coordinate is measured in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.joints.checks.box import Box
from redmax.joints.checks.subject import Values

NOTHING = 1e-13  # less than this, in columns of S, is rounding


@dataclass(frozen=True, eq=False)
class Scale:
    """length: L; weights: (6,), 1 and 1/L; columns: (m,), usual norms of S's weighted columns; width: (m,), the sides of the box."""

    length: float
    weights: np.ndarray
    columns: np.ndarray
    width: np.ndarray
    spread: float  # of positions

    def S(self, S: np.ndarray) -> np.ndarray:
        """S (..., 6, m) without units, of size 1."""
        return S * self.weights[:, None] / self.divisors

    def dS(self, dS: np.ndarray) -> np.ndarray:
        """Its derivatives (..., 6, m, m) by unit coordinates."""
        return dS * self.weights[:, None, None] / self.divisors[:, None] * self.width

    @property
    def divisors(self) -> np.ndarray:
        return np.where(self.columns > 0, self.columns, 1.0)


def scale_of(values: Values, box: Box) -> Scale:
    angular, linear = (np.sqrt(np.mean(np.sum(part**2, axis=1))) for part in (values.S[:, :3], values.S[:, 3:]))
    length = float(linear / angular) if angular > NOTHING and linear > NOTHING else 1.0
    weights = np.repeat([1.0, 1.0 / length], 3)
    columns = np.sqrt(np.mean(np.sum((values.S * weights[:, None]) ** 2, axis=1), axis=0))
    p = values.E[:, :3, 3]
    spread = max(float(np.ptp(p, axis=0).max()), 1e-4 * float(np.abs(p).max()), NOTHING)
    rounding = NOTHING * (1.0 + float(np.abs(p).max()) / length)
    return Scale(length, weights, np.where(columns > rounding, columns, 0.0), box.width, spread)
