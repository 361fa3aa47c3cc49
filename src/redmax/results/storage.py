"""How many bytes a file really has, and whether its texts are among them: by the bytes, before HDF5 makes room for what they declare."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

SPARSE = 256 * 2**20  # bytes from which on holes are looked for
EXTENTS = 10_000
SCANNED = 2 * 2**30  # bytes that are searched for heaps
GLOBAL_HEAP = b"GCOL\x01\0\0\0"
HEAPS = 256 * 2**20  # bytes of the heaps of a dataset of texts
REFERENCE = np.dtype([("length", "<u4"), ("heap", "<u8"), ("number", "<u4")])  # a text of any length, as HDF5 keeps it


def descriptor_of(file: Any) -> int:
    """The file descriptor of an h5py.File."""
    return int(file.id.get_vfd_handle(file.id.get_access_plist()))


def data_bytes(descriptor: int) -> tuple[int, int]:
    """How long a file is, and how much of it is there: one of a terabyte may be holes, which take no room on a disk, but much in memory."""
    size = os.fstat(descriptor).st_size
    return size, size if size <= SPARSE else size - sum(stop - start for start, stop in holes(descriptor, size))


def holes(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """Where they begin and end; of very many, the first."""
    at = 0
    for _ in range(EXTENTS):
        start = os.lseek(descriptor, at, os.SEEK_HOLE)
        if start >= size:
            return
        try:
            at = os.lseek(descriptor, start, os.SEEK_DATA)
        except OSError:  # nothing but a hole to the end
            at = size
        yield start, at
        if at >= size:
            return


def check_texts(dataset: Any, descriptor: int, size: int, most: int) -> None:
    """Raises ValueError unless the texts of a low-level dataset, of at most so many bytes each, and their heaps can be in the file."""
    count = int(np.prod(dataset.shape, dtype=object))
    if not count:
        return
    where, stored = dataset.get_offset(), count * REFERENCE.itemsize
    if where is None or stored > size or dataset.get_storage_size() != stored:
        raise ValueError(f"declares {count} texts that the file does not have")
    texts = np.frombuffer(os.pread(descriptor, stored, where), REFERENCE)
    longest = int(texts["length"].max(initial=0))
    if len(texts) < count or longest > most or int(texts["length"].sum(dtype=np.uint64)) > size:
        raise ValueError(f"declares a text of {longest} bytes, expected at most {min(most, size)}")
    heaps = np.unique(texts["heap"][texts["length"] > 0])
    if sum(heap_size(descriptor, int(heap)) for heap in heaps) > min(size, HEAPS):
        raise ValueError("lies in heaps that are larger than the file")


def check_heaps(descriptor: int) -> None:
    """Raises ValueError if a heap of texts is not a row of objects up to its end: HDF5 would go through it for ever."""
    size = min(os.fstat(descriptor).st_size, SCANNED)
    with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as data:
        at = data.find(GLOBAL_HEAP)
        while at >= 0:
            end = at + int.from_bytes(data[at + 8 : at + 16], "little")
            if end > size < SCANNED:
                raise ValueError("lies in a heap that is longer than the file")
            check_heap(data, at + 16, min(end, size))
            at = data.find(GLOBAL_HEAP, max(end, at + 16))


def check_heap(data: Any, at: int, end: int) -> None:
    """at: of the first object. Objects have 16 bytes of header, and data in units of 8; free space is number 0, and says how long it is."""
    while at + 16 <= end:
        number, size = int.from_bytes(data[at : at + 2], "little"), int.from_bytes(data[at + 8 : at + 16], "little")
        step = 16 + (size + 7) // 8 * 8 if number else size
        if step < 16 or at + step > end:
            raise ValueError("lies in a heap that is damaged")
        at += step


def heap_size(descriptor: int, where: int) -> int:
    start = os.pread(descriptor, 16, where) if where < 2**63 else b""
    if start[:4] != b"GCOL":
        raise ValueError("holds a text that is not in the file")
    return int.from_bytes(start[8:16], "little")
