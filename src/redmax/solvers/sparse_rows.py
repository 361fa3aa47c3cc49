"""A sparse symmetric matrix by its rows, both halves: what products need, and what libraries factorise.

Unknowns come in groups, and so do the rows: those of one group have the same columns, in the order of the groups that it meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.program.routines.call import Addresses, Call, Data
from redmax.solvers.reduced_matrix import clear


@dataclass(frozen=True, eq=False)
class SparseRows:
    """sizes: unknowns of each group; edges (m, 2): the groups that meet."""

    sizes: Sequence[int]
    edges: np.ndarray

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The groups that each meets, itself among them, in order."""
        met: list[set[int]] = [{g} for g in range(len(self.sizes))]
        for a, b in self.edges.tolist():
            met[a].add(b)
            met[b].add(a)
        return [sorted(groups) for groups in met]

    @cached_property
    def offset(self) -> list[dict[int, int]]:
        """Where in the rows of a group the columns of another begin."""
        found: list[dict[int, int]] = []
        for groups in self.neighbours:
            ends = np.cumsum([self.sizes[g] for g in groups]).tolist()
            found.append({g: end - self.sizes[g] for g, end in zip(groups, ends, strict=True)})
        return found

    @cached_property
    def leading(self) -> list[int]:
        """How many entries a row of each group has."""
        return [sum(self.sizes[g] for g in groups) for groups in self.neighbours]

    @cached_property
    def base(self) -> list[int]:
        """Where the rows of each group begin; behind the last, how many entries there are."""
        return np.concatenate([[0], np.cumsum(np.multiply(self.sizes, self.leading))]).astype(int).tolist()

    @cached_property
    def start(self) -> list[int]:
        """Where the unknowns of each group begin; behind the last, how many there are."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(int).tolist()

    @cached_property
    def S(self) -> Data:
        """The entries."""
        return Data("S", self.base[-1])

    def clear(self) -> Call:
        """Before anything is added."""
        return Call(clear, lambda at: [(self.S, self.S.size)], (self.S,))

    def entry(self, at: Addresses, a: int, b: int) -> tuple[int, int]:
        """Rows of one group, from the columns of another on."""
        return at[self.S] + self.base[a] + self.offset[a][b], self.leading[a]

    def holds(self, a: int, b: int) -> bool:
        """Whether the rows of a have columns of b: both halves are there."""
        return True

    @cached_property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns of the entries, and where each row begins, as of scipy.sparse.csr_array."""
        columns: list[np.ndarray] = [np.zeros(0, np.int32)]
        for groups, size in zip(self.neighbours, self.sizes, strict=True):
            row = np.concatenate([np.arange(self.start[g], self.start[g + 1], dtype=np.int32) for g in groups])
            columns += [row] * size
        lengths = np.repeat(self.leading, self.sizes)
        return np.concatenate(columns), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
