"""L D L' of a symmetric matrix of blocks whose pattern is found at run time: which bodies meet, a step says, not the model.

    K_k = A_kk,   W_ik = A_ik K_k^-1,   A_ij <- A_ij - A_ik W_jk'      for k from the first block on, and all i >= j > k with A_ik, A_jk

Blocks (b, b) lie one behind the other in the order in which they came up; `index` (n, n) holds in its lower triangle the number of each,
counted from 1, or 0 where there is none. Blocks that elimination fills in are appended. In the end block (k, k) holds the factors of K_k
(solvers/elimination.py) and block (i, k) holds W_ik. If there is no room for a block, `count` ends above the capacity, and x is of no use.
"""

from __future__ import annotations

from redmax.program.routines.routine import routine
from redmax.program.routines.views import Matrix, Vector, Whole, dot, matrix, whole
from redmax.solvers import elimination


@routine
def block_at(index: Matrix, i: Whole, j: Whole, count: Vector, blocks: Vector, b: Whole, capacity: Whole) -> int:
    """Where block (i, j) begins among the blocks, a new one of zeros if there was none."""
    if index[i, j] < 0.5:
        count[0] += 1.0
        index[i, j] = count[0]
        if count[0] < float(capacity) + 0.5:
            for entry in range(b * b):
                blocks[(whole(count[0]) - 1) * b * b + entry] = 0.0
    return (min(max(whole(index[i, j]), 1), capacity) - 1) * b * b


@routine
def factor(index: Matrix, n: Whole, count: Vector, blocks: Vector, b: Whole, capacity: Whole, work: Matrix) -> None:
    """In place of the blocks. work: (b, b)."""
    for k in range(n):
        K = matrix(blocks[block_at(index, k, k, count, blocks, b, capacity) :], b)
        elimination.factor(K, b, 0, b)
        for i in range(k + 1, n):
            if index[i, k] > 0.5:
                A = matrix(blocks[block_at(index, i, k, count, blocks, b, capacity) :], b)
                for r in range(b):
                    work[r, 0:b] = A[r, 0:b]
                    elimination.solve(K, work[r], b)
                for j in range(k + 1, i):
                    if index[j, k] > 0.5:
                        W = matrix(blocks[block_at(index, j, k, count, blocks, b, capacity) :], b)
                        target = matrix(blocks[block_at(index, i, j, count, blocks, b, capacity) :], b)
                        less_product(target, A, W, b)
                less_product(matrix(blocks[block_at(index, i, i, count, blocks, b, capacity) :], b), A, work, b)
                for r in range(b):
                    A[r, 0:b] = work[r, 0:b]


@routine
def less_product(C: Matrix, A: Matrix, W: Matrix, b: Whole) -> None:
    """C - A W' in place of C."""
    for r in range(b):
        for c in range(b):
            C[r, c] -= dot(A[r, 0:b], W[c, 0:b])


@routine
def solve(index: Matrix, n: Whole, blocks: Vector, b: Whole, capacity: Whole, x: Vector) -> None:
    """A^-1 x in place of x (n b,)."""
    for i in range(n):
        for k in range(i):
            if index[i, k] > 0.5:
                W = matrix(blocks[(min(whole(index[i, k]), capacity) - 1) * b * b :], b)
                for r in range(b):
                    x[i * b + r] -= dot(W[r, 0:b], x[k * b : k * b + b])
    for k in range(n):
        elimination.solve(matrix(blocks[(min(max(whole(index[k, k]), 1), capacity) - 1) * b * b :], b), x[k * b :], b)
    for k in reversed(range(n)):
        for i in range(k + 1, n):
            if index[i, k] > 0.5:
                W = matrix(blocks[(min(whole(index[i, k]), capacity) - 1) * b * b :], b)
                for r in range(b):
                    x[k * b : k * b + b] -= x[i * b + r] * W[r, 0:b]
