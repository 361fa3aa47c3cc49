"""M^-1 from kept factors of articulated bodies, against the dense inverse of the same tree, for one column and for many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.routine_runs import run
from redmax.solvers.articulated import factor, solve


class RandomTree:
    """Bodies with none to three coordinates each, random twists and inertias; places of all data in memory."""

    def __init__(self, seed: int, columns: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.bodies, self.m = int(self.rng.integers(1, 7)), columns
        self.parent = [int(self.rng.integers(-1, b)) if b else -1 for b in range(self.bodies)]
        self.first = np.concatenate([[0], np.cumsum(self.rng.integers(0, 4, self.bodies))]).tolist()
        self.n = self.first[-1]
        sizes = {
            "I": 36 * self.bodies,
            "s": 6 * self.n,
            "U": 6 * self.n,
            "d": self.n,
            "P": 6 * self.bodies * columns,
            "X": self.n * columns,
        }
        starts = np.concatenate([[0], np.cumsum(list(sizes.values()))]).tolist()
        self.at, self.size = dict(zip(sizes, starts, strict=False)), starts[-1] + 1

    def memory(self, worlds: int) -> np.ndarray:
        memory = self.rng.normal(size=(worlds, self.size))
        half = self.rng.normal(size=(worlds, self.bodies, 6, 6))
        memory[:, : 36 * self.bodies] = (half @ np.swapaxes(half, 2, 3) + np.eye(6)).reshape(worlds, -1)
        return memory

    def inertia(self, memory: np.ndarray) -> np.ndarray:
        """M = sum of J_b' I_b J_b, of one world."""
        s = memory[self.at["s"] : self.at["U"]].reshape(self.n, 6)
        M = np.zeros((self.n, self.n))
        for b in range(self.bodies):
            J, above = np.zeros((6, self.n)), b
            while above >= 0:
                columns = slice(self.first[above], self.first[above + 1])
                J[:, columns], above = s[columns].T, self.parent[above]
            M += J.T @ memory[36 * b : 36 * b + 36].reshape(6, 6) @ J
        return M

    @property
    def calls(self):
        at, tables = self.at, (self.first, self.parent, self.bodies)
        kept = (at["s"], 6), (at["U"], 6), at["d"]
        return [(factor, [((at["I"], 6), *kept, *tables)]), (solve, [((at["X"], self.m), self.m, *kept, (at["P"], self.m), *tables)])]


@pytest.mark.parametrize("columns", [1, 3, 11])
@pytest.mark.parametrize("worlds", [1, 9])
@given(seed=st.integers(0, 2**16))
@settings(max_examples=10)
def test_columns_of_the_inverse(worlds, columns, seed):
    tree = RandomTree(seed, columns)
    memory = tree.memory(worlds)
    for after in (run(tree.calls, memory), run(tree.calls, memory, interpret=True)):
        for before, m in zip(memory, after, strict=True):
            M, X = tree.inertia(before), before[tree.at["X"] : tree.size - 1].reshape(tree.n, columns)
            found = m[tree.at["X"] : tree.size - 1].reshape(tree.n, columns)
            assert np.abs(M @ found - X).max(initial=0) <= 1e-11 * np.abs(M).max(initial=0) * np.abs(found).max(initial=0)


def test_factors_are_used_again():
    """A second product with the same factors, as constraints ask for."""
    tree = RandomTree(12, 5)
    memory = tree.memory(1)
    X = slice(tree.at["X"], tree.size - 1)
    once = run(tree.calls, memory)
    again = once.copy()
    again[:, X] = memory[:, X] * 2.0
    assert np.allclose(run(tree.calls[1:], again)[:, X], 2.0 * once[:, X], rtol=1e-13)
