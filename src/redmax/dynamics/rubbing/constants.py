"""Tables that stand in a world's memory from where a program begins."""

from __future__ import annotations

import numpy as np

from redmax.program.routines.call import Data
from redmax.program.routines.formula import Formula


def constants(*tables: np.ndarray) -> Formula:
    """Tables into memory, as they lie there."""
    entries = [np.asarray(t, float) for t in tables]
    return Formula({}, {f"t{k}": e.size for k, e in enumerate(entries)}, lambda: [e.astype(object) for e in entries])


def padded(table: np.ndarray, data: Data) -> np.ndarray:
    """The rows of a matrix as they lie in memory."""
    found = np.zeros((len(table), data.leading))
    found[:, : table.shape[1]] = table
    return found
