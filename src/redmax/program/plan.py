"""A plan: a program laid out for one model. Rows of (kernel, places) in the order of execution, and the sizes of the buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np

from redmax.errors import TraceError
from redmax.program.active_rows import ActiveRows
from redmax.program.blocks import (
    Block,
    BranchRuns,
    DerivedRuns,
    FedRun,
    FoundRuns,
    HeldRuns,
    HostCall,
    RepeatRuns,
    Row,
    Run,
    WideRun,
    runnable,
)
from redmax.program.columns import ColumnStore
from redmax.program.fields import Layout
from redmax.program.group import Group, Kernels, Meta, Signature, keys_of
from redmax.program.interaction import Acting, Interactions
from redmax.program.kernel import PARAMETERS
from redmax.program.parameters import parameter_slots
from redmax.program.program import (
    Branch,
    Columns,
    Derived,
    Found,
    Held,
    Host,
    Load,
    Program,
    ProgramStage,
    Repeat,
    data_of,
    forwards_alone,
)
from redmax.program.relation import Tree
from redmax.program.routines.call import Addresses, Call
from redmax.program.sweep import Part, Recursion


@dataclass(frozen=True, eq=False)
class Plan:
    """The workspace is [ world | record of each joint ]; inputs and outputs give, for each array, the slot of each of its columns."""

    program: Program
    blocks: tuple[Block, ...]
    groups: tuple[Kernels, ...]
    constants: np.ndarray
    workspace: int
    accumulators: int
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]
    kept: frozenset[int]  # slots whose values outlive a run: states, integrator fields, the world
    input_names: tuple[str, ...] = ()  # where they are not those of the program
    output_names: tuple[str, ...] = ()
    bounds: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # where the parts of memory begin: records, matrices
    loose: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # (first, behind) of stacks
    both_ways: tuple[Block, ...] = ()  # the blocks, with what is for the way back alone, where there is such
    turns: int = 0  # of each loop, that a plan with its reverse has room for; its output `turns` says how many the longest took

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the inputs and of the outputs."""
        return self.input_names or self.program.inputs, self.output_names or self.program.outputs

    @cached_property
    def parting(self) -> bool:
        """Whether a flag of the world decides what runs, so that worlds may go different ways."""
        return has_flags(self.blocks)

    @cached_property
    def fed(self) -> frozenset[int]:
        """The inputs that have a row for each turn of a loop."""
        return fed_inputs(self.blocks)

    @property
    def rows(self) -> list[Row]:
        """All rows of kernels over joints, in order; wide ones are not among them."""
        return list(rows_of(self.blocks))


def count_repeats(blocks: Sequence[Block]) -> int:
    """How many loops there are, those inside others too."""
    inner = sum(count_repeats(b.body) for b in blocks if isinstance(b, RepeatRuns | BranchRuns))
    return inner + sum(isinstance(b, RepeatRuns) for b in blocks)


def rows_of(blocks: Sequence[Block]) -> list[Row]:
    """The rows of these blocks, those inside loops and branches too."""
    return [row for b in runs_of(blocks) if isinstance(b, Run) for row in b.rows]


def has_flags(blocks: Sequence[Block]) -> bool:
    """Whether some loop ends by a flag, or some branch asks for one."""
    loops = [b for b in blocks if isinstance(b, RepeatRuns)]
    return any(isinstance(b, BranchRuns) for b in blocks) or any(b.until >= 0 or has_flags(b.body) for b in loops)


def fed_inputs(blocks: Sequence[Block]) -> frozenset[int]:
    """Those that these blocks read turn by turn."""
    own = [n for b in blocks if isinstance(b, FedRun) for n in b.inputs]
    return frozenset(own).union(*[fed_inputs(b.body) for b in blocks if isinstance(b, RepeatRuns | BranchRuns)])


def runs_of(blocks: Sequence[Block]) -> list[Run | WideRun]:
    """All runs, those inside loops and branches too, in order."""
    found: list[Run | WideRun] = []
    for b in blocks:
        if isinstance(b, Run | WideRun):
            found.append(b)
        elif isinstance(b, RepeatRuns | BranchRuns):
            found += runs_of(b.body)
    return found


def groups_of(blocks: Sequence[Block]) -> tuple[Kernels, ...]:
    """What the runs call, each once."""
    return tuple(dict.fromkeys(r.group for b in runs_of(blocks) for r in (b.rows if isinstance(b, Run) else b.tables)))


WORLD_SIGNATURE = Signature("world", 0, 0, True, True, True, lambda graph: ({}, {}))


class Planner:
    """Lays a program out over a tree of joints. keep: every value has a slot of its own, so that all are there for a reverse sweep."""

    def __init__(
        self,
        program: Program,
        tree: Tree,
        signatures: Sequence[Signature],
        constants: Sequence[np.ndarray],
        describe: Callable[[Group], Meta] = lambda g: g.meta,
        acting: Sequence[Acting] = (),
        keep: bool = False,
    ) -> None:
        kept = {"fields": replace(program.fields, reuse={})} if keep else {"stages": forwards_alone(program.stages)}
        program = replace(program, **kept)
        if any(s.parameters for s in signatures) or any(a.parameters for a in acting):
            program = replace(program, inputs=(*program.inputs, PARAMETERS))
        self.keep, self.gathering = keep, tree.own_accumulators if keep else tree.accumulators
        self.program, self.tree, self.signatures, self.describe = program, tree, signatures, describe
        self.keys = keys_of(signatures)
        self.kinds = dict(zip(self.keys, signatures, strict=True))
        self.groups = self.make_groups()
        self.world = Layout(program.fields, 0, 0).world
        self.layouts = {k: Layout(program.fields, s.nq, s.nv, s.parameters) for k, s in self.kinds.items()}
        size_of = {k: layout.record_size(self.parked[k]) for k, layout in self.layouts.items()}
        sizes = [size_of[k] for k in self.keys]
        self.record = program.fields.world_size + np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        lengths = [len(c) for c in constants]
        if lengths != [s.constants for s in signatures]:
            raise TraceError("The constants of the joints are not as many as their kernels were traced for.")
        self.constant_start = np.concatenate([[0], np.cumsum(lengths)]).astype(int)
        self.end = int(self.record[-1]) + self.gathering[2] * program.fields.up_size  # of memory, so far
        self.bounds = self.record.tolist()
        self.columns = {s.name: ColumnStore(self, s) for s in program.stages_flat if isinstance(s, Columns)}
        self.interactions = Interactions(self, acting) if acting else None
        named = [data for stage in program.stages_flat for data in data_of(stage)]
        called = any(isinstance(stage, Call) for stage in program.stages_flat)
        self.addresses = Addresses(self, named) if named or called else None
        self.constants = np.concatenate([*constants, *(self.interactions.constants if self.interactions else []), [0.0]])

    def make_groups(self) -> dict[tuple[str, str], Group]:
        """For each recursion and signature. All know the largest parked region, behind which integrators keep their fields."""
        fields = self.program.fields
        joint = [r for r in self.program.recursions if not r.once]
        met = {core: dict.fromkeys(k for j, k in enumerate(self.keys) if self.tree.visits(j, core)) for core in (False, True)}
        core = {(r.name, k): Group(r, self.kinds[k], fields.core, keep=self.keep) for r in joint if r.core for k in met[True]}
        self.parked = {k: max([self.describe(g).parked for (_, kind), g in core.items() if kind == k], default=0) for k in self.kinds}
        rest = [(r, k) for r in joint if not r.core for k in met[False]]
        plain = core | {(r.name, k): Group(r, self.kinds[k], fields, self.parked[k], self.keep) for r, k in rest}
        self.meta = {name: self.describe(g) for name, g in plain.items()}
        return plain | {(r.name, WORLD_SIGNATURE.key): Group(r, WORLD_SIGNATURE, fields) for r in self.program.recursions if r.once}

    def slots(self, name: str) -> np.ndarray:
        """Workspace slots of a field of the world, or of a joint field over all joints, in joint order."""
        if name in self.world:
            return np.arange(self.world[name][0], sum(self.world[name]), dtype=np.int64)
        if name in self.columns:
            return self.columns[name].slots()
        if self.addresses and name in self.addresses.data:
            return self.addresses.slots(name)
        if name == "blocks":
            return self.interactions.slots() if self.interactions else np.zeros(0, np.int64)
        if name == PARAMETERS:
            return parameter_slots(self)
        places = {key: layout.place(name, self.parked[key]) for key, layout in self.layouts.items()}
        found: list[int] = []
        for start, key in zip(self.record.tolist(), self.keys, strict=False):
            offset, size = places[key]
            found += range(start + offset, start + offset + size)
        return np.array(found, np.int64)

    def runs(self, recursion: Recursion) -> list[Run | WideRun]:
        """One run, or several where forces act between the sweeps."""
        own, parents, _ = self.gathering
        up = self.program.fields.up_size
        constants, record = self.constant_start.tolist(), self.record.tolist()
        rows: list[Row] = []
        runs: list[Run | WideRun] = []
        for number, sweep in enumerate(recursion.sweeps):
            if recursion.part not in (None, number):
                continue
            if recursion.once:
                rows.append(Row(self.groups[recursion.name, WORLD_SIGNATURE.key], number, (0, 0, 0, 0, 0)))
                continue
            if sweep.order == "interactions":
                acting = self.interactions.run(Part(sweep.name)) if self.interactions else None
                if acting and acting.tables:  # else nothing acts in this part, and the recursion stays whole
                    runs += [*([Run(tuple(rows), True)] if rows else []), acting]
                    rows = []
                continue
            for j in filter(lambda j: self.tree.visits(j, recursion.core), self.tree.order(sweep.order)):
                key = self.keys[j]
                if self.meta[recursion.name, key].present[number]:
                    p = max(self.tree.parent[j], 0)
                    places = (constants[j], record[j], record[p], own[j] * up, parents[j] * up)
                    rows.append(Row(self.groups[recursion.name, key], number, places))
        return [*runs, Run(tuple(rows), bool(runs))] if rows or not runs else runs

    def blocks(self, stages: Sequence[ProgramStage]) -> tuple[Block, ...]:
        """Stages as blocks, in order: each stage becomes the rows, loops, branches or calls that it stands for."""
        result: list[Block] = []
        for stage in stages:
            if isinstance(stage, Recursion):
                result += self.runs(stage)
            elif isinstance(stage, Repeat):
                result.append(RepeatRuns(self.blocks(stage.body), self.flag(stage.until) if stage.until else -1))
            elif isinstance(stage, Branch):
                result.append(BranchRuns(self.flag(stage.flag), self.blocks(stage.body)))
            elif isinstance(stage, Found | Derived):
                result.append((FoundRuns if isinstance(stage, Found) else DerivedRuns)(self.blocks(stage.body)))
            elif isinstance(stage, Held):
                result.append(HeldRuns(self.blocks(stage.body), np.concatenate([self.slots(name) for name in stage.by])))
            elif isinstance(stage, Load):
                result.append(FedRun(tuple(map(self.program.inputs.index, stage.names))))
            elif isinstance(stage, Host):
                result.append(HostCall(stage.function, cache(self.slots)))
            elif isinstance(stage, Call):
                assert self.addresses
                result.append(self.addresses.run(stage))
            elif isinstance(stage, ActiveRows):
                result.append(stage.run(self))
            elif isinstance(stage, Columns):
                result.append(Run(tuple(self.columns[stage.name].rows())))
            else:
                result.append(stage)
        return tuple(result)

    def reserve(self, size: int, line: int = 1) -> int:
        """Where this many scalars of memory begin, behind all that there are so far, at a multiple of `line`."""
        self.end += -self.end % line
        self.bounds.append(self.end)
        self.end += size
        return self.end - size

    def flag(self, name: str) -> int:
        """The slot of a field of the world that control flow tests."""
        return self.world[name][0]

    def plan(self) -> Plan:
        """The whole plan. Accumulators, columns, blocks of forces and the matrix lie behind the workspace."""
        both_ways = self.blocks(self.program.stages)
        special = any(isinstance(stage, Found | Derived | Held) for stage in self.program.stages_flat)
        blocks, fields = runnable(both_ways) if special else both_ways, self.program.fields
        return Plan(
            program=self.program,
            blocks=blocks,
            groups=groups_of(blocks),
            constants=self.constants,
            workspace=int(self.record[-1]),
            accumulators=self.end - int(self.record[-1]),
            inputs=tuple(self.slots(n) for n in self.program.inputs),
            outputs=tuple(self.slots(n) for n in self.program.outputs),
            bounds=np.array(sorted({int(b) for b in self.bounds}), np.int64),  # np.unique would import masked arrays
            kept=frozenset(int(s) for n in fields.found_by_name for s in self.slots(n)),
            both_ways=both_ways if special else (),
        )
