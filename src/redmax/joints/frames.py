"""Constant frames whose zeros and ones are exact, since kernels are specialised for those."""

from __future__ import annotations

import numpy as np

TINY = 1e-15  # entries of a rotation this close to 0 or 1 are rounding of a right angle, as in C^T C of a frame of rounded entries


def exact(R: np.ndarray) -> np.ndarray:
    """Cosines and sines with exact zeros and ones where rounding left them nearly so."""
    return np.where(np.abs(R) < TINY, 0.0, np.where(np.abs(np.abs(R) - 1) < TINY, np.sign(R), R))


def cleaned(E: np.ndarray) -> np.ndarray:
    """A pose with exact zeros and ones in its rotation."""
    E = E.copy()
    E[:3, :3] = exact(E[:3, :3])
    return E
