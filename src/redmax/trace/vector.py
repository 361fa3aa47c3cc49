"""Vectors of traced scalars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def vector_of(entries: Iterable[Any]) -> np.ndarray:
    """(n,) of dtype object, also where all entries are floats or there are none: `np.array` alone would look for numbers and axes.

    Entry by entry: NumPy asks each of the entries of a list three times whether it is an array, which takes sixty times as long.
    """
    found = [x.item() if type(x) is np.ndarray else x for x in entries]
    return np.fromiter(found, object, len(found))
