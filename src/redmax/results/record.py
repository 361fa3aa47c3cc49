"""Some samples, of some worlds, in a result file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.results.array import StoredArray
from redmax.results.source import FileSource
from redmax.results.verified import Sums


@dataclass(frozen=True, eq=False)
class Record:
    """rows: the samples; worlds: numbers along the first axes of the batch; sizes: of the last axes of q, qdot and charts.

    columns: shape (time, ...) and type of the datasets that there are; ended: how the run did, "" if it goes on or was killed.
    checks: their checksums, none of a file from before there were any.
    """

    source: FileSource
    columns: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]
    rows: range
    batch: tuple[int, ...]
    sizes: tuple[int, int, int]
    dtype: str
    ended: str = ""
    worlds: tuple[int, ...] = ()
    checks: Mapping[str, Sums] = field(default_factory=dict)

    def array(self, name: str) -> Any:
        """A dataset; None if the file has none of this name."""
        if name not in self.columns:
            return None
        shape, dtype = self.columns[name]
        return StoredArray(self.source, name, shape[1:], dtype, self.rows, self.worlds, self.checks)

    @cached_property
    def t(self) -> np.ndarray:
        return np.asarray(self.times)

    @property
    def times(self) -> StoredArray:
        """t, when it is read."""
        return StoredArray(self.source, "t", (), np.dtype(float), self.rows, (), self.checks)

    @cached_property
    def q(self) -> Any:
        return self.filled("q", self.sizes[0], self.dtype)

    @cached_property
    def qdot(self) -> Any:
        return self.filled("qdot", self.sizes[1], self.dtype)

    @cached_property
    def charts(self) -> Any:
        return self.filled("charts", self.sizes[2], "int64")

    def filled(self, name: str, size: int, dtype: str) -> Any:
        """A dataset, or the array without columns that is not worth one."""
        found = self.array(name)
        return np.zeros((len(self.rows), *self.batch[len(self.worlds) :], size), dtype) if found is None else found

    def part(self, at: tuple[Any, ...]) -> Record:
        """Some of the samples (a slice) and worlds (numbers)."""
        first, *numbers = at
        left = self.batch[len(self.worlds) :]
        chosen = tuple(int(range(n)[i]) for i, n in zip(numbers, left, strict=False))
        return replace(self, rows=self.rows[first], worlds=(*self.worlds, *chosen))
