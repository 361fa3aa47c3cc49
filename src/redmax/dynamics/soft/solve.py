"""The sparse systems of deformables: a large block S of nodes, bordered by the few coordinates of joints.

    [ S   C ] [ x ]   [ f ]
    [ C'  A ] [ y ] = [ g ]

Directly: sparse LU with an order that keeps symmetry, whose cost grows with the length of a slender body. By conjugate gradients, with the
inverse of the nodes' own 3 x 3 blocks and of A as preconditioner, whose cost grows as n^(4/3) for a block in three dimensions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from redmax.dynamics.soft.forces import Scatter
from redmax.errors import SimulationError
from redmax.solvers.conjugate_gradients import conjugate_gradients

Solver = Callable[[Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
SLENDER = 3e8  # nodes times the square of their bandwidth, up to which elimination is the faster way
TOLERANCE = 1e-9


def chosen_solver(name: str, pattern: Scatter) -> Solver:
    """By name, or by the shape of the mesh."""
    if name == "direct" or (name == "auto" and bandwidth_cost(pattern) <= SLENDER):
        return direct
    return ConjugateGradients()


def bandwidth_cost(pattern: Scatter) -> float:
    """About what elimination costs: n w^2, with w the largest distance between neighbours in a good order."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n = pattern.shape[0]
    if n == 0:
        return 0.0
    graph = csr_array((np.ones(len(pattern.indices)), pattern.indices, pattern.indptr), shape=(n, n))
    place = np.empty(n, int)
    place[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(n)
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
    return n * float(np.abs(place[rows] - place[pattern.indices]).max(initial=0)) ** 2


def direct(S: Any, C: np.ndarray, A: np.ndarray, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from scipy.sparse import block_array, csc_array
    from scipy.sparse.linalg import splu

    whole = block_array([[S, csc_array(C)], [csc_array(C.T), csc_array(A)]], format="csc") if len(g) else S.tocsc()
    right = np.concatenate([f, g])
    if not (np.isfinite(whole.data).all() and np.isfinite(right).all()):
        return np.full(len(f), np.nan), np.full(len(g), np.nan)  # the run has blown up, and says so where it can name the joint
    try:
        found = splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=1e-3, options={"SymmetricMode": True}).solve(right)
    except RuntimeError:
        raise SimulationError("The system of joints and nodes is singular: dt is too large, or elements are inverted.") from None
    return found[: len(f)], found[len(f) :]


class ConjugateGradients:
    """Starts from the last solution. Where the matrix is not positive definite, elimination takes over."""

    def __init__(self) -> None:
        self.last: np.ndarray | None = None
        self.iterations = 0

    def __call__(self, S: Any, C: np.ndarray, A: np.ndarray, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from scipy.linalg import cho_factor, cho_solve
        from scipy.sparse import csr_array

        n, right = len(f), np.concatenate([f, g])
        if not (np.isfinite(S.data).all() and np.isfinite(right).all() and np.isfinite(A).all()):
            return np.full(n, np.nan), np.full(len(g), np.nan)
        S, border = S.tocsr(), csr_array(C)
        inverse = np.linalg.inv(diagonal_blocks(S))
        try:
            corner = cho_factor(A) if len(g) else None
        except np.linalg.LinAlgError:
            return direct(S, C, A, f, g)

        def product(p: np.ndarray) -> np.ndarray:
            return np.concatenate([S @ p[:n] + border @ p[n:], border.T @ p[:n] + A @ p[n:]])

        def precondition(r: np.ndarray) -> np.ndarray:
            head = (inverse @ r[:n].reshape(-1, 3, 1)).ravel()
            return np.concatenate([head, r[n:] if corner is None else cho_solve(corner, r[n:])])

        start = np.zeros(len(right)) if self.last is None or len(self.last) != len(right) else self.last
        try:
            solution = conjugate_gradients(product, right, precondition, TOLERANCE, start=start, dot=dot)
        except SimulationError:
            self.last = None
            return direct(S, C, A, f, g)
        self.last, self.iterations = solution.x, solution.iterations
        return solution.x[:n], solution.x[n:]


def diagonal_blocks(S: Any) -> np.ndarray:
    """(nodes, 3, 3) on the diagonal."""
    n = S.shape[0] // 3
    blocks = np.zeros((n, 3, 3))
    for i in range(3):
        for j in range(3):
            shifted = S.diagonal(j - i)
            blocks[:, i, j] = shifted[min(i, j) :: 3][:n] if j >= i else shifted[j::3][:n]
    return blocks


def dot(a: np.ndarray, b: np.ndarray) -> float:
    """Without BLAS, whose threads cost more than they save between so many short calls."""
    return float(np.einsum("i,i->", a, b))
