"""Between plain arrays (world, column) and the workspace, where a slot holds one lane per world.

A full group of worlds moves in square blocks: as many rows as lanes, transposed in registers by exchanging halves, quarters, ...
(log2 stages of two-input shuffles). A group that is not full moves element by element; lanes beyond the last world repeat it. What
passes is checked to be finite on the way. One world by itself moves otherwise (one_world.py).
"""

from __future__ import annotations

from redmax.backends.llvm.one_world import pack_one, unpack_one
from redmax.backends.llvm.target import constant, element_of, lanes_of

PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"


def transpose(lines: list[str], rows: list[str], ty: str) -> list[str]:
    """Names of the columns of the square block whose rows are given."""
    lanes = len(rows)
    step = 1
    while step < lanes:
        low = [k if not k & step else lanes + (k ^ step) for k in range(lanes)]
        high = [k ^ step if not k & step else lanes + k for k in range(lanes)]
        result = list(rows)
        for i in range(lanes):
            if not i & step:
                for target, pick in ((i, low), (i | step, high)):
                    name = f"%x{len(lines)}"
                    mask = ", ".join(f"i32 {m}" for m in pick)
                    lines.append(f"{name} = shufflevector {ty} {rows[i]}, {ty} {rows[i | step]}, <{lanes} x i32> <{mask}>")
                    result[target] = name
        rows = result
        step *= 2
    return rows


def pack_text(ty: str) -> str:
    """@pack(array, stride, slots, columns, workspace, worlds): columns of `worlds` rows into their slots; 1 if a value is not finite."""
    return pack_one(ty) if lanes_of(ty) == 1 else transfer_text("pack", ty, pack_block(ty), pack_column(ty))


def unpack_text(ty: str) -> str:
    """@unpack(array, stride, slots, columns, workspace, worlds): slots into the columns of `worlds` rows; 1 if a value is not finite."""
    return unpack_one(ty) if lanes_of(ty) == 1 else transfer_text("unpack", ty, unpack_block(ty), unpack_column(ty))


def pack_block(ty: str) -> list[str]:
    """As many columns as lanes, of a full group of worlds: load rows, transpose, store slots."""
    element, lanes, size = element_of(ty), lanes_of(ty), size_of(ty)
    lines: list[str] = []
    for r in range(lanes):
        lines += [*row_pointer(r, element), f"%rv{r} = load {ty}, ptr %rp{r}, align {size}", *fetch_next(r, element, lanes)]
    for k, column in enumerate(transpose(lines, [f"%rv{r}" for r in range(lanes)], ty)):
        lines += slot_pointer(f"b{k}", f"%bc{k}", [f"%bc{k} = add i64 %c, {k}"])
        lines.append(f"store {ty} {column}, ptr %wb{k}, align {size * lanes}")
        lines += note_finite(column, k, ty)
    return lines


def unpack_block(ty: str) -> list[str]:
    """The reverse."""
    element, lanes, size = element_of(ty), lanes_of(ty), size_of(ty)
    lines: list[str] = []
    for k in range(lanes):
        lines += slot_pointer(f"b{k}", f"%bc{k}", [f"%bc{k} = add i64 %c, {k}"])
        lines += [f"%cv{k} = load {ty}, ptr %wb{k}, align {size * lanes}", *note_finite(f"%cv{k}", k, ty)]
    for r, row in enumerate(transpose(lines, [f"%cv{k}" for k in range(lanes)], ty)):
        lines += [*row_pointer(r, element), f"store {ty} {row}, ptr %rp{r}, align {size}"]
    return lines


def pack_column(ty: str) -> list[str]:
    """One column, lane by lane; lanes beyond the last world repeat it."""
    element, lanes, size = element_of(ty), lanes_of(ty), size_of(ty)
    lines = slot_pointer("s", "%d", [])
    current = "poison"
    for lane in range(lanes):
        lines.append(f"%ok{lane} = icmp slt i64 {lane}, %worlds")
        lines.append(f"%row{lane} = select i1 %ok{lane}, i64 {lane}, i64 %last")
        lines += [*element_pointer(lane, f"%row{lane}", element), f"%ev{lane} = load {element}, ptr %ep{lane}, align {size}"]
        lines.append(f"%in{lane} = insertelement {ty} {current}, {element} %ev{lane}, i32 {lane}")
        current = f"%in{lane}"
    return [*lines, f"store {ty} {current}, ptr %ws, align {size * lanes}", *note_finite(current, 0, ty)]


def unpack_column(ty: str) -> list[str]:
    """One column, lane by lane, of the worlds that are there."""
    element, lanes, size = element_of(ty), lanes_of(ty), size_of(ty)
    lines = [*slot_pointer("s", "%d", []), f"%v = load {ty}, ptr %ws, align {size * lanes}", *note_finite("%v", 0, ty)]
    for lane in range(lanes):
        lines.append(f"%ev{lane} = extractelement {ty} %v, i32 {lane}")
        lines += [f"%ok{lane} = icmp slt i64 {lane}, %worlds", f"br i1 %ok{lane}, label %put{lane}, label %done{lane}", f"put{lane}:"]
        lines += [*element_pointer(lane, str(lane), element), f"store {element} %ev{lane}, ptr %ep{lane}, align {size}"]
        lines += [f"br label %done{lane}", f"done{lane}:"]
    return lines


def size_of(ty: str) -> int:
    """Bytes of one number."""
    return 4 if element_of(ty) == "float" else 8


def row_pointer(r: int, element: str) -> list[str]:
    """%rp<r>: row r of the group, at column %c."""
    return [
        f"%ro{r} = mul i64 %stride, {r}",
        f"%rc{r} = add i64 %ro{r}, %c",
        f"%rp{r} = getelementptr {element}, ptr %array, i64 %rc{r}",
    ]


def fetch_next(r: int, element: str, lanes: int) -> list[str]:
    """Ask for the same place of the next group: it comes while this one is computed. Beyond the end of an array nothing happens."""
    return [
        f"%no{r}w = mul i64 %stride, {r + lanes}",
        f"%nc{r}w = add i64 %no{r}w, %c",
        f"%np{r}w = getelementptr {element}, ptr %array, i64 %nc{r}w",
        f"call void @llvm.prefetch.p0(ptr %np{r}w, i32 0, i32 3, i32 1)",
    ]


def element_pointer(lane: int, row: str, element: str) -> list[str]:
    """%ep<lane>: a row of the group, at column %d."""
    return [
        f"%eo{lane} = mul i64 {row}, %stride",
        f"%ec{lane} = add i64 %eo{lane}, %d",
        f"%ep{lane} = getelementptr {element}, ptr %array, i64 %ec{lane}",
    ]


def slot_pointer(name: str, column: str, before: list[str]) -> list[str]:
    """%w<name>: the workspace address of a column's slot (slots are byte offsets)."""
    return [
        *before,
        f"%sp{name} = getelementptr i64, ptr %slots, i64 {column}",
        f"%so{name} = load i64, ptr %sp{name}, align 8",
        f"%w{name} = getelementptr i8, ptr %workspace, i64 %so{name}",
    ]


def note_finite(value: str, k: int, ty: str) -> list[str]:
    """%sum<k+1> = %sum<k> + 0 value: zero as long as every value is finite."""
    return [f"%no{k} = fmul {ty} {value}, {constant(0.0, ty)}", f"%sum{k + 1} = fadd {ty} %sum{k}, %no{k}"]


def transfer_text(name: str, ty: str, block: list[str], column: list[str]) -> str:
    """Whole blocks if the group is full and there are columns for one, the last of them moved back to end with the last column (what it
    shares with the one before is moved twice); otherwise column by column."""
    lanes, zero = lanes_of(ty), constant(0.0, ty)
    blocks = f"""
%full = icmp sge i64 %worlds, {lanes}
%wide = icmp sge i64 %columns, {lanes}
%whole = and i1 %full, %wide
%lastblock = sub i64 %columns, {lanes}
br i1 %whole, label %blocks, label %columnwise
blocks:
%c = phi i64 [ 0, %entry ], [ %cn, %blocks ]
%sum0 = phi {ty} [ {zero}, %entry ], [ %sum{lanes}, %blocks ]
{chr(10).join(block)}
%ahead = add i64 %c, {lanes}
%over = icmp sgt i64 %ahead, %lastblock
%cn = select i1 %over, i64 %lastblock, i64 %ahead
%more = icmp slt i64 %c, %lastblock
br i1 %more, label %blocks, label %end
"""
    singles = "\n".join(column).replace("%sum0", "%tot0").replace("%sum1", "%tot1").replace("%no0", "%nod")
    tail = column[-1][:-1] if column[-1].endswith(":") else "singles"
    total = ", ".join([f"[ %sum{lanes}, %blocks ]", f"[ {zero}, %columnwise ]", f"[ %tot1, %{tail} ]"])
    arguments = "ptr noalias %array, i64 %stride, ptr noalias %slots, i64 %columns, ptr noalias %workspace, i64 %worlds"
    return f"""{PREFETCH if name == "pack" else ""}define internal i64 @{name}({arguments}) nounwind {{
entry:
%last = sub i64 %worlds, 1{blocks}columnwise:
%any = icmp sgt i64 %columns, 0
br i1 %any, label %singles, label %end
singles:
%d = phi i64 [ 0, %columnwise ], [ %dn, %{tail} ]
%tot0 = phi {ty} [ {zero}, %columnwise ], [ %tot1, %{tail} ]
{singles}
%dn = add i64 %d, 1
%again = icmp slt i64 %dn, %columns
br i1 %again, label %singles, label %end
end:
%total = phi {ty} {total}
%lanes = fcmp une {ty} %total, {zero}
%bits = bitcast <{lanes} x i1> %lanes to i{lanes}
%bad = icmp ne i{lanes} %bits, 0
%result = zext i1 %bad to i64
ret i64 %result
}}
"""
