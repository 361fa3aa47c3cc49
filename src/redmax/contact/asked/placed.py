"""Shapes where they are in a step, and the points that a pair finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.contact.law import AXES, CENTRE, REACH, SIZE
from redmax.contact.shape import ContactShape

MARGIN = 0.02  # of the smaller radius, as of compiled pairs


@dataclass(frozen=True, eq=False)
class Placed:
    """R (3, 3), x (3,): axes and centre in the world; reach: how far it may move in the step."""

    shape: ContactShape
    R: np.ndarray
    x: np.ndarray
    reach: float

    @classmethod
    def of(cls, shape: ContactShape, numbers: np.ndarray) -> Placed:
        """From what kernels keep of it (contact/law.py)."""
        return cls(shape, numbers[AXES:CENTRE].reshape(3, 3), numbers[CENTRE:SIZE], float(numbers[REACH]))

    def local(self, points: np.ndarray) -> np.ndarray:
        """Points (..., 3) of the world, in its axes."""
        return (points - self.x) @ self.R

    def world(self, points: np.ndarray) -> np.ndarray:
        return points @ self.R.T + self.x


@dataclass(frozen=True, eq=False)
class Points:
    """Where two meet: points midway (n, 3), normals from the first to the second (n, 3), gaps (n,)."""

    point: np.ndarray
    normal: np.ndarray
    gap: np.ndarray

    def __len__(self) -> int:
        return len(self.gap)

    def some(self, which: np.ndarray) -> Points:
        return Points(self.point[which], self.normal[which], self.gap[which])


NONE = Points(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
