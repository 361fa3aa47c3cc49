"""Samples that are as they were written: read block by block, each compared with its checksum."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from redmax.errors import RedmaxError
from redmax.results.checks import BLOCKS, COMMITS, COUNT, NUMBERS, Commit, Division, checksum, division, read_commit
from redmax.results.contents import Contents

SPAN = 2 * 2**20  # bytes that are read together
SEARCHED = 256 * 2**20  # bytes of a column that are searched for further damage once there is some
COLUMNS = 10**5
ATTEMPTS = 20  # to read a commit that a writer may be changing


@dataclass(frozen=True, eq=False)
class Sums:
    """The checksums of a column. known: (blocks, parts), -1 where there is none; tail: of the samples behind the last whole block."""

    division: Division
    known: np.ndarray
    tail: int
    samples: int

    def extent(self, first: int, stop: int) -> tuple[int, int]:
        """The samples of blocks: the first, and the one behind the last."""
        return first * self.division.rows, min(stop * self.division.rows, self.samples)

    def of(self, block: int, part: int) -> int:
        if block == self.samples // self.division.rows:
            return self.tail
        return int(self.known[block, part])

    def is_bad(self, values: np.ndarray, block: int, parts: range) -> bool:
        """values: of one block, of these parts."""
        if self.division.parts == 1:
            return checksum(values) != self.of(block, 0)
        step = self.division.entries
        return any(checksum(values[0, (k - parts[0]) * step :][:step]) != self.of(block, k) for k in parts)


class DamagedSamples(RedmaxError):
    """Some samples are not as they were written; others may be."""


def last_commit(file: Contents) -> tuple[Commit, list[int]]:
    """The state that counts, with the tails of the columns."""
    count = 0
    for _ in range(ATTEMPTS):
        count = int(file.dataset(COUNT, np.dtype("int64"), (1,))[0])
        stored = file.dataset(COMMITS, np.dtype("int64"), (2, None))
        rows = stored[:, : NUMBERS + COLUMNS]
        found = [commit for commit in map(read_commit, rows) if commit is not None and 0 <= commit[0].number - count <= 1]
        if found:
            return max(found, key=lambda commit: commit[0].number)
        time.sleep(0.001)
    raise ValueError(f"its status is not as it was written: {COMMITS} has no row {count}")


def sums_of(
    file: Contents, shapes: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]], commit: Commit, tails: Sequence[int]
) -> dict[str, Sums]:
    """By the names of the columns. shapes: as they are in the file, (time, ...), in the order of the layout."""
    if len(tails) != len(shapes):
        raise ValueError(f"it has {len(shapes)} columns of {len(tails)}")
    stored = file.dataset(BLOCKS, np.dtype("uint32"), (None, 4))
    if not 0 <= commit.blocks <= len(stored) or commit.blocks * 16 > file.bytes:
        raise ValueError(f"{BLOCKS} has {len(stored)} rows of {commit.blocks}")
    rows, found = stored[: commit.blocks].astype(np.int64), {}
    for number, (name, (shape, dtype)) in enumerate(shapes.items()):
        parted = division(shape[1:], dtype.itemsize)
        known = np.full((commit.samples // parted.rows, parted.parts), -1, np.int64)
        mine = rows[(rows[:, 0] == number) & (rows[:, 1] < len(known)) & (rows[:, 2] < parted.parts)]
        known[mine[:, 1], mine[:, 2]] = mine[:, 3]
        found[name] = Sums(parted, known, tails[number], commit.samples)
    return found


def read(file: Contents, dataset: Any, name: str, checks: Mapping[str, Sums], rows: range, rest: tuple[Any, ...] = ()) -> np.ndarray:
    """rows: ascending; rest: a number or slice for each further axis. checks: by name; none of a file from before there were any."""
    if name not in checks:
        return dataset[(slice(rows.start, rows.stop, rows.step), *rest)]
    sums = checks[name]
    out = np.empty(np.broadcast_to(np.empty(()), (len(rows), *dataset.shape[1:]))[(slice(None), *rest)].shape, dataset.dtype)
    parts, rest = needed_parts(sums.division, dataset.shape[1:], rest)
    bad: list[int] = []
    for blocks in spans(sums, dataset, rows):
        first, values = blocks[0] * sums.division.rows, slab(dataset, sums, blocks, parts)
        bad += [k for k in blocks if sums.is_bad(part_of(values, sums, k - blocks[0]), k, parts)]
        stop = first + len(values)
        begin, end = (-(-(x - rows.start) // rows.step) for x in (max(first, rows.start), min(stop, rows.stop)))
        chosen = rows[max(begin, 0) : max(end, 0)]
        out[max(begin, 0) : max(end, 0)] = values[(slice(chosen.start - first, chosen.stop - first, rows.step), *rest)]
    if bad:
        raise DamagedSamples(complaint(file, dataset, name, checks, bad))
    return out


def spans(sums: Sums, dataset: Any, rows: range) -> Iterator[range]:
    """The blocks that the rows lie in, those together that are read together."""
    size = sums.division.rows
    most = max(1, SPAN // (size * dataset.dtype.itemsize * int(np.prod(dataset.shape[1:]))))
    if rows.step >= size:
        yield from (range(row // size, row // size + 1) for row in rows)
    elif rows:
        first, stop = rows[0] // size, rows[-1] // size + 1
        yield from (range(k, min(k + most, stop)) for k in range(first, stop, most))


def slab(dataset: Any, sums: Sums, blocks: range, parts: range) -> np.ndarray:
    """Whole blocks, up to the last sample that counts; of large samples, some parts."""
    size = sums.division.rows
    where = slice(blocks.start * size, min(blocks.stop * size, sums.samples))
    if sums.division.parts == 1:
        return dataset[where]
    return dataset[where, parts.start * sums.division.entries : parts.stop * sums.division.entries]


def part_of(values: np.ndarray, sums: Sums, k: int) -> np.ndarray:
    """The k-th block of some."""
    return np.ascontiguousarray(values[k * sums.division.rows : (k + 1) * sums.division.rows])


def needed_parts(divided: Division, shape: tuple[int, ...], rest: tuple[Any, ...]) -> tuple[range, tuple[Any, ...]]:
    """The parts of a sample that are asked for, and what is asked for in them."""
    if divided.parts == 1 or not rest:
        return range(divided.parts), rest
    chosen = range(shape[0])[rest[0]]
    entries = chosen if isinstance(chosen, range) else range(chosen, chosen + 1)
    if not entries:
        return range(1), (slice(0, 0), *rest[1:])
    parts = range(entries[0] // divided.entries, entries[-1] // divided.entries + 1)
    offset = parts.start * divided.entries
    return parts, (
        slice(entries.start - offset, entries.stop - offset, entries.step) if isinstance(chosen, range) else chosen - offset,
        *rest[1:],
    )


def complaint(file: Contents, dataset: Any, name: str, checks: Mapping[str, Sums], bad: Sequence[int]) -> str:
    """Which samples of a column are damaged, and which parts of the run are not."""
    sums = checks[name]
    last = -(-sums.samples // sums.division.rows)
    if dataset.dtype.itemsize * int(np.prod(dataset.shape)) <= SEARCHED:
        parts = range(sums.division.parts)
        bad = [k for k in range(last) if sums.is_bad(slab(dataset, sums, range(k, k + 1), parts), k, parts)]
    edges = [-1, *sorted(set(bad)), last]
    good = [sums.extent(a + 1, b) for a, b in pairwise(edges) if b > a + 1]
    wrong = [sums.extent(k, k + 1) for k in edges[1:-1]]
    where = ", ".join(f"{a} to {b - 1}{moments(file, name, checks, a, b)}" for a, b in wrong[:3])
    more = f" and {len(wrong) - 3} more blocks" if len(wrong) > 3 else ""
    left = " and ".join(f"run[{a}:{b}]" for a, b in good[:4])
    advice = f"The rest of it can be read: {left}" if good else f"What is not found from {name!r} can be read"
    return f"{str(file.path)!r} is damaged: {name!r} is not as it was written in the samples {where}{more}. {advice}."


def moments(file: Contents, name: str, checks: Mapping[str, Sums], first: int, stop: int) -> str:
    """When samples were, if that can be read."""
    if name == "t":
        return ""
    dataset = file.dataset("t", np.dtype(float), (None,))
    try:
        begin, end = (read(file, dataset, "t", checks, range(k, k + 1))[0] for k in (first, stop - 1))
    except DamagedSamples:
        return ""
    return f" (t = {begin:g} to {end:g} s)"
