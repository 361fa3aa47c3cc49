"""Checksums of what is written to a result file, as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.results.checks import ABOUT, BLOCKS, COMMITS, COUNT, NUMBERS, Commit, Division, checksum, division

CHUNK = 256  # rows of checks/blocks


class Running:
    """The checksum of a column whose samples come one after the other. tail: that of the block that is not whole yet."""

    def __init__(self, number: int, dataset: Any) -> None:
        self.number, self.dataset = number, dataset
        self.division: Division = division(dataset.shape[1:], dataset.dtype.itemsize)
        self.samples = self.tail = 0

    def add(self, values: np.ndarray) -> list[tuple[int, int, int, int]]:
        """values: as they are stored. Returns the rows of the blocks that became whole."""
        rows, found, at = self.division.rows, [], 0
        while at < len(values):
            block, filled = divmod(self.samples, rows)
            piece = values[at : at + rows - filled]
            self.samples, at = self.samples + len(piece), at + len(piece)
            if self.division.parts > 1:
                found += [(self.number, block, k, part) for k, part in enumerate(self.parts(piece[0]))]
                continue
            self.tail = checksum(piece, self.tail)
            if filled + len(piece) == rows:
                found.append((self.number, block, 0, self.tail))
                self.tail = 0
        return found

    def parts(self, sample: np.ndarray) -> list[int]:
        step = self.division.entries
        return [checksum(sample[first : first + step]) for first in range(0, len(sample), step)]

    def cut(self, samples: int) -> None:
        """Fewer samples count than were written, as where a run broke off: what is left of the last block is looked at again."""
        first = samples - samples % self.division.rows
        self.samples, self.tail = samples, checksum(self.dataset[first:samples])


class CheckWriter:
    """datasets: those that grow."""

    def __init__(self, file: Any, datasets: Sequence[Any]) -> None:
        self.running = [Running(number, dataset) for number, dataset in enumerate(datasets)]
        self.blocks = file.create_dataset(BLOCKS, (0, 4), "uint32", maxshape=(None, 4), chunks=(CHUNK, 4))
        width = NUMBERS + len(datasets) + 1
        self.commits = file.create_dataset(COMMITS, (2, width), "int64", maxshape=(2, width), chunks=(1, width))
        self.count = file.create_dataset(COUNT, (1,), "int64", maxshape=(1,), chunks=(1,))
        for dataset, about in ((self.blocks, ABOUT[BLOCKS]), (self.commits, ABOUT[COMMITS]), (self.count, ABOUT[COUNT])):
            dataset.attrs.update({"unit": "1", "about": about})
        self.whole: list[tuple[int, int, int, int]] = []

    def add(self, number: int, values: np.ndarray) -> None:
        self.whole += self.running[number].add(values)

    def growth(self, samples: int) -> int:
        """Bytes that the blocks of so many samples may add."""
        return 16 * (2 * CHUNK + sum((samples // running.division.rows + 1) * running.division.parts for running in self.running))

    def write(self) -> None:
        """The blocks that have become whole."""
        if self.whole:
            first = len(self.blocks)
            self.blocks.resize(first + len(self.whole), axis=0)
            self.blocks[first:] = np.array(self.whole, np.uint32)
            self.whole = []

    def commit(self, commit: Commit) -> None:
        """Once everything else is in the file."""
        for running in self.running:
            if running.samples != commit.samples:
                running.cut(commit.samples)
        self.commits[commit.number % 2] = commit.row([running.tail for running in self.running])
        self.commits.flush()
        self.count[0] = commit.number
        self.count.flush()
