"""Loops and branches whose flags differ from lane to lane: worlds that are done keep their values while the others go on.

Kernels know no masks. A loop or branch keeps the set of lanes that are in it as the bits of one word. Where all lanes that come to it
agree, nothing else happens. Where they part, what outlives a run of rows (`guarded`: states, the world's record, matrices) is copied, the
body runs in all lanes, and those that are not in the body get their values back:

    repeat:  stay = here & ~flag; if some left: saved = values; body; values = stay ? values : saved
    branch:  in = here & flag;    if not all:   saved = values; body; values = in ? values : saved

Masks nest: each loop or branch has copies of its own, of what its body stores to. Samples are written lane by lane, each with its own
count of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redmax.backends.llvm.driver import DriverWriter
from redmax.backends.llvm.lane_guard import GUARD, OF_LANES, flagged, restore_text, save_text, unpack_lane_text
from redmax.backends.llvm.target import constant, element_of, lanes_of
from redmax.program.blocks import Block, BranchRuns, RepeatRuns
from redmax.program.plan import count_repeats


@dataclass
class LaneDriverWriter(DriverWriter):
    """Writes the entry function of a program whose worlds may part."""

    inside: int = -1  # the number of the mask of the innermost loop or branch; -1: outside of all
    masks: int = 0

    def slots(self, blocks: Sequence[Block]) -> None:
        """Beside the others, where masks and counts of lanes are kept."""
        super().slots(blocks)
        lanes, first = lanes_of(self.ty), self.first_counter + count_repeats(blocks)
        for k, name in enumerate(OF_LANES):
            self.lines.append(f"%lane.{name} = getelementptr i64, ptr %args, i64 {first + k * lanes}")
        for n in range(len(flagged(blocks))):
            at = first + len(OF_LANES) * lanes + n * len(GUARD)
            for i, (name, kind) in enumerate(zip(GUARD, ("ptr", "i64", "ptr"), strict=False)):
                self.word(at + i, f"guard{n}.{name}", kind)
            self.lines.append(f"%mask{n}.slot = getelementptr i64, ptr %args, i64 {at + GUARD.index('mask')}")

    def begin_group(self) -> None:
        """No lane has a sample yet; its world is the first of the group and as many as it is lanes away from that."""
        self.lines.append("%begin.world = load i64, ptr %world.slot")
        for n in range(lanes_of(self.ty)):
            self.lines.append(f"%begin.world{n} = add i64 %begin.world, {n}")
            for name, value in zip(OF_LANES, ("0", "0", f"%begin.world{n}"), strict=True):
                at = f"%begin.{name}{n}.at"
                self.lines.append(f"{at} = getelementptr i64, ptr %lane.{name}, i64 {n}\nstore i64 {value}, ptr {at}")

    def texts(self) -> list[str]:
        """The functions that the entry calls."""
        return [*super().texts(), save_text(self.ty), restore_text(self.ty), unpack_lane_text(self.ty)]

    def active(self, name: str) -> str:
        """The lanes that come here."""
        if self.inside < 0:
            return str(2 ** lanes_of(self.ty) - 1)
        self.lines.append(f"%{name} = load i64, ptr %mask{self.inside}.slot")
        return f"%{name}"

    def set_lanes(self, slot: int, name: str) -> str:
        """The lanes in which a field of the world is nonzero, as bits."""
        lanes = lanes_of(self.ty)
        self.lines.append(f"%{name}.at = getelementptr {self.ty}, ptr %workspace, i64 {slot}")
        self.lines.append(f"%{name}.v = load {self.ty}, ptr %{name}.at")
        self.lines.append(f"%{name}.c = fcmp une {self.ty} %{name}.v, {constant(0.0, self.ty)}")
        self.lines.append(f"%{name}.b = bitcast <{lanes} x i1> %{name}.c to i{lanes}")
        self.lines.append(f"%{name} = zext i{lanes} %{name}.b to i64")
        return f"%{name}"

    def guard(self, mask: int) -> str:
        """What @save and @restore are told of it."""
        return f"ptr %guard{mask}.slots, i64 %guard{mask}.guards, ptr %workspace, ptr %guard{mask}.copy"

    def body(self, block: RepeatRuns | BranchRuns, mask: int) -> None:
        """What is inside, with its own lanes."""
        outer, self.inside = self.inside, mask
        self.blocks(block.body)
        self.inside = outer

    def restore(self, name: str, mask: int) -> None:
        """Lanes that came here but not into the body get their values back."""
        emit = self.lines.append
        outer = self.active(f"{name}.outer")
        emit(f"%{name}.ran = load i64, ptr %mask{mask}.slot")
        emit(f"%{name}.all = icmp eq i64 %{name}.ran, {outer}")
        emit(f"br i1 %{name}.all, label %{name}.whole, label %{name}.mend\n{name}.mend:")
        emit(f"call void @restore({self.guard(mask)}, i64 %{name}.ran)")
        emit(f"br label %{name}.whole\n{name}.whole:")

    def repeat(self, block: RepeatRuns) -> None:
        """Until the flag is set in all lanes that came; a count is the same for all."""
        if block.until < 0:
            super().repeat(block)
            return
        name, mask, emit = self.label(), self.masks, self.lines.append
        self.masks, self.repeats = self.masks + 1, self.repeats + 1
        emit(f"store i64 {self.active(f'{name}.come')}, ptr %mask{mask}.slot")
        emit(f"br label %{name}.test\n{name}.test:")
        emit(f"%{name}.were = load i64, ptr %mask{mask}.slot")
        stop = self.set_lanes(block.until, f"{name}.stop")
        emit(f"%{name}.not = xor i64 {stop}, -1")
        emit(f"%{name}.stay = and i64 %{name}.were, %{name}.not")
        emit(f"%{name}.none = icmp eq i64 %{name}.stay, 0")
        emit(f"br i1 %{name}.none, label %{name}.end, label %{name}.some\n{name}.some:")
        emit(f"%{name}.same = icmp eq i64 %{name}.stay, %{name}.were")
        emit(f"br i1 %{name}.same, label %{name}.ask, label %{name}.part\n{name}.part:")
        emit(f"call void @save({self.guard(mask)})")  # those that were done before hold their values again
        emit(f"store i64 %{name}.stay, ptr %mask{mask}.slot")
        emit(f"br label %{name}.ask")
        self.ask(f"{name}", f"{name}.test")
        self.body(block, mask)
        self.restore(f"{name}.r", mask)
        emit(f"br label %{name}.test\n{name}.end:")

    def branch(self, block: BranchRuns) -> None:
        """In the lanes in which the flag is set."""
        name, mask, emit = self.label(), self.masks, self.lines.append
        self.masks += 1
        come = self.active(f"{name}.come")
        emit(f"%{name}.in = and i64 {self.set_lanes(block.flag, f'{name}.set')}, {come}")
        emit(f"store i64 %{name}.in, ptr %mask{mask}.slot")
        emit(f"%{name}.none = icmp eq i64 %{name}.in, 0")
        emit(f"br i1 %{name}.none, label %{name}.end, label %{name}.some\n{name}.some:")
        emit(f"%{name}.same = icmp eq i64 %{name}.in, {come}")
        emit(f"br i1 %{name}.same, label %{name}.body, label %{name}.part\n{name}.part:")
        emit(f"call void @save({self.guard(mask)})")
        emit(f"br label %{name}.body\n{name}.body:")
        self.body(block, mask)
        self.restore(f"{name}.r", mask)
        emit(f"br label %{name}.end\n{name}.end:")

    def strided_save(self) -> None:
        """At each `stride`-th visit of a lane."""
        self.save_lanes(strided=True)

    def save(self) -> None:
        """The lanes that come here, each as its own next sample, if there is room for it."""
        self.save_lanes(strided=False)

    def save_lanes(self, strided: bool) -> None:
        """Lane after lane."""
        name, emit, element = self.label(), self.lines.append, element_of(self.ty)
        active = self.active(f"{name}.active")
        emit(f"%{name}.here = load i64, ptr %here.slot")
        emit(f"br label %{name}.start\n{name}.start:\nbr label %{name}.head\n{name}.head:")
        emit(f"%{name}.l = phi i64 [ 0, %{name}.start ], [ %{name}.l1, %{name}.next ]")
        emit(f"%{name}.more = icmp slt i64 %{name}.l, %{name}.here")
        emit(f"br i1 %{name}.more, label %{name}.look, label %{name}.end\n{name}.look:")
        emit(f"%{name}.shifted = lshr i64 {active}, %{name}.l")
        emit(f"%{name}.bit = trunc i64 %{name}.shifted to i1")
        emit(f"br i1 %{name}.bit, label %{name}.lane, label %{name}.next\n{name}.lane:")
        if strided:
            self.count_visit(name)
        emit(f"%{name}.sp = getelementptr i64, ptr %lane.samples, i64 %{name}.l")
        emit(f"%{name}.sample = load i64, ptr %{name}.sp")
        emit(f"%{name}.fits = icmp slt i64 %{name}.sample, %room")
        emit(f"br i1 %{name}.fits, label %{name}.put, label %{name}.next\n{name}.put:")
        emit(f"%{name}.wp = getelementptr i64, ptr %lane.worlds, i64 %{name}.l")
        emit(f"%{name}.world = load i64, ptr %{name}.wp")
        emit(f"%{name}.from = getelementptr {element}, ptr %workspace, i64 %{name}.l")
        for n in range(self.outputs):
            emit(f"%{name}.wo{n} = mul i64 %{name}.world, %out{n}.stride")
            emit(f"%{name}.so{n} = mul i64 %{name}.sample, %out{n}.sample_stride")
            emit(f"%{name}.o{n} = add i64 %{name}.wo{n}, %{name}.so{n}")
            emit(f"%{name}.at{n} = getelementptr {element}, ptr %out{n}.array, i64 %{name}.o{n}")
            common = f"ptr %out{n}.slots, i64 %out{n}.columns, ptr %{name}.from"
            self.note(f"{name}.out{n}", f"@unpack_lane(ptr %{name}.at{n}, {common})")
        emit(f"%{name}.s1 = add i64 %{name}.sample, 1\nstore i64 %{name}.s1, ptr %{name}.sp\nbr label %{name}.next")
        emit(f"{name}.next:\n%{name}.l1 = add i64 %{name}.l, 1\nbr label %{name}.head\n{name}.end:")

    def count_visit(self, name: str) -> None:
        """Go on with block `due` at each stride-th visit of this lane."""
        emit = self.lines.append
        emit(f"%{name}.vp = getelementptr i64, ptr %lane.visits, i64 %{name}.l")
        emit(f"%{name}.v = load i64, ptr %{name}.vp")
        emit(f"%{name}.v1 = add i64 %{name}.v, 1")
        emit(f"%{name}.due = icmp sge i64 %{name}.v1, %stride")
        emit(f"%{name}.v2 = select i1 %{name}.due, i64 0, i64 %{name}.v1\nstore i64 %{name}.v2, ptr %{name}.vp")
        emit(f"br i1 %{name}.due, label %{name}.now, label %{name}.next\n{name}.now:")
