"""The compiled loop around the kernels: one entry function for each shape of program, whatever the model.

Rows are threaded code: each holds the address of a kernel and the byte offsets of its places. Running a recursion is calling row after
row. The entry takes one pointer to 64-bit words (`ARGUMENTS` below, then inputs, outputs, runs and counters of loops) and returns 1 if an
input or output is not finite.

Python hears of Ctrl-C only between two calls, so that a call may not be long: each turn of a loop, each group of worlds and each wide row
takes one of the `budget`. When it is spent, the entry notes the `site` where it is and returns PAUSED; called again, it goes on there, with
the same numbers, as all it knows is in the words and in the workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from redmax.backends.llvm.rows import RUN_TEXT, WIDE_TEXT
from redmax.backends.llvm.target import constant, element_of, ir_type, lanes_of, suffix
from redmax.backends.llvm.transfer import pack_text, unpack_text
from redmax.backends.llvm.words import PAUSED, WordReader
from redmax.program.blocks import Block, BranchRuns, FedRun, RepeatRuns, Run, WideRun
from redmax.program.plan import Plan, runs_of
from redmax.program.program import Save


@dataclass
class DriverWriter(WordReader):
    """Writes the entry function of one shape of program."""

    straight: bool = True
    fed: frozenset[int] = frozenset()  # inputs that come turn by turn
    sites: list[str] = field(default_factory=list)  # the blocks with which a call may go on
    runs: int = 0
    labels: int = 0
    needs: dict[str, str] = field(default_factory=dict)  # intrinsic functions, declared

    def write(self, blocks: Sequence[Block]) -> str:
        """The text of the module: the functions that the entry calls, and the entry, which begins, or goes on at a site."""
        self.total_runs = len(runs_of(blocks))
        self.read_arguments(self.total_runs)
        self.slots(blocks)
        head, self.lines = self.lines, []
        emit = self.lines.append
        emit("begin:")
        for name in ("status", "samples", "world", "row"):
            emit(f"store i64 0, ptr %{name}.slot")
        self.worlds_in_turn(blocks)
        emit("finish:\nstore i64 0, ptr %site.slot")
        emit("%status = load i64, ptr %status.slot")
        emit("ret i64 %status\n}")
        sites = " ".join(f"i64 {n}, label %{label}" for n, label in enumerate(self.sites, 1))
        head.append("store i64 %budget, ptr %left.slot")
        switch = f"switch i64 %site, label %begin [ {sites} ]"
        code = self.read_where_used([*head, switch, *self.lines])
        return "\n".join([*self.texts(), "define i64 @entry(ptr %args) nounwind {\nentry:", *code])

    def worlds_in_turn(self, blocks: Sequence[Block]) -> None:
        """Group after group, each of as many worlds as there are lanes; then to block `finish`."""
        lanes, emit = lanes_of(self.ty), self.lines.append
        emit("br label %worldloop\nworldloop:")
        emit("%world = load i64, ptr %world.slot")
        emit("%world.go = icmp slt i64 %world, %worlds")
        emit("br i1 %world.go, label %world.ask, label %finish")
        self.ask("world", "worldloop")
        emit("%ahead = sub i64 %worlds, %world")
        emit(f"%crowd = icmp sgt i64 %ahead, {lanes}")
        emit(f"%few = select i1 %crowd, i64 {lanes}, i64 %ahead")
        emit("store i64 %few, ptr %here.slot")
        emit("store i64 0, ptr %turn.slot")
        self.begin_group()
        self.pack_group()
        self.blocks(blocks)
        if self.straight:
            self.save()
        emit("%world.done = load i64, ptr %world.slot")
        emit(f"%world.next = add i64 %world.done, {lanes}")
        emit("store i64 %world.next, ptr %world.slot")
        emit("br label %worldloop")

    def pack_group(self) -> None:
        """The inputs of %few worlds, those that come turn by turn left out."""
        emit = self.lines.append
        emit("%packing = icmp ne i64 %pack, 0")
        emit("br i1 %packing, label %pack.body, label %pack.end\npack.body:")
        for n in (n for n in range(self.inputs) if n not in self.fed):
            self.address(f"in{n}", f"in{n}.at", element_of(self.ty))
            columns = f"ptr %in{n}.slots, i64 %in{n}.columns, ptr %workspace"
            self.note(f"in{n}", f"@pack(ptr %in{n}.at, i64 %in{n}.stride, {columns}, i64 %few)")
        emit("br label %pack.end\npack.end:")

    def begin_group(self) -> None:
        """Worlds that begin have no samples yet."""
        self.lines += ["store i64 0, ptr %samples.slot", "store i64 0, ptr %visit.slot"]

    def texts(self) -> list[str]:
        """The functions that the entry calls."""
        return [*self.needs.values(), pack_text(self.ty), unpack_text(self.ty), RUN_TEXT, WIDE_TEXT]

    def ask(self, name: str, resume: str) -> None:
        """Block `ask`: take one of the budget and go on to block `body`, or pause; `resume` is the block to go on with."""
        emit = self.lines.append
        emit(f"{name}.ask:")
        emit(f"%{name}.had = load i64, ptr %left.slot")
        emit(f"%{name}.less = sub i64 %{name}.had, 1")
        emit(f"store i64 %{name}.less, ptr %left.slot")
        emit(f"%{name}.spent = icmp eq i64 %{name}.less, 0")
        emit(f"br i1 %{name}.spent, label %{name}.pause, label %{name}.body")
        self.pause(name, resume)
        emit(f"{name}.body:")

    def pause(self, name: str, resume: str) -> None:
        """Block `pause`: leave, to go on with the block `resume`, which no value from before may reach but through the words."""
        self.sites.append(resume)
        self.lines.append(f"{name}.pause:\nstore i64 {len(self.sites)}, ptr %site.slot\nret i64 {PAUSED}")

    def address(self, array: str, name: str, element: str) -> None:
        """The row of this group's first world in an array."""
        self.lines.append(f"%{name}.world = load i64, ptr %world.slot")
        self.lines.append(f"%{name}.o = mul i64 %{name}.world, %{array}.stride")
        self.lines.append(f"%{name} = getelementptr {element}, ptr %{array}.array, i64 %{name}.o")

    def note(self, name: str, call: str) -> None:
        """Move values, and remember if one of them is not finite."""
        self.lines.append(f"%{name}.bad = call i64 {call}")
        self.lines.append(f"%{name}.old = load i64, ptr %status.slot")
        self.lines.append(f"%{name}.new = or i64 %{name}.old, %{name}.bad")
        self.lines.append(f"store i64 %{name}.new, ptr %status.slot")

    def label(self) -> str:
        """A name that no other block of the entry has."""
        self.labels += 1
        return f"b{self.labels}"

    def blocks(self, blocks: Sequence[Block]) -> None:
        """The code of blocks, one after the other: calls for rows, and jumps around them for all else."""
        for block in blocks:
            if isinstance(block, Run):
                n = self.runs
                self.runs += 1
                self.lines.append(f"call void @run(ptr %run{n}.rows, i64 %run{n}.count, ptr %constants, ptr %workspace, ptr %accumulators)")
            elif isinstance(block, WideRun):
                self.run_wide(block)
            elif isinstance(block, RepeatRuns):
                self.repeat(block)
            elif isinstance(block, BranchRuns):
                self.branch(block)
            elif isinstance(block, Save):
                self.strided_save() if block.strided else self.save()
            elif isinstance(block, FedRun):
                self.feed(block)
            else:
                raise TypeError("a program that calls Python is run by backends.hosted")

    def run_wide(self, block: WideRun) -> None:
        """Wide rows are long, so that a call may be left between two of them; the word `row` says with which it goes on."""
        n, name = self.runs, self.label()
        self.runs += 1
        self.lines.append(f"br label %{name}.rows\n{name}.rows:")
        count = f"%run{n}.count" if block.count < 0 else self.most_rows(block.count, f"%run{n}.count", name)
        rows = f"ptr %run{n}.rows, i64 {count}, i64 %run{n}.words, ptr %constants, ptr %workspace"
        self.lines.append(f"%{name}.spent = call i1 @run_wide({rows}, ptr %row.slot, ptr %left.slot)")
        self.lines.append(f"br i1 %{name}.spent, label %{name}.pause, label %{name}.end")
        self.pause(name, f"{name}.rows")
        self.lines.append(f"{name}.end:")

    def most_rows(self, slot: int, capacity: str, name: str) -> str:
        """How many rows run: as many as the world has that has most of them, and never more than there may be."""
        lanes, emit, whole = lanes_of(self.ty), self.lines.append, ir_type("i64", lanes_of(self.ty))
        self.needs |= {"f": f"declare {whole} @llvm.fptosi.sat.{suffix(whole)}.{suffix(self.ty)}({self.ty})"}
        emit(f"%{name}.at = getelementptr {self.ty}, ptr %workspace, i64 {slot}")
        emit(f"%{name}.v = load {self.ty}, ptr %{name}.at")
        emit(f"%{name}.i = call {whole} @llvm.fptosi.sat.{suffix(whole)}.{suffix(self.ty)}({self.ty} %{name}.v)")
        largest = f"%{name}.i"
        if lanes > 1:
            self.needs["max"] = f"declare i64 @llvm.vector.reduce.smax.{suffix(whole)}({whole})"
            emit(f"%{name}.m = call i64 @llvm.vector.reduce.smax.{suffix(whole)}({whole} {largest})")
            largest = f"%{name}.m"
        emit(f"%{name}.over = icmp sgt i64 {largest}, {capacity}")
        emit(f"%{name}.rows.count = select i1 %{name}.over, i64 {capacity}, i64 {largest}")
        return f"%{name}.rows.count"

    def repeat(self, block: RepeatRuns) -> None:
        """With a count: the body that many times. With a flag: test, then the body, until the flag is set."""
        name = self.label()
        emit = self.lines.append
        slot = f"%repeat{self.repeats}.slot"
        self.repeats += 1
        emit(f"store i64 0, ptr {slot}")
        emit(f"br label %{name}.test\n{name}.test:")
        if block.until < 0:
            emit(f"%{name}.counter = load i64, ptr {slot}")
            emit(f"%{name}.stop = icmp sge i64 %{name}.counter, %count")
        else:
            self.flag(block.until, f"{name}.stop")
        emit(f"br i1 %{name}.stop, label %{name}.end, label %{name}.ask")
        self.ask(name, f"{name}.test")
        self.blocks(block.body)
        if block.until < 0:
            emit(f"%{name}.done = load i64, ptr {slot}")
            emit(f"%{name}.next = add i64 %{name}.done, 1")
            emit(f"store i64 %{name}.next, ptr {slot}")
        emit(f"br label %{name}.test\n{name}.end:")

    repeats: int = 0

    def branch(self, block: BranchRuns) -> None:
        """The body where the flag is set, and past it where not."""
        name = self.label()
        self.flag(block.flag, f"{name}.set")
        self.lines.append(f"br i1 %{name}.set, label %{name}.body, label %{name}.end\n{name}.body:")
        self.blocks(block.body)
        self.lines.append(f"br label %{name}.end\n{name}.end:")

    def flag(self, slot: int, name: str) -> None:
        """Whether a field of the world is nonzero, of one world (lane_flow.py: of several)."""
        element = element_of(self.ty)
        self.lines.append(f"%{name}.at = getelementptr {self.ty}, ptr %workspace, i64 {slot}")
        self.lines.append(f"%{name}.v = load {element}, ptr %{name}.at")
        self.lines.append(f"%{name} = fcmp une {element} %{name}.v, {constant(0.0, element)}")

    def feed(self, block: FedRun) -> None:
        """The row of this turn of inputs that have one for each."""
        name, emit, element = self.label(), self.lines.append, element_of(self.ty)
        emit(f"%{name}.turn = load i64, ptr %turn.slot")
        emit(f"%{name}.few = load i64, ptr %here.slot")
        for n in block.inputs:
            self.address(f"in{n}", f"{name}.in{n}", element)
            emit(f"%{name}.to{n} = mul i64 %{name}.turn, %in{n}.turn_stride")
            emit(f"%{name}.at{n} = getelementptr {element}, ptr %{name}.in{n}, i64 %{name}.to{n}")
            columns = f"ptr %in{n}.slots, i64 %in{n}.columns, ptr %workspace"
            self.note(f"{name}.i{n}", f"@pack(ptr %{name}.at{n}, i64 %in{n}.stride, {columns}, i64 %{name}.few)")
        emit(f"%{name}.next = add i64 %{name}.turn, 1")
        emit(f"store i64 %{name}.next, ptr %turn.slot")

    def strided_save(self) -> None:
        """Save at each `stride`-th visit."""
        name = self.label()
        emit = self.lines.append
        emit(f"%{name}.v = load i64, ptr %visit.slot")
        emit(f"%{name}.n = add i64 %{name}.v, 1")
        emit(f"%{name}.due = icmp sge i64 %{name}.n, %stride")
        emit(f"%{name}.w = select i1 %{name}.due, i64 0, i64 %{name}.n")
        emit(f"store i64 %{name}.w, ptr %visit.slot")
        emit(f"br i1 %{name}.due, label %{name}.save, label %{name}.end\n{name}.save:")
        self.save()
        emit(f"br label %{name}.end\n{name}.end:")

    def save(self) -> None:
        """Write the outputs as the next sample, if there is room for it: a program that saves too often never leaves its arrays."""
        name = self.label()
        emit = self.lines.append
        element = element_of(self.ty)
        emit(f"%{name}.sample = load i64, ptr %samples.slot")
        emit(f"%{name}.fits = icmp slt i64 %{name}.sample, %room")
        emit(f"br i1 %{name}.fits, label %{name}.put, label %{name}.full\n{name}.put:")
        emit(f"%{name}.here = load i64, ptr %here.slot")
        for n in range(self.outputs):
            self.address(f"out{n}", f"{name}.out{n}", element)
            emit(f"%{name}.so{n} = mul i64 %{name}.sample, %out{n}.sample_stride")
            emit(f"%{name}.at{n} = getelementptr {element}, ptr %{name}.out{n}, i64 %{name}.so{n}")
            common = f"ptr %out{n}.slots, i64 %out{n}.columns, ptr %workspace"
            self.note(f"{name}.o{n}", f"@unpack(ptr %{name}.at{n}, i64 %out{n}.stride, {common}, i64 %{name}.here)")
        emit(f"%{name}.next = add i64 %{name}.sample, 1")
        emit(f"store i64 %{name}.next, ptr %samples.slot")
        emit(f"br label %{name}.full\n{name}.full:")


def driver_text(plan: Plan, ty: str) -> str:
    """The entry function for this plan's shape; it does not depend on the model."""
    return writer_of(plan, ty)(ty, len(plan.inputs), len(plan.outputs), straight=plan.program.straight, fed=plan.fed).write(plan.blocks)


def writer_of(plan: Plan, ty: str) -> type[DriverWriter]:
    """Who writes it: worlds in lanes may part, and where nothing is left to do once they have, each makes room for the next."""
    if lanes_of(ty) == 1 or not plan.parting:
        return DriverWriter
    from redmax.backends.llvm.lane_flow import LaneDriverWriter
    from redmax.backends.llvm.lane_guard import queued

    if not queued(plan):
        return LaneDriverWriter
    from redmax.backends.llvm.lane_queue import QueueDriverWriter

    return QueueDriverWriter
