"""The transposed derivative of a program is a program: the same rows, then the rows reversed, each with the vjp of its kernel.

Slot i of the plan becomes slot 2i, its cotangent slot 2i + 1. Inputs are those of the plan, then the cotangents of its outputs; outputs are
those of the plan, then the cotangents of its inputs: one run gives y = f(x) and xbar = (df/dx)^T ybar, at a small multiple of the cost of f
whatever the number of inputs (Griewank and Walther 2008, Sec. 3.2).

The reverse of a row reads what the row has read. Where a later row stores to such a slot, the old value is copied away before and brought
back when the reverse comes by; `Planner(..., keep=True)` lays a plan out so that hardly anything is stored to twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from redmax.errors import RedmaxError, unknown
from redmax.program.activity import Call, calls_of, find_activity
from redmax.program.blocks import Block, Row, Rows, Run, WideRun
from redmax.program.group import Kernels
from redmax.program.plan import Plan, groups_of
from redmax.program.reverse_kernel import CopyKernels, Pattern, ReverseKernels, ValueKernels

LONGEST = 32  # scalars that one copy moves


def cotangent(plan: Plan, of: Sequence[str] | None = None, by: Sequence[str] | None = None) -> Plan:
    """A straight plan with its transposed derivative. of: outputs whose cotangents are given, by: inputs whose are found; else all."""
    inputs, outputs = plan.names
    weighted, wanted = chosen(plan, outputs, of, "output"), chosen(plan, inputs, by, "input")
    calls = calls_of(plan)
    weights, found = [plan.outputs[n] for n in weighted], [plan.inputs[n] for n in wanted]
    version, reached = find_activity(calls, plan.workspace + plan.accumulators + 1, joined(weights), joined(found))
    tape = Tape(plan, calls, version)
    values = [tape.output(slots) for slots in plan.outputs]
    back = tape.backwards(joined(found)[~reached[joined(found)]])
    blocks = blocks_of([*tape.forwards(), *back])
    return replace(
        plan,
        blocks=blocks,
        groups=groups_of(blocks),
        workspace=2 * plan.workspace,
        accumulators=tape.end - 2 * plan.workspace,
        inputs=tuple([2 * s for s in plan.inputs] + [2 * s + 1 for s in weights]),
        outputs=tuple(values + [2 * s + 1 for s in found]),
        kept=frozenset(),
        input_names=(*inputs, *[f"cotangent of {outputs[n]}" for n in weighted]),
        output_names=(*outputs, *[f"cotangent of {inputs[n]}" for n in wanted]),
    )


def joined(slots: Sequence[np.ndarray]) -> np.ndarray:
    """All of them in one array."""
    return np.concatenate([np.zeros(0, np.int64), *slots])


def chosen(plan: Plan, names: Sequence[str], asked: Sequence[str] | None, what: str) -> list[int]:
    """The numbers of the inputs or outputs that are asked for."""
    for name in asked or ():
        if name not in names:
            raise RedmaxError(unknown(f"{what} of program {plan.program.name!r}", name, list(names)))
    return [n for n, name in enumerate(names) if asked is None or name in asked]


def blocks_of(calls: Sequence[Row | Rows]) -> tuple[Block, ...]:
    """Rows and tables in order, those of one kind together."""
    blocks: list[Block] = []
    kind: list[Row | Rows] = []
    for n, call in enumerate(calls):
        kind.append(call)
        if n + 1 == len(calls) or isinstance(calls[n + 1], Row) != isinstance(call, Row):
            rows, tables = tuple(c for c in kind if isinstance(c, Row)), tuple(c for c in kind if isinstance(c, Rows))
            blocks.append(Run(rows) if rows else WideRun(tables))
            kind = []
    return tuple(blocks)


@dataclass(eq=False)
class Tape:
    """What the rows of a plan become, forwards and backwards, and where old values are kept."""

    plan: Plan
    calls: Sequence[Call]
    version: np.ndarray  # of all slots in the end
    made: dict[object, Kernels] = field(default_factory=dict)  # what was derived from which kernels, so that rows share it
    places: dict[tuple[int, int], int] = field(default_factory=dict)  # (number of a call, slot) -> where the old value is kept
    saved: dict[int, list[int]] = field(default_factory=dict)  # number of a call -> slots whose values are kept before it
    shown: list[tuple[np.ndarray, int]] = field(default_factory=list)  # outputs that are copied away when the rows are done

    def __post_init__(self) -> None:
        self.end = 2 * (self.plan.workspace + self.plan.accumulators)
        needed = self.needed()
        for n, call in enumerate(self.calls) if needed else ():
            stored = call.dependence.slots_stored(call.starts).ravel().tolist()
            found = needed.intersection(zip(stored, call.before.ravel().tolist(), strict=True))
            if call.wide and found - set(zip(stored, self.first_versions(call, stored), strict=True)):
                raise RedmaxError(f"{call.kernel.name!r} of {self.plan.program.name!r} has no cotangent: its rows change what others read.")
            if found:
                self.saved[n] = sorted(s for s, _ in found)
                start = self.reserve(len(found))
                self.places |= {(n, s): start + k for k, s in enumerate(self.saved[n])}

    @staticmethod
    def first_versions(call: Call, stored: Sequence[int]) -> list[int]:
        """Of each slot that a table stores to, the version before its first row."""
        first: dict[int, int] = {}
        for s, v in zip(stored, call.before.ravel().tolist(), strict=True):
            first[s] = min(v, first.get(s, v))
        return [first[s] for s in stored]

    def reserve(self, size: int) -> int:
        """Where this many scalars begin, behind all there are."""
        self.end += size
        return self.end - size

    def needed(self) -> set[tuple[int, int]]:
        """(slot, version) of old values that a reverse reads: of what is stored to again after it was read."""
        found: set[tuple[int, int]] = set()
        for call in self.calls:
            slots = call.dependence.slots_read(call.starts)
            again = call.versions != self.version[slots]
            if call.pattern is None or not again.any():
                continue
            reads = self.reverse_of(call, call.pattern).kernels[0].reads(call.dependence.places)  # type: ignore[union-attr]
            again &= np.array([(base, 2 * i) in reads for base, i in call.dependence.reads], bool)
            found |= set(zip(slots[again].tolist(), call.versions[again].tolist(), strict=True))
        return found

    def reverse_of(self, call: Call, pattern: Pattern) -> Kernels:
        """The kernels of its reverse, one for all calls of the same kind and pattern."""
        key = (call.of.group, call.number, pattern)
        return self.made.setdefault(key, ReverseKernels(call.of.group, call.number, pattern))

    def value_of(self, call: Call) -> Kernels:
        """The kernels of its group over doubled slots."""
        return self.made.setdefault(call.of.group, ValueKernels(call.of.group))

    def output(self, slots: np.ndarray) -> np.ndarray:
        """Where the values of an output are when all is done: copied away if the way back changes them."""
        changed = {s for part in self.saved.values() for s in part}
        if not changed.intersection(slots.tolist()):
            return 2 * slots
        start = self.reserve(len(slots))
        self.shown.append((slots, start))
        return np.arange(start, start + len(slots))

    def forwards(self) -> list[Row | Rows]:
        """The rows as they are, over doubled slots, with copies of what the way back needs."""
        result: list[Row | Rows] = []
        for n, call in enumerate(self.calls):
            result += self.copies([(self.places[n, s], 2 * s) for s in self.saved.get(n, ())], 1, 2)
            result.append(doubled_call(call, self.value_of(call), call.number))
        for slots, start in self.shown:
            result += self.copies([(start + k, 2 * int(s)) for k, s in enumerate(slots)], 1, 2)
        return result

    def backwards(self, nothing: np.ndarray) -> list[Row | Rows]:
        """The rows reversed. nothing: the inputs that no cotangent reaches."""
        result: list[Row | Rows] = []
        for n in reversed(range(len(self.calls))):
            call = self.calls[n]
            result += self.copies([(2 * s, self.places[n, s]) for s in self.saved.get(n, ())], 2, 1)
            result += self.copies([(2 * int(s) + 1, 0) for s in call.fresh], 2, 0)
            if call.pattern is not None:
                result.append(doubled_call(call, self.reverse_of(call, call.pattern), 0, backwards=True))
        return result + self.copies([(2 * int(s) + 1, 0) for s in nothing], 2, 0)

    def copies(self, pairs: list[tuple[int, int]], to: int, step: int) -> list[Row]:
        """Rows that copy (to, from), as many in one as lie side by side; with no step, zero."""
        rows: list[Row] = []
        first = 0
        for n in range(1, len(pairs) + 1):
            k = n - first
            ends = n == len(pairs) or pairs[n][0] != pairs[first][0] + to * k or (step and pairs[n][1] != pairs[first][1] + step * k)
            if ends or k == LONGEST:
                group = self.made.setdefault((k, to, step), CopyKernels(k, to, step))
                rows.append(Row(group, 0, (0, pairs[first][0], pairs[first][1], 0, 0)))
                first = n
        return rows


def doubled_call(call: Call, group: Kernels, number: int, backwards: bool = False) -> Row | Rows:
    """The same places over doubled slots."""
    if isinstance(call.of, Row):
        k, *rest = call.of.places
        return Row(group, number, (k, *[2 * x for x in rest]))  # type: ignore[arg-type]
    places = call.of.places
    steps = [1 if unit == "constants" else 2 for unit in group.units(places.shape[1])]
    return Rows(group, (places[::-1] if backwards else places) * np.array(steps))
