"""The energy of a run, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class Energy:
    """kinetic, potential, total: (time, ...) J (or the scene's unit of energy); drift: |E(t) - E(0)| / max over the run of T."""

    kinetic: np.ndarray
    potential: np.ndarray

    def __repr__(self) -> str:
        """The largest and smallest, and the drift, of all worlds together."""
        parts = {"kinetic": self.kinetic, "potential": self.potential, "total": self.total}
        with np.errstate(all="ignore"):
            said = [f"{name} {np.nanmin(x):.6g} to {np.nanmax(x):.6g}" for name, x in parts.items() if np.size(x)]
            drift = f"drift at most {np.nanmax(self.drift):.2g}" if said else "empty"
        return f"Energy({'x'.join(map(str, np.shape(self.kinetic)))}: {', '.join([*said, drift])})"

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential

    @property
    def drift(self) -> np.ndarray:
        largest = np.maximum(self.kinetic.max(axis=0), np.finfo(float).tiny)
        return np.abs(self.total - self.total[0]) / largest
