"""Steps of generalized-alpha of a Lagrangian's bodies, compiled: the same as euler_poincare.py takes one by one with NumPy.

    end:       q1 = q0 exp(d), v1, a1 of v1', and T, by which changes of d displace       (numbers: of method.py)
    follow:    the coordinates that joints carry, where there are any                    (between.py)
    equations: what is missing there, and how it changes                                  (lagrangian.py)
    matrix:    Newton's system for v1', lambda and eta; then elimination with pivoting
    improve:   v1', lambda, eta; until what is left is below 1e-14, or does not become less and roundings of poses are as large

A system that is singular, as of rows that repeat others, has no end here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Runner, make_runner
from redmax.integrators.absolute.between import LITTLE, LOST, MOST_TURNS, poses_of
from redmax.integrators.absolute.lagrangian import NAMES, Equations
from redmax.integrators.absolute.sides import SIDES
from redmax.math import logical_and, logical_not, logical_or, sqrt, where
from redmax.program.blocks import Block, RepeatRuns, Row, Rows, Run, WideRun
from redmax.program.fields import Fields
from redmax.program.function import FunctionKernels
from redmax.program.kernel import RECORD, Kernel, Store
from redmax.program.plan import Plan
from redmax.program.program import Program, Save
from redmax.program.routines.routine import Routine
from redmax.solvers.pivoted import factor_pivoted, solve_pivoted
from redmax.solvers.reduced_matrix import panels
from redmax.trace import Graph
from redmax.trace.vector import vector_of

ITERATIONS, TOLERANCE, SMALL, SHRINKS = 50, 1e-14, 1e-11, 0.3
ROUNDINGS = 1e-14  # of poses: by how much v' may displace them and not be known better
NUMBERS = ("h", "am", "af", "gamma", "beta")
STATE = ("pose", "v", "a", "rate", "multipliers", "before", "carried")  # where a step begins; before: B there; carried: of joints
GIVEN = (*STATE, "k", "numbers", "good")  # k: steps before; good: 1
FOUND = ("pose", "v", "a", "rate", "multipliers", "carried", "gap", "speed", "energy", "good")  # good: whether all steps have an end so far


@dataclass(frozen=True, eq=False)
class OnRecord(FunctionKernels):
    """function(**arrays) -> arrays by name, of the arrays of one record that it names as `inputs`. layout: where each begins."""

    layout: Mapping[str, int]

    def key(self, source: str) -> str:
        return super().key(f"{source} {list(self.layout.items())}")

    def trace(self) -> list[Kernel]:
        graph = Graph()
        arrays = {name: vector_of([graph.input(RECORD, self.layout[name] + i) for i in range(size)]) for name, size in self.inputs.items()}
        found = self.function(**arrays)
        stores = [
            Store(RECORD, self.layout[name] + i, x) for name, values in found.items()
            for i, x in enumerate(np.ravel(np.asarray(values, object)))
        ]  # fmt: skip
        return [Kernel("function", tuple(stores))]


@dataclass(frozen=True, eq=False)
class CompiledSteps:
    """Of these equations, by index."""

    equations: Equations
    index: int

    @property
    def unknowns(self) -> int:
        return self.equations.n + self.rows * (2 if self.index == 2 else 1)

    @property
    def rows(self) -> int:
        return self.equations.m

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Of all that the record holds."""
        eq, m, N = self.equations, self.rows, self.unknowns
        bodies, n = eq.bodies, eq.n
        given = {"pose": 12 * bodies, "v": n, "a": n, "rate": n, "multipliers": m, "before": m * n, "numbers": len(NUMBERS)}
        given |= dict.fromkeys(("k", "t", "good"), 1) | dict.fromkeys(("carried", "carried1"), eq.between.size)
        end = {"pose1": 12 * bodies, "v1": n, "a1": n, "rate1": n, "multipliers1": m, "eta": m, "T": 36 * bodies}
        at = {"missing": n, "K": n * n, "C": n * n, "M": n * n, "gap": m, "B": m * n, "G": m * n, "speed": m, "bias": m, "energy": 1}
        single = ("turns", "last", "done", "solved", "follows", "followed")
        return given | end | at | {"H": N * N, "b": N, "order": N} | dict.fromkeys(single, 1)

    @cached_property
    def layout(self) -> dict[str, int]:
        ends = np.cumsum(list(self.sizes.values())).tolist()
        return dict(zip(self.sizes, [0, *ends[:-1]], strict=True))

    def kernel(self, name: str, function: Callable[..., Any], reads: tuple[str, ...]) -> Run:
        text = f"{name} {self.index} {self.equations.text}"
        group = OnRecord(text, {r: self.sizes[r] for r in reads}, {}, function, self.layout)
        return Run((Row(group, 0, (0, 0, 0, 0, 0)),))

    def begin(self, rate: Any, multipliers: Any, k: Any, numbers: Any, carried: Any) -> dict[str, Any]:
        zeros = {name: [0.0] for name in ("turns", "done", "solved")}
        begun = {"rate1": rate, "multipliers1": multipliers, "eta": [0.0] * self.rows, "last": [np.inf], "carried1": carried}
        return begun | zeros | {"t": [(k[0] + 1.0) * numbers[0]]}

    def end(self, pose: Any, v: Any, a: Any, rate: Any, before: Any, numbers: Any, rate1: Any, eta: Any) -> dict[str, Any]:
        h, am, af, gamma, beta = numbers
        eq, side = self.equations, SIDES[self.equations.group]
        a1 = ((1.0 - af) * rate1 + af * rate - am * a) / (1.0 - am)
        d = h * (v + h * ((0.5 - beta) * a + beta * a1))
        if self.index == 2 and self.rows:
            d = d - h * (before.reshape(self.rows, eq.n).T @ eta)
        poses, T = [], []
        for k in range(eq.bodies):
            x = d[6 * k : 6 * k + 6]
            poses.append(np.ravel(side.step(pose[12 * k : 12 * k + 12].reshape(3, 4), x)))
            T.append(np.ravel(side.displaced(x)))
        return {"pose1": np.concatenate(poses), "v1": v + h * ((1.0 - gamma) * a + gamma * a1), "a1": a1, "T": np.concatenate(T)} | {
            name: [0.0] for name in ("follows", "followed")
        }

    def follow(self, pose1: Any, carried1: Any, t: Any, follows: Any) -> dict[str, Any]:
        """One step of Newton's method for what joints carry; where it comes to no rest, nobody knows it."""
        q, moved = self.equations.between.nearer(poses_of(pose1), carried1, t[0])
        turns = follows[0] + 1.0
        over = turns >= MOST_TURNS
        lost = where(logical_and(over, moved > LOST), np.nan, 0.0)
        rests = where(logical_or(moved <= LITTLE, over), 1.0, 0.0)
        return {"carried1": [x + lost for x in q], "follows": [turns], "followed": [rests]}

    def look(self, pose1: Any, v1: Any, rate1: Any, multipliers1: Any, t: Any, carried1: Any) -> dict[str, Any]:
        return dict(zip(NAMES, self.equations.expressions(pose1, v1, rate1, multipliers1, t, carried1), strict=True))

    def matrix(self, **record: Any) -> dict[str, Any]:
        """H x = b: rows of motion, of positions and, of index 2, of velocities; of index 1, of accelerations."""
        n, m = self.equations.n, self.rows
        h, am, af, gamma, beta = record["numbers"]
        share = (1.0 - af) / (1.0 - am)
        to_v, to_d = h * gamma * share, h * h * beta * share
        K, C, M, B, G, before = (
            record[name].reshape(-1, n) if record[name].size else np.zeros((0, n), object) for name in ("K", "C", "M", "B", "G", "before")
        )
        T = np.zeros((n, n), object)
        for k in range(self.equations.bodies):
            own = slice(6 * k, 6 * k + 6)
            T[own, own] = record["T"][36 * k : 36 * k + 36].reshape(6, 6)
        H, b = np.zeros((self.unknowns, self.unknowns), object), np.zeros(self.unknowns, object)
        H[:n, :n], H[:n, n : n + m], b[:n] = M + to_v * C + to_d * (K @ T), B.T, -1.0 * record["missing"]
        if self.index == 1 and m:
            H[n:, :n], b[n:] = B + to_v * G, -1.0 * (B @ record["rate1"] + record["bias"])
        elif m:
            H[n : n + m, :n], b[n : n + m] = B @ T, (-1.0 / to_d) * record["gap"]
        if self.index == 2 and m:
            shift = -h * (T @ before.T)
            H[:n, n + m :], H[n : n + m, n + m :], H[n + m :, n + m :] = K @ shift, (B @ shift) / to_d, (G @ shift) / to_v
            H[n + m :, :n], b[n + m :] = B + (to_d / to_v) * (G @ T), (-1.0 / to_v) * record["speed"]
        return {"H": H, "b": b}

    def improve(self, b: Any, rate1: Any, multipliers1: Any, eta: Any, turns: Any, last: Any, pose1: Any, numbers: Any) -> dict[str, Any]:
        h, am, af, _, beta = numbers
        n, m = self.equations.n, self.rows
        rate, change = rate1 + b[:n], sqrt(b[:n] @ b[:n])
        found: dict[str, Any] = {"rate1": rate, "multipliers1": multipliers1 + b[n : n + m]}
        found |= {"eta": eta + b[n + m :]} if self.index == 2 else {}
        size = change / (sqrt(rate @ rate) + 1e-300)
        way = h * h * beta * (1.0 - af) / (1.0 - am) * change
        small = logical_or(size <= SMALL, way <= ROUNDINGS * sqrt(pose1 @ pose1))
        solved = logical_or(size <= TOLERANCE, logical_and(small, size >= SHRINKS * last[0]))
        over = logical_or(turns[0] >= ITERATIONS - 1.0, logical_not(size < 1e100))
        return found | {
            "turns": [turns[0] + 1.0], "last": [size], "solved": [where(solved, 1.0, 0.0)],
            "done": [where(logical_or(solved, over), 1.0, 0.0)],
        }  # fmt: skip

    def advance(
        self, B: Any, k: Any, good: Any, solved: Any, pose1: Any, v1: Any, a1: Any, rate1: Any, multipliers1: Any, carried1: Any
    ) -> dict[str, Any]:
        """The next step begins where this one ended."""
        state = dict(zip(STATE, (pose1, v1, a1, rate1, multipliers1, B, carried1), strict=True))
        return state | {"k": [k[0] + 1.0], "good": [good[0] * solved[0]]}

    @cached_property
    def plan(self) -> Plan:
        N, at = self.unknowns, self.layout
        end = self.kernel("end", self.end, ("pose", "v", "a", "rate", "before", "numbers", "rate1", "eta"))
        look = self.kernel("equations", self.look, ("pose1", "v1", "rate1", "multipliers1", "t", "carried1"))
        follow = self.kernel("follow", self.follow, ("pose1", "carried1", "t", "follows")) if self.equations.between.size else None
        looked: tuple[Block, ...] = (look,) if follow is None else (RepeatRuns((follow,), at["followed"]), look)
        system = ("numbers", "K", "C", "M", "B", "G", "before", "T", "missing", "gap", "speed", "bias", "rate1")
        matrix = self.kernel("matrix", self.matrix, system)
        H, order, b = (at["H"], N), at["order"], at["b"]
        solve = WideRun((
            *(called(factor_pivoted, H, order, N, start, stop) for start, stop in panels(N)), called(solve_pivoted, H, order, b, N),
        ))  # fmt: skip
        improve = self.kernel("improve", self.improve, ("b", "rate1", "multipliers1", "eta", "turns", "last", "pose1", "numbers"))
        begin = self.kernel("begin", self.begin, ("rate", "multipliers", "k", "numbers", "carried"))
        ended = ("B", "k", "good", "solved", "pose1", "v1", "a1", "rate1", "multipliers1", "carried1")
        advance = self.kernel("advance", self.advance, ended)
        found = RepeatRuns((end, *looked, matrix, solve, improve), at["done"])
        blocks: tuple[Block, ...] = (RepeatRuns((begin, found, end, *looked, advance, Save(strided=True)), -1),)
        runs = (begin, end, look, matrix, improve, advance, *(() if follow is None else (follow,)))
        slots = {name: np.arange(at[name], at[name] + size) for name, size in self.sizes.items()}
        return Plan(
            program=Program(f"Lagrangian steps {self.index}", (), Fields(), GIVEN, FOUND),
            blocks=blocks,
            groups=(*(run.rows[0].group for run in runs), *dict.fromkeys(t.group for t in solve.tables)),
            constants=np.zeros(1),
            workspace=sum(self.sizes.values()),
            accumulators=0,
            inputs=tuple(slots[name] for name in GIVEN),
            outputs=tuple(slots[name] for name in FOUND),
            kept=frozenset(),
        )

    @cached_property
    def runner(self) -> Runner:
        return make_runner(self.plan, self.equations.backend, "float64")

    def taken(self, given: Mapping[str, np.ndarray], count: int, stride: int) -> dict[str, np.ndarray]:
        """Each stride-th of `count` steps, (samples, size): as many as were found."""
        out = {name: np.empty((count // stride, 1, self.sizes[name])) for name in FOUND}
        arrays = [np.ascontiguousarray(given[name], float).reshape(1, -1) for name in GIVEN]
        self.runner.run(arrays, list(out.values()), 1, count, stride)
        finite = np.isfinite(out["v"]).all(axis=(1, 2)) & np.isfinite(out["pose"]).all(axis=(1, 2))
        lost = np.flatnonzero(~((out["good"][:, 0, 0] == 1.0) & finite))
        return {name: values[: lost[0] if len(lost) else len(values), 0] for name, values in out.items()}


def called(routine: Routine, *arguments: Any) -> Rows:
    return Rows(routine, np.array([routine.row(*arguments)], np.int64))
