"""Loops of scalar code whose turns are apart, several turns at a time: `y[a:b] -= c * x[a:b]` in vector registers.

All loads and stores that depend on the turn must lie one behind the other. What is left over at the end goes turn by turn, and no more than
four doubles are taken at a time: what a masked or a wide store wrote is not handed on to the loads that follow it at once, which made short
loops, of rows of 3 or vectors of 6, up to twice as slow. Runs that fill a register, as the text counts them, are taken at once: rows of 8
are read as rows of 8 elsewhere. So are the turns of `beside`, of which the last are taken whole. A sum has as many partial sums as lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redmax.backends.llvm.loop_values import Value, apart
from redmax.backends.llvm.target import constant, suffix
from redmax.program.routines.control import FEW
from redmax.program.routines.form import FLAG, REAL, WHOLE, Assign, Expression, For, Put

if TYPE_CHECKING:
    from redmax.backends.llvm.loops import LoopWriter

ROOM = 8  # turns of `beside` that are taken at a time
HELD = 20  # numbers that stay in every lane of a register throughout such a loop
VECTOR = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}


def is_wide(s: For) -> bool:
    """Whether all that the turns touch lies one behind the other."""
    changing, same = {s.name} | own_names(s), same_in_all(s)
    for p in s.body:
        if p in same:
            continue
        if not isinstance(p, Assign | Put) or not regular(p.value, s.name, changing):
            return False
        if isinstance(p, Put) and not (follows(p.slot, s.name, changing) or (p.slot.op == "name" and p.slot.args[0] not in changing)):
            return False
        if isinstance(p, Assign) and p.value.kind != REAL:
            return False
    return True


def own_names(s: For) -> set[str]:
    """The names that each turn has for itself."""
    same = same_in_all(s)
    return {p.name for p in s.body if isinstance(p, Assign) and p not in same}


def same_in_all(s: For) -> list[Assign]:
    """The places that the turns give a name and share, as those of vectors that another routine is given."""
    own = {s.name} | {p.name for p in s.body if isinstance(p, Assign)}
    found: list[Assign] = []
    for p in s.body:
        if isinstance(p, Assign) and p.value.kind == WHOLE and p.value.shared and not depends(p.value, own):
            found.append(p)
            own.discard(p.name)
    return found


def depends(e: object, names: set[str]) -> bool:
    """Whether an expression has one of these names in it."""
    return isinstance(e, Expression) and ((e.op == "name" and e.args[0] in names) or any(depends(a, names) for a in e.args))


def follows(slot: Expression, name: str, changing: set[str]) -> bool:
    """Whether a slot is some place plus the number of the turn."""
    if slot.op != "add":
        return False
    place, turn = slot.args
    return turn.op == "name" and turn.args[0] == name and not depends(place, changing)


def regular(e: Expression, name: str, changing: set[str]) -> bool:
    """Whether an expression can be computed for neighbouring turns at once."""
    if not depends(e, changing):
        return True
    if e.op == "load":
        return follows(e.args[0], name, changing)
    if e.op == "name":
        return e.args[0] != name
    return (e.op in VECTOR or e.op == "neg") and e.kind == REAL and all(regular(a, name, changing) for a in e.args)


def slots_in(e: object) -> list[Expression]:
    """The places that an expression reads, or is."""
    if not isinstance(e, Expression):
        return []
    if e.op == "load":
        return [e.args[0]]
    return [e] if e.kind == WHOLE else [x for a in e.args for x in slots_in(a)]


class Wide:
    """Writes one such loop into a function of scalar code."""

    def __init__(self, writer: LoopWriter) -> None:
        self.w, self.lanes = writer, writer.width
        self.ty = f"<{writer.width} x {writer.element}>"
        self.changing: set[str] = set()  # the names that are others in each turn
        self.own: dict[str, str] = {}  # what the turns at hand call their own, lane by lane
        self.before: dict[Expression, str] = {}  # what is the same in all turns, in every lane: from before the loop,
        self.here: dict[Expression, str] = {}  # or of the turns at hand

    def loop(self, s: For) -> None:
        """Stores, entry by entry."""
        self.changing = {s.name} | own_names(s)
        same = same_in_all(s)
        self.w.write(same)
        turns = [p for p in s.body if p not in same]
        touched = [e for p in turns for e in ((p.slot, p.value) if isinstance(p, Put) else (p.value,) if isinstance(p, Assign) else ())]
        w, count = self.w, self.within(s.stop, touched)
        body = [self.statement_inside(p, s.name, count) for p in turns if isinstance(p, Assign | Put)]
        if count.text == str(w.widest) or s.room:
            self.lanes = min(w.widest, ROOM) if s.room else w.widest
            self.ty = f"<{self.lanes} x {w.element}>"
        self.fixed([p.value for p in body], late=s.room)
        carried: list[Expression] = []

        def chunk() -> None:
            self.own.clear()
            self.here.clear()
            for p in body:
                value = self.value(p.value)
                if isinstance(p, Assign):
                    self.own[p.name] = value
                else:
                    w.lines.append(f"store {self.ty} {value}, ptr {w.address(p.slot)}, align {w.bytes}")

        if s.room:
            self.whole_chunks(s.name, count, chunk)
        else:
            self.chunks(s.name, count, carried, chunk, lambda: w.write(body))

    def statement_inside(self, p: Assign | Put, name: str, count: Value) -> Assign | Put:
        """A statement whose places stay within the memory."""
        value = self.inside(p.value, name, count)
        return Assign(p.name, value) if isinstance(p, Assign) else Put(self.inside(p.slot, name, count), value)

    def whole_chunks(self, name: str, count: Value, chunk: Callable[[], None]) -> None:
        """All turns, and those behind the last that a chunk takes along."""
        w = self.w
        if not count.text.startswith("%") and int(count.text) <= FEW:
            for k in range(0, int(count.text), self.lanes):
                w.env[name] = Value(str(k), WHOLE, True)
                chunk()
            return
        w.env[name] = Value("0", WHOLE, True)

        def step() -> None:
            now = w.env[name]
            chunk()
            w.env[name] = w.operation("add", [now, Value(str(self.lanes), WHOLE, True)], WHOLE)

        w.turns([Expression("name", (name,), WHOLE, True)], lambda: w.operation("lt", [w.env[name], count], FLAG), step)

    def within(self, stop: Expression, touched: list[Expression]) -> Value:
        """How many turns there are: where places come from memory, no more than memory has room for."""
        w, count = self.w, self.w.value(stop)
        if stop.op == "number" or all(e.shared for x in touched for e in slots_in(x)):
            return count
        size = w.size_of_memory()
        some = w.operation("max", [count, Value("0", WHOLE, True)], WHOLE)
        return w.operation("min", [some, Value(size, WHOLE, True)], WHOLE)

    def inside(self, e: Expression, name: str, count: Value) -> Expression:
        """An expression whose places that come from memory are such that all turns stay within it."""
        if not isinstance(e, Expression) or e.shared or not depends(e, {name}):
            return e
        if e.op == "add" and e.kind == WHOLE and follows(e, name, {name}):
            place, turn = e.args
            return Expression("add", (self.begin(place, count), turn), WHOLE, True)
        return Expression(e.op, tuple(self.inside(a, name, count) if isinstance(a, Expression) else a for a in e.args), e.kind, e.shared)

    def begin(self, place: Expression, count: Value) -> Expression:
        """Where a run begins: so that all of it lies in memory, and what the text adds behind it."""
        w = self.w
        if not count.text.startswith("%"):
            base, beyond = apart(place)
            at = w.within(w.value(base).text, "i64")
            at = w.put_out(f"add i64 {at}, {beyond}", [at]) if beyond else at
        else:
            size = w.size_of_memory()
            room = w.put_out(f"sub i64 {size}, {count.text}", [size, count.text])
            f, found = w.need("@llvm.umin.i64", "i64", "i64", "i64"), w.value(place).text
            at = w.put_out(f"call i64 {f}(i64 {found}, i64 {room})", [x for x in (found, room) if x.startswith("%")])
        name = f"run at {at}"
        w.env[name] = Value(at, WHOLE, True)
        return Expression("name", (name,), WHOLE, True)

    def total(self, name: str, count: Expression, term: Expression) -> str:
        """A sum: partial sums, added up in the end."""
        w, zero = self.w, constant(0.0, self.ty)
        turns = self.within(count, [term])
        term = self.inside(term, name, turns)
        self.changing = {name}
        self.fixed([term])
        parts = Expression("name", ("partial sums",), self.ty, False)
        rest = Expression("name", ("sum",), REAL, False)
        w.env["partial sums"], w.env["sum"] = Value(zero, self.ty, False), Value(constant(0.0, w.ty), REAL, False)

        def chunk() -> None:
            x = self.value(term)
            w.env["partial sums"] = Value(w.put(f"fadd contract {self.ty} {w.env['partial sums'].text}, {x}"), self.ty, False)

        def one() -> None:
            w.env["sum"] = w.operation("add", [w.env["sum"], w.value(term)], REAL)

        self.chunks(name, turns, [parts, rest], chunk, one)
        f = w.need(f"@llvm.vector.reduce.fadd.{suffix(self.ty)}", w.element, w.element, self.ty)
        return w.put(f"call reassoc {w.element} {f}({w.element} {w.env['sum'].text}, {self.ty} {w.env['partial sums'].text})")

    def chunks(self, name: str, count: Value, carried: list[Expression], chunk: Callable[[], None], one: Callable[[], None]) -> None:
        """Whole chunks, then what is left, one by one."""
        w, zero, width = self.w, Value("0", WHOLE, True), Value(str(self.lanes), WHOLE, True)
        if not count.text.startswith("%") and int(count.text) <= FEW and int(count.text) % self.lanes == 0:
            for k in range(0, int(count.text), self.lanes):
                w.env[name] = Value(str(k), WHOLE, True)
                chunk()
            return
        last = w.operation("sub", [count, Value(str(self.lanes - 1), WHOLE, True)], WHOLE)
        w.env[name] = zero

        def step() -> None:
            now = w.env[name]
            chunk()
            w.env[name] = w.operation("add", [now, width], WHOLE)

        w.turns([Expression("name", (name,), WHOLE, True), *carried], lambda: w.operation("lt", [w.env[name], last], FLAG), step)
        w.count_turns(name, w.env[name], count, 1, carried, one)

    def fixed(self, values: list[Expression], late: bool = False) -> None:
        """What is the same in all turns goes into every lane before the loop. late: where it is used, if it is more than registers hold."""
        found: dict[Expression, None] = {}

        def visit(e: Expression) -> None:
            if not depends(e, self.changing):
                found[e] = None
            elif e.op not in ("load", "name"):
                for a in e.args:
                    visit(a)

        for v in values:
            visit(v)
        self.before = {} if late and len(found) > HELD else {e: self.everywhere(e) for e in found}

    def everywhere(self, e: Expression) -> str:
        """What is the same in all turns, in every lane."""
        return self.splat(self.w.convert(self.w.value(e), REAL, False).text)

    def splat(self, x: str) -> str:
        """A number in every lane."""
        if not x.startswith("%"):
            return f"splat ({self.w.element} {x})"
        first = self.w.put(f"insertelement {self.ty} poison, {self.w.element} {x}, i32 0")
        return self.w.put(f"shufflevector {self.ty} {first}, {self.ty} poison, <{self.lanes} x i32> zeroinitializer")

    def value(self, e: Expression) -> str:
        """An expression of several turns."""
        known = self.before.get(e) or self.here.get(e)
        if known:
            return known
        if not depends(e, self.changing):
            self.here[e] = self.everywhere(e)
            return self.here[e]
        if e.op == "name":
            return self.own[e.args[0]]
        if e.op == "load":
            return self.w.put(f"load {self.ty}, ptr {self.w.address(e.args[0])}, align {self.w.bytes}")
        args = [self.value(a) for a in e.args]
        return self.w.put(f"fneg {self.ty} {args[0]}" if e.op == "neg" else f"{VECTOR[e.op]} {self.ty} {args[0]}, {args[1]}")
