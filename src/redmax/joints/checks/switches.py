"""Where a traced motion could fail to be smooth: the trace itself tells.

Operations are smooth except where a comparison changes its mind, floor steps, abs turns, atan2 crosses its cut, or a root, a logarithm or a
quotient has a zero argument. Each such operation has a function of the coordinates whose zeros (for floor, whose whole numbers) are the
suspects. They are found along lines, where the function changes sign, and by Newton's method, where it only touches zero.
Whether anything happens there is for `corners` to see: most suspects are innocent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.joints.checks.approach import approach
from redmax.joints.checks.batch import Batch
from redmax.joints.checks.box import Box, lines
from redmax.joints.checks.subject import Subject
from redmax.trace import Scalar, jacobian, reachable
from redmax.trace.algebra import add, apply, mul, sub

MOST = 400  # suspects looked at, spread evenly over those found
PARTS = 8  # into which an interval is divided to find its suspect


@dataclass(frozen=True, eq=False)
class Suspects:
    """Places (C, m) and directions (C, m) across them, in unit coordinates."""

    u: np.ndarray
    d: np.ndarray


@dataclass(frozen=True, eq=False)
class Switches:
    """functions: the traced suspects' functions; steps: which of them count by whole numbers instead of sign."""

    box: Box
    inputs: tuple[Scalar, ...]
    functions: tuple[Scalar, ...]
    steps: np.ndarray

    @cached_property
    def batch(self) -> Batch:
        return Batch(self.functions)

    @cached_property
    def slopes(self) -> Batch:
        return Batch([*self.functions, *jacobian(list(self.functions), self.inputs).ravel()])

    def states(self, u: np.ndarray) -> np.ndarray:
        """On which side of each function points (N, m) are: (N, functions)."""
        a = np.nan_to_num(self.batch(self.box.x(u)))
        return np.where(self.steps, np.floor(a), a < 0)

    def offsets(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far each function is from its nearest zero, (N, functions), and its slopes, (N, functions, m)."""
        found = self.slopes(self.box.x(u))
        k = len(self.functions)
        a, slopes = found[:, :k], found[:, k:].reshape(len(u), k, self.box.m) * self.box.width
        return np.where(self.steps, a - np.round(a), a), slopes


def switches_of(subject: Subject) -> Switches:
    named = suspicious([*subject.E.ravel(), *subject.S.ravel()])
    found = {(f.id, step): f for f, step in named if isinstance(f, Scalar) and f.op != "const"}
    return Switches(subject.box, subject.inputs, tuple(found.values()), np.array([step for _, step in found], bool))


def suspicious(outputs: list[object]) -> Iterator[tuple[Scalar, bool]]:
    """Functions whose zeros are suspects, and whether their whole numbers are instead."""
    for e in reachable(outputs):  # type: ignore[arg-type]
        a = e.args
        match e.op:
            case "lt" | "le" | "eq":
                yield sub(a[0], a[1]), False
            case "floor":
                yield a[0], True
            case "lookup":
                yield a[-1], True
            case "abs" | "sqrt" | "inv" | "log" | "pow":
                yield a[0], False
            case "asin" | "acos":
                yield sub(1.0, mul(a[0], a[0])), False
            case "tan":
                yield apply("cos", a[0]), False
            case "atan2":
                yield a[0], False
                yield add(mul(a[0], a[0]), mul(a[1], a[1])), False


def suspects(subject: Subject, samples: np.ndarray) -> Suspects:
    switches = switches_of(subject)
    if not switches.functions:
        return Suspects(np.zeros((0, subject.box.m)), np.zeros((0, subject.box.m)))
    crossed, touched = crossings(switches), touches(switches, samples)
    return Suspects(np.vstack([crossed.u, touched.u]), np.vstack([crossed.d, touched.d]))


def crossings(switches: Switches) -> Suspects:
    """Where a function changes sign along a line, to the last bit."""
    starts, ends = lines(switches.box.m)
    grid = np.linspace(0.0, 1.0, 1025 if switches.box.m == 1 else 129)
    states = switches.states((starts[:, None] + grid[:, None] * (ends - starts)[:, None]).reshape(-1, switches.box.m))
    states = states.reshape(len(starts), len(grid), -1)
    line, cell, function = np.nonzero(states[:, 1:] != states[:, :-1])
    chosen = np.unique(np.linspace(0, len(line) - 1, min(len(line), MOST)).astype(int)) if len(line) else np.zeros(0, int)
    line, cell, function = line[chosen], cell[chosen], function[chosen]
    a, b = starts[line], (ends - starts)[line]
    before = states[line, cell, function]
    low, step = grid[cell], np.full(len(cell), grid[1])
    while len(cell) and step[0] > 1e-16:
        step = step / PARTS
        inner = low[:, None] + step[:, None] * np.arange(1, PARTS)
        there = switches.states((a[:, None] + inner[..., None] * b[:, None]).reshape(-1, switches.box.m)).reshape(*inner.shape, -1)
        changed = np.take_along_axis(there, function[:, None, None], axis=2)[..., 0] != before[:, None]
        low = low + step * np.where(changed.any(axis=1), changed.argmax(axis=1), PARTS - 1)
    _, unique = np.unique(np.column_stack([line, np.round(low, 9)]), axis=0, return_index=True)
    return Suspects((a + low[:, None] * b)[unique], (b / np.linalg.norm(b, axis=1, keepdims=True))[unique])


def touches(switches: Switches, samples: np.ndarray) -> Suspects:
    """Zeros by Newton's method from the most promising samples, each with several directions: no line needs to meet them."""
    a, slopes = switches.offsets(samples)
    with np.errstate(all="ignore"):
        far = np.nan_to_num(np.abs(a) / np.linalg.norm(slopes, axis=2), nan=np.inf)
    order = np.argsort(far, axis=0)[:4]
    function = np.broadcast_to(np.arange(a.shape[1]), order.shape).ravel()

    def value(u: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f, g = switches.offsets(u)
        rows = np.arange(len(u))
        return f[rows, function[which]], g[rows, function[which]]

    u, _ = approach(value, samples[order.ravel()])
    if len(u):
        _, unique = np.unique(np.round(u, 9), axis=0, return_index=True)
        u = u[unique]
    m = switches.box.m
    directions = np.vstack([np.eye(m), np.full((1, m), m**-0.5)]) if m > 1 else np.eye(1)
    return Suspects(np.repeat(u, len(directions), axis=0), np.tile(directions, (len(u), 1)))
