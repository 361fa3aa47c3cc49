"""Linear systems by routines, against NumPy: in scalar code, in lanes, interpreted, and with single precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.program.routine_runs import Calls, run

from redmax.solvers.pivoted import factor_pivoted, solve_pivoted, solve_several, solve_transposed
from redmax.solvers.tree_elimination import factor_tree, solve_tree

WORLDS = (1, 3, 11)  # one world is scalar code; the others fill lanes and leave some over
seeds = st.integers(0, 2**16)
ways = pytest.mark.parametrize("worlds", WORLDS)


def packed(*parts: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Memories (worlds, scalars) of arrays (worlds, ...) one behind the other, and where each begins."""
    flat = [p.reshape(len(p), -1) for p in parts]
    return np.concatenate(flat, axis=1), np.concatenate([[0], np.cumsum([f.shape[1] for f in flat])]).astype(int).tolist()


def agree(calls: Calls, memory: np.ndarray, at: slice, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    """What stands in a part of the memories afterwards, however the calls are run."""
    scale = np.abs(expected).max(axis=-1, keepdims=True)
    for found in (run(calls, memory), run(calls, memory, lanes=1), run(calls, memory, interpret=True)):
        assert (np.abs(found[:, at] - expected) <= tolerance * scale).all()
    assert (np.abs(run(calls, memory, "float32")[:, at] - expected) <= 1e8 * tolerance * scale).mean() > 0.9


def general(rng: np.random.Generator, worlds: int, n: int) -> np.ndarray:
    """Matrices whose elimination needs exchanges, with condition numbers of at most 10."""
    Q, _ = np.linalg.qr(rng.normal(size=(worlds, n, n)))
    P, _ = np.linalg.qr(rng.normal(size=(worlds, n, n)))
    return Q @ (rng.uniform(1, 10, (worlds, n, 1)) * P)


@ways
@given(seed=seeds, n=st.integers(1, 13))
@settings(max_examples=6)
def test_elimination_with_pivoting(worlds, seed, n):
    """A x = b, A' x = b, and several right sides."""
    rng = np.random.default_rng(seed)
    A, b, B = general(rng, worlds, n), rng.normal(size=(worlds, n)), rng.normal(size=(worlds, 3, n))
    memory, (a, at, many, order, _) = packed(A, b, B, np.zeros((worlds, n)))
    factored = (factor_pivoted, [((a, n), order, n, 0, n)])
    part = slice(at, at + n)
    agree([factored, (solve_pivoted, [((a, n), order, at, n)])], memory, part, np.linalg.solve(A, b[..., None])[..., 0])
    transposed = np.linalg.solve(np.swapaxes(A, 1, 2), b[..., None])[..., 0]
    agree([factored, (solve_transposed, [((a, n), order, at, n)])], memory, part, transposed)
    X = np.swapaxes(np.linalg.solve(A, np.swapaxes(B, 1, 2)), 1, 2).reshape(worlds, -1)
    agree([factored, (solve_several, [((a, n), order, (many, n), n, 3)])], memory, slice(many, many + 3 * n), X)


def test_pivots_keep_entries_of_L_small():
    """The example that ruins elimination without exchanges."""
    A, b = np.array([[[1e-20, 1.0], [1.0, 1.0]]]), np.array([[1.0, 2.0]])
    memory, (a, at, order, _) = packed(A, b, np.zeros((1, 2)))
    calls: Calls = [(factor_pivoted, [((a, 2), order, 2, 0, 2)]), (solve_pivoted, [((a, 2), order, at, 2)])]
    assert np.allclose(run(calls, memory)[:, at : at + 2], 1.0, rtol=1e-14)


def forest(rng: np.random.Generator, n: int) -> list[int]:
    return [int(rng.integers(-1, i)) for i in range(n)]


def above(parent: Sequence[int], i: int) -> set[int]:
    return set() if i < 0 else {i} | above(parent, parent[i])


@ways
@given(seed=seeds, n=st.integers(1, 14))
@settings(max_examples=6)
def test_elimination_along_a_tree(worlds, seed, n):
    """The zeros of a tree stay zeros, what is above the diagonal stays as it was, and x is NumPy's."""
    rng = np.random.default_rng(seed)
    parent = forest(rng, n)
    coupled = np.array([[i in above(parent, k) or k in above(parent, i) for i in range(n)] for k in range(n)])
    H = np.where(coupled, rng.normal(size=(worlds, n, n)), 0.0)
    H = H + np.swapaxes(H, 1, 2) + 4 * n * np.eye(n)
    b = rng.normal(size=(worlds, n))
    memory, (a, at, end) = packed(H, b)
    calls: Calls = [(factor_tree, [((a, n), n, parent)]), (solve_tree, [((a, n), at, n, parent)])]
    agree(calls, memory, slice(at, end), np.linalg.solve(H, b[..., None])[..., 0])
    after = run(calls, memory)[:, :at].reshape(worlds, n, n)
    assert (after[:, ~coupled] == 0.0).all()
    assert (np.triu(after, 1) == np.triu(H, 1)).all()
