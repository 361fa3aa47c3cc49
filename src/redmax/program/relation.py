"""The relation (joint, parent) of a forest: the order of visits, who is a root or a leaf, and where children leave what parents gather.

A relation is a table of index tuples that a sweep runs over; its kernels see one row at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Tree:
    """parent[j] < j for every joint j; -1 for a root.

    led: so many joints, the first ones, follow from the coordinates of the others: the dynamics is theirs, time steps are the others'
    """

    parent: tuple[int, ...]
    led: int = 0

    def __post_init__(self) -> None:
        for j, p in enumerate(self.parent):
            if not -1 <= p < j:
                raise ValueError(f"Parents must come before children: joint {j} has parent {p}.")

    def __len__(self) -> int:
        return len(self.parent)

    def visits(self, j: int, core: bool) -> bool:
        """Whether a recursion visits joint j. core: one of the dynamics, rather than of an integrator."""
        return not self.led or (j < self.led) == core

    @cached_property
    def leaf(self) -> tuple[bool, ...]:
        """Whether each joint has no children."""
        parents = set(self.parent)
        return tuple(j not in parents for j in range(len(self)))

    @cached_property
    def first(self) -> tuple[bool, ...]:
        """Whether j is the first child of its parent that a backward sweep meets: it stores, the others add."""
        met: set[int] = set()
        result = [False] * len(self)
        for j in reversed(range(len(self))):
            result[j] = self.parent[j] not in met
            met.add(self.parent[j])
        return tuple(result)

    @cached_property
    def accumulators(self) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """For each joint the slot it gathers in and the slot of its parent, and the number of slots.

        A slot is taken when the first child writes and given back when the parent has read it, so a chain needs two and they stay in the
        nearest cache.
        """
        own = [-1] * len(self)
        free: list[int] = []
        count = 0
        for j in reversed(range(len(self))):
            p = self.parent[j]
            if p >= 0 and own[p] < 0:
                if not free:
                    free.append(count)
                    count += 1
                own[p] = free.pop()
            if own[j] >= 0:
                free.append(own[j])
        parents = [own[p] if p >= 0 else 0 for p in self.parent]
        return tuple(max(s, 0) for s in own), tuple(parents), max(count, 1)

    @cached_property
    def own_accumulators(self) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """As `accumulators`, a slot for each joint: nothing that was gathered is overwritten."""
        return tuple(range(len(self))), tuple(max(p, 0) for p in self.parent), max(len(self), 1)

    def order(self, kind: str) -> Sequence[int]:
        """The joints in the order of a sweep: parents first, or children first."""
        return range(len(self)) if kind == "forward" else range(len(self) - 1, -1, -1)

    def ancestors(self, j: int) -> list[int]:
        """j, its parent, ... up to the root."""
        chain: list[int] = []
        while j >= 0:
            chain.append(j)
            j = self.parent[j]
        return chain
