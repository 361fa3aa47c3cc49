"""Checksums of a result file (CRC-32): a flipped bit is an error that says where, and never a wrong number.

The columns are divided into blocks of samples. checks/blocks has a row for each whole block: number of the column, of the block, of its
part, checksum. checks/commits has two rows that are written in turn, so that a writer that is killed leaves one of them: what the status
says, the checksums of the blocks that are not whole yet, and the checksum of the row itself. checks/count says which of the two counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any
from zlib import crc32

import numpy as np

BLOCK = 64 * 2**10  # bytes of a block, at most, unless a sample has more
ROWS = 256  # samples of a block, at most
PART = 2**20  # bytes of a sample from which on it is divided itself, along its first axis
BLOCKS, COMMITS, COUNT = "checks/blocks", "checks/commits", "checks/count"
ABOUT = {
    BLOCKS: "checksums (CRC-32) of blocks of samples: column, block, part, checksum",
    COMMITS: "status and checksums of what is not a whole block, in turn; the last number is the checksum of the row",
    COUNT: "the number of the commit that counts: it is the first number of its row",
}
GOING_ON, COMPLETE, BROKE_OFF = 0, 1, 2


@dataclass(frozen=True)
class Division:
    """rows: samples of a block; entries: along the first axis of a sample that belong together; parts: how many of these there are."""

    rows: int
    entries: int
    parts: int


def division(shape: tuple[int, ...], itemsize: int) -> Division:
    """Of a column whose samples have this shape."""
    size = math.prod(shape) * itemsize
    if size <= PART:
        return Division(max(1, min(ROWS, BLOCK // size)), shape[0] if shape else 1, 1)
    entries = max(1, PART * shape[0] // size)
    return Division(1, entries, -(-shape[0] // entries))


@dataclass(frozen=True)
class Commit:
    """What counts of a file. state: GOING_ON, ...; ended: the checksum of status/ended; blocks: rows of checks/blocks."""

    number: int
    samples: int
    bytes: int
    steps: int
    wall_s: float
    compile_s: float
    state: int
    ended: int
    blocks: int

    def row(self, tails: Sequence[int]) -> np.ndarray:
        """tails: for each column, the checksum of the samples behind its last whole block."""
        values = [int(np.float64(x).view(np.int64)) if isinstance(x, float) else x for x in astuple(self)]
        row = np.array([*values, *tails, 0], np.int64)
        row[-1] = checksum(row[:-1])
        return row


NUMBERS = len(Commit.__dataclass_fields__)


def read_commit(row: np.ndarray) -> tuple[Commit, list[int]] | None:
    """The commit and the tails of a row that is as it was written."""
    if checksum(np.ascontiguousarray(row[:-1])) != row[-1] or len(row) <= NUMBERS:
        return None
    values: list[Any] = row[:NUMBERS].tolist()
    values[4:6] = row[4:6].view(np.float64).tolist()
    return Commit(*values), row[NUMBERS:-1].tolist()


def checksum(values: np.ndarray, before: int = 0) -> int:
    """values: contiguous. before: that of what comes before them."""
    return crc32(values.data, before)
