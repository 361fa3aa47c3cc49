"""The sizes that pictures and films may have: the one place that says so, for Python and for the command line."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from redmax.arguments import as_array, brief
from redmax.errors import RedmaxError

Size: TypeAlias = tuple[int, int]
SMALLEST, LARGEST = 16, 4096  # pixels


def checked_size(size: Size) -> Size:
    """Width and height as whole numbers, or an error."""
    parts = list(size) if isinstance(size, Sequence | np.ndarray) and as_array(size).ndim == 1 else []
    whole = len(parts) == 2 and all(isinstance(n, int | np.integer) for n in parts)
    if not whole or not all(SMALLEST <= n <= LARGEST for n in parts):
        raise RedmaxError(f"Got size {brief(size)}, expected width and height in pixels, each a whole number from {SMALLEST} to {LARGEST}.")
    return int(parts[0]), int(parts[1])
