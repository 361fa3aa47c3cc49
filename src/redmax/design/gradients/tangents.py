"""A program, and how what it gives changes along directions: one in each lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from redmax.backends.base import Mechanism, make_runner, rolled_plan
from redmax.errors import SimulationError
from redmax.program.program import Program
from redmax.program.tangent import tangent

SETTLED, MOST = 1e-11, 128  # how alike slopes are that do not change any more, and how many iterations may lead there
Found = tuple[dict[str, np.ndarray], dict[str, np.ndarray]]  # name -> (worlds, n), and name -> (worlds, directions, n)


class Tangents:
    """counts: whether the program goes on in steps, of which one is taken."""

    def __init__(self, mechanism: Mechanism, program: Program, backend: str, counts: bool = False) -> None:
        plan = rolled_plan(mechanism, program, backend)
        self.counts, (self.inputs, outputs) = int(counts), plan.names
        self.takes = dict(zip(self.inputs, map(len, plan.inputs), strict=True))
        self.sizes = dict(zip(outputs, map(len, plan.outputs), strict=True))
        self.runner = make_runner(tangent(plan), backend, "float64")

    def __call__(self, given: Mapping[str, np.ndarray], moves: Mapping[str, np.ndarray], worlds: int) -> Found:
        """given: name -> (worlds, n) or (n,); moves: name -> (worlds, directions, n), of those that move; of what is not given, zeros."""
        count = next(iter(moves.values())).shape[1]
        known = {name: np.asarray(given.get(name, np.zeros(n))) for name, n in self.takes.items()}
        values = [np.repeat(np.broadcast_to(known[name], (worlds, n)), count, axis=0) for name, n in self.takes.items()]
        rates = [
            moves[name].reshape(worlds * count, n) if name in moves else np.zeros((worlds * count, n)) for name, n in self.takes.items()
        ]
        names = self.runner.outputs
        outputs = [np.full((1, worlds * count, self.sizes[name.removeprefix("tangent of ")]), np.nan) for name in names]
        self.runner.run([np.ascontiguousarray(x, float) for x in (*values, *rates)], outputs, worlds * count, self.counts, self.counts)
        found = {name: out[0].reshape(worlds, count, -1) for name, out in zip(names, outputs, strict=True)}
        return {name: found[name][:, 0] for name in self.sizes}, {name: found[f"tangent of {name}"] for name in self.sizes}


def settled(run: Callable[[float], Found], by: tuple[str, ...], t: float) -> Found:
    """With so many iterations more at the solution that slopes change no further (solvers/further.py). by: those that are looked at."""
    before, further = run(1.0), 2.0
    while True:
        found = run(further)
        apart = [_apart(before[1][name], found[1][name]) for name in by]
        if max(apart, default=0.0) <= SETTLED or not all(np.isfinite(found[1][name]).all() for name in by):
            return found
        if further >= MOST:
            why = f"its iterations bring slopes no nearer than {max(apart):.1g} of them"
            raise SimulationError(f"redmax.linearize: the step has no derivative at t = {t:.6g} s: {why}. Take a shorter step.")
        before, further = found, 2.0 * further


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """Relative to the largest, world by world."""
    if not b.size:
        return 0.0
    far, size = (np.abs(x).reshape(len(b), -1).max(axis=1, initial=0.0) for x in (a - b, b))
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.nanmax(np.where(far > 0.0, far / size, 0.0), initial=0.0))
