"""The stiffness and damping of all elements of a model's deformables, as sparse matrices of 3 x 3 blocks between nodes.

Elements are evaluated side by side in lanes, from what their law says of its derivatives (Law.stiffness). Their blocks are added up by a
fixed sparse matrix, so that each step only computes numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_runner
from redmax.deformables.interaction import ElementLaw
from redmax.program.function import function_plan
from redmax.program.interaction import Acting


class ElementBatch:
    """Elements of one law: nodes (n, k), as numbers among all nodes."""

    def __init__(self, acting: Acting, law: ElementLaw, first: int, backend: str) -> None:
        self.law, self.nodes, self.data, self.backend = law, acting.members - first, np.ascontiguousarray(acting.constants), backend
        self.damped = law.law.damped or law.viscous

    @cached_property
    def runner(self) -> Runner:
        k = 3 * self.nodes.shape[1]
        upper = k * (k + 1) // 2
        inputs = {"x": k, "v": k, "data": self.data.shape[1]}
        plan = function_plan(f"stiffness of {self.law.text}", inputs, {"K": upper, "D": upper}, self.law.stiffness)
        return make_runner(plan, self.backend, "float64")

    def matrices(self, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """K and D of each element, (n, 3k, 3k), with the nodes at x and v (N, 3); D is None where it is zero."""
        n, k = self.nodes.shape
        k *= 3
        upper = np.triu_indices(k)
        K, D = (np.empty((1, n, len(upper[0]))) for _ in range(2))
        self.runner.run([x[self.nodes].reshape(n, k), v[self.nodes].reshape(n, k), self.data], [K, D], n)
        return full(K[0], k), full(D[0], k) if self.damped else None


def full(packed: np.ndarray, k: int) -> np.ndarray:
    """Symmetric (n, k, k) from the upper triangles (n, k (k + 1) / 2)."""
    where = np.zeros((k, k), int)
    where[np.triu_indices(k)] = np.arange(packed.shape[1])
    where = np.maximum(where, where.T)
    return packed[:, where]


@dataclass(frozen=True, eq=False)
class Scatter:
    """Sums of elements' blocks as one block-sparse matrix between two sets of nodes, rows and columns numbered from 0."""

    sums: Any  # (blocks of the matrix, blocks of all elements)
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]

    def matrix(self, blocks: np.ndarray) -> Any:
        """scipy.sparse, from the blocks (m, 9) of all elements."""
        from scipy.sparse import bsr_array

        data = (self.sums @ blocks).reshape(-1, 3, 3)
        return bsr_array((data, self.indices, self.indptr), shape=(3 * self.shape[0], 3 * self.shape[1]), blocksize=(3, 3))


def scatter(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> Scatter:
    """For blocks at (rows, columns), (m,), of which those with a negative number are left out."""
    from scipy.sparse import csr_array

    inside = np.flatnonzero((rows >= 0) & (columns >= 0))
    keys, place = np.unique(rows[inside] * shape[1] + columns[inside], return_inverse=True)
    sums = csr_array((np.ones(len(inside)), (place, inside)), shape=(len(keys), len(rows)))
    counts = np.bincount(keys // max(shape[1], 1), minlength=shape[0])
    return Scatter(sums, (keys % max(shape[1], 1)).astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), shape)


def blocks_of(batches: Sequence[ElementBatch]) -> tuple[np.ndarray, np.ndarray]:
    """Row and column node of each block of all elements, (m,) each, element by element."""
    rows = [np.repeat(b.nodes, b.nodes.shape[1], axis=1).ravel() for b in batches]
    columns = [np.tile(b.nodes, (1, b.nodes.shape[1])).ravel() for b in batches]
    return np.concatenate([np.zeros(0, int), *rows]), np.concatenate([np.zeros(0, int), *columns])


def as_blocks(matrices: np.ndarray) -> np.ndarray:
    """(n k k, 9) from (n, 3k, 3k), in the order of `blocks_of`."""
    n, k = len(matrices), matrices.shape[1] // 3
    return matrices.reshape(n, k, 3, k, 3).transpose(0, 1, 3, 2, 4).reshape(-1, 9)
