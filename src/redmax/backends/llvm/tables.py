"""Tables within a kernel: table[i], or table[i] += x, where i is a number that the kernel has computed, another in each lane.

The index is rounded down and kept inside, whatever it is, so that no kernel reads beyond its table. Lanes are loaded one by one.
"""

from __future__ import annotations

import hashlib
from array import array

from redmax.backends.llvm.target import constant, element_of, ir_type, lanes_of, suffix
from redmax.trace.table import Table

MOST = 2**30  # of 32-bit offsets


class Tables:
    """For one kernel: its lines, what its module needs, its type."""

    def __init__(self, lines: list[str], needs: dict[str, str], ty: str) -> None:
        self.lines, self.needs, self.ty = lines, needs, ty
        self.element, self.lanes = element_of(ty), lanes_of(ty)
        self.offsets: dict[tuple[str, int, int], str] = {}

    def symbol(self, table: Table) -> str:
        """The name of a table among the constants of the module, which hold equal tables once."""
        digest = hashlib.sha256(array("d", table.values).tobytes()).hexdigest()  # Python's hash does not tell -1.0 from -2.0
        symbol = f"@table{digest}.{self.element}"
        entries = ", ".join(f"{self.element} {constant(v, self.element)}" for v in table.values)
        self.needs[symbol] = f"{symbol} = internal constant [{len(table)} x {self.element}] [{entries}]"
        return symbol

    def read(self, name: str, start: str, index: str, count: int, stride: int, apart: bool = False) -> str:
        """Row `index` of the `count` rows from `start`, `stride` numbers apart. apart: lane by lane from the places of its own."""
        whole = offset_type(count, stride, self.lanes)
        offset, size = self.offset(index, count, stride), 4 if self.element == "float" else 8
        current = "poison"
        for lane in range(self.lanes):
            self.entry(name, lane, start, offset, whole, apart)
            self.lines.append(f"{name}.x{lane} = load {self.element}, ptr {name}.p{lane}, align {size}")
            if self.lanes > 1:
                self.lines.append(f"{name}.v{lane} = insertelement {self.ty} {current}, {self.element} {name}.x{lane}, i32 {lane}")
            current = f"{name}.v{lane}" if self.lanes > 1 else f"{name}.x{lane}"
        return current

    def add(self, name: str, start: str, index: str, value: str, count: int, stride: int) -> None:
        """Add to row `index`, lane by lane at the places of its own."""
        whole = offset_type(count, stride, self.lanes)
        offset, size = self.offset(index, count, stride), 4 if self.element == "float" else 8
        for lane in range(self.lanes):
            self.entry(name, lane, start, offset, whole, apart=True)
            gained = value
            if self.lanes > 1:
                gained = f"{name}.g{lane}"
                self.lines.append(f"{gained} = extractelement {self.ty} {value}, i32 {lane}")
            self.lines.append(f"{name}.x{lane} = load {self.element}, ptr {name}.p{lane}, align {size}")
            self.lines.append(f"{name}.s{lane} = fadd contract {self.element} {name}.x{lane}, {gained}")
            self.lines.append(f"store {self.element} {name}.s{lane}, ptr {name}.p{lane}, align {size}")

    def entry(self, name: str, lane: int, start: str, offset: str, whole: str, apart: bool) -> None:
        """The address of the number of one lane, as `{name}.p{lane}`."""
        kind, item = element_of(whole), offset
        if self.lanes > 1:
            item = f"{name}.o{lane}"
            self.lines.append(f"{item} = extractelement {whole} {offset}, i32 {lane}")
        if apart and lane:
            self.lines.append(f"{name}.a{lane} = add {kind} {item}, {lane}")
            item = f"{name}.a{lane}"
        self.lines.append(f"{name}.p{lane} = getelementptr {self.element}, ptr {start}, {kind} {item}")

    def offset(self, index: str, count: int, stride: int) -> str:
        """Where the row with this index begins, rounded down and kept inside: one computation for all columns of a table.

        Whatever the index is, NaN and infinities too, the whole number at the end is one of the rows: what comes out of the conversion is
        kept below `count` as a number without sign. Nothing rests on how floats compare. Too large for a whole number, a float becomes
        the largest of these, or the one behind it: both end at the last row.
        """
        found = self.offsets.get((index, count, stride))
        if found is not None:
            return found
        t, n, whole = self.ty, f"%l{len(self.offsets)}", offset_type(count, stride, self.lanes)
        below = f"@llvm.umin.{suffix(whole)}"
        for name, kind in (("floor", 1), ("maxnum", 2)):
            args = ", ".join([t] * kind)
            self.needs[f"@llvm.{name}.{suffix(t)}"] = f"declare {t} @llvm.{name}.{suffix(t)}({args})"
        self.needs[below] = f"declare {whole} {below}({whole}, {whole})"
        self.lines.append(f"{n}.f = call {t} @llvm.floor.{suffix(t)}({t} {index})")
        self.lines.append(f"{n}.a = call {t} @llvm.maxnum.{suffix(t)}({t} {n}.f, {t} {constant(0.0, t)})")
        self.lines.append(f"{n}.p = fptosi {t} {n}.a to {whole}")
        self.lines.append(f"{n}.u = freeze {whole} {n}.p")
        self.lines.append(f"{n}.i = call {whole} {below}({whole} {n}.u, {whole} {constant(count - 1, whole)})")
        self.lines.append(f"{n} = mul {whole} {n}.i, {constant(stride, whole)}")
        self.offsets[index, count, stride] = n
        return n


def offset_type(count: int, stride: int, lanes: int) -> str:
    """The type of offsets into a table: large enough for its last row."""
    return ir_type("i32" if max(count, (count - 1) * stride) <= MOST else "i64", lanes)
