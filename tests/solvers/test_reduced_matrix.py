"""The routines of a reduced matrix compiled, for one world and in lanes, against matrices of NumPy; and the same in the interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.routine_runs import check, run
from redmax.solvers.elimination import factor, move_given, multiply, solve
from redmax.solvers.reduced_matrix import add_block, between, clear, copy, moments, own, panels

WORLDS = (1, 3, 19)  # one world is scalar code; 19 fill lanes and leave some over
seeds = st.integers(0, 2**16)


def memories(rng: np.random.Generator, size: int, worlds: int) -> np.ndarray:
    return rng.normal(size=(worlds, size))


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=seeds)
@settings(max_examples=8)
def test_clear_and_copy(worlds, seed):
    """Runs of any length, none among them; later rows see what earlier ones did."""
    rng = np.random.default_rng(seed)
    memory = memories(rng, 60, worlds)
    cleared = [(int(rng.integers(30)), int(rng.integers(0, 12))) for _ in range(3)]
    copied = [(int(rng.integers(20)), int(rng.integers(40, 50)), int(rng.integers(0, 10))) for _ in range(3)]

    def expected(m: np.ndarray) -> None:
        for start, count in cleared:
            m[start : start + count] = 0
        for source, target, count in copied:
            m[target : target + count] = m[source : source + count]

    check([(clear, cleared), (copy, copied)], memory, expected, 0.0)


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=seeds)
@settings(max_examples=8)
def test_add_block(worlds, seed):
    rng = np.random.default_rng(seed)
    n, leading = int(rng.integers(1, 7)), int(rng.integers(7, 11))
    memory = memories(rng, 40 + leading * (n + 4), worlds)
    at = 40 + int(rng.integers(0, 3)) * (leading + 1)

    def expected(m: np.ndarray) -> None:
        for i in range(n):
            for k in range(n):
                m[at + i * leading + k] += m[n * i + k]

    check([(add_block, [(0, (at, leading), n)])], memory, expected)


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=seeds)
@settings(max_examples=8)
def test_moments(worlds, seed):
    """Rows of different lengths: each fills a row of H and its column with U . s."""
    rng = np.random.default_rng(seed)
    n, leading = int(rng.integers(1, 9)), 9
    H = 12 * n
    memory = memories(rng, H + n * leading, worlds)
    rows = []
    for k in range(n):
        ancestors = sorted(rng.choice(k + 1, size=int(rng.integers(0, k + 2)), replace=False).tolist())
        lower, upper = [H + k * leading + a for a in ancestors], [H + a * leading + k for a in ancestors]
        rows.append((6 * (n + k), len(ancestors), [6 * a for a in ancestors], lower, upper))

    def expected(m: np.ndarray) -> None:
        s, U = m[: 6 * n].reshape(n, 6).copy(), m[6 * n : 12 * n].reshape(n, 6).copy()
        for k, row in enumerate(rows):
            for a in [place // 6 for place in row[2]]:
                m[H + k * leading + a] = m[H + a * leading + k] = U[k] @ s[a]

    check([(moments, rows)], memory, expected)


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=seeds)
@settings(max_examples=12)
def test_blocks_between_bodies(worlds, seed):
    """H += A' Z B + B' Z' A: columns may be shared, in any order; rows of different lengths in one table."""
    rng = np.random.default_rng(seed)
    n, leading, count = int(rng.integers(1, 8)), 8, int(rng.integers(1, 4))
    H = 6 * n + 36 * count
    memory = memories(rng, H + n * leading, worlds)
    parts, rows = [], []
    for k in range(count):
        left, right = (rng.permutation(n)[: rng.integers(0, n + 1)].tolist() for _ in range(2))
        Z = 6 * n + 36 * k
        parts.append((left, right, Z))
        rows.append(((Z, 6), (H, leading), len(left), len(right), [6 * a for a in (*left, *right)], [*left, *right]))

    def expected(m: np.ndarray) -> None:
        s = m[: 6 * n].reshape(n, 6)
        for left, right, Z in parts:
            A, B = np.zeros((6, n)), np.zeros((6, n))
            A[:, left], B[:, right] = s[left].T, s[right].T
            add = A.T @ m[Z : Z + 36].reshape(6, 6) @ B
            m[H:].reshape(n, leading)[:, :n] += add + add.T

    check([(between, rows)], memory, expected)


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=seeds)
@settings(max_examples=12)
def test_blocks_of_one_body(worlds, seed):
    """H += A' Z A, of which Z's upper triangle counts and what lies below is not read."""
    rng = np.random.default_rng(seed)
    n, leading = int(rng.integers(1, 8)), 8
    Z, H = 6 * n, 6 * n + 36
    memory = memories(rng, H + n * leading, worlds)
    moved = rng.permutation(n)[: rng.integers(0, n + 1)].tolist()
    rows = [((Z, 6), (H, leading), len(moved), [6 * a for a in moved], moved)]

    def expected(m: np.ndarray) -> None:
        upper = np.triu(m[Z : Z + 36].reshape(6, 6))
        A = np.zeros((6, n))
        A[:, moved] = m[: 6 * n].reshape(n, 6)[moved].T
        m[H:].reshape(n, leading)[:, :n] += A.T @ (upper + np.triu(upper, 1).T) @ A

    check([(own, rows)], memory, expected)


def solvable(rng: np.random.Generator, n: int, free: int, indefinite: bool) -> np.ndarray:
    """Symmetric, its leading minors away from zero: L D L' with pivots of either sign."""
    L = np.tril(rng.uniform(-1, 1, (n, n)), -1) / max(n, 1) + np.eye(n)
    d = rng.uniform(0.5, 2.0, n)
    A = L @ np.diag(d * np.where(rng.random(n) < 0.5, -1, 1) if indefinite else d) @ L.T
    return 0.5 * (A + A.T)


@pytest.mark.parametrize("n", [0, 1, 300, 2000])
def test_no_call_eliminates_for_long(n):
    """The rows of any matrix, each once; a small one in one call."""
    found = panels(n)
    assert [i for start, stop in found for i in range(start, stop)] == list(range(n))
    assert len(found) <= 1 or n > 300
    assert all(sum((n - i) ** 2 // 2 for i in range(start, stop)) < 1.5e7 for start, stop in found)


@pytest.mark.parametrize("indefinite", [False, True])
@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=seeds)
@settings(max_examples=12)
def test_solve(worlds, indefinite, seed):
    """H_uu x_u = b_u - H_up x_p and y_p = (H x)_p, with any number of known coordinates, all and none among them."""
    rng = np.random.default_rng(seed)
    n, leading = int(rng.integers(1, 14)), 16
    free = int(rng.integers(0, n + 1))
    b, y = n * leading, n * leading + n
    memory = memories(rng, y + n + 3, worlds)
    H = np.array([solvable(rng, n, free, indefinite) for _ in memory])
    memory[:, : n * leading].reshape(worlds, n, leading)[..., :n] = H
    cut = int(rng.integers(0, free + 1))  # the rows in two calls, or in one
    matrix = (0, leading)
    tables = [
        (move_given, [(matrix, b, free, n)]),
        (factor, [(matrix, free, 0, cut), (matrix, free, cut, free)]),
        (solve, [(matrix, b, free)]),
        (multiply, [(matrix, b, y, free, n)]),
    ]
    for interpret in (False, True):
        after = run(tables, memory, interpret=interpret)
        for A, before, m in zip(H, memory, after, strict=True):
            x = before[b:y].copy()
            x[:free] = np.linalg.solve(A[:free, :free], x[:free] - A[:free, free:] @ x[free:])
            scale = np.abs(x).max() * np.linalg.cond(A)
            assert np.abs(m[b:y] - x).max() <= 1e-14 * n * scale
            assert np.abs(m[y + free : y + n] - A[free:] @ x).max(initial=0) <= 1e-14 * n * scale * np.abs(A).max()
            assert (m[y + n :] == before[y + n :]).all()
            assert (m[y : y + free] == before[y : y + free]).all()


@pytest.mark.parametrize("worlds", [1, 11])
def test_solve_of_stiff_and_light_together(worlds):
    """Entries over twelve orders of magnitude, as stiff forces on light bodies give: backward stable without pivoting."""
    rng = np.random.default_rng(1)
    n, leading = 40, 64
    b = n * leading
    memory = np.zeros((worlds, b + 2 * n))
    for m in memory:
        half = rng.normal(size=(n, 6))
        A = 1e8 * half @ half.T + np.diag(10.0 ** rng.uniform(-4, 2, n))
        m[:b].reshape(n, leading)[:, :n], m[b : b + n] = A, rng.normal(size=n)
    after = run([(factor, [((0, leading), n, 0, n)]), (solve, [((0, leading), b, n)])], memory)
    for before, m in zip(memory, after, strict=True):
        A, x = before[:b].reshape(n, leading)[:, :n], m[b : b + n]
        assert np.abs(A @ x - before[b : b + n]).max() <= 1e-13 * np.abs(A).max() * np.abs(x).max()


def test_lanes_are_worlds_of_their_own():
    """A singular matrix in one world leaves the others as they are alone."""
    rng = np.random.default_rng(2)
    n, leading, worlds = 5, 8, 16
    b = n * leading
    memory = rng.normal(size=(worlds, b + 2 * n))
    memory[:, :b].reshape(worlds, n, leading)[..., :n] = [solvable(rng, n, n, True) for _ in range(worlds)]
    memory[3, :b] = 0.0
    tables = [(factor, [((0, leading), n, 0, n)]), (solve, [((0, leading), b, n)])]
    together = run(tables, memory)
    assert not np.isfinite(together[3, b : b + n]).any()
    for world in (0, 2, 4, 15):
        assert np.allclose(together[world, b : b + n], run(tables, memory[world : world + 1])[0, b : b + n], rtol=1e-12, atol=0)


def test_wide_rows():
    """A matrix of more coordinates than lanes or registers, its rows filled up to the longest one."""
    rng = np.random.default_rng(3)
    n, leading, H = 90, 128, 6 * 90 + 2 * 36
    memory = memories(rng, H + n * leading, 9)
    sets = [(list(range(90)), list(range(0, 90, 2))), ([5], [7])]
    rows = [
        ((540 + 36 * k, 6), (H, leading), len(left), len(right), [6 * a for a in (*left, *right)], [*left, *right])
        for k, (left, right) in enumerate(sets)
    ]

    def expected(m: np.ndarray) -> None:
        s = m[:540].reshape(n, 6)
        for k, (left, right) in enumerate(sets):
            add = np.zeros((n, n))
            add[np.ix_(left, right)] = s[left] @ m[540 + 36 * k : 576 + 36 * k].reshape(6, 6) @ s[right].T
            m[H:].reshape(n, leading)[:, :n] += add + add.T

    check([(between, rows)], memory, expected)
