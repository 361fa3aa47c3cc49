"""A step of `adaptive`, and where it is between its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Step:
    """A step of length h from q of the world: in coordinates that count from there, v and a at its ends, and dq."""

    t: float
    h: float
    dq: np.ndarray
    v: tuple[np.ndarray, np.ndarray]
    a: tuple[np.ndarray, np.ndarray]
    fastest: float  # of what touches, at either end (m/s)

    def place(self, x: float) -> tuple[np.ndarray, np.ndarray]:
        """delta and its rate at a fraction of the step, by the quintic of `adaptive`."""
        y, h, x2, x3 = 1.0 - x, self.h, x * x, x * x * x
        v0, v1, a0, a1 = *self.v, *self.a
        slopes = (x - x3 * (6.0 - 8.0 * x + 3.0 * x2)) * v0 + x3 * (-4.0 + 7.0 * x - 3.0 * x2) * v1
        bends = 0.5 * x2 * y * y * y * a0 + 0.5 * x3 * y * y * a1
        delta = x3 * (10.0 - 15.0 * x + 6.0 * x2) * self.dq + h * slopes + h * h * bends
        d_slopes = (1.0 - x2 * (18.0 - 32.0 * x + 15.0 * x2)) * v0 + x2 * (-12.0 + 28.0 * x - 15.0 * x2) * v1
        d_bends = 0.5 * x * y * y * (2.0 - 5.0 * x) * a0 + 0.5 * x2 * y * (3.0 - 5.0 * x) * a1
        return delta, 30.0 * x2 * y * y / h * self.dq + d_slopes + h * d_bends
