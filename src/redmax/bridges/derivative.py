"""Derivatives of a function y = f(x), of any order, each a program again.

    pushed along d1 .. dk         f^(k)(x) [d1, .., dk]                      tangent, k times
    pulled by w, along d1 .. dk   d^k/dx^k (f'(x)^T w) [d1, .., dk]          cotangent, then tangent k times

The family is closed. By x, one more direction. In a direction, and in w, they are linear. Transposed, a push becomes a pull by what comes
back, and a pull a push, as second derivatives do not depend on the order of their directions:

    push along d1 .. dk           transposed in di:  pulled by the cotangent, along the others
    pull by w, along d1 .. dk     in di:  pulled by w, along the others and the cotangent;    in w:  pushed along all and the cotangent
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from redmax.backends.llvm.alone import Alone
from redmax.backends.llvm.executable import Executable
from redmax.bridges.function import Function, Parted
from redmax.errors import RedmaxError
from redmax.program.cotangent import cotangent
from redmax.program.plan import Plan
from redmax.program.tangent import tangent


@dataclass(frozen=True)
class Derivative:
    """given: the operands of f that are given, others are held at their defaults; by: None of a push, else what the results are by

    along: of each direction, the operands that move. Its own operands: those given, then w, then the directions.
    """

    of: Function
    given: tuple[str, ...]
    by: tuple[str, ...] | None = None
    along: tuple[tuple[str, ...], ...] = ()

    @property
    def order(self) -> int:
        """How many directions."""
        return len(self.along)

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Its operands by what they are: the point, w, and each direction."""
        return self.given, (() if self.by is None else tuple(self.of.outputs)), *self.along

    def part(self, n: int) -> slice:
        """Where one of the parts stands among the operands."""
        start = sum(map(len, self.parts[:n]))
        return slice(start, start + len(self.parts[n]))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Of each operand."""
        inputs, outputs = {name: o.size for name, o in self.of.inputs.items()}, self.of.outputs
        return tuple(outputs[name] if n == 1 else inputs[name] for n, part in enumerate(self.parts) for name in part)

    @cached_property
    def results(self) -> tuple[int, ...]:
        """The size of each result."""
        return tuple(self.of.outputs.values()) if self.by is None else tuple(self.of.inputs[name].size for name in self.by)

    def moved(self, names: tuple[str, ...]) -> Derivative:
        """By the point, along a direction that comes last."""
        return replace(self, along=(*self.along, names))

    def transposed(self, n: int) -> tuple[Derivative, tuple[int, ...]]:
        """In part n, and which parts of this one are its operands, in order; -1 is the cotangents of the results."""
        if n == 1:
            return replace(self, by=None, along=(*self.along, self.by or ())), (0, *range(2, 2 + self.order), -1)
        others, rest = tuple(a for k, a in enumerate(self.along) if k != n - 2), [k for k in range(2, 2 + self.order) if k != n]
        if self.by is None:
            return replace(self, by=self.along[n - 2], along=others), (0, -1, *rest)
        return replace(self, by=self.along[n - 2], along=(*others, self.by)), (0, 1, *rest, -1)

    def pulled(self, n: int, names: tuple[str, ...]) -> tuple[Derivative, tuple[int, ...]]:
        """The cotangents of part n, of the point's those of these names, as `transposed`: from those of the results, whose part is -1."""
        return self.transposed(n) if n else self.moved(names).transposed(2 + self.order)

    def rates(self, operands: Sequence[Any], rates: Sequence[Any], zeros: Callable[[Any], Any]) -> list[tuple[Derivative, list[Any]]]:
        """What the rates of the results are the sum of: derivatives, with their operands. rates: of the operands, None where one stays."""
        found: list[tuple[Derivative, list[Any]]] = []
        for n, names in enumerate(self.parts):
            part, own = self.part(n), rates[self.part(n)]
            moving = [k for k, rate in enumerate(own) if rate is not None]
            if moving and n == 0:
                found.append((self.moved(tuple(names[k] for k in moving)), [*operands, *[own[k] for k in moving]]))
            elif moving:
                changed = [zeros(x) if r is None else r for x, r in zip(operands[part], own, strict=True)]
                found.append((self, [*operands[: part.start], *changed, *operands[part.stop :]]))
        return found

    def plan(self) -> tuple[Plan, np.ndarray]:
        """The plan whose inputs are the operands and, last, what is held; and the numbers of that."""
        f = self.of
        if self.along and f.one_way:
            raise RedmaxError(f"The {f.name} of this scene {f.one_way}.")
        parted = f.quick if self.by is None and not self.along else f.kept
        plan, numbers = parted.plan, list(parted.numbers)
        if self.by is not None:
            plan = weighed(f, plan, self.by)
            numbers += [np.zeros(size) for size in f.outputs.values()]
        count, results, number = len(plan.inputs), len(plan.outputs), {name: n for n, name in enumerate(f.inputs)}
        for _ in self.along:
            plan = tangent(plan)
        given = [number[name] for name in self.given]
        given += [] if self.by is None else range(len(f.inputs) + 1, count)
        given += [(count << k) + number[name] for k, names in enumerate(self.along) for name in names]
        numbers += [np.zeros(len(plan.inputs[n])) for n in range(count, len(plan.inputs))]
        first, told = results * (2**self.order - 1), results - bool(plan.turns)
        outputs = [*plan.outputs[first : first + told], *([plan.outputs[told]] if plan.turns else [])]
        return Parted(plan, numbers).opened(given, outputs, f.dtype)

    @cached_property
    def call(self) -> Call:
        """What computes it, made once for the function."""
        if self not in self.of.calls:
            self.of.calls[self] = Call(*self.plan(), self.sizes, self.results, self.of.dtype, bool(self.of.one_way))
        return self.of.calls[self]


def weighed(f: Function, plan: Plan, by: tuple[str, ...]) -> Plan:
    """The cotangent of a plan without its values. Where it takes samples there is one, in the first row of as many as there is room for."""
    plan = replace(plan, blocks=plan.both_ways or plan.blocks)
    back = cotangent(plan, of=tuple(f.outputs), by=by, turns=f.turns)
    inputs, weights, values = len(plan.inputs), list(back.inputs[len(plan.inputs) :]), len(f.outputs)
    first = [w[:size] for w, size in zip(weights, f.outputs.values(), strict=True)]
    names = back.names
    return replace(
        back,
        inputs=(*back.inputs[:inputs], *first),
        outputs=back.outputs[values:],
        input_names=names[0],
        output_names=names[1][values:],
    )


class Call:
    """Compiled code of a function or a derivative. held: what goes in last, which nobody gives.

    Arrays are (worlds, size), or (size,) for all worlds. apart: worlds go one after the other
    """

    def __init__(
        self, plan: Plan, held: np.ndarray, sizes: Sequence[int], results: Sequence[int], dtype: str, apart: bool = False
    ) -> None:
        self.apart = apart
        self.held, self.sizes, self.results, self.told = held, tuple(sizes), tuple(results), bool(plan.turns)
        self.dtype = np.dtype(dtype)
        self.runner = Executable(plan, dtype)
        self.alone: list[Alone] = []

    def run(self, operands: Sequence[np.ndarray], results: Sequence[np.ndarray], worlds: int) -> None:
        """Fill the results, (worlds, size) each. What is not finite goes through as it is."""
        told = [np.empty((1, worlds, 1), self.dtype)] if self.told else []
        lanes = 1 if self.apart else None
        self.runner.run([*operands, self.held], [*[r.reshape(1, worlds, -1) for r in results], *told], worlds, lanes=lanes)

    def __call__(self, *operands: np.ndarray, worlds: int = 1) -> list[np.ndarray]:
        """The results, (worlds, size) each."""
        results = [np.empty((worlds, size), self.dtype) for size in self.results]
        self.run(operands, results, worlds)
        return results

    def run_alone(self, addresses: Sequence[int]) -> None:
        """One world, by the addresses of its operands and results, of whose sizes the caller is sure."""
        try:
            alone = self.alone.pop()  # one step, so that threads may share them
        except IndexError:
            alone = Alone(self.runner, self.sizes, self.held, self.results)
        alone.run(addresses)
        self.alone.append(alone)
