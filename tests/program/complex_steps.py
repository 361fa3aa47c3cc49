"""Rates of a program by complex steps: it runs on x + i h dx with h = 1e-30, and the imaginary part of what comes out is h dy, to rounding.

(Squire and Trapp 1998.) Nothing of the library's differentiation is used: kernels and loop forms are walked with complex numbers. What is
not analytic is said here: comparisons and whole numbers look at the real part, |x| and atan2 go on along their slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np

from redmax.backends.apart import Apart
from redmax.backends.interpret import Interpreter
from redmax.program.blocks import Rows
from redmax.program.kernel import CONSTANTS, Kernel
from redmax.program.plan import Plan
from redmax.program.routines.form import Expression
from redmax.program.routines.routine import Looped
from redmax.program.routines.views import whole
from redmax.program.routines.walk import OPERATIONS, Walker
from redmax.trace.evaluate import NUMERIC, evaluate

H = 1e-30


def real(rule: Any) -> Any:
    """Of the real parts."""
    return lambda *args: rule(*[np.real(a) for a in args])


def angle(y: Any, x: Any) -> Any:
    """atan2 and its slope."""
    return np.arctan2(np.real(y), np.real(x)) + 1j * np.imag(y * np.conj(x)) / (np.real(x) ** 2 + np.real(y) ** 2)


def size(x: Any) -> Any:
    """|x|, whose slope at 0 is 1."""
    return np.where(np.real(x) < 0, -1.0, 1.0) * x


def stumpff(k: int, x: Any) -> Any:
    """By its series, as far as it counts: no number for angles beyond a turn."""
    return np.where(np.abs(x) < 60, sum((-x) ** j / factorial(2 * j + k) for j in range(40)), np.nan)


RULES = NUMERIC | {op: real(NUMERIC[op]) for op in ("lt", "le", "eq", "and", "not", "floor", "frozen")}
RULES |= {"atan2": angle, "abs": size, "stumpff": stumpff, "select": lambda c, a, b: np.where(np.real(c) != 0, a, b)}
RULES |= {"lookup": lambda table, i: NUMERIC["lookup"](table, np.real(i))}
RULES |= {"gather": lambda span, leaf, i: NUMERIC["gather"](span, leaf, np.real(i))}
LOOPS = OPERATIONS | {op: real(OPERATIONS[op]) for op in ("lt", "le", "gt", "ge", "eq", "ne")}
LOOPS |= {"abs": size, "whole": lambda x: whole(np.real(x))}
LOOPS |= {"min": lambda a, b: np.where(np.real(a) <= np.real(b), a, b), "max": lambda a, b: np.where(np.real(a) >= np.real(b), a, b)}


class ComplexWalker(Walker):
    """A routine on complex memory."""

    def value(self, e: Expression) -> Any:
        if e.op in LOOPS:
            args = [self.value(a) for a in e.args]
            found = LOOPS[e.op](*args)
            return int(found) if e.kind == "whole" and not isinstance(found, int) else found
        return super().value(e)


class ComplexInterpreter(Interpreter):
    """A plan on complex numbers."""

    def run(self, inputs: Any, outputs: Any, worlds: int, count: int = 0, stride: int = 1) -> int:
        self.memory = np.zeros((self.plan.workspace + self.plan.accumulators + 1, worlds), complex)
        self.given = inputs
        for n, (slots, array) in enumerate(zip(self.plan.inputs, inputs, strict=True)):
            if n not in self.plan.fed:
                self.memory[slots] = np.broadcast_to(array, (worlds, len(slots))).T
        self.members, self.apart, self.lost = np.arange(worlds), Apart(worlds), np.zeros(worlds, bool)
        self.samples, self.visits = np.zeros(worlds, int), np.zeros(worlds, int)
        self.walk(outputs, count, stride)
        return 0

    def most(self, slot: int) -> int:
        return int(self.memory[slot].real.max())

    def table(self, table: Rows) -> None:
        kernel = table.group.kernels[0]
        if not isinstance(kernel, Looped):
            return super().table(table)
        for row in table.places.tolist():
            for world in range(self.memory.shape[1]):
                ComplexWalker(self.memory[:, world], row).walk(kernel.form.statements)
        return None

    def kernel(self, kernel: Kernel | Looped, start: dict[str, int]) -> None:
        assert isinstance(kernel, Kernel)

        def leaf(base: str, index: int) -> Any:
            return self.plan.constants[start[CONSTANTS] + index] if base == CONSTANTS else self.memory[start[base] + index].copy()

        with np.errstate(all="ignore"):
            values = evaluate(kernel.values, leaf, RULES, kernel.nodes)
        for s, value in zip(kernel.stores, values, strict=True):
            at = start[s.base] + s.index
            self.memory[at] = self.memory[at] + value if s.accumulate else value


def complex_rates(plan: Plan, inputs: Sequence[Any], along: Sequence[Any], worlds: int, samples: int, count: int = 0) -> Any:
    """The outputs and their rates, (samples, worlds, n) each, as inputs move along."""
    moved = [np.asarray(x) + 1j * H * np.asarray(dx) for x, dx in zip(inputs, along, strict=True)]
    outputs = [np.zeros((samples, worlds, len(slots)), complex) for slots in plan.outputs]
    ComplexInterpreter(plan).run(moved, outputs, worlds, count)
    return [o.real for o in outputs], [o.imag / H for o in outputs]
