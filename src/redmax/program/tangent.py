"""The directional derivative of a program is a program: each slot has its tangent beside it, each kernel computes both.

Slot i of the plan becomes slot 2i, its tangent slot 2i + 1; a kernel's tangents follow from its trace by forward differentiation.
Inputs and outputs double: first all values, then all their tangents. With one direction per lane, a Jacobian is one batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from redmax.errors import RedmaxError
from redmax.program.blocks import Block, BranchRuns, FedRun, RepeatRuns, Row, Rows, Run, WideRun
from redmax.program.group import Kernels, Meta
from redmax.program.kernel import CONSTANTS, Kernel, Store, added_at, amounts, memory_gathers
from redmax.program.known_kernels import remembered
from redmax.program.plan import Plan
from redmax.program.program import Host
from redmax.program.routines.routine import Looped
from redmax.program.routines.tangent import RoutineTangent
from redmax.trace import Graph, Scalar, jvp, substitute
from redmax.trace.logic import gather


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
        return remembered(self.key(""), lambda: [tangent_kernel(k) for k in self.base.kernels if isinstance(k, Kernel)])

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
    for e in memory_gathers(values):
        seeds[e] = gather(replace(e.args[0], start=e.args[0].start + 1), e.args[1])
    stores: list[Store] = []
    for s, value, rate in zip(kernel.stores, values, jvp(amounts(values), seeds), strict=True):
        if isinstance(value, Scalar) and value.op == "scatter":
            span, index, amount = value.args
            stores += [added_at(span, index, amount), added_at(replace(span, start=span.start + 1), index, rate)]
            continue
        stores += [Store(s.base, 2 * s.index, value, s.accumulate), Store(s.base, 2 * s.index + 1, rate, s.accumulate)]
    return Kernel(f"tangent of {kernel.name}", tuple(stores), kernel.places)


def tangent(plan: Plan) -> Plan:
    """A plan with its directional derivative: loops and branches go the way of the values, routines carry their rates along."""
    refuse_hosts(plan)
    groups = {g: RoutineTangent(g) if isinstance(g, Looped) else TangentKernels(g) for g in plan.groups}
    blocks = doubled_blocks(plan.blocks, groups, len(plan.inputs))
    return replace(
        plan,
        blocks=blocks,
        groups=tuple(groups.values()),
        workspace=2 * plan.workspace,
        accumulators=2 * plan.accumulators,
        inputs=doubled(plan.inputs),
        outputs=doubled(plan.outputs),
        kept=frozenset(),
        both_ways=(),
        bounds=2 * plan.bounds,
        loose=2 * plan.loose,
        input_names=with_tangents(plan.names[0]),
        output_names=with_tangents(plan.names[1]),
    )


def refuse_hosts(plan: Plan) -> None:
    """Raise where a program calls Python, and say where."""
    hosted = [stage.name for stage in plan.program.stages_flat if isinstance(stage, Host)]
    if hosted:
        why = f"calls Python ({', '.join(dict.fromkeys(hosted))}), of which nobody knows the derivative"
        raise RedmaxError(f"Program {plan.program.name!r} {why}. Write it as a sweep or a routine.")


def with_tangents(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the values, then of their tangents."""
    return (*names, *[f"tangent of {name}" for name in names])


def doubled_blocks(blocks: Sequence[Block], groups: Mapping[Kernels, Kernels], inputs: int) -> tuple[Block, ...]:
    """The blocks of a plan over doubled slots. inputs: how many it has; those of the tangents come behind."""

    def row(r: Row) -> Row:
        k, *rest = r.places
        return Row(groups[r.group], r.sweep, (k, *[2 * x for x in rest]))  # type: ignore[arg-type]

    def wide(rows: Rows) -> Rows:
        steps = [2 if unit == "memory" else 1 for unit in rows.group.units(rows.places.shape[1])]
        return Rows(groups[rows.group], rows.places * np.array(steps, np.int64))

    def block(b: Block) -> Block:
        if isinstance(b, Run):
            return Run(tuple(map(row, b.rows)), b.part)
        if isinstance(b, WideRun):
            return WideRun(tuple(map(wide, b.tables)), 2 * b.count if b.count >= 0 else -1)
        if isinstance(b, FedRun):
            return FedRun((*b.inputs, *[inputs + n for n in b.inputs]))
        if isinstance(b, RepeatRuns):
            return RepeatRuns(doubled_blocks(b.body, groups, inputs), 2 * b.until if b.until >= 0 else -1)
        return BranchRuns(2 * b.flag, doubled_blocks(b.body, groups, inputs)) if isinstance(b, BranchRuns) else b

    return tuple(map(block, blocks))


def doubled(slots: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The slots of the values, then those of their tangents."""
    return tuple(2 * s for s in slots) + tuple(2 * s + 1 for s in slots)
