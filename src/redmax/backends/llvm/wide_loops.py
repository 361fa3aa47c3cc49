"""Loops of scalar code whose turns are apart, several turns at a time: `y[a:b] -= c * x[a:b]` in vector registers.

All loads and stores that depend on the turn must lie one behind the other. What is left over at the end goes turn by turn, and no more than
four doubles are taken at a time: what a masked or a wide store wrote is not handed on to the loads that follow it at once, which made short
loops, of rows of 3 or vectors of 6, up to twice as slow. A sum has as many partial sums as lanes.
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

    def loop(self, s: For) -> None:
        """Stores, entry by entry."""
        w, count = self.w, self.w.value(s.stop)
        fixed = self.fixed([p.value for p in s.body if isinstance(p, Put)], s.name)
        carried: list[Expression] = []

        def chunk() -> None:
            for p in s.body:
                assert isinstance(p, Put)
                value = self.value(p.value, s.name, fixed)
                w.lines.append(f"store {self.ty} {value}, ptr {w.address(p.slot)}, align {w.bytes}")

        self.chunks(s.name, count, carried, chunk, lambda: w.write(s.body))

    def total(self, name: str, count: Expression, term: Expression) -> str:
        """A sum: partial sums, added up in the end."""
        w, zero = self.w, constant(0.0, self.ty)
        fixed = self.fixed([term], name)
        parts = Expression("name", ("partial sums",), self.ty, False)
        rest = Expression("name", ("sum",), REAL, False)
        w.env["partial sums"], w.env["sum"] = Value(zero, self.ty, False), Value(constant(0.0, w.ty), REAL, False)

        def chunk() -> None:
            x = self.value(term, name, fixed)
            w.env["partial sums"] = Value(w.put(f"fadd contract {self.ty} {w.env['partial sums'].text}, {x}"), self.ty, False)

        def one() -> None:
            w.env["sum"] = w.operation("add", [w.env["sum"], w.value(term)], REAL)

        self.chunks(name, w.value(count), [parts, rest], chunk, one)
        f = w.need(f"@llvm.vector.reduce.fadd.{suffix(self.ty)}", w.element, w.element, self.ty)
        return w.put(f"call reassoc {w.element} {f}({w.element} {w.env['sum'].text}, {self.ty} {w.env['partial sums'].text})")

    def chunks(self, name: str, count: Value, carried: list[Expression], chunk: Callable[[], None], one: Callable[[], None]) -> None:
        """Whole chunks, then what is left, one by one."""
        w, zero, width = self.w, Value("0", WHOLE, True), Value(str(self.lanes), WHOLE, True)
        last = w.operation("sub", [count, Value(str(self.lanes - 1), WHOLE, True)], WHOLE)
        w.env[name] = zero

        def step() -> None:
            now = w.env[name]
            chunk()
            w.env[name] = w.operation("add", [now, width], WHOLE)

        w.turns([Expression("name", (name,), WHOLE, True), *carried], lambda: w.operation("lt", [w.env[name], last], FLAG), step)
        w.count_turns(name, w.env[name], count, 1, carried, one)

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

    def value(self, e: Expression, name: str, fixed: dict[Expression, str]) -> str:
        """An expression of several turns."""
        if e in fixed:
            return fixed[e]
        if e.op == "load":
            return self.w.put(f"load {self.ty}, ptr {self.w.address(e.args[0])}, align {self.w.bytes}")
        args = [self.value(a, name, fixed) for a in e.args]
        return self.w.put(f"fneg {self.ty} {args[0]}" if e.op == "neg" else f"{VECTOR[e.op]} {self.ty} {args[0]}, {args[1]}")
