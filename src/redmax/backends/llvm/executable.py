"""A plan that can be called on plain arrays: one world as scalar code, many worlds in lanes and over threads.

Worlds are cut into groups of as many as there are lanes, counted from the first; threads take whole groups, so the numbers
do not depend on how many there are. A thread owns its workspace.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from threading import Event
from time import perf_counter

import numpy as np

from redmax.arguments import brief
from redmax.backends.base import Arrays, Backend, Door, Mechanism, Runner
from redmax.backends.llvm.driver import driver_text
from redmax.backends.llvm.engine import ENTRY, content_key, library, shape_of, source_key
from redmax.backends.llvm.lane_guard import guarded_slots, lane_words
from redmax.backends.llvm.loop_values import MARGIN
from redmax.backends.llvm.one_world import CUT, FEWEST, SIDE_BY_SIDE
from redmax.backends.llvm.rows import wide_table
from redmax.backends.llvm.target import aligned, host, ir_type
from redmax.backends.llvm.threads import Halted, together, worth
from redmax.backends.llvm.words import ARGUMENTS, INPUT, OUTPUT, PAUSED
from redmax.errors import RedmaxError
from redmax.program.blocks import Run, WideRun
from redmax.program.fuse import fuse
from redmax.program.group import Group, Meta
from redmax.program.plan import Plan, count_repeats, runs_of
from redmax.program.program import Program

ELEMENT = {"float64": "double", "float32": "float"}
ROOM, BUDGET, FIRST_INPUT = *map(ARGUMENTS.index, ("room", "budget")), len(ARGUMENTS)
SMALLEST, UNLIMITED = 4, 2**62
from_buffer, addressof = ctypes.c_char.from_buffer, ctypes.addressof
SECONDS = 0.1  # that a call may take, before Python looks whether somebody pressed Ctrl-C


def address(array: np.ndarray) -> int:
    """Where its numbers lie; several times as fast as array.ctypes, which also takes what is empty or cannot be written."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        return array.ctypes.data


class Lowered:
    """A plan's code and tables for one lane width."""

    def __init__(self, plan: Plan, lanes: int, dtype: np.dtype) -> None:
        self.plan, self.lanes, self.dtype, self.door = plan, lanes, dtype, Door(plan, dtype)
        ty = ir_type(ELEMENT[dtype.name], lanes)
        addresses, codes = library().kernels(plan.groups, ty)
        shape = shape_of(plan)
        key = content_key("driver", source_key(), shape, ty, host().key)
        driver = library().function(key, lambda: driver_text(plan, ty), ["entry"])
        self.codes = [driver, *codes]  # held, or else they would be released
        self.entry = ENTRY(driver.addresses["entry"])
        self.constants = np.ascontiguousarray(plan.constants, dtype)
        scalar = dtype.itemsize
        self.slots = [s * scalar * lanes for s in (*plan.inputs, *plan.outputs)]
        if lanes == 1:
            self.slots[len(plan.inputs) :] = [with_runs(s, scalar) for s in self.slots[len(plan.inputs) :]]
        size = plan.workspace + plan.accumulators
        self.tables = [row_table(run, addresses, scalar, lanes, size) for run in runs_of(plan.blocks)]
        self.masked = lanes > 1 and plan.parting
        self.guarded = [slots * scalar * lanes for slots in guarded_slots(plan)] if self.masked else []
        self.free: list[Workspace] = []
        self.budget = SMALLEST  # turns of its loops that take about SECONDS, once that is known
        self.pace = inf  # seconds a group of worlds and a turn of counted loops takes; unknown where flags decide how many turns there are

    def take(self) -> Workspace:
        """A workspace of our own, from those given back (popping from a list is atomic)."""
        with suppress(IndexError):
            return self.free.pop()
        return Workspace(self)

    def give(self, workspace: Workspace) -> None:
        """Keep a workspace for whoever takes one next."""
        self.free.append(workspace)


def with_runs(slots: np.ndarray, size: int) -> np.ndarray:
    """Byte offsets of columns, then of the runs of neighbours that they make: how many are no longer than a block and how many are, the
    column from which on single ones go, and each run's offset, first column and length, the short ones first; -1 if it is not worth it.

    Runs of a few blocks are cut into those: a loop that ends now here and now there is not foreseen by the processor.
    """
    count, edges = len(slots), np.diff(slots, prepend=0) != size
    edges[:1] = True
    columns = np.flatnonzero(edges)
    if count < FEWEST * max(len(columns), 1):
        return np.append(slots, -1)
    lengths = np.diff(columns, append=count)
    few = np.repeat(lengths <= CUT, lengths)
    edges |= few & ((np.arange(count) - np.repeat(columns, lengths)) % SIDE_BY_SIDE == 0)
    columns = np.flatnonzero(edges)
    lengths = np.diff(columns, append=count)
    runs, long = np.stack([slots[columns], columns, lengths], axis=1), lengths > SIDE_BY_SIDE
    short = ~long & (columns + SIDE_BY_SIDE <= count)
    single = columns[~long & ~short]
    head = [short.sum(), long.sum(), single[0] if len(single) else count]
    return np.concatenate([slots, head, runs[short].ravel(), runs[long].ravel()]).astype(np.int64)


def row_table(run: Run | WideRun, addresses: dict, scalar: int, lanes: int, memory: int) -> np.ndarray:
    """Rows of (kernel address, byte offsets of K, W, P, I, J), without those that have nothing to do."""
    if isinstance(run, WideRun):
        return wide_table(run, addresses, scalar, lanes, memory)
    size = np.array([1, scalar, scalar * lanes, scalar * lanes, scalar * lanes, scalar * lanes], np.int64)
    rows = [(addresses[r.group][r.sweep], *r.places) for r in run.rows if addresses[r.group][r.sweep]]  # 0: nothing to store, no code
    return np.ascontiguousarray(np.array(rows, np.int64).reshape(-1, 6) * size)


class Workspace:
    """The buffers of one thread, and the words that the entry function reads."""

    def __init__(self, lowered: Lowered) -> None:
        self.lowered = lowered
        plan, lanes, dtype = lowered.plan, lowered.lanes, lowered.dtype
        size = plan.workspace + plan.accumulators + 1
        copies = sum(map(len, lowered.guarded))  # of what worlds keep that wait for others
        self.memory = aligned((size + copies + MARGIN) * lanes, dtype)
        self.accumulators = self.memory[plan.workspace * lanes :]
        words = [lowered.constants.ctypes.data, self.memory.ctypes.data, self.accumulators.ctypes.data, 1, 1, 0, 1, 0]
        words += [0] * (len(ARGUMENTS) - len(words))
        for slots in lowered.slots[: len(plan.inputs)]:
            words += [0, len(slots), slots.ctypes.data, len(slots), 0]
        for columns, slots in zip(map(len, plan.outputs), lowered.slots[len(plan.inputs) :], strict=True):
            words += [0, columns, columns, slots.ctypes.data, columns]
        for table in lowered.tables:
            words += [table.ctypes.data, *table.shape]
        words += [0] * count_repeats(plan.blocks)
        if lowered.masked:
            words += lane_words(lowered.guarded, lanes, dtype.itemsize, self.memory[size * lanes :].ctypes.data)
        self.words = np.array(words, np.int64)
        self.pointer = ctypes.c_void_p(self.words.ctypes.data)
        self.cells = memoryview(self.words)  # type: ignore[arg-type]
        self.budget = 0  # as it is in the words
        self.first_output = behind = FIRST_INPUT + len(INPUT) * len(plan.inputs)
        self.at = [*range(FIRST_INPUT, behind, len(INPUT)), *[behind + n * len(OUTPUT) for n in range(len(plan.outputs))]]
        self.steps, self.like = list[int](), None  # bytes from one world to the next, of each array; what the arrays of the last run were

    def run(
        self,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray],
        start: int,
        stop: int,
        count: int = 0,
        stride: int = 1,
        halt: Event | None = None,
        worlds: int = 1,
    ) -> int:
        """Run worlds start..stop of so many. inputs: (worlds, columns) or (columns,) for all; outputs: (samples, worlds, columns).

        halt: once it is set, by another thread, the run is given up with a Halted.
        """
        arrays = (*inputs, *outputs)
        try:
            places = [addressof(from_buffer(a)) for a in arrays]  # type: ignore[arg-type]  raises unless it lies by rows and can be written
            like = (len(inputs), worlds, count, [a.shape for a in arrays], [a.dtype for a in arrays])
        except (TypeError, ValueError, BufferError):
            places, like = None, None
        if like is None or like != self.like:  # arrays like those before have passed the door, and their steps are in the words
            self.like = None
            self.lowered.door.check(inputs, outputs, worlds, count)
            self.step_through(inputs, outputs)
            self.like = like
        cells, steps = self.cells, self.steps
        cells[3], cells[5], cells[6] = stop - start, count, stride
        for at, place, step in zip(self.at, places or map(address, arrays), steps):
            cells[at] = place + start * step
        return self.go_on(halt)

    def step_through(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
        """Note how far worlds, turns and samples of arrays are apart."""
        cells, fed, size = self.cells, self.lowered.plan.fed, self.lowered.dtype.itemsize
        steps = [a.shape[-1] if a.ndim == 2 + (n in fed) else 0 for n, a in enumerate(inputs)] + [a.shape[-1] for a in outputs]
        for at, step in zip(self.at, steps):
            cells[at + 1] = step
        for n in fed:
            cells[self.at[n] + 4] = inputs[n][0].size
        for at, array in zip(self.at[len(inputs) :], outputs):
            cells[at + 2] = array.shape[-1] * array.shape[-2]
        if outputs:
            cells[ROOM] = len(outputs[0])
        self.steps = [size * step for step in steps]

    def go_on(self, halt: Event | None) -> int:
        """Call the entry until it is done; in between, Python handles signals, and may raise KeyboardInterrupt."""
        lowered, entry = self.lowered, self.lowered.entry
        while True:
            budget = lowered.budget
            if budget != self.budget:
                self.budget = self.words[BUDGET] = budget
            began = perf_counter()
            status = entry(self.pointer)
            if status != PAUSED:
                return status
            took = max(perf_counter() - began, 1e-9)
            lowered.budget = max(SMALLEST, int(budget * min(SECONDS / took, 8.0)))
            if halt is not None and halt.is_set():
                raise Halted

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], int]:
        """A call for one world with fixed arrays, for the least overhead."""
        self.run(inputs, [o[None, None] for o in outputs], 0, 0)
        self.words[3], self.words[BUDGET] = 1, UNLIMITED
        entry, pointer = self.lowered.entry, self.pointer
        return lambda held=self: entry(pointer)  # the code and its memory live as long as the call


class Executable(Runner):
    """A plan, lowered for one world and for lanes when each is first called."""

    def __init__(self, plan: Plan, dtype: str = "float64") -> None:
        self.plan, self.dtype = plan, np.dtype(dtype)
        if self.dtype.name not in ELEMENT:
            raise RedmaxError(f"dtype is {brief(dtype)}, expected 'float64' or 'float32'.")
        self.inputs, self.outputs = plan.names
        self.door = Door(plan, self.dtype)
        self.widths: dict[int, Lowered] = {}

    @property
    def width(self) -> int:
        """Worlds side by side in one run of many."""
        return host().lanes(self.dtype)

    def prepare(self, worlds: int) -> None:
        """Compile for one world, or for lanes."""
        self.lowered(1 if worlds == 1 else self.width)

    def bind(self, inputs: Arrays, outputs: Arrays) -> Callable[[], int]:
        """A call of scalar code over a workspace of its own."""
        return self.lowered(1).take().bind(*self.door.ordered(inputs, outputs))

    def lowered(self, lanes: int) -> Lowered:
        """Code and tables for so many worlds side by side."""
        if lanes not in self.widths:
            self.widths[lanes] = Lowered(self.plan, lanes, self.dtype)
        return self.widths[lanes]

    def run(
        self,
        inputs: Arrays,
        outputs: Arrays,
        worlds: int,
        count: int = 0,
        stride: int = 1,
        lanes: int | None = None,
        workers: int | None = None,
    ) -> int:
        """See `Runner.run`. lanes: worlds side by side; workers: threads."""
        inputs, outputs = self.door.ordered(inputs, outputs)
        lanes = lanes or (1 if worlds == 1 else self.width)
        lowered = self.lowered(lanes)

        def part(start: int, stop: int, halt: Event | None = None) -> int:
            workspace, began = lowered.take(), perf_counter()
            status = workspace.run(inputs, outputs, start, stop, count, stride, halt, worlds)
            if not self.plan.parting:
                lowered.pace = (perf_counter() - began) / max(1, (stop - start) // lanes * max(1, count))
            lowered.give(workspace)  # one whose run was given up is not used again
            return status

        groups = -(-worlds // lanes)
        chosen = 1  # of one group, nobody needs to know how many threads there are
        if groups > 1:
            chosen = min(workers, groups) if workers else worth(groups, lowered.pace * groups * max(1, count))
        if chosen == 1:
            status = part(0, worlds)
        else:
            status = together(part, [min(lanes * (groups * k // chosen), worlds) for k in range(chosen + 1)])
        self.door.leave(outputs)
        return status


class LLVM(Backend):
    """Plans as compiled code, short ones without loops over rows; where a plan calls Python, both in turns."""

    def describe(self, group: Group) -> Meta:
        """From the cache, if some process has traced the group before."""
        return library().describe(group)

    def plan(self, model: Mechanism, program: Program) -> Plan:
        """Runs that are short enough as straight-line code."""
        return fuse(self.rolled(model, program), self.describe)

    def runner(self, plan: Plan, dtype: str) -> Runner:
        """Compiled, or where the plan calls Python, in turns with it."""
        if not plan.program.hosted:
            return Executable(plan, dtype)
        from redmax.backends.llvm.hosted import Hosted

        return Hosted(plan, dtype)
