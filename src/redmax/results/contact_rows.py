"""The rows of contacts in a result file: one dataset for those of all samples and worlds, one behind the other.

Which of them are those of a sample say contacts/first and contacts/count, and contacts/check has their checksum; these grow with time as
all columns do, and are written after the rows. A writer that is killed leaves rows that no sample names, and no sample without its rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np

from redmax.results.record import Record
from redmax.results.source import FileSource
from redmax.results.verified import DamagedSamples
from redmax.run.contact.records import COLUMNS, gathered
from redmax.run.trajectory import Trajectory

ROWS = "contacts/rows"
CHUNK = 512  # rows
LEAST = 17  # columns, of files that were written before contacts had moments and energies
ABOUT = (
    "contacts of all samples: number of the pair and feature; first and second body (bodies/names, then obstacles, then deformables); "
    "point; normal, from the first to the second; gap; force on the second; slip of the second on the first; 0 open, 1 sticking, "
    "2 sliding; moment of torsional and rolling friction on the second; energy that it holds by giving way"
)
GIVEN = {"contact_count": "contacts/count", "contact_first": "contacts/first", "contact_solver": "contacts/solver"}
IMPACTS = {"contact_impulse": "contacts/impulse", "contact_loss": "contacts/loss"}  # of runs that have them


class ContactWriter:
    """The dataset in a file that grows."""

    def __init__(self, file: Any) -> None:
        self.rows = file.create_dataset(ROWS, (0, COLUMNS), "float64", maxshape=(None, COLUMNS), chunks=(CHUNK, COLUMNS))
        self.rows.attrs.update({"unit": "1; 1; 1; m; 1; m; N; m/s; 1, in the units of the scene", "about": ABOUT})
        self.ends = [0]  # where the rows of the samples before each number end

    def growth(self, part: Trajectory) -> int:
        """Bytes that the rows of some samples may add."""
        return 8 * COLUMNS * (int(np.sum(np.asarray(part.contact_count))) + 2 * CHUNK)

    def write(self, number: int, part: Trajectory) -> Trajectory:
        """The rows of some samples, the first of which has this number; and these samples, with where their rows are in the file."""
        assert part.contact_first is not None
        count = np.asarray(part.contact_count)
        rows = gathered(part.contact_rows, np.asarray(part.contact_first), count)
        first = self.ends[number] + (np.cumsum(count.ravel()) - count.ravel()).reshape(count.shape)
        end = self.ends[number] + len(rows)
        if len(self.rows) < end:
            self.rows.resize(end, axis=0)
        self.rows[self.ends[number] : end] = rows
        each = count.reshape(len(count), -1).sum(axis=1)
        self.ends[number + 1 :] = (self.ends[number] + np.cumsum(each)).tolist()
        return replace(part, contact_first=first, contact_rows=Placed(rows, self.ends[number]))


class Placed:
    """Rows as those of a file from a place on."""

    def __init__(self, rows: np.ndarray, begin: int) -> None:
        self.rows, self.begin = rows, begin

    def __getitem__(self, at: slice) -> np.ndarray:
        return self.rows[at.start - self.begin : at.stop - self.begin]


class StoredRows:
    """The rows in a file, of which those that are asked for are read, sample by sample as the record of a run has them."""

    def __init__(self, record: Record) -> None:
        self.record = record

    @property
    def source(self) -> FileSource:
        return self.record.source

    def __getitem__(self, at: slice) -> np.ndarray:
        with self.source.open() as file:
            dataset = file.dataset(ROWS, np.dtype(float), (None, None))
            if not LEAST <= dataset.shape[1] <= COLUMNS:
                raise DamagedSamples(f"{str(file.path)!r} is damaged: {ROWS!r} has {dataset.shape[1]} columns, expected {COLUMNS}.")
            if not 0 <= at.start <= at.stop <= len(dataset):
                raise DamagedSamples(f"{str(file.path)!r} is damaged: {ROWS!r} has {len(dataset)} rows, and samples name {at.stop}.")
            found = np.asarray(dataset[at.start : at.stop])
        self.check(found, at.start)
        return np.pad(found, ((0, 0), (0, COLUMNS - found.shape[1])))

    @cached_property
    def named(self) -> tuple[np.ndarray, ...]:
        """Where the rows of samples begin, how many they are, and their checksums, in one row each."""
        return tuple(np.ravel(np.asarray(self.record.array(f"contacts/{name}"))) for name in ("first", "count", "check"))

    def check(self, rows: np.ndarray, begin: int) -> None:
        """Raise unless the rows of all samples among these, which begin at a place in the file, are as they were written."""
        first, count, check = self.named
        inside = np.flatnonzero((count > 0) & (first >= begin) & (first + count <= begin + len(rows)))
        for k in inside.tolist():
            if crc32(rows[first[k] - begin : first[k] - begin + count[k]].tobytes()) != check[k]:
                sample = int(k // max(len(first) // len(self.record.rows), 1))
                where = f"in sample {sample} of those that were asked for"
                raise DamagedSamples(f"{str(self.source.path)!r} is damaged: {ROWS!r} is not as it was written {where}.")


def contact_fields(record: Record) -> dict[str, Any]:
    """What a Trajectory has of the contacts in a file; nothing where it has none."""
    if "contacts/count" not in record.columns:
        return {}
    return {name: record.array(dataset) for name, dataset in (GIVEN | IMPACTS).items()} | {"contact_rows": StoredRows(record)}


def gathered_fields(run: Trajectory) -> dict[str, Any]:
    """The rows of the samples of a run, by themselves, and where those of each sample begin among them."""
    if run.contact_count is None or run.contact_first is None:
        return {}
    count = np.asarray(run.contact_count)
    first = (np.cumsum(count.ravel()) - count.ravel()).reshape(count.shape)
    return {"contact_rows": gathered(run.contact_rows, np.asarray(run.contact_first), count), "contact_first": first, "contact_check": None}
