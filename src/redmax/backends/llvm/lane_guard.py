"""What lanes keep while others go on without them: which slots, where their copies lie, and the functions that copy them, as IR text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from redmax.backends.llvm.engine import library
from redmax.backends.llvm.target import constant, element_of, lanes_of
from redmax.backends.llvm.transfer import size_of
from redmax.program.blocks import Block, BranchRuns, RepeatRuns
from redmax.program.plan import Plan
from redmax.program.program import Save
from redmax.program.written import written

GUARD = (
    "slots",
    "guards",
    "copy",
    "mask",
)  # words of each flag: what is guarded (in bytes), how many, where copies lie; which lanes are in

OF_LANES = ("samples", "visits", "worlds")  # words that each lane has: how many samples, and visits since the last; which world


def flagged(blocks: Sequence[Block]) -> list[RepeatRuns | BranchRuns]:
    """The loops and branches that ask for a flag, each before those inside of it."""
    found: list[RepeatRuns | BranchRuns] = []
    for b in blocks:
        if isinstance(b, RepeatRuns | BranchRuns):
            found += [b] if isinstance(b, BranchRuns) or b.until >= 0 else []
            found += flagged(b.body)
    return found


def queued(plan: Plan) -> bool:
    """Whether a world has nothing left to do once the last loop is over, and has not begun to save before it."""
    *before, last = plan.blocks
    ends = isinstance(last, RepeatRuns) and last.until >= 0
    return ends and not (plan.program.straight or plan.fed or saves(before))


def saves(blocks: Sequence[Block]) -> bool:
    """Whether samples are written somewhere."""
    return any(isinstance(b, Save) or (isinstance(b, RepeatRuns | BranchRuns) and saves(b.body)) for b in blocks)


def guarded_slots(plan: Plan) -> list[np.ndarray]:
    """For each flag, what its body stores to and outlives a run of rows: what the plan says is kept of the records, or lies behind them.

    For the loop in which worlds make room for others (lane_queue.py), what a world's beginning stores to.
    """
    outlives = np.ones(plan.workspace + plan.accumulators, bool)
    if plan.kept:
        outlives[: plan.workspace] = False
        outlives[sorted(plan.kept)] = True
    bodies = [plan.blocks[:-1] if b is plan.blocks[-1] and queued(plan) else b.body for b in flagged(plan.blocks)]
    return [np.flatnonzero(outlives & written(plan, body, library().stores)) for body in bodies]


def lane_words(guarded: Sequence[np.ndarray], lanes: int, scalar: int, copies: int) -> list[int]:
    """Words behind the counters of loops: those of each lane, those of each flag, and then two of a queue of worlds.

    guarded: slots in bytes; scalar: bytes of a number; copies: the address where they lie, of one flag after the other
    """
    words = [0] * (len(OF_LANES) * lanes)
    for slots in guarded:
        words += [slots.ctypes.data, len(slots), copies, 0]
        copies += len(slots) * scalar * lanes
    return [*words, 0, 0]


def each(name: str, arguments: str, count: str, before: str, body: str) -> str:
    """A function that does something for each i from 0 to count."""
    return f"""define internal void @{name}({arguments}) nounwind {{
entry:
{before}%some = icmp sgt i64 {count}, 0
br i1 %some, label %loop, label %end
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
%next = add i64 %i, 1
%again = icmp slt i64 %next, {count}
br i1 %again, label %loop, label %end
end:
ret void
}}
"""


def slot_text(ty: str) -> str:
    """%at: the i-th guarded slot; %copy: its copy."""
    return f"""%sp = getelementptr i64, ptr %slots, i64 %i
%so = load i64, ptr %sp, align 8
%at = getelementptr i8, ptr %workspace, i64 %so
%copy = getelementptr {ty}, ptr %saved, i64 %i
%now = load {ty}, ptr %at, align {size_of(ty) * lanes_of(ty)}"""


ARGUMENTS = "ptr noalias %slots, i64 %count, ptr noalias %workspace, ptr noalias %saved"


def save_text(ty: str) -> str:
    """@save(slots, count, workspace, saved): copy slots."""
    body = f"{slot_text(ty)}\nstore {ty} %now, ptr %copy, align {size_of(ty) * lanes_of(ty)}"
    return each("save", ARGUMENTS, "%count", "", body)


def restore_text(ty: str) -> str:
    """@restore(slots, count, workspace, saved, ran): lanes that are not among those which ran get their copy back."""
    lanes, align = lanes_of(ty), size_of(ty) * lanes_of(ty)
    before = f"%bits = trunc i64 %ran to i{lanes}\n%keep = bitcast i{lanes} %bits to <{lanes} x i1>\n"
    body = f"""{slot_text(ty)}
%old = load {ty}, ptr %copy, align {align}
%new = select <{lanes} x i1> %keep, {ty} %now, {ty} %old
store {ty} %new, ptr %at, align {align}"""
    return each("restore", f"{ARGUMENTS}, i64 %ran", "%count", before, body)


def unpack_lane_text(ty: str) -> str:
    """@unpack_lane(array, slots, columns, lane): one lane's slots into a row; 1 if a value is not finite."""
    return lane_text(ty, "unpack_lane", "%at", "%to")


def pack_lane_text(ty: str) -> str:
    """@pack_lane(array, slots, columns, lane): a row into one lane's slots; 1 if a value is not finite."""
    return lane_text(ty, "pack_lane", "%to", "%at")


def lane_text(ty: str, name: str, source: str, target: str) -> str:
    """Between a row, %to, and the slots of one lane, %at."""
    element, zero = element_of(ty), constant(0.0, element_of(ty))
    return f"""define internal i64 @{name}(ptr noalias %array, ptr noalias %slots, i64 %columns, ptr noalias %lane) nounwind {{
entry:
%some = icmp sgt i64 %columns, 0
br i1 %some, label %loop, label %end
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
%sum = phi {element} [ {zero}, %entry ], [ %total, %loop ]
%sp = getelementptr i64, ptr %slots, i64 %i
%so = load i64, ptr %sp, align 8
%at = getelementptr i8, ptr %lane, i64 %so
%to = getelementptr {element}, ptr %array, i64 %i
%v = load {element}, ptr {source}, align {size_of(ty)}
store {element} %v, ptr {target}, align {size_of(ty)}
%no = fmul {element} %v, {zero}
%total = fadd {element} %sum, %no
%next = add i64 %i, 1
%again = icmp slt i64 %next, %columns
br i1 %again, label %loop, label %end
end:
%all = phi {element} [ {zero}, %entry ], [ %total, %loop ]
%bad = fcmp une {element} %all, {zero}
%result = zext i1 %bad to i64
ret i64 %result
}}
"""
