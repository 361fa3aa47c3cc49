"""What XLA calls: a handler of its foreign function interface, written with the project's own LLVM, that runs compiled programs in place.

The handler reads XLA's call frame (xla/ffi/api/c_api.h, version 0.3; offsets below), takes a free set of words from a program's record,
writes the addresses of XLA's buffers there, and calls the program's entry: nothing is copied, Python is not asked, and several threads of
XLA may call at a time. One handler serves all programs; which one is meant is an attribute of the call, the address of its record.

Buffers are (..., n). Those whose leading axes have one entry altogether are the same for all worlds.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from uuid import uuid4

import llvmlite.binding as llvm
import numpy as np

from redmax.backends.llvm.code import Code
from redmax.backends.llvm.engine import content_key, library, source_key
from redmax.backends.llvm.executable import FIRST_INPUT, UNLIMITED, Executable, Workspace
from redmax.backends.llvm.target import host
from redmax.backends.llvm.words import ARGUMENTS, INPUT, OUTPUT

# A record: the entry of the program, how many arrays, where the words of the outputs begin; sets of words, their locks and addresses.
RECORD = ("entry", "inputs", "outputs", "first_output", "sets", "locks", "words")
VERSION, METADATA, EXECUTE = (0, 3), 1, 3  # XLA_FFI_API_MAJOR and _MINOR, XLA_FFI_Extension_Metadata, XLA_FFI_ExecutionStage_EXECUTE
WORLDS, BUDGET = ARGUMENTS.index("worlds"), ARGUMENTS.index("budget")

FRAME = {"extension": 8, "stage": 32, "arguments": 72, "results": 112, "attributes": 160}  # bytes into XLA_FFI_CallFrame
TEXT = """
declare i32 @sched_yield()

define internal i64 @leading(ptr %buffer) nounwind {{
entry:
%rank.p = getelementptr i8, ptr %buffer, i64 32
%rank = load i64, ptr %rank.p
%dims.p = getelementptr i8, ptr %buffer, i64 40
%dims = load ptr, ptr %dims.p
%most = sub i64 %rank, 1
br label %test
test:
%n = phi i64 [0, %entry], [%n.next, %body]
%all = phi i64 [1, %entry], [%all.next, %body]
%more = icmp slt i64 %n, %most
br i1 %more, label %body, label %done
body:
%dim.p = getelementptr i64, ptr %dims, i64 %n
%dim = load i64, ptr %dim.p
%all.next = mul i64 %all, %dim
%n.next = add i64 %n, 1
br label %test
done:
ret i64 %all
}}

define internal void @place(ptr %buffers, i64 %count, ptr %words, i64 %size) nounwind {{
entry:
br label %test
test:
%n = phi i64 [0, %entry], [%n.next, %body]
%more = icmp slt i64 %n, %count
br i1 %more, label %body, label %done
body:
%buffer.p = getelementptr ptr, ptr %buffers, i64 %n
%buffer = load ptr, ptr %buffer.p
%data.p = getelementptr i8, ptr %buffer, i64 24
%data = load i64, ptr %data.p
%rank.p = getelementptr i8, ptr %buffer, i64 32
%rank = load i64, ptr %rank.p
%dims.p = getelementptr i8, ptr %buffer, i64 40
%dims = load ptr, ptr %dims.p
%last = sub i64 %rank, 1
%columns.p = getelementptr i64, ptr %dims, i64 %last
%columns = load i64, ptr %columns.p
%rows = call i64 @leading(ptr %buffer)
%shared = icmp eq i64 %rows, 1
%stride = select i1 %shared, i64 0, i64 %columns
%at = mul i64 %n, %size
%address.p = getelementptr i64, ptr %words, i64 %at
store i64 %data, ptr %address.p
%stride.p = getelementptr i64, ptr %address.p, i64 1
store i64 %stride, ptr %stride.p
%n.next = add i64 %n, 1
br label %test
done:
ret void
}}

define ptr @handler(ptr %frame) nounwind {{
entry:
%extension.p = getelementptr i8, ptr %frame, i64 {extension}
%extension = load ptr, ptr %extension.p
%asked = icmp ne ptr %extension, null
br i1 %asked, label %which, label %staged
which:
%kind.p = getelementptr i8, ptr %extension, i64 8
%kind = load i32, ptr %kind.p
%metadata.asked = icmp eq i32 %kind, {metadata}
br i1 %metadata.asked, label %tell, label %staged
tell:
%metadata.p = getelementptr i8, ptr %extension, i64 24
%metadata = load ptr, ptr %metadata.p
%major.p = getelementptr i8, ptr %metadata, i64 24
store i32 {major}, ptr %major.p
%minor.p = getelementptr i8, ptr %metadata, i64 28
store i32 {minor}, ptr %minor.p
ret ptr null
staged:
%stage.p = getelementptr i8, ptr %frame, i64 {stage}
%stage = load i32, ptr %stage.p
%execute = icmp eq i32 %stage, {execute}
br i1 %execute, label %run, label %nothing
nothing:
ret ptr null
run:
%attributes.p = getelementptr i8, ptr %frame, i64 {attributes}
%attributes = load ptr, ptr %attributes.p
%attribute = load ptr, ptr %attributes
%value.p = getelementptr i8, ptr %attribute, i64 8
%value = load ptr, ptr %value.p
%record = load ptr, ptr %value
{read}
%arguments.p = getelementptr i8, ptr %frame, i64 {arguments}
%arguments = load ptr, ptr %arguments.p
%results.p = getelementptr i8, ptr %frame, i64 {results}
%results = load ptr, ptr %results.p
br label %seek
seek:
%set = phi i64 [0, %run], [%set.next, %taken], [0, %wait]
%some = icmp slt i64 %set, %sets
br i1 %some, label %try, label %wait
wait:
call i32 @sched_yield()
br label %seek
try:
%lock = getelementptr i64, ptr %locks, i64 %set
%pair = cmpxchg ptr %lock, i64 0, i64 1 acquire monotonic
%free = extractvalue {{ i64, i1 }} %pair, 1
br i1 %free, label %got, label %taken
taken:
%set.next = add i64 %set, 1
br label %seek
got:
%own.p = getelementptr ptr, ptr %words, i64 %set
%own = load ptr, ptr %own.p
%result = load ptr, ptr %results
%worlds = call i64 @leading(ptr %result)
%worlds.p = getelementptr i64, ptr %own, i64 {worlds}
store i64 %worlds, ptr %worlds.p
%inputs.p = getelementptr i64, ptr %own, i64 {first_input}
call void @place(ptr %arguments, i64 %inputs, ptr %inputs.p, i64 {input_size})
%outputs.p = getelementptr i64, ptr %own, i64 %first_output
call void @place(ptr %results, i64 %outputs, ptr %outputs.p, i64 {output_size})
%status = call i64 %entry.at(ptr %own)
store atomic i64 0, ptr %lock release, align 8
ret ptr null
}}
"""


def text() -> str:
    """The handler's code."""
    read = []
    for n, name in enumerate(RECORD):
        kind, called = ("ptr", "entry.at" if name == "entry" else name) if name in ("entry", "locks", "words") else ("i64", name)
        read += [f"%{name}.q = getelementptr i64, ptr %record, i64 {n}", f"%{called} = load {kind}, ptr %{name}.q"]
    return TEXT.format(
        **FRAME,
        metadata=METADATA,
        execute=EXECUTE,
        major=VERSION[0],
        minor=VERSION[1],
        read="\n".join(read),
        worlds=WORLDS,
        first_input=FIRST_INPUT,
        input_size=len(INPUT),
        output_size=len(OUTPUT),
    )


@cache
def handler() -> tuple[str, ctypes.c_void_p, Code]:
    """Its name, unlike any of another process, which may find what XLA has kept on disk; its address; and the code, to be held."""
    yields = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p).value
    assert yields is not None
    llvm.add_symbol("sched_yield", yields)
    code = library().function(content_key("xla", source_key(), text(), host().key), text, ["handler"])
    return f"redmax_{uuid4().hex}", ctypes.c_void_p(code.addresses["handler"]), code


class Record:
    """What the handler knows of a program for so many worlds side by side: held for good, as nobody knows what XLA still runs.

    operands, results: how many arrays are XLA's; last: arrays of ours, behind those
    """

    def __init__(self, runner: Executable, lanes: int, held: np.ndarray, results: int) -> None:
        lowered, plan = runner.lowered(lanes), runner.plan
        arrays = [np.zeros(len(slots), runner.dtype) for slots in plan.inputs[:-1]], [np.zeros(len(s), runner.dtype) for s in plan.outputs]
        self.held = *arrays[0], held, *arrays[1]
        self.sets = [self.words_of(lowered.take(), [*arrays[0], held], arrays[1]) for _ in range(2 * (os.cpu_count() or 1) + 2)]
        self.locks = np.zeros(len(self.sets), np.int64)
        self.addresses = np.array([w.words.ctypes.data for w in self.sets], np.int64)
        entry = ctypes.cast(lowered.entry, ctypes.c_void_p).value or 0
        counts = len(arrays[0]), results, self.sets[0].first_output, len(self.sets)
        self.numbers = np.array([entry, *counts, self.locks.ctypes.data, self.addresses.ctypes.data], np.int64)

    @staticmethod
    def words_of(workspace: Workspace, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> Workspace:
        """A set of words that is ready but for where XLA's arrays are. What is ours lies there for all worlds."""
        workspace.run(inputs, [o[None, None] for o in outputs], 0, 0)
        words = workspace.words
        words[BUDGET] = UNLIMITED
        words[workspace.first_output + 1 :: len(OUTPUT)][: len(outputs)] = 0
        return workspace

    @property
    def address(self) -> int:
        """What the handler is told."""
        return self.numbers.ctypes.data
