"""Kernels by their content: of two mechanisms with the same kinds of joints and forces, only the first is traced in a process.

The latest are remembered, up to a number of nodes. A kernel that was traced is never changed, so threads may share it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from redmax.program.kernel import Kernel
from redmax.trace import Scalar

MOST = 100_000  # nodes, about 20 MB


@dataclass(frozen=True)
class Traced:
    """The kernels of a group, one for each sweep; parked: scalars of the record that they keep for each other; nodes: of their graphs."""

    kernels: list[Kernel]
    parked: int
    nodes: int


@dataclass
class KnownKernels:
    """What was traced, the latest last. most: nodes, of all together; nodes: how many there are, or were when last counted, and since."""

    most: int = MOST
    found: OrderedDict[str, Traced] = field(default_factory=OrderedDict)
    nodes: int = 0

    def get(self, content: str, trace: Callable[[], Traced]) -> Traced:
        """What was traced of the same content, or what `trace` finds now."""
        known = self.found.get(content)
        if known is None:
            known = self.found[content] = trace()
            self.nodes += known.nodes
            if self.nodes > self.most:
                self.drop_oldest()
        with suppress(KeyError):  # another thread has dropped it
            self.found.move_to_end(content)
        return known

    def drop_oldest(self) -> None:
        """Until there is room for as many again as an eighth of the bound, so that this is seldom done. The latest stays.

        Counted anew: threads that add at the same time may have lost a number.
        """
        self.nodes = sum(t.nodes for t in list(self.found.values()))
        while self.nodes > self.most - self.most // 8 and len(self.found) > 1:
            with suppress(KeyError):  # another thread has dropped the last
                self.nodes -= self.found.popitem(last=False)[1].nodes


KNOWN = KnownKernels()


def remembered(content: str, trace: Callable[[], list[Kernel]]) -> list[Kernel]:
    """What was traced of the same content, or what `trace` finds now: kernels that park nothing, over graphs of their own."""

    def traced() -> Traced:
        kernels = trace()
        graphs = {id(s.value.graph): s.value.graph for k in kernels for s in k.stores if isinstance(s.value, Scalar)}
        for graph in graphs.values():
            graph.close()
        return Traced(kernels, 0, sum(len(graph.nodes) for graph in graphs.values()))

    return KNOWN.get(content, traced).kernels
