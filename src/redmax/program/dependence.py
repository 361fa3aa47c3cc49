"""What each store of a kernel depends on, as derivatives see it, so that a reverse sweep knows which cotangents there can be at all.

    d(store k) / d(read i) = 0   wherever depends[k, i] is False, whatever the values are

Comparisons, rounded numbers, frozen values and places in tables carry no derivative; entries of tables do, if they lie in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redmax.program.kernel import CONSTANTS, WORLD, Kernel
from redmax.trace import Scalar, Span
from redmax.trace.differentiate import followed


@dataclass(frozen=True, eq=False)
class Dependence:
    """places: of the kernel, in the order of its rows, the world's last; reads: what it reads but for constants, (place, index).

    read, stored: (n, 2) numbers of places and indices; accumulates: (stores,) bool; depends: (stores, reads) bool
    chosen: (reads,) whether it is an entry of a table that is read at a computed place
    number: (stores,) of the kernel's store: one that goes to a computed place may go to each of the entries there
    """

    places: tuple[str, ...]
    reads: tuple[tuple[str, int], ...]
    read: np.ndarray
    stored: np.ndarray
    accumulates: np.ndarray
    depends: np.ndarray
    chosen: np.ndarray
    number: np.ndarray

    def slots_read(self, starts: np.ndarray) -> np.ndarray:
        """(rows, reads) slots of memory, of rows whose places begin at starts (rows, places)."""
        return starts[:, self.read[:, 0]] + self.read[:, 1]

    def slots_stored(self, starts: np.ndarray) -> np.ndarray:
        """(rows, stores) slots of memory."""
        return starts[:, self.stored[:, 0]] + self.stored[:, 1]


def dependence_of(kernel: Kernel) -> Dependence:
    """Follow the trace from its inputs to its stores; a set of inputs is the bits of a number."""
    reads: dict[tuple[str, int], int] = {}
    found: dict[int, int] = {}
    chosen: set[tuple[str, int]] = set()
    for e in kernel.nodes:
        if e.op == "input" and e.args[0] != CONSTANTS:
            found[e.id] = 1 << reads.setdefault((e.args[0], e.args[1]), len(reads))
        elif e.op == "gather" and isinstance(span := e.args[0], Span) and span.base != CONSTANTS:
            entries = [(span.base, place) for place in span.places]
            chosen.update(entries)
            found[e.id] = sum(1 << reads.setdefault(entry, len(reads)) for entry in entries)
        else:
            bits = 0
            for a in followed(e):
                bits |= found[a.id]
            found[e.id] = bits
    places = tuple(dict.fromkeys((*kernel.places, WORLD)))
    number = {place: n for n, place in enumerate(places)}
    sets = [found[s.value.id] if isinstance(s.value, Scalar) else 0 for s in kernel.stores]
    stored = [(k, number[s.base], i) for k, s in enumerate(kernel.stores) for i in s.places]
    owner = np.array([k for k, *_ in stored], int)
    return Dependence(
        places=places,
        reads=tuple(reads),
        read=np.array([(number[base], index) for base, index in reads], int).reshape(-1, 2),
        stored=np.array([at for _, *at in stored], int).reshape(-1, 2),
        accumulates=np.array([s.accumulate for s in kernel.stores], bool)[owner],
        depends=as_rows(sets, len(reads))[owner],
        chosen=np.array([entry in chosen for entry in reads], bool),
        number=owner,
    )


def as_rows(sets: list[int], count: int) -> np.ndarray:
    """(sets, count) bool, of sets that are the bits of numbers."""
    size = -(-count // 8)
    packed = np.frombuffer(b"".join(bits.to_bytes(size, "little") for bits in sets), np.uint8).reshape(len(sets), size)
    return np.unpackbits(packed, axis=1, count=count, bitorder="little").astype(bool)
