"""Rows called one after the other, as IR text: each row has the address of its kernel, then the places that the kernel works on."""

from __future__ import annotations

import numpy as np

from redmax.program.blocks import WideRun

RUN_TEXT = """define internal void @run(ptr %rows, i64 %count, ptr %constants, ptr %workspace, ptr %accumulators) nounwind {
entry:
%some = icmp sgt i64 %count, 0
br i1 %some, label %loop, label %end
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
%row = phi ptr [ %rows, %entry ], [ %following, %loop ]
%p1 = getelementptr i64, ptr %row, i64 1
%p2 = getelementptr i64, ptr %row, i64 2
%p3 = getelementptr i64, ptr %row, i64 3
%p4 = getelementptr i64, ptr %row, i64 4
%p5 = getelementptr i64, ptr %row, i64 5
%f = load ptr, ptr %row, align 8
%o1 = load i64, ptr %p1, align 8
%o2 = load i64, ptr %p2, align 8
%o3 = load i64, ptr %p3, align 8
%o4 = load i64, ptr %p4, align 8
%o5 = load i64, ptr %p5, align 8
%own = getelementptr i8, ptr %constants, i64 %o1
%record = getelementptr i8, ptr %workspace, i64 %o2
%parent = getelementptr i8, ptr %workspace, i64 %o3
%gathered = getelementptr i8, ptr %accumulators, i64 %o4
%upward = getelementptr i8, ptr %accumulators, i64 %o5
call void %f(ptr %own, ptr %record, ptr %parent, ptr %gathered, ptr %upward, ptr %workspace)
%following = getelementptr i64, ptr %row, i64 6
%next = add i64 %i, 1
%again = icmp slt i64 %next, %count
br i1 %again, label %loop, label %end
end:
ret void
}
"""

# Wide kernels read their places from their row, as many as they have. They may be long: 1 if the budget is spent, with the row to go on at.
WIDE_TEXT = """define internal i1 @run_wide(ptr %rows, i64 %count, i64 %words, ptr %constants, ptr %world, ptr %at, ptr %budget) nounwind {
entry:
%start = load i64, ptr %at, align 8
%had = load i64, ptr %budget, align 8
%skipped = mul i64 %start, %words
%first = getelementptr i64, ptr %rows, i64 %skipped
br label %test
test:
%i = phi i64 [ %start, %entry ], [ %next, %loop ]
%row = phi ptr [ %first, %entry ], [ %following, %loop ]
%left = phi i64 [ %had, %entry ], [ %less, %loop ]
%more = icmp slt i64 %i, %count
br i1 %more, label %ask, label %end
ask:
%less = sub i64 %left, 1
%spent = icmp eq i64 %less, 0
br i1 %spent, label %end, label %loop
loop:
%f = load ptr, ptr %row, align 8
call void %f(ptr %row, ptr %constants, ptr %world)
%following = getelementptr i64, ptr %row, i64 %words
%next = add i64 %i, 1
br label %test
end:
%paused = phi i1 [ false, %test ], [ true, %ask ]
%resume = select i1 %paused, i64 %i, i64 0
store i64 %resume, ptr %at, align 8
store i64 %left, ptr %budget, align 8
ret i1 %paused
}
"""


def wide_table(run: WideRun, addresses: dict, scalar: int, lanes: int, memory: int) -> np.ndarray:
    """Rows of (kernel address, byte offsets or numbers), all as long as the longest."""
    tables = [t for t in run.tables if addresses[t.group][0]]
    words = 1 + max((t.places.shape[1] for t in tables), default=0)
    result = np.zeros((sum(len(t.places) for t in tables), words), np.int64)
    bytes_of = {"constants": scalar, "memory": scalar * lanes, "size": memory, "number": 1}
    start = 0
    for t in tables:
        part = result[start : start + len(t.places)]
        part[:, 0] = addresses[t.group][0]
        part[:, 1 : 1 + t.places.shape[1]] = t.places * np.array([bytes_of[u] for u in t.group.units(t.places.shape[1])], np.int64)
        start += len(t.places)
    return result
