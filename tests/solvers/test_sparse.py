"""Sparse symmetric systems of groups of unknowns: by fronts, by conjugate gradients and as rows, against dense solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from random_examples import examples
from redmax.backends.base import make_runner
from redmax.program.fields import Fields
from redmax.program.plan import Planner
from redmax.program.program import Program
from redmax.program.relation import Tree
from redmax.program.routines.call import Call, Data
from redmax.solvers.conjugate_gradients import invert, iterate
from redmax.solvers.elimination import factor
from redmax.solvers.fronts import fronts
from redmax.solvers.multifrontal import Multifrontal
from redmax.solvers.sparse_rows import SparseRows

ways = pytest.mark.parametrize(("backend", "worlds"), [("llvm", 1), ("llvm", 11), ("interpret", 3)])


@dataclass(frozen=True, eq=False)
class Matrices:
    """Random symmetric matrices of one pattern, (worlds, n, n). last: how many groups come last, with zeros on the diagonal."""

    sizes: list[int]
    edges: np.ndarray
    A: np.ndarray
    b: np.ndarray
    last: int

    @property
    def start(self) -> list[int]:
        return np.concatenate([[0], np.cumsum(self.sizes)]).tolist()

    def block(self, a: int, b: int) -> np.ndarray:
        s = self.start
        return self.A[:, s[a] : s[a + 1], s[b] : s[b + 1]]


def draw(seed: int, groups: int, worlds: int, sizes: Callable[[np.random.Generator], list[int]], last: int = 0) -> Matrices:
    rng = np.random.default_rng(seed)
    chosen = sizes(rng)
    pairs = {(int(rng.integers(0, b)), b) for b in range(1, groups) for _ in range(2)}
    pairs |= {(int(rng.integers(0, groups - last)), b) for b in range(groups - last, groups)}
    pairs = {(a, b) for a, b in pairs if a < groups - last}  # those that come last do not meet
    start = np.concatenate([[0], np.cumsum(chosen)])
    A = np.zeros((worlds, start[-1], start[-1]))
    for a, b in pairs:
        i, k = slice(start[a], start[a + 1]), slice(start[b], start[b + 1])
        A[:, i, k] = rng.normal(size=(worlds, chosen[a], chosen[b])) + np.eye(chosen[a], chosen[b])
        A[:, k, i] = np.swapaxes(A[:, i, k], 1, 2)
    for a in range(groups - last):
        i, own = slice(start[a], start[a + 1]), rng.normal(size=(worlds, chosen[a], chosen[a]))
        A[:, i, i] = own @ np.swapaxes(own, 1, 2) + 3.0 * (np.abs(A).sum(axis=2).max() + 1.0) * np.eye(chosen[a])
    return Matrices(chosen, np.array(sorted(pairs), int).reshape(-1, 2), A, rng.normal(size=(worlds, start[-1])), last)


def filled(target: Any, size: int, m: Matrices) -> np.ndarray:
    """(worlds, size): all blocks that the target holds, where it says."""
    memory, pairs = np.zeros((len(m.A), size)), [*m.edges.tolist(), *m.edges[:, ::-1].tolist(), *[(g, g) for g in range(len(m.sizes))]]
    zero = {Data("fronts", 0).name: 0, Data("S", 0).name: 0}
    for a, b in pairs:
        if target.holds(a, b):
            place, leading = target.entry(Zero(zero), a, b)
            for row, entries in enumerate(np.swapaxes(m.block(a, b), 0, 1)):
                memory[:, place + row * leading : place + row * leading + m.sizes[b]] = entries
    return memory


class Zero(dict[str, int]):
    """Addresses of data that begin at zero."""

    def __getitem__(self, data: Any) -> int:
        return super().__getitem__(data.name)


def run(stages: tuple[Call, ...], given: dict[str, np.ndarray], wanted: tuple[str, ...], backend: str) -> list[np.ndarray]:
    plan = Planner(Program("sparse", stages, Fields(), tuple(given), wanted), Tree(()), [], []).plan()
    worlds = len(next(iter(given.values())))
    out = [np.empty((1, worlds, len(slots))) for slots in plan.outputs]
    make_runner(plan, backend, "float64").run([np.ascontiguousarray(x) for x in given.values()], out, worlds)
    return [x[0] for x in out]


@ways
@examples(8, 60)
@given(seed=st.integers(0, 2**16), groups=st.integers(1, 24), last=st.integers(0, 3))
def test_elimination_by_fronts(backend, worlds, seed, groups, last):
    """Of definite matrices, and of such that are bordered by rows; every unknown is eliminated once, behind those below it."""
    last = min(last, groups - 1)
    m = draw(seed, groups, worlds, lambda rng: [*rng.integers(1, 5, groups - last).tolist(), *[1] * last], last)
    found = fronts(m.sizes, m.edges, range(groups - last, groups))
    assert sorted(found.start) == list(range(groups))
    x = Data("x", found.n)
    solver = Multifrontal(found, x)
    order = np.concatenate([np.arange(m.start[g], m.start[g + 1]) for f in found.fronts for g in f.own])
    given = {"fronts": filled(solver, solver.F.size, m), "x": m.b[:, order]}
    (solution,) = run((solver.factor(), *solver.solve()), given, ("x",), backend)
    expected = np.linalg.solve(m.A, m.b[..., None])[..., 0]
    assert np.abs(solution - expected[:, order]).max() < 1e-11 * np.abs(expected).max()


def test_fronts_of_a_grid_have_little_fill_in():
    """A strip of 3 x 60 nodes: the work grows with its length, and no front is much wider than the strip."""
    work = []
    for n in (30, 60):
        index = np.arange(3 * n).reshape(n, 3)
        edges = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in ((index[1:], index[:-1]), (index[:, 1:], index[:, :-1]))])
        found = fronts([3] * (3 * n), edges)
        work.append(found.work)
        assert max(found.widths(k)[1] for k in range(len(found.fronts))) <= 42
    assert 1.5 < work[1] / work[0] < 2.6


def iterated(m: Matrices, backend: str) -> tuple[np.ndarray, np.ndarray]:
    """x and the flag; the last group are coordinates, of which there may be none."""
    rows, n = SparseRows(m.sizes, m.edges), len(m.sizes) - 1
    size, corner = rows.start[-1], m.sizes[-1]
    x, r, p, y, z = (Data(name, size) for name in "xrpyz")
    S, inverse, H, failed = rows.S, Data("inverse", 9 * n), Data("H", corner, corner), Data("failed", 1)
    met = [[g for g in groups if g < n] for groups in rows.neighbours]
    first = np.concatenate([[0], np.cumsum([len(groups) for groups in met])]).tolist()
    tables = rows.base[: n + 1], first, [g for groups in met for g in groups], [int(n in rows.neighbours[i]) for i in range(n)]
    stages = (
        Call(invert, lambda at: [(rows.entry(at, i, i), (at[inverse] + 9 * i, 3)) for i in range(n)], (S, inverse)),
        Call(factor, lambda at: [(H, corner, 0, corner)], (H,)),
        Call(iterate, lambda at: [(S, inverse, H, x, r, p, y, z, failed, n, corner, 30 * size, *tables)], (x, r, p, y, z, failed)),
    )
    given = {"S": filled(rows, S.size, m), "H": m.block(n, n).reshape(len(m.A), -1), "r": m.b}
    found, flags = run(stages, given, ("x", "failed"), backend)
    return found, flags[:, 0]


@ways
@examples(5, 40)
@given(seed=st.integers(0, 2**16), groups=st.integers(2, 9), corner=st.integers(1, 5))
def test_conjugate_gradients(backend, worlds, seed, groups, corner):
    """Nodes and coordinates; and worlds whose matrix is not definite say so, beside others that are solved."""
    m = draw(seed, groups, worlds, lambda rng: [*[3] * (groups - 1), corner])
    m.A[worlds // 2 + 1 :: 4] *= -1.0
    bad = np.arange(worlds) % 4 == (worlds // 2 + 1) % 4
    bad[: worlds // 2 + 1] = False
    found, failed = iterated(m, backend)
    assert (failed.astype(bool) == bad).all()
    error = found - np.linalg.solve(m.A, m.b[..., None])[..., 0]
    assert (np.abs(error[~bad]).max(axis=1) < 1e-7 * np.abs(found[~bad]).max(axis=1)).all()


@examples(5, 40)
@given(seed=st.integers(0, 2**16), groups=st.integers(1, 9))
def test_rows_have_the_pattern_that_libraries_know(seed, groups):
    m = draw(seed, groups, 1, lambda rng: rng.integers(1, 4, groups).tolist())
    rows = SparseRows(m.sizes, m.edges)
    sparse = csr_array((filled(rows, rows.S.size, m)[0], *rows.pattern), shape=m.A.shape[1:])
    assert (sparse.toarray() == m.A[0]).all()
