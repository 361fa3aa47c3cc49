"""Routines: what rows call that is no traced kernel, loops over runs of memory whose length is data (a dense solve, a sum of products).

Each is written twice, for a reader and for a test: here with NumPy over all worlds at once, in backends/llvm/routines.py as a compiled
loop. A row holds the routine's arguments: places in the memory of a world, or plain numbers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from redmax.program.group import Kernels, Meta
from redmax.program.kernel import Routine

MEMORY, NUMBER = "memory", "number"


@dataclass(frozen=True, eq=False)
class RoutineKernels(Kernels):
    """A routine as something that rows call. arguments: what the first of them are; rest: those behind."""

    routine: Routine
    arguments: tuple[str, ...]
    rest: str = NUMBER

    def key(self, source: str) -> str:
        """Of its name: its code is the package's source."""
        return hashlib.sha256(f"{source} routine {self.routine.name}".encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Routine]:
        """[the routine]."""
        return [self.routine]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked; how long it takes is data."""
        return Meta(0, (1,), (True,))

    def units(self, places: int) -> list[str]:
        """What each place of a row counts, "memory" or "number"."""
        return [*self.arguments, *[self.rest] * (places - len(self.arguments))]
