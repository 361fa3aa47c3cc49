"""The energy of a run, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Energy:
    """kinetic, potential, total: (time, ...) J (or the scene's unit of energy); drift: |E(t) - E(0)| / max over the run of T."""

    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential

    @property
    def drift(self) -> np.ndarray:
        largest = np.maximum(self.kinetic.max(axis=0), np.finfo(float).tiny)
        return np.abs(self.total - self.total[0]) / largest
