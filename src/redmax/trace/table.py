"""Constant tables read at a computed index, and the branch-free search in sorted knots: what carries splines of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.errors import TraceError
from redmax.trace import algebra, logic


@dataclass(frozen=True)
class Table:
    """Numbers known when the model is built. `table[i]` takes a float or traced index, rounded down and kept inside the table."""

    values: tuple[float, ...]

    def __init__(self, values: Sequence[float] | np.ndarray) -> None:
        entries = tuple(float(v) for v in values)
        if not entries:
            raise TraceError("A table needs at least one entry. Got none.")
        object.__setattr__(self, "values", entries)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return logic.lookup(self, index)


def locate(knots: Sequence[float] | np.ndarray, x: Any) -> Any:
    """The i with knots[i] <= x < knots[i+1], kept within [0, len(knots) - 2]; knots ascend.

    A binary search unrolled into selects: its derivative is zero and its cost is log2 of the number of knots.
    """
    if isinstance(x, np.ndarray) and x.ndim > 0:
        found = algebra.spread(lambda v, _: locate(knots, v), x, 0.0)
        return found if x.dtype == object else found.astype(float)
    table = Table(knots)
    if any(b < a for a, b in zip(table.values, table.values[1:], strict=False)):
        raise TraceError("locate() needs ascending knots.")
    low: Any = 0.0
    step = 1 << max(len(table) - 2, 1).bit_length() - 1
    while step:
        probe = algebra.add(low, float(step))
        inside = logic.both(logic.compare("le", probe, float(len(table) - 2)), logic.compare("le", table[probe], x))
        low = logic.select(inside, probe, low)
        step >>= 1
    return low
