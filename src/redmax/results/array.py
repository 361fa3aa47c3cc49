"""An array in a file, of which only what is asked for is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from redmax.results.source import FileSource
from redmax.results.verified import Sums, read


class StoredArray(NDArrayOperatorsMixin):
    """Behaves as the NumPy array of those rows (and worlds) of a dataset; slices are read by themselves, everything else reads it whole."""

    def __init__(
        self,
        source: FileSource,
        name: str,
        stored: tuple[int, ...],
        dtype: np.dtype[Any],
        rows: range,
        worlds: tuple[int, ...] = (),
        checks: Mapping[str, Sums] | None = None,
    ) -> None:
        """name: of the dataset; stored: the shape of one row of it, of which these are the worlds; checks: by names of datasets."""
        self.source, self.name, self.stored, self.rows, self.worlds = source, name, stored, rows, worlds
        self.shape, self.dtype, self.checks = (len(rows), *stored[len(worlds) :]), dtype, checks or {}

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{' x '.join(map(str, self.shape))} {self.dtype} in {self.source.path.name}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[...], dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(plain, inputs), **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        return function(*deep(arguments), **{name: deep(x) for name, x in options.items()})

    def __getattr__(self, name: str) -> Any:
        """max, sum, reshape, T, ...: those of the whole array."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self[...], name)

    def __getitem__(self, key: Any) -> Any:
        index = expanded(key if isinstance(key, tuple) else (key,), self.ndim)
        if index is None:  # what NumPy can do and HDF5 cannot
            return self.read((slice(None),) * self.ndim)[key]
        return self.read(index)

    def read(self, index: Sequence[Any]) -> Any:
        """index: a number, or a slice with a positive step, for each axis; of the first, any step."""
        first, *rest = index
        chosen = self.rows[first]
        many = chosen if isinstance(chosen, range) else range(chosen, chosen + 1)
        up = many if many.step > 0 else many[::-1]
        with self.source.open() as file:
            dataset = file.dataset(self.name, self.dtype, (None, *self.stored))
            found = read(file, dataset, self.name, self.checks, up, (*self.worlds, *rest))
        if not isinstance(chosen, range):
            return found[0]
        return found[::-1] if many.step < 0 else found


def expanded(key: tuple[Any, ...], ndim: int) -> list[Any] | None:
    """One number or slice for each axis; None if the key has something else."""
    if sum(k is Ellipsis for k in key) > 1 or any(not is_simple(k) for k in key):
        return None
    at = next((i for i, k in enumerate(key) if k is Ellipsis), len(key))
    before, after = key[:at], key[at + 1 :]
    missing = ndim - len(before) - len(after)
    if missing < 0:
        return None
    index = [*before, *[slice(None)] * missing, *after]
    return index if all(not isinstance(k, slice) or (k.step or 1) > 0 for k in index[1:]) else None


def is_simple(k: Any) -> bool:
    return k is Ellipsis or isinstance(k, slice) or (isinstance(k, int | np.integer) and not isinstance(k, bool | np.bool_))


def plain(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, StoredArray) else x


def deep(x: Any) -> Any:
    return type(x)(map(deep, x)) if type(x) in (list, tuple) else plain(x)
