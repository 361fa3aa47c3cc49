"""A program as a function of named operands, y = f(x), which every bridge carries across with its derivatives (derivative.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Mechanism, make_plan, rolled_plan
from redmax.bridges.operand import Operand
from redmax.errors import RedmaxError, SceneError
from redmax.model.model import Model
from redmax.program.plan import Plan
from redmax.program.program import Program

BACKEND, HELD = "llvm", "held"


class Function:
    """name: what it computes; inputs: its operands, in order; outputs: its results, name -> size

    laid: what the program is laid out for; held: the inputs of the program that nobody gives, name -> numbers, zeros unless they are here
    """

    def __init__(
        self,
        name: str,
        model: Model,
        laid: Mechanism,
        program: Program,
        inputs: Sequence[Operand],
        outputs: Mapping[str, int],
        held: Mapping[str, np.ndarray],
        dtype: str,
    ) -> None:
        if program.hosted:
            raise RedmaxError(f"The {name} of this scene calls Python on the way, and cannot cross a bridge.")
        self.name, self.model, self.laid, self.program, self.dtype = name, model, laid, program, dtype
        self.inputs, self.outputs, self.held = {o.name: o for o in inputs}, dict(outputs), dict(held)
        self.calls: dict[Any, Any] = {}  # what computes it and its derivatives, made when they are first asked for

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.inputs)}) -> {', '.join(self.outputs)}"

    @cached_property
    def quick(self) -> Plan:
        """For values alone."""
        return self.parted(make_plan(self.laid, self.program, BACKEND))

    @cached_property
    def kept(self) -> Plan:
        """With a slot for each value, for derivatives."""
        return self.parted(rolled_plan(self.laid, self.program, BACKEND, keep=True))

    def parted(self, plan: Plan) -> Plan:
        """The plan with an input for each operand and, behind them, one for all that is held; and no other results than ours."""
        slots = dict(zip(plan.names[0], plan.inputs, strict=True))
        results = dict(zip(plan.names[1], plan.outputs, strict=True))
        rest = self.untaken({name: len(s) for name, s in slots.items()})
        return replace(
            plan,
            inputs=(*[slots[o.of][o.at] for o in self.inputs.values()], np.array([slots[name][k] for name, k in rest], np.int64)),
            outputs=tuple(results[name] for name in self.outputs),
            input_names=(*self.inputs, HELD),
            output_names=tuple(self.outputs),
        )

    def untaken(self, sizes: Mapping[str, int]) -> list[tuple[str, int]]:
        """The numbers of a program's inputs that are of no operand. sizes: of the inputs."""
        taken = {(o.of, k) for o in self.inputs.values() for k in o.at.tolist()}
        rest = [(name, k) for name, size in sizes.items() for k in range(size) if (name, k) not in taken]
        self.rest = np.array([self.held[name][k] if name in self.held else 0.0 for name, k in rest], self.dtype)
        return rest

    def named(self, names: Sequence[str]) -> tuple[str, ...]:
        """Inputs in their own order, each once; raises where one is not there."""
        for name in names:
            if name not in self.inputs:
                raise SceneError(f"{self!r} has no operand {name!r}. Valid: {', '.join(self.inputs)}.", argument=str(name))
        return tuple(name for name in self.inputs if name in names)
