"""Walks a loop form with NumPy, statement by statement: what runs derivatives of routines, of which there is no Python function.

Memory is (scalars, worlds), all worlds at once, or (scalars,) of one world where worlds may go different ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redmax.program.routines.form import Assign, Expression, For, Put, Statement, While
from redmax.program.routines.views import whole, within

OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": np.divide,
    "floordiv": lambda a, b: a // b, "neg": lambda a: -a, "sqrt": np.sqrt, "abs": abs, "min": min, "max": max, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a: not a, "select": np.where, "real": float, "whole": whole,
    "some": lambda a: a,
}  # fmt: skip


class Walker:
    """One routine, running. row: the words that it was called with, the address of its code before them left out."""

    def __init__(self, memory: np.ndarray, row: Sequence[int]) -> None:
        self.memory, self.row = memory, row
        self.names: dict[str, Any] = {}

    def walk(self, statements: Sequence[Statement]) -> None:
        """Statements in order."""
        for s in statements:
            if isinstance(s, Assign):
                self.names[s.name] = self.value(s.value)
            elif isinstance(s, Put):
                self.memory[within(self.memory, self.value(s.slot))] = self.value(s.value)
            elif isinstance(s, For):
                for turn in range(self.value(s.start), self.value(s.stop), s.step):
                    self.names[s.name] = turn
                    self.walk(s.body)
            elif isinstance(s, While):
                while self.value(s.condition):
                    self.walk(s.body)
            else:
                self.walk(s.body if self.value(s.condition) else s.otherwise)

    def value(self, e: Expression) -> Any:
        """What an expression is, now."""
        if e.op == "number":
            return e.args[0]
        if e.op == "name":
            return self.names[e.args[0]]
        if e.op == "word":
            return self.row[self.value(e.args[0]) - 1]
        if e.op == "load":
            return self.memory[within(self.memory, self.value(e.args[0]))].copy()
        if e.op == "agreed":
            return whole(np.ravel(self.memory[self.value(e.args[0])])[0])
        if e.op == "sum":
            return self.total(*e.args)
        return OPERATIONS[e.op](*[self.value(a) for a in e.args])

    def total(self, name: str, count: Expression, term: Expression) -> Any:
        """A sum."""
        result: Any = 0.0
        for turn in range(self.value(count)):
            self.names[name] = turn
            result = result + self.value(term)
        return result
