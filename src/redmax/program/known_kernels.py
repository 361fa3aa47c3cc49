"""Kernels of groups by their content: of two mechanisms with the same kinds of joints, only the first is traced in a process.

The latest are remembered, up to a number of nodes. A kernel that was traced is never changed, so threads may share it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from redmax.program.kernel import Kernel

MOST = 100_000  # nodes, about 20 MB


@dataclass(frozen=True)
class Traced:
    """The kernels of a group, one for each sweep; parked: scalars of the record that they keep for each other; nodes: of their graph."""

    kernels: list[Kernel]
    parked: int
    nodes: int


@dataclass
class KnownKernels:
    """What was traced, the latest last. most: nodes, of all together."""

    most: int = MOST
    found: OrderedDict[str, Traced] = field(default_factory=OrderedDict)

    def get(self, content: str, trace: Callable[[], Traced]) -> Traced:
        """What was traced of the same content, or what `trace` finds now."""
        known = self.found.get(content)
        if known is None:
            known = self.found[content] = trace()
            self.drop_oldest()
        with suppress(KeyError):  # another thread has dropped it
            self.found.move_to_end(content)
        return known

    def drop_oldest(self) -> None:
        """Until the rest are within the bound. The latest, which was just traced, stays."""
        total = sum(t.nodes for t in list(self.found.values()))
        while total > self.most and len(self.found) > 1:
            with suppress(KeyError):  # another thread has dropped the last
                total -= self.found.popitem(last=False)[1].nodes


KNOWN = KnownKernels()
