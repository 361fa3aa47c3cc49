"""Block matrices whose pattern differs from world to world, against dense solutions: with fill-in, and with no room left for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.routine_runs import run
from redmax.solvers.block_sparse import factor, solve


class Blocks:
    """Random symmetric matrices (n b, n b) with random patterns, and where they lie in memory."""

    def __init__(self, seed: int, worlds: int, n: int, b: int, capacity: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = [n * n, 1, capacity * b * b, b * b, n * b, 1]
        at = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self.memory = np.zeros((worlds, at[-1]))
        self.A = np.zeros((worlds, n * b, n * b))
        for m, A in zip(self.memory, self.A, strict=True):
            pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.35] + [(i, i) for i in range(n)]
            for number, (i, j) in enumerate(rng.permutation(pairs).tolist(), 1):
                block = rng.normal(size=(b, b))
                block = block @ block.T + 4 * n * b * np.eye(b) if i == j else block
                A[i * b : i * b + b, j * b : j * b + b], A[j * b : j * b + b, i * b : i * b + b] = block, block.T
                m[i * n + j] = number
                m[at[2] + (number - 1) * b * b : at[2] + number * b * b] = block.ravel()
            m[at[1]] = len(pairs)
            m[at[4] : at[5]] = rng.normal(size=n * b)
        self.count, self.x = at[1], slice(at[4], at[5])
        index, work = (at[0], n), (at[3], b)
        self.calls = [
            (factor, [(index, n, at[1], at[2], b, capacity, work)]),
            (solve, [(index, n, at[2], b, capacity, at[4])]),
        ]


@pytest.mark.parametrize("worlds", [1, 9])
@given(seed=st.integers(0, 2**16), n=st.integers(1, 7), b=st.sampled_from([1, 3, 6]))
@settings(max_examples=8)
def test_any_pattern(worlds, seed, n, b):
    problem = Blocks(seed, worlds, n, b, n * (n + 1) // 2)
    for after in (run(problem.calls, problem.memory), run(problem.calls, problem.memory, interpret=True)):
        for A, before, m in zip(problem.A, problem.memory, after, strict=True):
            assert np.allclose(A @ m[problem.x], before[problem.x], rtol=0, atol=1e-12 * np.abs(A).max())


def test_no_room_is_noticed_and_harms_nobody_else():
    """A world that needs more blocks than there is room for says so by its count; its neighbours are as they are alone."""
    problem = Blocks(3, 9, 6, 3, 17)
    after = run(problem.calls, problem.memory)
    full = after[:, problem.count] > 17
    assert full.any()
    assert not full.all()
    for A, before, m in zip(problem.A[~full], problem.memory[~full], after[~full], strict=True):
        assert np.allclose(A @ m[problem.x], before[problem.x], rtol=0, atol=1e-12 * np.abs(A).max())
