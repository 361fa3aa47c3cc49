"""One step of bdf1 and bdf2 of a chain, within the compiled time loop, against the same method with Newton's iteration in Python.

Both find the same step: an exact Newton step along the tree, O(n), against a matrix of directional derivatives and a dense solve, O(n^3).
Their states must agree before they are timed. No other engine has these methods. A batch is compared with the same worlds one after the
other: each takes as many turns of Newton's method as it needs, worlds in lanes as many as the slowest beside them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.agreement import agree
from benchmarks.cases import chain, draw
from benchmarks.newton_in_python import NewtonInPython
from benchmarks.report import Row, Target
from benchmarks.timing import Contestant, Effort, compete
from redmax.backends.base import Runner
from redmax.integrators.backward_differences import BackwardDifferences
from redmax.model.model import Model

DT, STEPS, WORLDS = 1e-3, 20, 64
TARGETS = {20: 20e-6, 100: 120e-6}  # s


def measure(effort: Effort) -> Iterator[Row]:
    for n in TARGETS:
        for order in (1, 2):
            yield from rows(n, order, effort)


def rows(n: int, order: int, effort: Effort) -> Iterator[Row]:
    scene = chain(n)
    model, states = scene.model(), draw(scene, WORLDS)
    q, v = 0.5 * states.q, np.ascontiguousarray(states.v)
    own, peer = BackwardDifferences(model, "llvm", order == 2), NewtonInPython(model, order == 2)
    alone, python = steps(model, own, q[:1], v[:1], "redmax"), steps(model, peer, q[:1], v[:1], "redmax, Newton in Python")
    together, apart = steps(model, own, q, v, "redmax"), one_by_one(model, own, q, v)
    for c in (alone, python, together, apart):
        c.call()
    error = agree(f"RC{n}: bdf{order}", alone.accelerations(), python.accelerations(), 1e-9)
    agree(f"RC{n}: bdf{order} in lanes", together.accelerations(), apart.accelerations(), 1e-12)
    mine, other = compete([alone, python], effort)
    many, single = compete([together, apart], effort)
    note = f"dt {DT:g} s, {STEPS} steps a run"
    target = Target(seconds=TARGETS[n]) if order == 1 else None
    yield Row(f"bdf{order} step", f"RC{n}", mine.best, python.name, other.best, mine.ratio(other), target, error, note)
    yield Row(f"bdf{order} step", f"RC{n}, {WORLDS} worlds", many.best, apart.name, single.best, many.ratio(single), None, error, note)


def steps(model: Model, runner: Runner, q: np.ndarray, v: np.ndarray, name: str) -> Contestant:
    """From q, v (worlds, n), nothing saved but the end; its `accelerations` are the last rates."""
    worlds, outputs = len(q), [np.empty((1, len(q), model.nv)) for _ in range(2)]
    inputs = [q, v, np.zeros(model.nv), *(np.full(1, x) for x in (0.0, 0.0, DT, 0.0))]

    def call() -> None:
        runner.restore(None)
        runner.run(inputs, outputs, worlds, STEPS, STEPS)

    return Contestant(name, call, STEPS * worlds, lambda: outputs[1][0])


def one_by_one(model: Model, runner: Runner, q: np.ndarray, v: np.ndarray) -> Contestant:
    """The same, world after world."""
    worlds = [steps(model, runner, q[w : w + 1], v[w : w + 1], "") for w in range(len(q))]

    def call() -> None:
        for world in worlds:
            world.call()

    return Contestant("redmax, one by one", call, STEPS * len(q), lambda: np.concatenate([world.accelerations() for world in worlds]))
