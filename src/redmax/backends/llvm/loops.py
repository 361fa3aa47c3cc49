"""Statements of a routine as LLVM IR: assignments, stores, loops and branches, over the type `ty` (a scalar, or one lane per world).

Names that a loop changes are carried in registers. Where worlds go different ways, a mask says which lanes take part: the others keep
their values and their memory. In scalar code, a loop whose turns are apart takes several at a time (wide_loops.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redmax.backends.llvm.loop_values import LookupOfOneWorld, Value, ValueWriter
from redmax.backends.llvm.target import constant, element_of, host
from redmax.backends.llvm.wide_loops import Wide, is_wide
from redmax.program.routines.control import FEW
from redmax.program.routines.form import FLAG, REAL, WHOLE, Assign, Expression, For, If, Put, Statement, While, number
from redmax.program.routines.routine import Looped


class LoopWriter(ValueWriter):
    """Writes the body of one function. width: how many turns that are apart scalar code takes at a time; widest: of so many, all."""

    def __init__(self, ty: str, width: int, widest: int) -> None:
        super().__init__(ty)
        self.width, self.widest = width if self.lanes == 1 else 1, widest
        self.block = "entry"

    def write(self, statements: Sequence[Statement]) -> None:
        """Statements in order."""
        for s in statements:
            if isinstance(s, Assign):
                self.assign(s)
            elif isinstance(s, Put):
                self.store(s.slot, self.convert(self.value(s.value), REAL, False).text)
            elif isinstance(s, For):
                self.loop(s)
            elif isinstance(s, While):
                self.repeat(s)
            else:
                self.choose(s)

    def assign(self, s: Assign) -> None:
        """name = value; in masked lanes only."""
        value, old = self.value(s.value), self.env.get(s.name)
        if self.mask and old is not None:
            old, value = self.convert(old, value.kind, False), self.convert(value, value.kind, False)
            ty = self.type_of(value.kind, False)
            value = Value(self.put(f"select <{self.lanes} x i1> {self.mask}, {ty} {value.text}, {ty} {old.text}"), value.kind, False)
        self.env[s.name] = value

    def store(self, slot: Expression, value: str) -> None:
        """memory[slot] = value."""
        if slot.shared or self.lanes == 1:
            p = self.address(slot)
            if self.mask:
                old = self.put(f"load {self.ty}, ptr {p}, align {self.align}")
                value = self.put(f"select <{self.lanes} x i1> {self.mask}, {self.ty} {value}, {self.ty} {old}")
            self.lines.append(f"store {self.ty} {value}, ptr {p}, align {self.align}")
            return
        for lane, p in enumerate(self.lane_addresses(slot)):
            new = self.put(f"extractelement {self.ty} {value}, i32 {lane}")
            if self.mask:
                old = self.put(f"load {self.element}, ptr {p}, align {self.bytes}")
                on = self.put(f"extractelement <{self.lanes} x i1> {self.mask}, i32 {lane}")
                new = self.put(f"select i1 {on}, {self.element} {new}, {self.element} {old}")
            self.lines.append(f"store {self.element} {new}, ptr {p}, align {self.bytes}")

    def label(self, name: str) -> None:
        """A block begins."""
        self.lines.append(f"{name}:")
        self.block = name

    def any_of(self, flags: str) -> str:
        """Whether some lane has its flag set."""
        bits = self.put(f"bitcast <{self.lanes} x i1> {flags} to i{self.lanes}")
        return self.put(f"icmp ne i{self.lanes} {bits}, 0")

    def both(self, flags: str) -> str:
        """The flags of lanes that take part."""
        return flags if self.mask is None else self.put(f"and <{self.lanes} x i1> {flags}, {self.mask}")

    def in_some(self, flag: Value) -> Value:
        """Whether some lane that takes part has its flag set."""
        return Value(flag.text if flag.shared or self.lanes == 1 else self.any_of(self.both(flag.text)), FLAG, True)

    def turns(self, carried: Sequence[Expression], condition: Callable[[], Value], body: Callable[[], None]) -> None:
        """As long as the condition holds in some lane: the body, in those lanes."""
        n = self.count = self.count + 1
        head: list[str] = []
        self.lines.append(head)
        begin = [self.convert(self.env[c.args[0]], c.kind, c.shared) for c in carried]
        before, names = self.block, [f"%l{n}.c{k}" for k in range(len(carried))]
        self.lines.append(f"br label %l{n}.head")
        self.label(f"l{n}.head")
        phis: list[str] = []
        self.lines.append(phis)
        self.heads.append(head)
        known, mask, depth, env = dict(self.known), self.mask, len(self.heads) - 1, dict(self.env)
        for c, name in zip(carried, names, strict=True):
            self.env[c.args[0]] = Value(name, c.kind, c.shared)
            self.levels[name] = depth
        flag = condition()
        if flag.shared or self.lanes == 1:
            go = flag.text
        else:
            self.mask = self.both(flag.text)
            go = self.any_of(self.mask)
        self.lines.append(f"br i1 {go}, label %l{n}.body, label %l{n}.end")
        self.label(f"l{n}.body")
        body()
        for c, name, first in zip(carried, names, begin, strict=True):
            last = self.convert(self.env[c.args[0]], c.kind, c.shared)
            ty = self.type_of(c.kind, c.shared)
            phis.append(f"{name} = phi {ty} [ {first.text}, %{before} ], [ {last.text}, %{self.block} ]")
        self.lines.append(f"br label %l{n}.head")
        self.heads.pop()
        self.forget(depth)
        self.known |= known
        self.mask, self.env = mask, env  # what else the body gave a name is no more
        self.label(f"l{n}.end")
        for c, name in zip(carried, names, strict=True):
            self.env[c.args[0]] = Value(name, c.kind, c.shared)
            self.levels[name] = depth - 1

    def loop(self, s: For) -> None:
        """A count goes up or down; it is a carried name like any other."""
        if s.apart and self.width > 1 and is_wide(s):
            Wide(self).loop(s)
            return
        if s.apart and s.stop.op == "number" and s.stop.args[0] <= FEW:
            for k in range(s.stop.args[0]):
                self.env[s.name] = Value(str(k), WHOLE, True)
                self.write(s.body)
            return
        self.count_turns(s.name, self.value(s.start), self.value(s.stop), s.step, s.carried, lambda: self.write(s.body))

    def count_turns(self, name: str, start: Value, last: Value, step: int, carried: Sequence[Expression], body: Callable[[], None]) -> None:
        """For name = start, start + step, ... before last: the body."""
        self.env[name] = start
        counter = Expression("name", (name,), WHOLE, start.shared)

        def goes_on() -> Value:
            return self.operation("lt" if step > 0 else "gt", [self.env[name], last], "flag")

        def turn() -> None:
            now = self.env[name]
            body()
            self.env[name] = self.operation("add", [now, Value(str(step), WHOLE, True)], WHOLE)

        self.turns([counter, *carried], goes_on, turn)

    def repeat(self, s: While) -> None:
        """While."""
        self.turns(s.carried, lambda: self.value(s.condition), lambda: self.write(s.body))

    def choose(self, s: If) -> None:
        """If: lanes that disagree go through both bodies, each masked."""
        flag = self.value(s.condition)
        if flag.shared or self.lanes == 1:
            self.branch(flag.text, lambda: self.write(s.body), lambda: self.write(s.otherwise), s.carried)
            return
        mask = self.mask
        for on, body in ((flag.text, s.body), (self.put(f"xor <{self.lanes} x i1> {flag.text}, splat (i1 true)"), s.otherwise)):
            if body:
                self.mask = self.both(on)
                self.branch(self.any_of(self.mask), lambda chosen=body: self.write(chosen), lambda: None, s.carried)
                self.mask = mask

    def branch(self, flag: str, body: Callable[[], None], otherwise: Callable[[], None], carried: Sequence[Expression]) -> None:
        """One body or the other; carried names are what they are at the end of the one that ran."""
        n = self.count = self.count + 1
        env, known, ends, depth = dict(self.env), dict(self.known), [], len(self.heads) - 1
        self.lines.append(f"br i1 {flag}, label %i{n}.then, label %i{n}.else")
        for part, write in (("then", body), ("else", otherwise)):
            self.env = dict(env)
            self.label(f"i{n}.{part}")
            write()
            values = [self.convert(self.env[c.args[0]], c.kind, c.shared and self.mask is None) for c in carried]
            ends.append((values, self.block))
            self.lines.append(f"br label %i{n}.end")
            self.forget(depth)
            self.known |= known
        self.env = env
        self.label(f"i{n}.end")
        for k, c in enumerate(carried):
            shared = c.shared and self.mask is None
            (first, one), (second, two) = ((values[k].text, block) for values, block in ends)
            name = self.put(f"phi {self.type_of(c.kind, shared)} [ {first}, %{one} ], [ {second}, %{two} ]")
            self.env[c.args[0]] = Value(name, c.kind, shared)
            self.levels[name] = len(self.heads) - 1

    def total(self, name: str, count: Expression, term: Expression) -> str:
        """A sum in a register; in scalar code several partial sums, where the terms lie one behind the other."""
        if self.width > 1 and is_wide(For(name, number(0), count, 1, (Put(Expression("name", (name,), WHOLE, True), term),))):
            return Wide(self).total(name, count, term)
        self.env["sum"] = Value(constant(0.0, self.ty), REAL, False)
        carried = Expression("name", ("sum",), REAL, False)

        def add() -> None:
            self.env["sum"] = self.operation("add", [self.env["sum"], self.value(term)], REAL)

        self.count_turns(name, Value("0", WHOLE, True), self.value(count), 1, [carried], add)
        return self.env["sum"].text


def routine_text(routine: Looped, name: str, ty: str, needs: dict[str, str]) -> str:
    """The function `name` that does what the routine does; its arguments are the words of its row."""
    single = element_of(ty) == "float"
    widest = host().lanes("float32" if single else "float64")
    writer = LoopWriter(ty, min(widest, 8 if single else 4), widest)
    try:
        writer.write(routine.form.statements)
    except LookupOfOneWorld as error:
        line = next(filter(None, map(routine.line_of_lookup, error.names)), "")
        raise LookupOfOneWorld(error.names, routine.name, line) from None
    needs |= writer.needs
    head = f"define void @{name}(ptr noalias %row, ptr noalias %shared, ptr noalias %world) nounwind {{\nentry:"
    return "\n".join([head, *flat(writer.lines), "ret void\n}\n"])


def flat(lines: Sequence[str | Sequence[str]]) -> list[str]:
    """Lines, with those that were put in front of loops."""
    return [x for line in lines for x in ([line] if isinstance(line, str) else line)]
