"""Newton's method with a line search, for an equation that has nothing to do with mechanics: what is handed over, and what comes back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import root

from random_examples import examples
from redmax.backends.base import make_runner
from redmax.math import array, exp, where
from redmax.program.fields import Fields
from redmax.program.plan import Planner
from redmax.program.program import Program, Save
from redmax.program.relation import Tree
from redmax.program.routines.call import Call, Data
from redmax.program.routines.formula import Formula
from redmax.solvers.newton import SINGULAR, STOPPED, SUMS, WORLD, Equation, newton
from redmax.trace import jacobian

X, BASE, DX = Data("x", 2), Data("base", 2), Data("dx", 2)


def curves(x: Any, c: Any) -> Any:
    """An ellipse and an exponential, which meet twice, or not at all."""
    return array([c[0] * x[0] * x[0] + x[1] * x[1] - c[1], exp(x[0]) + x[1] - c[2]])


def equation(f: Any) -> Equation:
    """f(x, c) = 0 in the plane: all that a caller writes."""

    def attempt(base: Any, dx: Any, x: Any, c: Any, lost: Any, fraction: Any, whole: Any) -> list[Any]:
        base = where(lost[0] > 0.0, x, base)
        x = base + fraction[0] * dx
        r, still = f(x, c), f(base, c)
        sums = {"square": whole[0] * (r @ r) + (1.0 - whole[0]), "base_square": still @ still}
        sums |= {"dx_square": dx @ dx, "way_square": x @ x, "place_square": x @ x}
        return [base, x, *[sums[name] for name in SUMS]]

    def direction(x: Any, c: Any) -> list[Any]:
        r, J = f(x, c), jacobian(list(f(x, c)), list(x))
        d = J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]
        return [array([J[0, 1] * r[1] - J[1, 1] * r[0], J[1, 0] * r[0] - J[0, 0] * r[1]]) / d]

    sums = dict.fromkeys(SUMS, 1)
    given = {"c": 3, "lost": 1, "fraction": 1, "whole": 1}
    trying = Formula({"base": 2, "dx": 2, "x": 2} | given, {"new_base": 2, "new_x": 2} | sums, attempt)
    finding = Formula({"x": 2, "c": 3}, {"dx": 2}, direction)
    data = (X, BASE, DX)
    tried = Call(trying, lambda at: [(at[BASE], at[DX], at[X], *map(at.world, given), at[BASE], at[X], *map(at.world, SUMS))], data)
    found = Call(finding, lambda at: [(at[X], at.world("c"), at[DX])], data)
    return Equation((tried,), (found,))


def solved(f: Any, start: np.ndarray, c: np.ndarray, backend: str, guess: Any = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x (worlds, 2), failed and iterations (worlds,) from start (worlds, 2)."""
    worlds = len(start)
    fields, stages = Fields(world=WORLD | {"c": 3}), (*newton(equation(f)), Save())
    program = Program("curves", stages, fields, ("base", "dx", "c", "tolerance", "beyond", "iterations"), ("x", "failed", "iterations"))
    found = [np.empty((1, worlds, n)) for n in (2, 1, 1)]
    inputs = [start, np.zeros_like(start) + guess, np.broadcast_to(c, (worlds, 3)).copy(), np.full(1, 1e-12), np.ones(1), np.zeros(1)]
    make_runner(Planner(program, Tree(()), [], []).plan(), backend, "float64").run(inputs, found, worlds)
    return found[0][0], found[1][0, :, 0], found[2][0, :, 0]


@examples(3, 20)
@given(seed=st.integers(0, 2**16))
def test_roots_are_those_of_another_solver(seed):
    """Worlds in lanes as one by one, compiled as interpreted; each takes as many turns as it needs."""
    rng = np.random.default_rng(seed)
    c = np.column_stack([rng.uniform(0.5, 2.0, 9), rng.uniform(3.0, 6.0, 9), rng.uniform(-1.0, 1.0, 9)])
    there = np.array([root(lambda x, k=k: curves(x, k), [-1.5, 1.0], tol=1e-13).x for k in c])
    start = there + rng.uniform(-0.3, 0.3, (9, 2))
    x, failed, iterations = solved(curves, start, c, "llvm")
    np.testing.assert_allclose(x, there, atol=1e-10)
    assert not failed.any()
    assert 1 <= iterations.min() <= iterations.max() <= 8  # quadratic convergence
    np.testing.assert_allclose(solved(curves, start, c, "interpret")[0], x, rtol=1e-11)
    for w in (0, 8):
        alone = solved(curves, start[w : w + 1], c[w], "llvm")
        np.testing.assert_allclose(alone[0][0], x[w], rtol=1e-13)  # an exponential in lanes is a polynomial
        assert alone[2][0] == iterations[w]


C = np.array([1.0, 4.0, 0.5])


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_a_guess_beyond_the_base_is_taken_if_it_is_the_better_one(backend):
    there = root(lambda x: curves(x, C), [-1.5, 1.0], tol=1e-13).x
    start = np.tile(there + 0.2, (3, 1))
    guess = np.array([there - start[0], [0.0, 0.0], [3.0, 3.0]])  # the root itself; nothing; further away than the base
    x, failed, iterations = solved(curves, start, C, backend, guess)
    np.testing.assert_allclose(x, np.tile(there, (3, 1)), atol=1e-10)
    assert not failed.any()
    assert iterations[0] <= 1 < iterations[1] == iterations[2]


@pytest.mark.parametrize("backend", ["interpret", "llvm"])
def test_what_has_no_root_and_what_has_no_direction(backend):
    """Curves that never meet; a start where both have the same slope; and beside them, in the same lanes, a world that succeeds."""
    start = np.array([[-1.0, 1.0], [0.0, 0.0], [-1.5, 1.0]])
    c = np.array([[1.0, 1.0, -3.0], C, C])
    x, failed, _ = solved(curves, start, c, backend)
    assert failed.tolist() == [STOPPED, SINGULAR, 0.0]
    assert np.abs(curves(x[2], C)).max() < 1e-11
