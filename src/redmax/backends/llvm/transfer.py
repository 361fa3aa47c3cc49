"""Between plain arrays (world, column) and the workspace, where a slot holds one lane per world.

A full group of worlds moves in square blocks: as many rows as lanes, transposed in registers by exchanging halves, quarters, ...
(log2 stages of two-input shuffles). What remains at the edges moves element by element; lanes beyond the last world repeat it.
"""

from __future__ import annotations

from redmax.backends.llvm.target import constant, element_of, lanes_of


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
    """@pack(array, stride, slots, columns, workspace, worlds): columns of `worlds` rows into their slots."""
    return transfer_text("pack", ty, *pack_bodies(ty))


def unpack_text(ty: str) -> str:
    """@unpack(array, stride, slots, columns, workspace, worlds): slots into the columns of `worlds` rows."""
    return transfer_text("unpack", ty, *unpack_bodies(ty))


def pack_bodies(ty: str) -> tuple[list[str], list[str]]:
    element, lanes = element_of(ty), lanes_of(ty)
    bits = 4 if element == "float" else 8
    block: list[str] = []
    if lanes > 1:
        rows = []
        for r in range(lanes):
            block.append(f"%ro{r} = mul i64 %stride, {r}")
            block.append(f"%rc{r} = add i64 %ro{r}, %c")
            block.append(f"%rp{r} = getelementptr {element}, ptr %array, i64 %rc{r}")
            block.append(f"%rv{r} = load {ty}, ptr %rp{r}, align {bits}")
            rows.append(f"%rv{r}")
        for k, column in enumerate(transpose(block, rows, ty)):
            block += slot_pointer(f"b{k}", f"%bc{k}", ty, [f"%bc{k} = add i64 %c, {k}"])
            block.append(f"store {ty} {column}, ptr %wb{k}, align {bits * lanes}")
    single = slot_pointer("s", "%d", ty, [])
    current = "poison"
    for lane in range(lanes):
        single.append(f"%ok{lane} = icmp slt i64 {lane}, %worlds")
        single.append(f"%row{lane} = select i1 %ok{lane}, i64 {lane}, i64 %last")
        single.append(f"%eo{lane} = mul i64 %row{lane}, %stride")
        single.append(f"%ec{lane} = add i64 %eo{lane}, %d")
        single.append(f"%ep{lane} = getelementptr {element}, ptr %array, i64 %ec{lane}")
        single.append(f"%ev{lane} = load {element}, ptr %ep{lane}, align {bits}")
        if lanes > 1:
            single.append(f"%in{lane} = insertelement {ty} {current}, {element} %ev{lane}, i32 {lane}")
            current = f"%in{lane}"
        else:
            current = "%ev0"
    single.append(f"store {ty} {current}, ptr %ws, align {bits * lanes}")
    return block, single


def unpack_bodies(ty: str) -> tuple[list[str], list[str]]:
    element, lanes = element_of(ty), lanes_of(ty)
    bits = 4 if element == "float" else 8
    block: list[str] = []
    if lanes > 1:
        columns = []
        for k in range(lanes):
            block += slot_pointer(f"b{k}", f"%bc{k}", ty, [f"%bc{k} = add i64 %c, {k}"])
            block.append(f"%cv{k} = load {ty}, ptr %wb{k}, align {bits * lanes}")
            columns.append(f"%cv{k}")
        for r, row in enumerate(transpose(block, columns, ty)):
            block.append(f"%ro{r} = mul i64 %stride, {r}")
            block.append(f"%rc{r} = add i64 %ro{r}, %c")
            block.append(f"%rp{r} = getelementptr {element}, ptr %array, i64 %rc{r}")
            block.append(f"store {ty} {row}, ptr %rp{r}, align {bits}")
    single = slot_pointer("s", "%d", ty, [])
    single.append(f"%v = load {ty}, ptr %ws, align {bits * lanes}")
    for lane in range(lanes):
        value = "%v"
        if lanes > 1:
            value = f"%ev{lane}"
            single.append(f"{value} = extractelement {ty} %v, i32 {lane}")
        single.append(f"%ok{lane} = icmp slt i64 {lane}, %worlds")
        single.append(f"br i1 %ok{lane}, label %put{lane}, label %done{lane}")
        single.append(f"put{lane}:")
        single.append(f"%eo{lane} = mul i64 %stride, {lane}")
        single.append(f"%ec{lane} = add i64 %eo{lane}, %d")
        single.append(f"%ep{lane} = getelementptr {element}, ptr %array, i64 %ec{lane}")
        single.append(f"store {element} {value}, ptr %ep{lane}, align {bits}")
        single.append(f"br label %done{lane}")
        single.append(f"done{lane}:")
    return block, single


def slot_pointer(name: str, column: str, ty: str, before: list[str]) -> list[str]:
    """%w<name>: the workspace address of a column's slot (slots are byte offsets)."""
    return [
        *before,
        f"%sp{name} = getelementptr i64, ptr %slots, i64 {column}",
        f"%so{name} = load i64, ptr %sp{name}, align 8",
        f"%w{name} = getelementptr i8, ptr %workspace, i64 %so{name}",
    ]


def transfer_text(name: str, ty: str, block: list[str], single: list[str]) -> str:
    """The loop over columns: whole blocks while a full group and enough columns are left, then one column at a time."""
    lanes = lanes_of(ty)
    whole = f"""
%full = icmp sge i64 %worlds, {lanes}
%wide = sub i64 %columns, {lanes - 1}
%limit = select i1 %full, i64 %wide, i64 0
br label %blocks
blocks:
%c = phi i64 [ 0, %entry ], [ %cn, %blockbody ]
%more = icmp slt i64 %c, %limit
br i1 %more, label %blockbody, label %rest
blockbody:
{chr(10).join(block)}
%cn = add i64 %c, {lanes}
br label %blocks
""" if lanes > 1 else "\nbr label %rest\n"
    start = "%c" if lanes > 1 else "0"
    origin = "blocks" if lanes > 1 else "entry"
    end = single[-1][:-1] if single[-1].endswith(":") else "singles"
    return f"""define internal void @{name}(ptr %array, i64 %stride, ptr %slots, i64 %columns, ptr %workspace, i64 %worlds) nounwind {{
entry:
%last = sub i64 %worlds, 1{whole}rest:
%start = phi i64 [ {start}, %{origin} ]
%any = icmp slt i64 %start, %columns
br i1 %any, label %singles, label %end
singles:
%d = phi i64 [ %start, %rest ], [ %dn, %{end} ]
{chr(10).join(single)}
%dn = add i64 %d, 1
%again = icmp slt i64 %dn, %columns
br i1 %again, label %singles, label %end
end:
ret void
}}
"""


def finite_text(ty: str) -> str:
    """@finite(slots, columns, workspace): 1 if a slot holds a value that is not finite, else 0."""
    lanes = lanes_of(ty)
    zero = constant(0.0, ty)
    bits = (4 if element_of(ty) == "float" else 8) * lanes
    reduce = f"%bad = fcmp une {ty} %sum, {zero}"
    if lanes > 1:
        cast = f"%bits = bitcast <{lanes} x i1> %lanes to i{lanes}"
        reduce = f"{reduce.replace('%bad', '%lanes')}\n{cast}\n%bad = icmp ne i{lanes} %bits, 0"
    return f"""define internal i64 @finite(ptr %slots, i64 %columns, ptr %workspace) nounwind {{
entry:
br label %loop
loop:
%c = phi i64 [ 0, %entry ], [ %next, %body ]
%sum = phi {ty} [ {zero}, %entry ], [ %more, %body ]
%go = icmp slt i64 %c, %columns
br i1 %go, label %body, label %end
body:
{chr(10).join(slot_pointer("s", "%c", ty, []))}
%v = load {ty}, ptr %ws, align {bits}
%none = fmul {ty} %v, {zero}
%more = fadd {ty} %sum, %none
%next = add i64 %c, 1
br label %loop
end:
{reduce}
%result = zext i1 %bad to i64
ret i64 %result
}}
"""
