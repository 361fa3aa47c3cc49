"""The language of routines: what a function does to the memory of each world is the same in Python, in scalar code and in lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.routine_runs import Calls, run, run_rows, table
from redmax.backends.llvm.target import host
from redmax.errors import TraceError
from redmax.math import sqrt, where
from redmax.program.blocks import Rows
from redmax.program.reverse_routine import RoutineReverse
from redmax.program.routines.routine import routine
from redmax.program.routines.tangent import RoutineTangent
from redmax.program.routines.views import Matrix, Number, Places, Vector, Whole, Wholes, beside, dot, some, whole

WORLDS = (1, 3, 19)  # one world is scalar code; 19 fill lanes and leave some over


def agree(calls: Calls, memory: np.ndarray) -> np.ndarray:
    """The memory afterwards, after checking that lanes, scalar code and Python agree on it."""
    after = run(calls, memory)
    for other in (run(calls, memory, lanes=1), run(calls, memory, interpret=True)):
        assert np.allclose(after, other, rtol=1e-13, atol=1e-13, equal_nan=True)
    return after


@routine
def power(x: Vector, exponent: Vector) -> None:
    """x^n with an n of each world's own, which its memory holds."""
    result = 1.0
    for _ in range(min(whole(exponent[0]), 40)):
        result *= x[0]
    x[0] = result


@routine
def halve(x: Vector, turns: Vector, table: Wholes) -> None:
    """Until no world is above one; turns: its own, and those of all beside it, by a table."""
    count = 0
    while some(x[0] > 1.0):
        turns[0] += where(x[0] > 1.0, 1.0, 0.0)
        x[0] = where(x[0] > 1.0, 0.5 * x[0], x[0])
        count += 1
        if some(x[0] > 8.0) or count == 1:
            turns[1] = float(table[min(count, 3)])


@routine
def root(x: Vector, turns: Vector) -> None:
    """Newton's method for the square root, in as many turns as each world needs."""
    a = x[0]
    guess, count = a, 0
    while abs(guess * guess - a) > 1e-14 * a and count < 60:
        guess = 0.5 * (guess + a / guess)
        count += 1
    x[0] = guess
    turns[0] = float(count)


@routine
def sort(v: Vector, n: Whole) -> None:
    """By insertion: branches and whiles of each world's own, places found on the way."""
    for i in range(1, n):
        x = v[i]
        k = i
        while k > 0 and v[max(k - 1, 0)] > x:
            v[k] = v[k - 1]
            k -= 1
        v[k] = x


@routine
def scatter(source: Vector, where_to: Vector, target: Vector, n: Whole) -> None:
    """Stores and loads at places that memory holds."""
    for i in range(n):
        target[whole(where_to[i])] += 2.0 * source[whole(where_to[n - 1 - i])]


@routine
def clip(v: Vector, n: Whole, positive: Vector, negative: Vector) -> None:
    """if and else, each with a name that outlives it."""
    ups, downs = 0, 0
    for i in range(n):
        if v[i] > 0.5:
            ups += 1
            v[i] = 0.5
        elif v[i] < -0.5:
            downs += 1
            v[i] = -0.5
        else:
            v[i] = where(v[i] > 0.0, v[i] * v[i], -v[i])
    positive[0] = float(ups)
    negative[0] = float(downs)


@routine
def norm(v: Vector, n: Whole) -> float:
    """What another routine uses."""
    return sqrt(dot(v[0:n], v[0:n]))


@routine
def orthonormal(A: Matrix, n: Whole, m: Whole) -> None:
    """Gram and Schmidt, of the rows of a matrix."""
    for i in range(n):
        row = A[i]
        for j in range(i):
            row[0:m] -= dot(row[0:m], A[j, 0:m]) * A[j, 0:m]
        row[0:m] /= norm(row, m)


@routine
def products(A: Matrix, n: Whole, out: Vector, rows: Wholes, vectors: Places) -> None:
    """Tables of numbers and of places, columns of a matrix, and backward loops."""
    for k in reversed(range(n)):
        out[k] = dot(A[0:n, rows[k]], vectors[k][0:n]) + float(rows[k])


@pytest.mark.parametrize("worlds", WORLDS)
def test_counts_that_memory_holds(worlds):
    memory = np.stack([np.linspace(0.9, 1.1, worlds), np.arange(worlds) % 7.0], axis=1)
    after = agree([(power, [(0, 1)])], memory)
    assert np.allclose(after[:, 0], memory[:, 0] ** memory[:, 1], rtol=1e-14)


@pytest.mark.parametrize("worlds", WORLDS)
def test_each_world_takes_its_own_turns(worlds):
    """Those that are done keep their values: the turns differ, and each root is right."""
    memory = np.stack([10.0 ** np.linspace(-6, 8, worlds), np.zeros(worlds)], axis=1)
    after = agree([(root, [(0, 1)])], memory)
    assert np.allclose(after[:, 0], np.sqrt(memory[:, 0]), rtol=1e-14)
    assert worlds == 1 or len(set(after[:, 1])) > 1


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=10)
def test_sort(worlds, seed):
    memory = np.random.default_rng(seed).normal(size=(worlds, 9))
    assert (agree([(sort, [(0, 9)])], memory) == np.sort(memory, axis=1)).all()


@pytest.mark.parametrize("worlds", WORLDS)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=10)
def test_places_that_memory_holds(worlds, seed):
    rng = np.random.default_rng(seed)
    n = 6
    memory = np.concatenate([rng.normal(size=(worlds, n)), rng.integers(0, n, (worlds, n)), np.zeros((worlds, n))], axis=1)
    after = agree([(scatter, [(0, n, 2 * n, n)])], memory)
    for m, a in zip(memory, after, strict=True):
        expected, places = np.zeros(n), m[n : 2 * n].astype(int)
        np.add.at(expected, places, 2.0 * m[places[::-1]])
        assert np.allclose(a[2 * n :], expected, atol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, -5.0])
def test_no_place_leaves_the_memory(bad):
    """Whatever memory holds: the process lives, and other worlds are as they were."""
    memory = np.tile(np.concatenate([np.ones(4), np.arange(4.0), np.zeros(4)]), (9, 1))
    good = run([(scatter, [(0, 4, 8, 4)])], memory)
    memory[4, 5] = bad
    after = run([(scatter, [(0, 4, 8, 4)])], memory)
    assert (np.delete(after, 4, axis=0) == np.delete(good, 4, axis=0)).all()
    run([(power, [(0, 5)])], memory)


@pytest.mark.parametrize("worlds", WORLDS)
def test_branches(worlds):
    memory = np.random.default_rng(worlds).normal(size=(worlds, 12))
    after = agree([(clip, [(0, 10, 10, 11)])], memory)
    v = memory[:, :10]
    assert (after[:, 10] == (v > 0.5).sum(axis=1)).all()
    assert (after[:, 11] == (v < -0.5).sum(axis=1)).all()
    inside = np.where(v > 0, v * v, -v)
    assert np.allclose(after[:, :10], np.where(v > 0.5, 0.5, np.where(v < -0.5, -0.5, inside)))


@pytest.mark.parametrize("m", [3, 8, 13, 40])
@pytest.mark.parametrize("worlds", WORLDS)
def test_rows_of_any_length(worlds, m):
    """Chunks of vector registers, and what is left over; a routine within a routine."""
    n = min(m, 7)
    memory = np.random.default_rng(m).normal(size=(worlds, n * (m + 1)))
    after = agree([(orthonormal, [((0, m + 1), n, m)])], memory)
    Q = after.reshape(worlds, n, m + 1)[..., :m]
    assert np.allclose(Q @ np.swapaxes(Q, 1, 2), np.eye(n), atol=1e-10)
    assert (after.reshape(worlds, n, m + 1)[..., m] == memory.reshape(worlds, n, m + 1)[..., m]).all()


@pytest.mark.parametrize("worlds", WORLDS)
def test_tables_and_columns(worlds):
    n = 11
    memory = np.random.default_rng(5).normal(size=(worlds, n * n + 3 * n))
    rows, places = [3, 0, 10, 10, 1, 2, 7, 5, 4, 9, 8], [n * n + n + (k % 4) for k in range(n)]
    after = agree([(products, [((0, n), n, n * n, rows, places)])], memory)
    for m, a in zip(memory, after, strict=True):
        A = m[: n * n].reshape(n, n)
        expected = [A[:, r] @ m[p : p + n] + r for r, p in zip(rows, places, strict=True)]
        assert np.allclose(a[n * n : n * n + n], expected, rtol=1e-13)


def test_single_precision():
    memory = np.random.default_rng(1).normal(size=(19, 40))
    assert np.allclose(run([(sort, [(0, 40)])], memory, "float32"), np.sort(memory, axis=1), atol=1e-6)


def test_what_a_routine_cannot_say():
    """The error names the routine, what it met, and the line."""

    @routine
    def prints(v: Vector) -> None:
        print(v[0])

    @routine
    def lists(v: Vector, n: Whole) -> None:
        for x in [1, 2, n]:
            v[0] = x

    @routine
    def undefined(v: Vector, n: Whole) -> None:
        for i in range(n):
            last = v[i]
        v[0] = last

    for bad, word in ((prints, "print"), (lists, "range"), (undefined, "last has no value")):
        with pytest.raises(TraceError, match=word) as caught:
            run([(bad, [(0,) if bad is prints else (0, 3)])], np.zeros((1, 4)))
        assert f"The routine {bad.name}: " in str(caught.value)

    @routine
    def roots(v: Vector, n: Whole) -> None:
        v[0] = sqrt(v[0:n])

    @routine
    def chosen(v: Vector, table: Wholes) -> None:
        v[0] = float(table[whole(v[1])])

    for bad, args, word in ((roots, (0, 3), "this cannot be read"), (chosen, (0, [1, 2]), "all worlds share")):
        with pytest.raises(TraceError, match=f"The routine {bad.name}: .*{word}"):
            run([(bad, [args])], np.zeros((1, 4)))
    with pytest.raises(TraceError, match="Valid: Vector"):
        routine(lambda x: None)


DIFFERENTIATED = [(root, (0, 1), 1), (clip, (0, 10, 10, 11), 10), (orthonormal, ((0, 6), 4, 5), 24), (scatter, (0, 6, 12, 6), 6)]


def double(memory: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Memory with its tangents beside it."""
    return np.stack([memory, rates], axis=-1).reshape(len(memory), -1)


@pytest.mark.parametrize("worlds", [1, 19])
@pytest.mark.parametrize(
    "case", [(root, (0, 1), 1), (clip, (0, 10, 10, 11), 10), (orthonormal, ((0, 6), 4, 5), 24), (scatter, (0, 6, 12, 6), 6)]
)
def test_slopes_of_routines(case, worlds):
    """Along random directions of the memory: what a routine does to it at both sides, turn for turn, against its tangent."""
    chosen, args, size = case
    rng = np.random.default_rng(worlds)
    memory = np.abs(rng.normal(size=(worlds, 24))) + 0.6
    memory[:, 6:12] = rng.integers(0, 6, (worlds, 6)) if chosen is scatter else memory[:, 6:12]
    rates = np.where(np.arange(24) < size, rng.normal(size=(worlds, 24)), 0.0)
    tangent = RoutineTangent(chosen)
    rows = Rows(tangent, table(chosen, [args]).places)
    found = [run_rows(rows, double(memory, rates), interpret) for interpret in (False, True)]
    assert np.allclose(*found, rtol=1e-13, atol=1e-13)
    h = 1e-5
    ends = [run([(chosen, [args])], memory + s * h * rates, lanes=1) for s in (1, -1)]
    assert np.allclose(found[0].reshape(worlds, -1, 2)[..., 0], run([(chosen, [args])], memory), rtol=1e-13, atol=1e-13)
    slopes = found[0].reshape(worlds, -1, 2)[..., 1]
    differ = np.isin(np.arange(24), [1]) if chosen is root else np.zeros(24, bool)  # numbers of turns
    assert np.allclose(slopes[:, ~differ], (ends[0] - ends[1])[:, ~differ] / (2 * h), rtol=1e-6, atol=1e-8)


@routine
def stepped(v: Vector, n: Whole, table: Wholes) -> None:
    """A number that goes from turn to turn, and worlds that then take turns of their own."""
    k = 0
    for _ in range(n):
        v[0] *= v[table[k]]
        k = k + 2
    while v[2] > 1.0:
        v[2] *= 0.5


@pytest.mark.parametrize("worlds", [1, 5])
def test_a_table_that_is_looked_up_with_a_number_of_one_world_names_the_line(worlds):
    """It runs; its reverse is refused, with the name of the number and the line."""
    memory = np.abs(np.random.default_rng(0).normal(size=(worlds, 4))) + 0.5
    agree([(stepped, [(0, 2, [1, 2, 3])])], memory)
    rows = Rows(RoutineReverse(stepped), table(stepped, [(0, 2, [1, 2, 3])]).places)
    with pytest.raises(TraceError, match=r"The routine reverse of stepped: .* with k, .* in `v\[0\] \*= v\[table\[k\]\]`\. Make it of the"):
        run_rows(rows, double(memory, 0 * memory), False)


@routine
def move_some(target: Vector, source: Vector, where_to: Vector) -> None:
    """A run of as many entries as memory says, from where it says to where it says, and their sum."""
    a, b, m = whole(where_to[0]), whole(where_to[1]), whole(where_to[2])
    target[a : a + m] = 2.0 * source[b : b + m]
    where_to[3] = dot(source[b : b + m], source[b : b + m])
    row = source[b:]
    target[16:24] = row[0:8] + row[8:16]


@pytest.mark.parametrize("worlds", WORLDS)
def test_runs_at_computed_places_are_as_long_as_memory_says(worlds: int) -> None:
    """None where it says fewer than none."""
    rng = np.random.default_rng(worlds)
    for count in (-3, 0, 1, 4, 7, 11):
        memory = rng.normal(size=(worlds, 24 + 40 + 4))
        memory[:, 64:67] = np.stack([rng.integers(3, 6, worlds), rng.integers(3, 20, worlds), np.full(worlds, count)], axis=1)
        after = agree([(move_some, [(0, 24, 64)])], memory)
        a, b = memory[0, 64:66].astype(int)
        m = max(count, 0)
        assert np.allclose(after[0, a : a + m], 2.0 * memory[0, 24 + b : 24 + b + m])
        assert np.isclose(after[0, 67], (memory[0, 24 + b : 24 + b + m] ** 2).sum())


def test_worlds_side_by_side_go_the_same_way():
    memory, turns = np.zeros((19, 3)), np.array([10, 20, 30, 40])
    memory[:, 0] = np.random.default_rng(3).uniform(0.1, 200.0, 19)
    calls = [(halve, [(0, 1, turns.tolist())])]
    needed = np.maximum(np.ceil(np.log2(memory[:, 0])), 0)
    for lanes in (1, host().lanes("float64")):
        found = run(calls, memory, lanes=lanes)
        assert (found[:, 0] == memory[:, 0] / 2.0**needed).all()
        assert (found[:, 1] == needed).all()
        for first in range(0, 19, lanes):  # the last above 8 that is beside it has so many turns, but three at least
            most = needed[first : first + lanes].max()
            assert (found[first : first + lanes, 2] == (0 if most == 0 else turns[int(np.clip(most - 4, 1, 3))])).all()
    assert (run(calls, memory, lanes=1) == run(calls, memory, interpret=True)).all()


@routine
def moved_up(a: Number, b: Number, turns: Number) -> Any:
    """A routine that gives its own arguments other values, in a branch and in a loop."""
    if b > a:
        a, b = b, 2.0 * a
    while turns > 0.5:
        a += 10.0
        turns -= 1.0
    return a, b


@routine
def asks_twice(x: Vector) -> None:
    a, b = x[0], x[1]
    x[2], x[3] = moved_up(a, b, x[4])
    x[5], x[6] = moved_up(3.0 * a + 1.0, b, 0.0)
    x[0], x[1] = a, b  # which stay


@pytest.mark.parametrize("worlds", WORLDS)
def test_arguments_may_be_assigned_anew(worlds):
    memory = np.zeros((worlds, 7))
    memory[:, :2], memory[:, 4] = np.random.default_rng(0).uniform(-1, 1, (worlds, 2)), np.arange(worlds) % 3
    (a, b), turns = memory[:, :2].T, memory[:, 4]
    after = agree([(asks_twice, [(0,)])], memory)
    assert np.array_equal(after[:, :2], memory[:, :2])
    assert np.allclose(after[:, 2:4], np.stack([np.maximum(a, b) + 10 * turns, np.where(b > a, 2 * a, b)], axis=1))
    c = 3 * a + 1
    assert np.allclose(after[:, 5:], np.stack([np.maximum(c, b), np.where(b > c, 2 * c, b)], axis=1))
    assert (b > a).any() or worlds == 1


@routine
def carry_columns(U: Vector, s: Vector, A: Matrix, y: Vector, m: Whole) -> None:
    """y = -U' A, A += s y, column by column."""
    for c in beside(m):
        a = [A[k, c] for k in range(3)]
        x = 0.0 - dot(U[0:3], a)
        y[c] = x
        for k in range(3):
            A[k, c] = a[k] + s[k] * x


@pytest.mark.parametrize("worlds", WORLDS)
@pytest.mark.parametrize("m", [0, 1, 8, 11, 16])
def test_turns_beside_each_other(m, worlds):
    """Eight at a time; of what lies behind the last, up to the next multiple of eight, nothing is said."""
    memory = np.random.default_rng(m).normal(size=(worlds, 6 + 4 * 24))
    calls = [(carry_columns, [(0, 3, (6, 24), 78, m)])]
    A, U, s = memory[:, 6:78].reshape(worlds, 3, 24), memory[:, 0:3], memory[:, 3:6]
    y = -np.einsum("wk,wkc->wc", U, A)
    for after in (run(calls, memory), run(calls, memory, lanes=1), run(calls, memory, interpret=True)):
        assert np.allclose(after[:, 78 : 78 + m], y[:, :m], rtol=1e-12, atol=1e-14)
        assert np.allclose(after[:, 6:78].reshape(worlds, 3, 24)[..., :m], (A + s[..., None] * y[:, None])[..., :m], rtol=1e-12, atol=1e-14)
        assert np.array_equal(after[:, :6], memory[:, :6])


@routine
def carry_over(v: Vector, m: Whole) -> None:
    total = 0.0
    for c in beside(m):
        total = total + v[c]
    v[0] = total


def test_what_goes_from_turn_to_turn_is_not_beside():
    with pytest.raises(TraceError, match=r"turns of beside.* are apart, but total goes from one to the next"):
        _ = carry_over.form
