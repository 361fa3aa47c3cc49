"""The transposed derivative of a program is a program: the same rows, then the rows reversed, each with the vjp of its kernel.

Slot i of the plan becomes slot 2i, its cotangent slot 2i + 1. Inputs are those of the plan, then the cotangents of its outputs; outputs are
those of the plan, then the cotangents of its inputs: one run gives y = f(x) and xbar = (df/dx)^T ybar, at a small multiple of the cost of f
whatever the number of inputs (Griewank and Walther 2008, Sec. 3.2).

Loops and branches are reversed turn by turn (reverse_turns.py). Where a program takes samples, its outputs and their cotangents have a row
for each, up to the number of turns that there is room for, and so have the cotangents of inputs that come turn by turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from redmax.errors import RedmaxError, unknown
from redmax.program.activity import NOTHING, Call, Node, Piece
from redmax.program.blocks import Block, BranchRuns, DerivedRuns, FedRun, FoundRuns, HeldRuns, RepeatRuns, Row, Rows, Run, WideRun, runnable
from redmax.program.dependence import Dependence, dependence_of
from redmax.program.fields import Layout
from redmax.program.group import Kernels
from redmax.program.implicit_nodes import DerivedNode, FoundNode, FoundOnTheWay, held
from redmax.program.kernel import Kernel
from redmax.program.level import Level, blocks_of
from redmax.program.plan import Plan, groups_of, runs_of
from redmax.program.program import Save
from redmax.program.reverse_routine import RoutineCall
from redmax.program.reverse_samples import Feed, Sample, Samples
from redmax.program.reverse_turns import Choice, Loop
from redmax.program.routines.routine import Looped
from redmax.program.routines.turns import refuse, rows_there
from redmax.program.routines.unroll import UnrolledKernels, asks_nothing
from redmax.program.tangent import refuse_hosts
from redmax.program.tape import Tape

WRITTEN_OUT = 300  # stores of a routine that becomes a kernel
TURNS = 100  # of a loop, that are kept unless more are asked for


def cotangent(
    plan: Plan, of: Sequence[str] | None = None, by: Sequence[str] | None = None, turns: int = TURNS, held: Sequence[str] = ()
) -> Plan:
    """A plan with its transposed derivative. of: outputs whose cotangents are given, by: inputs whose are found; else all.

    turns: how many turns of each loop, and how many samples, there is room for; held: fields of the world that are taken as constants
    """
    refuse_hosts(plan)
    inputs, outputs = plan.names
    weighted, wanted = chosen(plan, outputs, of, "output"), chosen(plan, inputs, by, "input")
    return Reversal(plan, weighted, wanted, turns, held_slots(plan, held)).plan()


def held_slots(plan: Plan, held: Sequence[str]) -> np.ndarray:
    """Of fields of the world, by their names."""
    world = Layout(plan.program.fields, 0, 0).world
    return np.array([s for name in held for s in range(world[name][0], sum(world[name]))], np.int64)


def chosen(plan: Plan, names: Sequence[str], asked: Sequence[str] | None, what: str) -> list[int]:
    """The numbers of the inputs or outputs that are asked for."""
    for name in asked or ():
        if name not in names:
            raise RedmaxError(unknown(f"{what} of program {plan.program.name!r}", name, list(names)))
    return [n for n, name in enumerate(names) if asked is None or name in asked]


def counted_runs(blocks: Sequence[Block]) -> list[WideRun]:
    """The runs of which memory says how many rows there are."""
    return [run for run in runs_of(blocks) if isinstance(run, WideRun) and run.count >= 0]


class Reversal:
    """A plan on its way to its cotangent. weighted, wanted: the numbers of outputs and inputs whose cotangents are given and found.

    finds: whether it runs what finds solutions; else these come in
    """

    finds = True

    def __init__(self, plan: Plan, weighted: Sequence[int], wanted: Sequence[int], turns: int, held: np.ndarray = NOTHING) -> None:
        self.of, self.weighted, self.wanted = plan, weighted, wanted
        self.tape = Tape(plan, turns, sum(len(t.places) for run in counted_runs(plan.blocks) for t in run.tables), held)
        self.flags = plan.workspace + plan.accumulators + 1  # the next slot that may be one
        self.guessed = False  # whether memory decides how many turns a loop of a routine has
        self.known: dict[tuple[Kernels, int], Dependence] = {}
        self.samples = None if plan.program.straight else Samples(self.tape, weighted)
        self.feeds: list[Feed] = []
        self.level = Level(self.tape, self.nodes(plan.blocks, 0))
        self.own = [n for n in wanted if n not in plan.fed]  # inputs that lie in memory from the start
        self.find_activity()

    def find_activity(self) -> None:
        """What varies, what is reached, and what is kept."""
        varied, reached = np.zeros(self.tape.size, bool), np.zeros(self.tape.size, bool)
        varied[self.slots(self.of.inputs, self.own)] = True
        if self.samples is None:
            reached[self.slots(self.of.outputs, self.weighted)] = True
        self.level.forwards(varied)
        self.level.backwards(reached)
        self.level.settle()
        found = self.slots(self.of.inputs, self.own)
        self.nothing = found[~reached[found]]  # the inputs that no cotangent reaches

    @staticmethod
    def slots(arrays: Sequence[np.ndarray], numbers: Sequence[int]) -> np.ndarray:
        """Of some inputs or outputs, all in one array."""
        return np.concatenate([NOTHING, *[arrays[n] for n in numbers]])

    def nodes(self, blocks: Sequence[Block], depth: int) -> list[Node]:
        """What blocks are, with loops around them."""
        found: list[Node] = []
        for b in blocks:
            if isinstance(b, Run):
                found += [self.row(r) for r in b.rows]
            elif isinstance(b, WideRun):
                found += [node for t in b.tables for node in (self.counted(t, b.count) if b.count >= 0 else self.table(t))]
            elif isinstance(b, RepeatRuns):
                found.append(Loop(Level(self.tape, self.nodes(b.body, depth + 1)), b.until))
            elif isinstance(b, BranchRuns):
                found.append(Choice(Level(self.tape, self.nodes(b.body, depth + 1)), b.flag))
            elif isinstance(b, FoundRuns):
                kind = FoundOnTheWay if self.finds else FoundNode
                found.append(kind(Level(self.tape, self.nodes(runnable(b.body), depth + 1)), b))
            elif isinstance(b, DerivedRuns):
                found.append(DerivedNode(Level(self.tape, self.nodes(b.body, depth + 1))))
            elif isinstance(b, HeldRuns):
                found += held(b.by, self.nodes(b.body, depth))
            elif isinstance(b, FedRun):
                self.feeds.append(Feed(self.tape, b.inputs, self.wanted))
                found.append(self.feeds[-1])
            elif isinstance(b, Save):
                assert self.samples
                found.append(Sample(self.samples))
        return found

    def row(self, row: Row) -> Node:
        """A row of a run."""
        _, record, parent, gathered, upward = row.places
        behind = self.of.workspace
        return self.call(row, row.sweep, np.array([[0, record, parent, behind + gathered, behind + upward, 0]]))

    def table(self, table: Rows) -> list[Node]:
        """A table of wide rows, or the calls of a routine."""
        if isinstance(table.group, Looped):
            return [self.routine(table.group, row) for row in table.places]
        return [self.call(table, 0, np.pad(table.places, ((0, 0), (0, 1))))]

    def counted(self, table: Rows, count: int) -> list[Node]:
        """Rows of which memory says how many there are: each is a branch."""
        first, capacity = self.flags, len(table.places)
        self.flags += capacity
        flags = RoutineCall(self.tape, rows_there, np.array(rows_there.row(count, first, capacity)))
        parts = [self.table(Rows(table.group, table.places[k : k + 1])) for k in range(capacity)]
        return [flags, *[Choice(Level(self.tape, part), first + k) for k, part in enumerate(parts)]]

    def routine(self, routine: Looped, row: np.ndarray) -> Node:
        """Undone by its notes; a short one that asks nothing is written out as a kernel, of which less is kept and computed again."""
        found = RoutineCall(self.tape, routine, row)
        if found.notes > WRITTEN_OUT or not asks_nothing(routine.form):
            self.guessed = self.guessed or found.guessed
            return found
        group = UnrolledKernels(routine, tuple(row.tolist()), self.of.workspace + self.of.accumulators)
        return self.call(Row(group, 0, (0, 0, 0, 0, 0)), 0, np.zeros((1, 6), int))

    def call(self, of: Row | Rows, number: int, starts: np.ndarray) -> Call:
        """Of a traced kernel; what its stores depend on is found once for all rows of a kind."""
        kernel = of.group.kernels[number]
        assert isinstance(kernel, Kernel)
        if (of.group, number) not in self.known:
            self.known[of.group, number] = dependence_of(kernel)
        return Call(self.tape, of, kernel, self.known[of.group, number], starts)

    def plan(self) -> Plan:
        """Forwards, backwards, and where everything lies."""
        plan, tape, (inputs, outputs) = self.of, self.tape, self.of.names
        values, shown = self.values()
        tape.close()
        back = [*self.level.back(), *tape.clear(2 * self.nothing + 1)]
        begin = [piece for node in (self.samples, *self.feeds) if node for piece in node.begin()]
        found = [self.cotangent_of(n) for n in self.wanted]
        told = [np.array([tape.most])] if self.samples or self.guessed else []
        if told:
            begin += tape.clear(told[0])
            all_found = np.concatenate([NOTHING, *found])
            back.append(tape.call(refuse, tape.most, tape.turns, len(all_found), all_found.tolist()))
        if self.samples is not None:
            shown.append(self.samples.noted())
            back.append(Save())
        blocks = blocks_of([*begin, *self.level.ahead(first=True), *shown, *back])
        weights = [2 * plan.outputs[n] + 1 if self.samples is None else self.samples.weights.part(k) for k, n in enumerate(self.weighted)]
        return replace(
            plan,
            blocks=blocks,
            groups=groups_of(blocks),
            workspace=2 * plan.workspace,
            accumulators=tape.end - 2 * plan.workspace,
            inputs=tuple([2 * s for s in plan.inputs] + weights),
            outputs=tuple(values + found + told),
            kept=frozenset(),
            both_ways=(),
            bounds=np.unique(tape.bounds),
            loose=np.array(tape.loose, np.int64),
            input_names=(*inputs, *[f"cotangent of {outputs[n]}" for n in self.weighted]),
            output_names=(*outputs, *[f"cotangent of {inputs[n]}" for n in self.wanted], *["turns"] * len(told)),
            turns=tape.turns if told else 0,
        )

    def values(self) -> tuple[list[np.ndarray], list[Piece]]:
        """Where the values of the outputs are when all is done, copied away if the way back changes them; and those copies."""
        if self.samples is not None:
            return [self.samples.values.part(n) for n in range(len(self.of.outputs))], []
        changed, places = self.level.changed, list[np.ndarray]()
        copies: list[Piece] = []
        for slots in self.of.outputs:
            if not changed[slots].any():
                places.append(2 * slots)
                continue
            start = self.tape.reserve(len(slots))
            places.append(np.arange(start, start + len(slots)))
            copies += self.tape.copies([(start + k, 2 * int(s)) for k, s in enumerate(slots)], 1, 2)
        return places, copies

    def cotangent_of(self, n: int) -> np.ndarray:
        """Where the cotangent of an input is in the end."""
        for feed in self.feeds:
            if n in feed.wanted:
                return feed.found.part(feed.wanted.index(n))
        return 2 * self.of.inputs[n] + 1
