"""A program as a function of named operands, y = f(x), which every bridge carries across with its derivatives (derivative.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.base import Mechanism, make_plan, rolled_plan
from redmax.bridges.operand import Operand
from redmax.errors import RedmaxError, SceneError
from redmax.model.model import Model
from redmax.program.cotangent import TURNS as TURNS_KEPT
from redmax.program.plan import Plan
from redmax.program.program import Program

BACKEND, HELD = "llvm", "held"
TURNS = "turns"  # what a program with its reverse says last, where loops decide how often they turn


@dataclass(frozen=True, eq=False)
class Parted:
    """A plan, and what goes into each of its inputs where nobody gives it."""

    plan: Plan
    numbers: Sequence[np.ndarray]

    def opened(self, given: Sequence[int], outputs: Sequence[np.ndarray], dtype: str) -> tuple[Plan, np.ndarray]:
        """The plan that is given these inputs, in this order, and then the others as one array; and that array. outputs: their slots."""
        rest = [n for n in range(len(self.numbers)) if n not in given]
        inputs = [*[self.plan.inputs[n] for n in given], np.concatenate([self.plan.inputs[n] for n in rest])]
        names = *[f"operand {n}" for n in range(len(given))], HELD
        results = [f"result {n}" for n in range(len(outputs))]
        if self.plan.turns:
            results[-1] = TURNS
        plan = replace(self.plan, inputs=tuple(inputs), outputs=tuple(outputs), input_names=names, output_names=tuple(results))
        return plan, np.concatenate([self.numbers[n] for n in rest]).astype(dtype)


class Function:
    """name: what it computes; inputs: its operands, in order; outputs: its results, name -> size

    laid: what the program is laid out for; held: the inputs of the program that nobody gives, name -> numbers, zeros unless they are here
    one_way: why it has derivatives backwards alone, and worlds one after the other; turns: of its loops, that are kept for the way back
    matrices: the program of its result and of the matrices of its slopes by q, qdot and what drives it, where there is one
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
        matrices: Program | None = None,
        one_way: str = "",
        turns: int = TURNS_KEPT,
    ) -> None:
        if program.hosted:
            raise RedmaxError(f"The {name} of this scene calls Python on the way, and cannot cross a bridge.")
        self.name, self.model, self.laid, self.program, self.dtype = name, model, laid, program, dtype
        self.matrices, self.one_way, self.turns = matrices, one_way, turns
        self.inputs, self.outputs, self.held = {o.name: o for o in inputs}, dict(outputs), dict(held)
        self.calls: dict[Any, Any] = {}  # what computes it and its derivatives, made when they are first asked for

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.inputs)}) -> {', '.join(self.outputs)}"

    @cached_property
    def quick(self) -> Parted:
        """For values alone."""
        return self.parted(make_plan(self.laid, self.program, BACKEND), tuple(self.outputs))

    @cached_property
    def kept(self) -> Parted:
        """With a slot for each value, for derivatives."""
        return self.parted(rolled_plan(self.laid, self.program, BACKEND, keep=True), tuple(self.outputs))

    def parted(self, plan: Plan, outputs: tuple[str, ...]) -> Parted:
        """The plan with an input for each operand and, behind them, one for all that is held; and with these results."""
        slots = dict(zip(plan.names[0], plan.inputs, strict=True))
        results = dict(zip(plan.names[1], plan.outputs, strict=True))
        taken = {(o.of, k) for o in self.inputs.values() for k in o.at.tolist()}
        rest = [(name, k) for name, own in slots.items() for k in range(len(own)) if (name, k) not in taken]
        found = replace(
            plan,
            inputs=(*[slots[o.of][o.at] for o in self.inputs.values()], np.array([slots[name][k] for name, k in rest], np.int64)),
            outputs=tuple(results[name] for name in outputs),
            input_names=(*self.inputs, HELD),
            output_names=outputs,
        )
        numbers = [self.held[name][k] if name in self.held else 0.0 for name, k in rest]
        return Parted(found, [*[o.default for o in self.inputs.values()], np.array(numbers)])

    def named(self, names: Sequence[str]) -> tuple[str, ...]:
        """Inputs in their own order, each once; raises where one is not there."""
        for name in names:
            if name not in self.inputs:
                raise SceneError(f"{self!r} has no operand {name!r}. Valid: {', '.join(self.inputs)}.", argument=str(name))
        return tuple(name for name in self.inputs if name in names)
