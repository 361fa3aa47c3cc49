"""The directional derivative of a program is a program: each slot has its tangent beside it, each kernel computes both.

Slot i of the plan becomes slot 2i, its tangent slot 2i + 1; a kernel's tangents follow from its trace by forward differentiation.
Inputs and outputs double: first all values, then all their tangents. With one direction per lane, a Jacobian is one batch.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from redmax.errors import RedmaxError
from redmax.program.group import Kernels, Meta
from redmax.program.kernel import CONSTANTS, Kernel, Store
from redmax.program.plan import Plan, Row, Rows, Run, WideRun
from redmax.program.routines.routine import Routine
from redmax.trace import Graph, Scalar, jvp, substitute


@dataclass(frozen=True, eq=False)
class TangentKernels(Kernels):
    """The kernels of a group, each with its directional derivative."""

    base: Kernels

    def key(self, source: str) -> str:
        """Of the key of the kernels that are differentiated."""
        return hashlib.sha256(f"tangent {self.base.key(source)}".encode()).hexdigest()

    @cached_property
    def kernels(self) -> list[Kernel]:
        """Each kernel with its tangent."""
        return [tangent_kernel(k) for k in self.base.kernels if isinstance(k, Kernel)]

    def units(self, places: int) -> list[str]:
        """As those of the kernels that are differentiated."""
        return self.base.units(places)

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked beside what already is."""
        return Meta(0, tuple(k.operations for k in self.kernels), tuple(bool(k.stores) for k in self.kernels))


def tangent_kernel(kernel: Kernel) -> Kernel:
    """A kernel over doubled slots, which stores each value and its rate; constants have no rate."""
    graph = Graph()
    seeds: dict[Scalar, Scalar] = {}

    def leaf(base: str, index: int) -> Scalar:
        if base == CONSTANTS:
            return graph.input(base, index)
        value = graph.input(base, 2 * index)
        seeds[value] = graph.input(base, 2 * index + 1)
        return value

    values = substitute(kernel.values, leaf)
    stores: list[Store] = []
    for s, value, rate in zip(kernel.stores, values, jvp(values, seeds), strict=True):
        stores += [Store(s.base, 2 * s.index, value, s.accumulate), Store(s.base, 2 * s.index + 1, rate, s.accumulate)]
    return Kernel(f"tangent of {kernel.name}", tuple(stores), kernel.places)


def tangent(plan: Plan) -> Plan:
    """A straight plan (no loops, no routines, no calls of Python) with its directional derivative."""
    if not all(isinstance(b, Run | WideRun) for b in plan.blocks):
        raise RedmaxError(f"Program {plan.program.name!r} has loops or calls of Python, which have no directional derivative here.")
    routines = [g.name for g in plan.groups if isinstance(g, Routine)]
    if routines:
        why = f"calls routines ({', '.join(dict.fromkeys(routines))}), which have no directional derivative here: only traced kernels do"
        raise RedmaxError(f"Program {plan.program.name!r} {why}.")
    groups = {g: TangentKernels(g) for g in plan.groups}

    def double(row: Row) -> Row:
        k, *rest = row.places
        return Row(groups[row.group], row.sweep, (k, *[2 * x for x in rest]))  # type: ignore[arg-type]

    def double_wide(rows: Rows) -> Rows:
        steps = [1 if unit == "constants" else 2 for unit in rows.group.units(rows.places.shape[1])]
        return Rows(groups[rows.group], rows.places * np.array(steps))

    blocks = tuple(
        Run(tuple(double(r) for r in b.rows), b.part) if isinstance(b, Run) else WideRun(tuple(map(double_wide, b.tables)))
        for b in plan.blocks
        if isinstance(b, Run | WideRun)
    )
    return replace(
        plan,
        blocks=blocks,
        groups=tuple(groups.values()),
        workspace=2 * plan.workspace,
        accumulators=2 * plan.accumulators,
        inputs=doubled(plan.inputs),
        outputs=doubled(plan.outputs),
        kept=frozenset(),
        input_names=with_tangents(plan.names[0]),
        output_names=with_tangents(plan.names[1]),
    )


def with_tangents(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the values, then of their tangents."""
    return (*names, *[f"tangent of {name}" for name in names])


def doubled(slots: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The slots of the values, then those of their tangents."""
    return tuple(2 * s for s in slots) + tuple(2 * s + 1 for s in slots)
