"""Whether a file has room for texts that would take much memory.

How long the texts of attributes are, HDF5 says only by reading them, which takes five times as much. But they lie in the file: where all
but a little of it is in the datasets, they cannot be long. What is known of a file is looked at here, without reading any of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from redmax.results.storage import REFERENCE, heap_size

UNKNOWN = 48 * 2**20  # bytes that may be outside of datasets; a scene has at most 32 MB
SPARE = 4  # so many times the datasets may be asked for in advance by a run that goes on
OBJECTS = 5000
DEPTH = 4
HEAP = 2**20  # bytes; heaps of many short texts are smaller


def unknown_bytes(root: Any, descriptor: int, size: int) -> int:
    """Bytes of a file, given how many it has, that are in no dataset, beyond what a result has there. root: its low-level group."""
    if size <= UNKNOWN:
        return 0
    numbers, texts = 0, 0
    for dataset in datasets(root):
        stored = min(int(dataset.get_storage_size()), size)
        if is_text(dataset):
            texts += stored + short_texts(dataset, descriptor)
        else:
            numbers += stored
    return max(0, size - texts - (1 + SPARE) * numbers - UNKNOWN)


def datasets(root: Any) -> Iterator[Any]:
    """Those that hold their data themselves, each once, as far as they can be followed by hard links."""
    from h5py import h5d, h5g, h5l, h5o  # type: ignore[attr-defined]

    seen: set[int] = set()
    left: list[tuple[Any, int]] = [(root, 0)]
    while left:
        group, depth = left.pop()
        if group.get_num_objs() > OBJECTS - len(seen):
            return
        for name in list(group):
            if group.links.get_info(name).type != h5l.TYPE_HARD:
                continue
            found = h5o.open(group, name)
            where = h5o.get_info(found).addr
            if where in seen:
                continue
            seen.add(where)
            if isinstance(found, h5g.GroupID) and depth < DEPTH:
                left.append((found, depth + 1))
            elif isinstance(found, h5d.DatasetID) and holds_itself(found):
                yield found


def holds_itself(dataset: Any) -> bool:
    from h5py import h5d  # type: ignore[attr-defined]

    plan = dataset.get_create_plist()
    return plan.get_layout() == h5d.CHUNKED or (plan.get_layout() == h5d.CONTIGUOUS and not plan.get_external_count())


def is_text(dataset: Any) -> bool:
    from h5py import h5t

    found = dataset.get_type()
    return isinstance(found, h5t.TypeStringID) and found.is_variable_str()


def short_texts(dataset: Any, descriptor: int) -> int:
    """Bytes of the heaps that many texts share."""
    where, stored = dataset.get_offset(), dataset.get_storage_size()
    if where is None:
        return 0
    texts = np.frombuffer(os.pread(descriptor, stored - stored % REFERENCE.itemsize, where), REFERENCE)
    sizes = [heap_size(descriptor, int(heap)) for heap in np.unique(texts["heap"][texts["length"] > 0])]
    return sum(size for size in sizes if size <= HEAP)
