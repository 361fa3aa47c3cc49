"""Between plain arrays (world, column) and the workspace of one world: four columns at a time, which lie side by side in the array.

What passes is checked to be finite in four chains of sums beside each other: one would be what all waits for. Rows of matrices are runs
of neighbours in the workspace too, which are moved eight at a time.
"""

from __future__ import annotations

from redmax.backends.llvm.target import constant

WIDE = 4
SIDE_BY_SIDE = 8  # columns of a row of a matrix
ARGUMENTS = "ptr noalias %array, i64 %stride, ptr noalias %slots, i64 %columns, ptr noalias %workspace, i64 %worlds"


def pack_one(ty: str) -> str:
    """@pack(array, stride, slots, columns, workspace, worlds): columns into their slots; 1 if a value is not finite."""
    size, wide = (4 if ty == "float" else 8), f"<{WIDE} x {ty}>"
    block = [f"%from = getelementptr {ty}, ptr %array, i64 %c", f"%v = load {wide}, ptr %from, align {size}"]
    for k in range(WIDE):
        block += [*slot(k, "%c"), f"%e{k} = extractelement {wide} %v, i32 {k}", f"store {ty} %e{k}, ptr %w{k}, align {size}"]
    single = [f"%f = getelementptr {ty}, ptr %array, i64 %d", f"%x = load {ty}, ptr %f, align {size}", *slot("s", "%d")]
    return text("pack", ty, block, [*single, f"store {ty} %x, ptr %ws, align {size}"])


def unpack_one(ty: str) -> str:
    """@unpack(array, stride, slots, columns, workspace, worlds): slots into their columns; 1 if a value is not finite."""
    size, wide = (4 if ty == "float" else 8), f"<{WIDE} x {ty}>"
    block = []
    for k in range(WIDE):
        before, name = ("poison", f"%i{k}") if k == 0 else (f"%i{k - 1}", f"%i{k}" if k < WIDE - 1 else "%v")
        block += [*slot(k, "%c"), f"%e{k} = load {ty}, ptr %w{k}, align {size}"]
        block.append(f"{name} = insertelement {wide} {before}, {ty} %e{k}, i32 {k}")
    block += [f"%to = getelementptr {ty}, ptr %array, i64 %c", f"store {wide} %v, ptr %to, align {size}"]
    single = [*slot("s", "%d"), f"%x = load {ty}, ptr %ws, align {size}", f"%f = getelementptr {ty}, ptr %array, i64 %d"]
    return text("unpack_apart", ty, block, [*single, f"store {ty} %x, ptr %f, align {size}"]) + runs_text(ty)


def slot(k: int | str, first: str) -> list[str]:
    """%w<k>: the workspace address of the slot of a column (slots are byte offsets), the k-th of a block."""
    column = [f"%c{k} = add i64 {first}, {k}"] if isinstance(k, int) else []
    which = f"%c{k}" if column else first
    return [
        *column, f"%sp{k} = getelementptr i64, ptr %slots, i64 {which}", f"%so{k} = load i64, ptr %sp{k}, align 8",
        f"%w{k} = getelementptr i8, ptr %workspace, i64 %so{k}",
    ]  # fmt: skip


def text(name: str, ty: str, block: list[str], single: list[str]) -> str:
    """Blocks, the last of them moved back to end with the last column (what it shares with the one before is moved twice); few columns one
    by one. Sums of 0 times a value are zero as long as every value is finite."""
    wide, zero, zeros = f"<{WIDE} x {ty}>", constant(0.0, ty), constant(0.0, f"<{WIDE} x {ty}>")
    lines, singles = "\n".join(block), "\n".join(single)
    return f"""define internal i64 @{name}({ARGUMENTS}) nounwind {{
entry:
%lastblock = sub i64 %columns, {WIDE}
%many = icmp sge i64 %lastblock, 0
br i1 %many, label %blocks, label %few
blocks:
%c = phi i64 [ 0, %entry ], [ %cn, %blocks ]
%sum = phi {wide} [ {zeros}, %entry ], [ %sumn, %blocks ]
{lines}
%no = fmul {wide} %v, {zeros}
%sumn = fadd {wide} %sum, %no
%ahead = add i64 %c, {WIDE}
%over = icmp sgt i64 %ahead, %lastblock
%cn = select i1 %over, i64 %lastblock, i64 %ahead
%more = icmp slt i64 %c, %lastblock
br i1 %more, label %blocks, label %judge
judge:
%each = fcmp une {wide} %sumn, {zeros}
%bits = bitcast <{WIDE} x i1> %each to i{WIDE}
%wrong = icmp ne i{WIDE} %bits, 0
%found = zext i1 %wrong to i64
ret i64 %found
few:
%any = icmp sgt i64 %columns, 0
br i1 %any, label %singles, label %nothing
nothing:
ret i64 0
singles:
%d = phi i64 [ 0, %few ], [ %dn, %singles ]
%tot = phi {ty} [ {zero}, %few ], [ %totn, %singles ]
{singles}
%nod = fmul {ty} %x, {zero}
%totn = fadd {ty} %tot, %nod
%dn = add i64 %d, 1
%again = icmp slt i64 %dn, %columns
br i1 %again, label %singles, label %end
end:
%bad = fcmp une {ty} %totn, {zero}
%result = zext i1 %bad to i64
ret i64 %result
}}
"""


def runs_text(ty: str) -> str:
    """@unpack, of columns that are runs of neighbours in the workspace, or apart (executable.py, with_runs)."""
    size, n = (4 if ty == "float" else 8), SIDE_BY_SIDE
    wide, zeros, zero = f"<{n} x {ty}>", constant(0.0, f"<{n} x {ty}>"), constant(0.0, ty)
    judged = [f"%each = fcmp une {wide} %sums, {zeros}", f"%bits = bitcast <{n} x i1> %each to i{n}", f"%wide = icmp ne i{n} %bits, 0"]
    return "\n".join([
        f"define internal i64 @unpack({ARGUMENTS}) nounwind {{", "entry:",
        "%table = getelementptr i64, ptr %slots, i64 %columns", "%runs = load i64, ptr %table, align 8",
        "%some = icmp sgt i64 %runs, 0", "br i1 %some, label %run, label %apart", "apart:",
        "%only = call i64 @unpack_apart(ptr %array, i64 %stride, ptr %slots, i64 %columns, ptr %workspace, i64 %worlds)", "ret i64 %only",
        "run:", "%r = phi i64 [ 0, %entry ], [ %rn, %on ]", "%to = phi ptr [ %array, %entry ], [ %behind, %on ]",
        f"%sum = phi {wide} [ {zeros}, %entry ], [ %sums, %on ]", f"%tot = phi {ty} [ {zero}, %entry ], [ %tots, %on ]",
        "%twice = shl i64 %r, 1", "%k = add i64 %twice, 1", "%p = getelementptr i64, ptr %table, i64 %k",
        "%start = load i64, ptr %p, align 8", "%q = getelementptr i64, ptr %p, i64 1", "%count = load i64, ptr %q, align 8",
        "%from = getelementptr i8, ptr %workspace, i64 %start", f"%behind = getelementptr {ty}, ptr %to, i64 %count",
        f"%last = sub i64 %count, {n}", "%many = icmp sge i64 %last, 0", "br i1 %many, label %blocks, label %singles",
        "blocks:", "%c = phi i64 [ 0, %run ], [ %cn, %blocks ]", f"%s = phi {wide} [ %sum, %run ], [ %sn, %blocks ]",
        f"%f = getelementptr {ty}, ptr %from, i64 %c", f"%v = load {wide}, ptr %f, align {size}",
        f"%t = getelementptr {ty}, ptr %to, i64 %c", f"store {wide} %v, ptr %t, align {size}",
        f"%no = fmul {wide} %v, {zeros}", f"%sn = fadd {wide} %s, %no",
        f"%ahead = add i64 %c, {n}", "%over = icmp sgt i64 %ahead, %last", "%cn = select i1 %over, i64 %last, i64 %ahead",
        "%again = icmp slt i64 %c, %last", "br i1 %again, label %blocks, label %on",
        "singles:", "%d = phi i64 [ 0, %run ], [ %dn, %singles ]", f"%o = phi {ty} [ %tot, %run ], [ %om, %singles ]",
        f"%g = getelementptr {ty}, ptr %from, i64 %d", f"%x = load {ty}, ptr %g, align {size}",
        f"%h = getelementptr {ty}, ptr %to, i64 %d", f"store {ty} %x, ptr %h, align {size}",
        f"%nod = fmul {ty} %x, {zero}", f"%om = fadd {ty} %o, %nod",
        "%dn = add i64 %d, 1", "%more = icmp slt i64 %dn, %count", "br i1 %more, label %singles, label %on",
        "on:", f"%sums = phi {wide} [ %sn, %blocks ], [ %sum, %singles ]", f"%tots = phi {ty} [ %tot, %blocks ], [ %om, %singles ]",
        "%rn = add i64 %r, 1", "%next = icmp slt i64 %rn, %runs", "br i1 %next, label %run, label %judge",
        "judge:", *judged, f"%single = fcmp une {ty} %tots, {zero}", "%bad = or i1 %wide, %single",
        "%found = zext i1 %bad to i64", "ret i64 %found", "}\n",
    ])  # fmt: skip
