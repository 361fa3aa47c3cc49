"""Kernels with those of their stores that are read, and where they read for these."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.program.group import Kernels
from redmax.program.kernel import CONSTANTS, WORLD, Kernel
from redmax.program.known_kernels import remembered
from redmax.program.reverse_kernel import DerivedKernels, hashed
from redmax.trace import Scalar, reachable


@dataclass(frozen=True, eq=False)
class ReadKernels(DerivedKernels):
    """The kernels of a group with those of their stores that are read. kept: of each kernel, whether each store is."""

    base: Kernels
    kept: tuple[tuple[bool, ...], ...]

    def key(self, source: str) -> str:
        """Of the key of the kernels, and of what is kept."""
        return hashed("read", self.kept, self.base.key(source))

    @cached_property
    def kernels(self) -> list[Kernel]:
        """Each kernel, with fewer stores."""
        return remembered(self.key(""), self.lessened)

    def lessened(self) -> list[Kernel]:
        """Leave stores away."""
        kernels = [k for k in self.base.kernels if isinstance(k, Kernel)]
        chosen = [tuple(s for s, there in zip(k.stores, own, strict=True) if there) for k, own in zip(kernels, self.kept, strict=True)]
        return [Kernel(k.name, stores, k.places) for k, stores in zip(kernels, chosen, strict=True)]

    def units(self, places: int) -> list[str]:
        """As those of the kernels."""
        return self.base.units(places)


class Reads:
    """Where a kernel stores, and what it reads for those of its stores that are kept.

    number: of the store, of each slot that it may store to; place, index: of that slot; replaces: whether nothing of the old value is left
    kept: of each store, whether it is; whole: whether all are; over: which slots are stored to then, and nothing of the old value is left
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.places = {place: n for n, place in enumerate(dict.fromkeys((*kernel.places, WORLD)))}
        stored = [(k, self.places[s.base], i) for k, s in enumerate(kernel.stores) for i in s.places]
        self.number, self.place, self.index = np.array(stored, int).reshape(-1, 3).T
        adds = np.array([s.accumulate or s.scattered for s in kernel.stores], bool)
        self.replaces, self.kept = ~adds[self.number], np.zeros(len(kernel.stores), bool)
        self.whole, self.over = False, np.zeros(0, int)
        self.known: dict[bytes, np.ndarray] = {}

    def keep(self, numbers: np.ndarray) -> bool:
        """Keep these stores too; whether that are more."""
        if self.kept[numbers].all():
            return False
        self.kept[numbers] = True
        self.whole = bool(self.kept.all())
        self.over = np.flatnonzero(self.replaces & self.kept[self.number])
        return True

    def stored(self, starts: np.ndarray) -> np.ndarray:
        """The slots that it may store to."""
        return starts[self.place] + self.index

    def read(self, starts: np.ndarray, kept: np.ndarray | None = None) -> np.ndarray:
        """The slots that are read for what is kept, or for these stores; those that it adds to are among them."""
        kept = self.kept if kept is None else kept
        key = kept.tobytes()
        if key not in self.known:
            stores = [s for s, there in zip(self.kernel.stores, kept, strict=True) if there]
            found = {(s.base, i) for s in stores if s.accumulate or s.scattered for i in s.places}
            for e in reachable([s.value for s in stores if isinstance(s.value, Scalar)]):
                if e.op == "input":
                    found.add((e.args[0], e.args[1]))
                elif e.op == "gather":
                    found.update((e.args[0].base, i) for i in e.args[0].places)
            self.known[key] = np.array([(self.places[base], i) for base, i in found if base != CONSTANTS], int).reshape(-1, 2)
        return starts[self.known[key][:, 0]] + self.known[key][:, 1]
