"""Vectors of traced scalars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def vector_of(entries: Iterable[Any]) -> np.ndarray:
    """(n,) of dtype object, also where all entries are floats or there are none: `np.array` alone would look for numbers and axes."""
    found = list(entries)
    result = np.empty(len(found), object)
    result[:] = found
    return result
