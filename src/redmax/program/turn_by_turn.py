"""A program of counted steps as two plans: one that notes the state before each step, and one that goes back step by step from these.

    forwards:    before each turn, and behind the last: note what the body reads and stores to (the state x_k), and what it found
    backwards:   from the last turn to the first: x_k, what the turn found, and its inputs come in; the cotangents of the sample behind it
                 are added; body; body reversed; the cotangents of x_k, of the turn's inputs and of what all turns read go out

(Griewank and Walther 2008, Sec. 12.2.) Unlike the one plan of `cotangent`, what is asked of the samples may depend on them, portions of a
run may be reversed by themselves, the last first, and memory for the turns is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from redmax.errors import RedmaxError
from redmax.program.activity import NOTHING, Piece
from redmax.program.blocks import Block, BranchRuns, FedRun, RepeatRuns, runnable
from redmax.program.cotangent import Reversal, counted_runs, held_slots
from redmax.program.dependence import Dependence
from redmax.program.group import Kernels
from redmax.program.implicit_nodes import find_kept, noting, out_of_loops
from redmax.program.joined import joined
from redmax.program.level import Level, blocks_of
from redmax.program.plan import Plan, groups_of
from redmax.program.program import Save
from redmax.program.reverse_turns import Loop
from redmax.program.tangent import refuse_hosts
from redmax.program.tape import Tape
from redmax.program.unread import Unread

ROWS, WEIGHTS, BOUNDARY = "rows", "weights", "cotangents"  # what comes in beside the inputs of the program


@dataclass(eq=False)
class OuterTurns(Loop):
    """The counted loop of a program, whose turns come from outside. weighted: slots whose cotangents come in behind the last turn.

    each: whether cotangents of these come in behind the other turns too, to be added
    turning: those of the inputs that each turn has of its own; numbers: of the inputs that come turn by turn
    """

    weighted: np.ndarray = field(default_factory=lambda: NOTHING)
    each: bool = True
    turning: np.ndarray = field(default_factory=lambda: NOTHING)
    numbers: tuple[int, ...] = ()
    boundary: np.ndarray = field(init=False)

    def backwards(self, reached: np.ndarray, lasting: np.ndarray) -> None:
        """And which cotangents there are between two turns."""
        reached[self.weighted] = True
        super().backwards(reached, lasting)
        self.boundary = np.flatnonzero(reached)

    def settle(self) -> None:
        """Room for what comes in behind a turn."""
        self.body.settle()
        self.weights = self.tape.reserve(len(self.weighted) * self.each)

    def plain(self, first: bool) -> list[Piece]:
        """Nothing: the states come in."""
        return []

    def ahead(self, first: bool) -> list[Piece]:
        """See `plain`."""
        return []

    def back(self) -> list[Piece]:
        """As many turns as rows come in."""
        tape = self.tape
        own = enumerate(self.weighted) if self.each else ()
        added = tape.copies([(2 * int(s) + 1, self.weights + k) for k, s in own], 2, 1, adds=True)
        own = np.intersect1d(self.turning, self.boundary)
        turn = [FedRun(self.numbers), *tape.clear(2 * own + 1), *added, *self.again_and_back(), Save()]
        return [RepeatRuns(blocks_of(turn), -1)]


class TurnByTurn(Reversal):
    """The two plans of a program that ends with a counted loop, whose body ends with a sample.

    forwards: takes what the program does; gives rows: the states before each turn, and what was found in the turn before
    backwards: takes what the program does, then rows and weights, the last turn first, and the cotangents behind the last turn. These rows
        are the first `read` numbers of the state before a turn, then what was found in that turn; inputs of turns that are not read have
        no columns. Gives the cotangents before each turn, and behind all turns those of the inputs

    of: the outputs whose cotangents come in, by: the inputs whose cotangents go out; those that come turn by turn may be among them
    turns: room for those of loops within a turn; taken: flags of the world whose branches are gone in every turn that is reversed
    each: whether cotangents of outputs come in behind every turn, or behind the last alone
    """

    finds = False

    def __init__(self, plan: Plan, of: Sequence[str], by: Sequence[str], turns: int, taken: Sequence[str] = (), each: bool = True) -> None:
        refuse_hosts(plan)
        *begin, loop = plan.both_ways or plan.blocks
        if not isinstance(loop, RepeatRuns) or loop.until >= 0 or not isinstance(loop.body[-1], Save):
            raise RedmaxError(f"{plan.program.name!r} does not end with a counted loop over samples.")
        inputs, outputs = plan.names
        self.of, self.begin, self.loop = plan, tuple(begin), loop
        self.weighted, self.wanted = [outputs.index(name) for name in of], [n for n, name in enumerate(inputs) if name in by]
        self.tape = Tape(plan, turns, sum(len(t.places) for run in counted_runs(plan.blocks) for t in run.tables))
        self.flags = plan.workspace + plan.accumulators + 1
        self.guessed = False
        self.known: dict[tuple[Kernels, int], Dependence] = {}
        self.samples, self.feeds = None, []
        flags = held_slots(plan, taken)
        self.body = out_of_loops([b for b in loop.body if not isinstance(b, FedRun | Save)])
        turning = self.slots(plan.inputs, sorted(plan.fed))
        weighted = self.slots(plan.outputs, self.weighted)
        numbers = (*sorted(plan.fed), len(inputs), *([len(inputs) + 1] if each else []))
        self.turns = OuterTurns(Level(self.tape, self.nodes(gone(self.body, flags), 1)), -1, weighted, each, turning, numbers)
        self.found = find_kept(self.turns.body, np.zeros(self.tape.size, bool))
        self.level = Level(self.tape, [*self.nodes(runnable(self.begin), 0), self.turns])
        self.own = self.wanted
        self.find_activity()
        self.rows = np.union1d(self.turns.carried, self.slots(plan.outputs, range(len(outputs))))
        self.find_backwards()

    def find_activity(self) -> None:
        """What varies, what is reached, and what is kept."""
        varied, reached = np.zeros(self.tape.size, bool), np.zeros(self.tape.size, bool)
        varied[self.slots(self.of.inputs, self.wanted)] = True
        self.level.forwards(varied)
        self.level.backwards(reached)
        self.level.settle()
        found = self.slots(self.of.inputs, self.wanted)
        self.nothing = found[~reached[found]]

    @property
    def begins_as_given(self) -> bool:
        """Whether what comes before the turns has no share in the cotangents."""
        return not any(node.active for node in self.level.nodes[:-1])

    @property
    def width(self) -> int:
        """Numbers of a row: the state, then what was found in the turn before and is read on the way back."""
        return len(self.rows) + sum(len(node.kept) for node in self.found)

    @property
    def forwards(self) -> Plan:
        """See above."""
        fed, start = tuple(b for b in self.loop.body if isinstance(b, FedRun)), self.of.workspace + self.of.accumulators
        body, more = noting(self.of, self.body, self.found, start), self.width - len(self.rows)
        blocks: tuple[Block, ...] = (*runnable(self.begin), RepeatRuns((Save(), *fed, *body), -1), Save())
        rows = np.concatenate([self.rows, np.arange(start, start + more)])
        whole = replace(
            self.of,
            blocks=blocks,
            groups=groups_of(blocks),
            accumulators=self.of.accumulators + more,
            outputs=(rows,),
            output_names=(ROWS,),
            both_ways=(),
            bounds=np.unique([*self.of.bounds.tolist(), start]),
        )
        return joined(Unread(whole, self.tape.turns).without())

    def find_backwards(self) -> None:
        """The plan backwards, and what it reads of the rows: what is found and not read is not kept, and of states the rest comes last."""
        found, number = Unread(self.whole(), self.tape.turns), len(self.of.names[0])
        plan = found.without()
        read = found.asked[number]
        state, *parts = np.split(read, np.cumsum([len(self.rows), *[len(node.kept) for node in self.found]])[:-1])
        for node, part in zip(self.found, parts, strict=True):
            node.kept = node.kept[part]
        self.rows, self.read = np.concatenate([self.rows[state], self.rows[~state]]), int(state.sum())
        unread = {n: slots[:0] for n, slots in enumerate(plan.inputs) if n in self.of.fed and not found.asked[n].any()}
        inputs = tuple(slots[read] if n == number else unread.get(n, slots) for n, slots in enumerate(plan.inputs))
        self.backwards = joined(replace(plan, inputs=inputs))

    def whole(self) -> Plan:
        """The plan backwards, with all that may be read."""
        plan, tape, (inputs, _) = self.of, self.tape, self.of.names
        tape.close()
        begin = tape.clear(np.array([tape.most]))
        back = [*self.level.back(), *tape.clear(2 * self.nothing + 1), Save()]
        blocks = blocks_of([*begin, *self.level.ahead(first=True), *back])
        boundary, start = 2 * self.turns.boundary + 1, self.turns.weights
        weights = (np.arange(start, start + len(self.turns.weighted)),) if self.turns.each else ()
        found = [node.room + np.arange(len(node.kept)) for node in self.found]
        return replace(
            plan,
            blocks=blocks,
            groups=groups_of(blocks),
            workspace=2 * plan.workspace,
            accumulators=tape.end - 2 * plan.workspace,
            inputs=(*[2 * s for s in plan.inputs], np.concatenate([2 * self.rows, *found]), *weights, boundary),
            outputs=(boundary, *[2 * plan.inputs[n] + 1 for n in self.wanted], np.array([tape.most])),
            kept=frozenset(),
            both_ways=(),
            bounds=np.unique(tape.bounds),
            loose=np.array(tape.loose, np.int64).reshape(-1, 2),
            input_names=(*inputs, ROWS, *([WEIGHTS] if self.turns.each else []), BOUNDARY),
            output_names=(BOUNDARY, *[f"cotangent of {inputs[n]}" for n in self.wanted], "turns"),
            turns=tape.turns,
        )


def gone(blocks: Sequence[Block], flags: np.ndarray) -> tuple[Block, ...]:
    """Blocks without the branches of these flags, whose bodies run in any case."""
    return tuple(inner for b in blocks for inner in (gone(b.body, flags) if isinstance(b, BranchRuns) and b.flag in flags else [b]))
