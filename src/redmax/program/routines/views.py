"""What a routine's arguments are when NumPy runs it: views of memory (scalars, worlds), or of one world's (scalars,).

`v[i]`, `A[i, j]` are entries, `v[a:b]`, `A[i, a:b]`, `A[a:b, j]` runs of them, `A[i]`, `v[a:]` vectors again. Tables belong to the row that
calls the routine: `Wholes` are whole numbers, `Places` vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Whole = int  # the same in all worlds: a size, a count
Number = Any  # what one routine hands to another that it calls: a number, of each world its own
MOST = 2**62  # of whole numbers made from what memory holds


class Vector:
    """Entries one after the other, from a place in memory on."""

    def __init__(self, memory: np.ndarray, place: int) -> None:
        self.memory, self.place = memory, place

    def at(self, key: Any) -> Any:
        """Where an entry or a run of them lies in memory."""
        if isinstance(key, slice):
            return slice(self.place + key.start, self.place + key.stop)
        return within(self.memory, self.place + key)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice) and key.stop is None:
            return Vector(self.memory, self.place + key.start)
        return self.memory[self.at(key)].copy()  # a number, which does not change when the memory does

    def __setitem__(self, key: Any, value: Any) -> None:
        self.memory[self.at(key)] = value


class Matrix:
    """Rows one after the other, each `leading` entries behind the one before."""

    def __init__(self, memory: np.ndarray, place: int, leading: int) -> None:
        self.memory, self.place, self.leading = memory, place, leading

    def at(self, key: tuple[Any, Any]) -> Any:
        """Where an entry, or a part of a row or column, lies in memory."""
        i, j = key
        if isinstance(i, slice):
            first = self.place + j
            return slice(first + i.start * self.leading, first + i.stop * self.leading, self.leading)
        row = self.place + i * self.leading
        return slice(row + j.start, row + j.stop) if isinstance(j, slice) else within(self.memory, row + j)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return self.memory[self.at(key)].copy()
        return Vector(self.memory, self.place + key * self.leading)

    def __setitem__(self, key: tuple[Any, Any], value: Any) -> None:
        self.memory[self.at(key)] = value


class Wholes:
    """A table of whole numbers, the same in all worlds."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words = words

    def __getitem__(self, i: int) -> int:
        return self.words[i]


class Places:
    """A table of vectors: each entry is where one begins."""

    def __init__(self, memory: np.ndarray, words: Sequence[int]) -> None:
        self.memory, self.words = memory, words

    def __getitem__(self, i: int) -> Vector:
        return Vector(self.memory, self.words[i])


def matrix(v: Vector, leading: int) -> Matrix:
    """The matrix that begins where a vector does."""
    return Matrix(v.memory, v.place, leading)


def within(memory: np.ndarray, slot: int) -> int:
    """The slot, or the last one if it is none: as in compiled code, which never leaves the memory."""
    return slot if 0 <= slot < len(memory) else len(memory) - 1


def whole(x: Any) -> int:
    """What memory holds, cut to a whole number: zero if it is not a number, and the largest there is if it is too large."""
    return 0 if np.isnan(x) else int(np.clip(x, -MOST, MOST))


def some(flag: Any) -> Any:
    """Whether a flag is set in some of the worlds that go side by side: all go the same way then. Of one world, its flag."""
    return flag


def beside(count: int) -> range:
    """Turns that have nothing to do with each other: `for c in beside(count)`.

    Scalar code takes eight at a time, and the last of them whole: what lies behind the entries that count, up to the next multiple of
    eight, is nobody's.
    """
    return range(count)


def dot(a: Any, b: Any) -> Any:
    """The sum of products of two runs of entries, or of a run and a list."""
    return (a * np.asarray(b)).sum(axis=0)
