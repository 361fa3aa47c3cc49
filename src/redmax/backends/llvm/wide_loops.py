"""Loops of scalar code whose turns are apart, several turns at a time: `y[a:b] -= c * x[a:b]` in vector registers.

All loads and stores that depend on the turn must lie one behind the other. What is left over at the end goes through the same code under a
mask where the CPU has masks for loads and stores (AVX-512), and turn by turn elsewhere. A sum has as many partial sums as lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redmax.backends.llvm.loop_values import Value
from redmax.backends.llvm.target import constant, suffix
from redmax.program.routines.form import FLAG, REAL, WHOLE, Expression, For, Put

if TYPE_CHECKING:
    from redmax.backends.llvm.loops import LoopWriter

VECTOR = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}


def is_wide(s: For) -> bool:
    """Whether all that the turns touch lies one behind the other."""
    return all(isinstance(p, Put) and (follows(p.slot, s.name) or p.slot.op == "name") and regular(p.value, s.name) for p in s.body)


def depends(e: object, name: str) -> bool:
    """Whether an expression has this name in it."""
    return isinstance(e, Expression) and ((e.op == "name" and e.args[0] == name) or any(depends(a, name) for a in e.args))


def follows(slot: Expression, name: str) -> bool:
    """Whether a slot is some place plus the number of the turn."""
    if not slot.shared or slot.op != "add":
        return False
    place, turn = slot.args
    return turn.op == "name" and turn.args[0] == name and not depends(place, name)


def regular(e: Expression, name: str) -> bool:
    """Whether an expression can be computed for neighbouring turns at once."""
    if not depends(e, name):
        return True
    if e.op == "load":
        return follows(e.args[0], name)
    return (e.op in VECTOR or e.op == "neg") and e.kind == REAL and all(regular(a, name) for a in e.args)


class Wide:
    """Writes one such loop into a function of scalar code."""

    def __init__(self, writer: LoopWriter) -> None:
        self.w, self.lanes = writer, writer.width
        self.ty = f"<{writer.width} x {writer.element}>"
        self.bits = f"<{writer.width} x i1>"

    def loop(self, s: For) -> None:
        """Stores, entry by entry."""
        w, count = self.w, self.w.value(s.stop)
        fixed = self.fixed([p.value for p in s.body if isinstance(p, Put)], s.name)
        carried: list[Expression] = []

        def chunk(mask: str | None) -> None:
            for p in s.body:
                assert isinstance(p, Put)
                value = self.value(p.value, s.name, fixed, mask)
                self.store(w.address(p.slot), value, mask)

        self.chunks(s.name, count, carried, chunk, lambda: w.write(s.body))

    def total(self, name: str, count: Expression, term: Expression) -> str:
        """A sum: partial sums, added up in the end."""
        w, zero = self.w, constant(0.0, self.ty)
        fixed = self.fixed([term], name)
        parts = Expression("name", ("partial sums",), self.ty, False)
        rest = Expression("name", ("sum",), REAL, False)
        w.env["partial sums"], w.env["sum"] = Value(zero, self.ty, False), Value(constant(0.0, w.ty), REAL, False)

        def chunk(mask: str | None) -> None:
            x = self.value(term, name, fixed, mask)
            if mask:
                x = w.put(f"select {self.bits} {mask}, {self.ty} {x}, {self.ty} {zero}")
            w.env["partial sums"] = Value(w.put(f"fadd contract {self.ty} {w.env['partial sums'].text}, {x}"), self.ty, False)

        def one() -> None:
            w.env["sum"] = w.operation("add", [w.env["sum"], w.value(term)], REAL)

        self.chunks(name, w.value(count), [parts, rest], chunk, one)
        f = w.need(f"@llvm.vector.reduce.fadd.{suffix(self.ty)}", w.element, w.element, self.ty)
        return w.put(f"call reassoc {w.element} {f}({w.element} {w.env['sum'].text}, {self.ty} {w.env['partial sums'].text})")

    def chunks(
        self, name: str, count: Value, carried: list[Expression], chunk: Callable[[str | None], None], one: Callable[[], None]
    ) -> None:
        """Whole chunks, then what is left: at once under a mask, or one by one."""
        w, zero, width = self.w, Value("0", WHOLE, True), Value(str(self.lanes), WHOLE, True)
        last = w.operation("sub", [count, Value(str(self.lanes - 1), WHOLE, True)], WHOLE)
        w.env[name] = zero

        def step() -> None:
            now = w.env[name]
            chunk(None)
            w.env[name] = w.operation("add", [now, width], WHOLE)

        w.turns([Expression("name", (name,), WHOLE, True), *carried], lambda: w.operation("lt", [w.env[name], last], FLAG), step)
        if not w.masked:
            w.count_turns(name, w.env[name], count, 1, carried, one)
            return
        left = w.operation("sub", [count, w.env[name]], WHOLE)
        some = w.operation("gt", [left, zero], FLAG)
        w.branch(some.text, lambda: chunk(self.first(left.text)), lambda: None, carried)

    def first(self, count: str) -> str:
        """The mask of the first so many lanes."""
        wide = f"<{self.lanes} x i64>"
        numbers = ", ".join(f"i64 {k}" for k in range(self.lanes))
        one = self.w.put(f"insertelement {wide} poison, i64 {count}, i32 0")
        limit = self.w.put(f"shufflevector {wide} {one}, {wide} poison, <{self.lanes} x i32> zeroinitializer")
        return self.w.put(f"icmp slt {wide} <{numbers}>, {limit}")

    def fixed(self, values: list[Expression], name: str) -> dict[Expression, str]:
        """What is the same in all turns, in every lane, computed before the loop."""
        found: dict[Expression, str] = {}

        def visit(e: Expression) -> None:
            if not depends(e, name):
                if e not in found:
                    found[e] = self.splat(self.w.convert(self.w.value(e), REAL, False).text)
            elif e.op != "load":
                for a in e.args:
                    visit(a)

        for v in values:
            visit(v)
        return found

    def splat(self, x: str) -> str:
        """A number in every lane."""
        if not x.startswith("%"):
            return f"splat ({self.w.element} {x})"
        first = self.w.put(f"insertelement {self.ty} poison, {self.w.element} {x}, i32 0")
        return self.w.put(f"shufflevector {self.ty} {first}, {self.ty} poison, <{self.lanes} x i32> zeroinitializer")

    def value(self, e: Expression, name: str, fixed: dict[Expression, str], mask: str | None) -> str:
        """An expression of several turns."""
        if e in fixed:
            return fixed[e]
        if e.op == "load":
            return self.load(self.w.address(e.args[0]), mask)
        args = [self.value(a, name, fixed, mask) for a in e.args]
        return self.w.put(f"fneg {self.ty} {args[0]}" if e.op == "neg" else f"{VECTOR[e.op]} {self.ty} {args[0]}, {args[1]}")

    def load(self, address: str, mask: str | None) -> str:
        """Neighbouring entries."""
        w = self.w
        if not mask:
            return w.put(f"load {self.ty}, ptr {address}, align {w.bytes}")
        f = w.need(f"@llvm.masked.load.{suffix(self.ty)}.p0", self.ty, "ptr", "i32", self.bits, self.ty)
        return w.put(f"call {self.ty} {f}(ptr {address}, i32 {w.bytes}, {self.bits} {mask}, {self.ty} zeroinitializer)")

    def store(self, address: str, value: str, mask: str | None) -> None:
        """Neighbouring entries."""
        w = self.w
        if not mask:
            w.lines.append(f"store {self.ty} {value}, ptr {address}, align {w.bytes}")
            return
        f = w.need(f"@llvm.masked.store.{suffix(self.ty)}.p0", "void", self.ty, "ptr", "i32", self.bits)
        w.lines.append(f"call void {f}({self.ty} {value}, ptr {address}, i32 {w.bytes}, {self.bits} {mask})")
