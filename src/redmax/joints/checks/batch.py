"""Traced values as functions of many points at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from redmax.trace import Scalar, Value, reachable
from redmax.trace.evaluate import NUMERIC
from redmax.trace.meter import spend

CHUNK = 1024  # points at a time: enough to forget Python's cost for each operation, few enough to stay in memory that is near


class Batch:
    """The values of traced outputs over inputs x[0], x[1], ...: points (N, inputs) -> (N, outputs)."""

    def __init__(self, outputs: Sequence[Value]) -> None:
        self.outputs = list(outputs)
        self.nodes = reachable(outputs)
        self.slot = {e.id: i for i, e in enumerate(self.nodes)}
        self.steps = [self.step(e) for e in self.nodes]
        self.done = self.last_uses()
        self.live = max(accumulate(1 - len(done) for done in self.done), default=0)  # slots that are in use at once

    def step(self, e: Scalar) -> tuple[Any, tuple[int, ...]]:
        """A rule and the slots of its arguments; what is known beforehand comes first in every operation."""
        if e.op in ("input", "const"):
            return e.args[-1], ()
        known = [a for a in e.args if type(a) is not Scalar]
        rule = NUMERIC[e.op]
        return partial(rule, *known) if known else rule, tuple(self.slot[a.id] for a in e.args if type(a) is Scalar)

    def last_uses(self) -> list[tuple[int, ...]]:
        """For each step the slots that no later one reads, and no output: their memory serves the next, and stays near."""
        kept = {self.slot[o.id] for o in self.outputs if isinstance(o, Scalar)}
        result: list[tuple[int, ...]] = []
        for _, slots in reversed(self.steps):
            result.append(tuple(i for i in dict.fromkeys(slots) if i not in kept))
            kept.update(slots)
        return result[::-1]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        result = np.empty((len(self.outputs), len(x)))
        with np.errstate(all="ignore"):
            for first in range(0, len(x), CHUNK):
                spend(len(self.steps), 8 * self.live * min(CHUNK, len(x)))
                result[:, first : first + CHUNK] = self.chunk(x[first : first + CHUNK])
        return result.T

    def chunk(self, x: np.ndarray) -> np.ndarray:
        columns = np.ascontiguousarray(x.T)
        values: list[Any] = []
        for node, (rule, slots), done in zip(self.nodes, self.steps, self.done, strict=True):
            if slots:
                values.append(rule(*[values[i] for i in slots]))
                for i in done:
                    values[i] = None
            else:
                values.append(columns[rule] if node.op == "input" else rule)
        result = np.empty((len(self.outputs), len(x)))
        for i, output in enumerate(self.outputs):
            result[i] = values[self.slot[output.id]] if isinstance(output, Scalar) else output
        return result
