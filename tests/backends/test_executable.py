"""Batches of a model with joints of many kinds: neither threads, splits, lanes nor neighbours change a number."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import redmax as rm
from backends.small_programs import make_plan, stage
from mechanisms import Mechanism, every_kind
from random_examples import LONG
from redmax.backends.llvm import executable
from redmax.backends.llvm import threads as threads_module
from redmax.backends.llvm.executable import Executable
from redmax.backends.llvm.threads import threads
from redmax.errors import RedmaxError, SceneError
from redmax.math import where
from redmax.program.program import Repeat, Save

DTYPES = ("float64", "float32")
LANES = ("1", "2", "4", "8")


SOME = ("Universal", "Spherical", "SurfaceContact", "SplineCurve", "torus", "Fixed")  # among them: series, tables, a kind of the user's


@cache
def mechanism() -> Mechanism:
    return every_kind(1) if LONG else every_kind(1, kinds=SOME)


@cache
def dynamics() -> rm.Dynamics:
    return rm.Dynamics(mechanism().model)


@cache
def states(count: int = 41) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return mechanism().states(count)


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """max|a - b| / max|b|, the worst world."""
    return float((np.abs(a - b).max(axis=-1) / np.abs(b).max(axis=-1)).max())


@cache
def few_kinds() -> Mechanism:
    return every_kind(5, kinds=("Revolute", "Spherical", "Helical"))


@pytest.mark.parametrize("lanes", [pytest.param(None, marks=pytest.mark.long), *LANES])
def test_lanes_agree_with_scalar_code(lanes, monkeypatch):
    """Every kind of joint in the lanes of this CPU, a few kinds in each number of lanes."""
    made = few_kinds()
    if lanes is None:
        made = mechanism()
    else:
        monkeypatch.setenv("REDMAX_LANES", lanes)
    dyn = rm.Dynamics(made.model)
    q, qdot, tau = made.states(13)
    together = dyn.forward(q, qdot, tau, t=0.3)
    alone = np.array([dyn.forward(*s, t=0.3) for s in zip(q, qdot, tau)])
    assert relative(together, alone) < 1e-13


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_number_of_threads_gives_the_same_bits(dtype, monkeypatch):
    monkeypatch.setattr(threads_module, "HANDING_OVER", 0.0)  # however short the work is
    dyn = rm.Dynamics(few_kinds().model, dtype=dtype)
    results = []
    for number in (1, 2, 3, 5):
        monkeypatch.setenv("REDMAX_THREADS", str(number))
        results.append(dyn.forward(*few_kinds().states(41), t=0.3))
        np.testing.assert_array_equal(results[-1], results[0])
        assert threads() == number


def test_work_that_is_done_sooner_than_handed_over_stays_in_its_thread(monkeypatch):
    """Once it is known how long it takes. A run whose length flags decide is never known."""
    monkeypatch.setenv("REDMAX_THREADS", "2")
    handed = []
    monkeypatch.setattr(executable, "together", lambda part, cuts: handed.append(cuts) or max(part(*c) for c in pairwise(cuts)))

    def count(w):
        w.x = w.x + 1.0
        w.done = where(w.x > 3.0, 1.0, 0.0)

    world, x, out = {"x": 1, "done": 1}, np.zeros((8, 1)), np.empty((1, 8, 1))
    straight, looped = ((stage(count),), (stage(count), Repeat((stage(count),), until="done"), Save()))
    for seconds, stages, times in ((1e9, straight, 1), (0.0, straight, 3), (1e9, looped, 3)):
        handed.clear()
        monkeypatch.setattr(threads_module, "HANDING_OVER", seconds)
        runner = Executable(make_plan(stages, world, ("x",), ("x",)))
        for _ in range(3):
            runner.run([x], [out], 8, lanes=4)
        assert len(handed) == times
        assert (out == out[0, 0, 0]).all()


def test_any_split_of_a_batch_gives_the_same_bits():
    """Of two worlds or more, so that both parts run in lanes; a world's place in its group is no part of its numbers."""
    q, qdot, tau = states()
    whole = dynamics().forward(q, qdot, tau, t=0.3)
    for cut in (2, 3, 7, 8, 20, 39):
        for part in (slice(0, cut), slice(cut, None)):
            np.testing.assert_array_equal(dynamics().forward(q[part], qdot[part], tau[part], t=0.3), whole[part])
    order = np.random.default_rng(0).permutation(len(q))
    np.testing.assert_array_equal(dynamics().forward(q[order], qdot[order], tau[order], t=0.3), whole[order])


def test_a_neighbour_changes_no_bit():
    q, qdot, tau = (a.copy() for a in states(9))
    before = dynamics().forward(q, qdot, tau)
    q[4], qdot[4], tau[4] = 0.5 * q[4], 100.0 * qdot[4], -1e6 * tau[4]
    after = dynamics().forward(q, qdot, tau)
    others = np.arange(9) != 4
    np.testing.assert_array_equal(after[others], before[others])
    assert (after[4] != before[4]).any()


def layouts(a: np.ndarray) -> dict[str, Any]:
    """The same numbers in memory in other ways."""
    wide = np.full((2 * len(a), 3 * a.shape[1]), np.nan)
    wide[::2, 1::3] = a
    backwards = a[::-1, ::-1].copy()[::-1, ::-1]
    read_only = a.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float64).reshape(a.shape)
    return {
        "Fortran": np.asfortranarray(a),
        "strided": wide[::2, 1::3],
        "backwards": backwards,
        "read only": read_only,
        "unaligned": unaligned,
        "big-endian": a.astype(">f8"),
        "list": a.tolist(),
        "extended": a.astype(np.longdouble),
    }


@pytest.mark.parametrize("name", layouts(np.zeros((2, 2))))
def test_inputs_may_lie_in_memory_in_any_way(name):
    q, qdot, tau = states(11)
    expected, alone = dynamics().forward(q, qdot, tau), dynamics().forward(q[3], qdot[3], tau[3])
    given = [layouts(a)[name] for a in (q, qdot, tau)]
    np.testing.assert_array_equal(dynamics().forward(*given), expected)
    np.testing.assert_array_equal(dynamics().forward(*[a[3] for a in given]), alone)
    np.testing.assert_array_equal(dynamics().forward(given[0], qdot, given[2]), expected)
    np.testing.assert_array_equal(dynamics().forward(q, given[1][3], given[2][3]), dynamics().forward(q, qdot[3], tau[3]))


def test_leading_axes_broadcast():
    q, qdot, tau = states(6)
    grid = dynamics().forward(q.reshape(2, 3, -1), qdot[:3], tau[0])
    assert grid.shape == (2, 3, mechanism().nv)
    for i in range(2):
        for j in range(3):
            assert relative(grid[i, j], dynamics().forward(q[3 * i + j], qdot[j], tau[0])) < 1e-13
    outer = dynamics().forward(q[:, None], qdot[None, :4], tau[:1, None])
    assert outer.shape == (6, 4, mechanism().nv)
    assert relative(outer[5, 2], dynamics().forward(q[5], qdot[2], tau[0])) < 1e-13
    assert dynamics().forward(q[:0], qdot[:0], tau[:0]).shape == (0, mechanism().nv)


@cache
def clock() -> rm.Dynamics:
    """Acceleration = t."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Prismatic("x"), torque=lambda t, q, qdot: [t])
    return rm.Dynamics(scene.model())


@pytest.mark.parametrize(
    ("batch", "times"),
    [
        ((5,), ()),
        ((5,), (5,)),
        ((5,), (1,)),
        ((2, 3), (3,)),
        ((2, 3), (2, 3)),
        ((2, 3), (2, 1)),
        ((), (4,)),
        ((2, 1), (1, 3)),
        ((1,), (4,)),
    ],
)
def test_times_broadcast_like_the_states(batch, times):
    """Each world has its own time; no world reads a time that was not given."""
    t = np.random.default_rng(1).uniform(1.0, 2.0, times)
    x = np.zeros((*batch, 1))
    found = clock().forward(x, x, t=t)
    expected = np.broadcast_to(t[..., None], (*np.broadcast_shapes(batch, times), 1))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_times_of_another_shape_are_refused():
    with pytest.raises(SceneError, match=r"\bt\b"):
        clock().forward(np.zeros((5, 1)), np.zeros((5, 1)), t=np.zeros(4))


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_the_number_of_threads_is_checked(text, monkeypatch):
    monkeypatch.setenv("REDMAX_THREADS", text)
    with pytest.raises(RedmaxError, match="REDMAX_THREADS"):
        threads()


# Calls from several Python threads at once.


def at_once(number: int, work: Any) -> list[Any]:
    """work(i) in `number` threads that begin together."""
    start = Barrier(number)

    def begin(i: int) -> Any:
        start.wait()
        return work(i)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(begin, range(number)))


def test_threads_that_call_the_same_dynamics_for_single_states():
    q, qdot, tau = states(8)
    expected = [dynamics().forward(*s) for s in zip(q, qdot, tau)]

    def work(i: int) -> int:
        return sum((dynamics().forward(q[k], qdot[k], tau[k]) != expected[k]).any() for k in np.random.default_rng(i).integers(0, 8, 3000))

    assert at_once(4, work) == [0] * 4


def test_threads_that_call_the_same_dynamics_for_batches():
    q, qdot, tau = (np.tile(a, (60, 1)) for a in states())
    batches = [(np.roll(q, i, 0), np.roll(qdot, i, 0), np.roll(tau, i, 0)) for i in range(4)]
    expected = [dynamics().forward(*b) for b in batches]

    def work(i: int) -> int:
        return sum((dynamics().forward(*batches[i]) != expected[i]).any() for _ in range(12))

    assert at_once(4, work) == [0] * 4


def test_threads_that_meet_a_dynamics_not_compiled_yet():
    """Both compile, or one waits for the other; either way both get their numbers."""
    q, qdot, tau = mechanism().states(4)

    def first_use(make: Any) -> None:
        dyn = rm.Dynamics(make.model)
        n = make.nv
        found = at_once(
            4, lambda i: dyn.forward(q[i, :n], qdot[i, :n], tau[i, :n]) if i % 2 else dyn.forward(q[:, :n], qdot[:, :n], tau[:, :n])[i]
        )
        alone = rm.Dynamics(make.model)
        for i in range(4):
            assert relative(found[i], alone.forward(q[i, :n], qdot[i, :n], tau[i, :n])) < 1e-13

    for seed in (90, 91):
        first_use(every_kind(seed, kinds=("Revolute", "Universal", "Helical")))


def test_threads_that_simulate_at_once():
    scene = every_kind(5, kinds=("Revolute", "Spherical", "Prismatic"), forces=False)
    n = scene.nv
    starts = [rm.State(0.0, 0.1 * np.full((i + 1, n), i + 1.0), np.zeros((i + 1, n))) for i in range(3)]

    def run(i: int) -> np.ndarray:
        return rm.simulate(scene.model, 0.2, 0.001, integrator="rk4", initial=starts[i]).q

    expected = [run(i) for i in range(3)]
    for found, right in zip(at_once(3, run), expected, strict=True):
        np.testing.assert_array_equal(found, right)
