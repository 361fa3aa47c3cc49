"""Values of a routine as LLVM IR: real numbers, whole numbers and flags, one for all worlds or one per lane.

Whole numbers that all worlds share, and the addresses that they lead to, are computed once and as far out of the loops as they can be: no
pass of LLVM's would move them later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redmax.backends.llvm.target import constant, element_of, lanes_of, suffix
from redmax.errors import TraceError
from redmax.program.routines.form import FLAG, REAL, WHOLE, Expression

ARITHMETIC = {"add": ("add", "fadd contract"), "sub": ("sub", "fsub contract"), "mul": ("mul", "fmul contract"), "div": ("", "fdiv")}
COMPARE = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}
MARGIN = 512  # scalars behind the memory of a world, which numbers of the text may reach
ORDERED = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}


class LookupOfOneWorld(TraceError):
    """A table is looked up with a number that each world has for itself, as a number that goes from turn to turn is when a routine whose
    worlds part is undone. names: those that it is made of, as the user has them."""

    def __init__(self, names: Sequence[str], routine: str = "", line: str = "") -> None:
        self.names = tuple(names)
        what = f"a table is looked up with {' and '.join(self.names) or 'a number'}, of which each world has its own here"
        fix = "Make it of the counter of a loop over a range that all worlds share"
        where = f", in `{line}`" if line else ""
        super().__init__(f"The routine {routine}: {what}{where}. {fix}.")


def names_in(e: Expression) -> list[str]:
    """The names in an expression that are not the same in all worlds."""
    if e.op == "name":
        return [] if e.shared else [e.args[0].rpartition(".")[2].strip("<")]
    return [name for a in e.args if isinstance(a, Expression) for name in names_in(a)]


@dataclass(frozen=True)
class Value:
    """A value by its name in the IR."""

    text: str
    kind: str
    shared: bool


def apart(slot: Expression) -> tuple[Expression, int]:
    """A place that memory led to, and the number that the text adds to it, if that is small."""
    if slot.op == "add" and not slot.shared:
        a, b = slot.args
        for place, beyond in ((a, b), (b, a)):
            if beyond.op == "number" and beyond.args[0] >= 0:
                inner, more = apart(place)
                if beyond.args[0] + more < MARGIN:
                    return inner, int(beyond.args[0]) + more
                return slot, 0
    return slot, 0


class ValueWriter:
    """Writes the values of one function over the type `ty`. lines: nested, so that some can be added in front of a loop later."""

    def __init__(self, ty: str) -> None:
        self.ty, self.element, self.lanes = ty, element_of(ty), lanes_of(ty)
        self.bytes = 4 if self.element == "float" else 8
        self.align = self.bytes * self.lanes
        self.lines: list[Any] = []
        self.needs: dict[str, str] = {}
        self.env: dict[str, Value] = {}
        self.levels: dict[str, int] = {}  # how deep in loops a shared whole number is defined
        self.known: dict[tuple[Any, ...], str] = {}
        self.heads: list[list[str]] = [self.lines]  # what stands before each of the loops around this place
        self.mask: str | None = None  # the lanes that take part, where not all do
        self.count = 0

    def type_of(self, kind: str, shared: bool) -> str:
        """The IR type of a value; a kind that is none of the three is a type itself."""
        if kind == REAL:
            return self.ty
        if kind not in (WHOLE, FLAG):
            return kind
        base = "i64" if kind == WHOLE else "i1"
        return base if shared or self.lanes == 1 else f"<{self.lanes} x {base}>"

    def fresh(self) -> str:
        """A name that no value has yet."""
        self.count += 1
        return f"%v{self.count}"

    def put(self, text: str) -> str:
        """A value where the writer is."""
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def placed(self, text: str) -> str:
        """A value where the writer is, of which others may be made that are computed once."""
        name = self.put(text)
        self.levels[name] = len(self.heads) - 1
        return name

    def put_out(self, text: str, inputs: Sequence[str]) -> str:
        """A value of shared whole numbers, once, as far out of the loops as its inputs are."""
        key = (text, *inputs)
        if key not in self.known:
            level = max([self.levels.get(x, 0) for x in inputs], default=0)
            depth = len(self.heads) - 1
            name = self.fresh()
            (self.lines if level >= depth else self.heads[level + 1]).append(f"{name} = {text}")
            self.levels[name], self.known[key] = level, name
        return self.known[key]

    def forget(self, depth: int) -> None:
        """Leave a loop or a branch: what was put in front of it, or further out, is still known."""
        self.known = {key: name for key, name in self.known.items() if self.levels[name] < depth}

    def need(self, name: str, result: str, *args: str) -> str:
        """An intrinsic function, declared."""
        self.needs[name] = f"declare {result} {name}({', '.join(args)})"
        return name

    def splat(self, value: Value) -> str:
        """A shared value in every lane."""
        if not value.shared or self.lanes == 1 or value.kind == REAL:
            return value.text
        base, wide = self.type_of(value.kind, True), self.type_of(value.kind, False)
        if not value.text.startswith("%"):
            return f"splat ({base} {value.text})"
        first = self.put(f"insertelement {wide} poison, {base} {value.text}, i32 0")
        return self.put(f"shufflevector {wide} {first}, {wide} poison, <{self.lanes} x i32> zeroinitializer")

    def convert(self, value: Value, kind: str, shared: bool) -> Value:
        """As a value of another kind, or of each lane."""
        if value.kind != kind and kind == REAL:
            value = self.to_real(value)
        return Value(self.splat(value), kind, shared) if value.shared and not shared and kind in (WHOLE, FLAG) else value

    def value(self, e: Expression) -> Value:
        """What an expression is, here."""
        if e.op == "number":
            return Value(constant(e.args[0], self.ty) if e.kind == REAL else str(int(e.args[0])), e.kind, True)
        if e.op == "name":
            return self.env[e.args[0]]
        if e.op == "word":
            return self.word(e)
        if e.op == "load":
            return Value(self.load(e.args[0]), REAL, False)
        if e.op == "agreed":
            return self.agreed(e.args[0])
        if e.op == "some":
            return self.in_some(self.value(e.args[0]))
        if e.op == "sum":
            return Value(self.total(*e.args), REAL, False)
        args = [self.value(a) for a in e.args]
        if e.op == "real":
            return self.to_real(args[0])
        if e.op == "whole":
            return self.to_whole(args[0])
        return self.operation(e.op, args, e.kind)

    def total(self, name: str, count: Expression, term: Expression) -> str:
        """The sum of a term: a loop."""
        raise NotImplementedError

    def in_some(self, flag: Value) -> Value:
        """Whether a flag is set in some lane."""
        raise NotImplementedError

    def word(self, e: Expression) -> Value:
        """An entry of the row: of an argument at the beginning, of a table where it is asked for."""
        index = self.value(e.args[0])
        if not index.shared or not e.args[0].shared:
            raise LookupOfOneWorld(names_in(e.args[0]))
        if e.args[0].op == "number":
            p = self.put_out(f"getelementptr i64, ptr %row, i64 {index.text}", [])
            return Value(self.put_out(f"load i64, ptr {p}, align 8", []), WHOLE, True)
        p = self.put_out(f"getelementptr i64, ptr %row, i64 {index.text}", [index.text])
        name = self.put(f"load i64, ptr {p}, align 8")
        self.levels[name] = len(self.heads) - 1
        return Value(name, WHOLE, True)

    def agreed(self, slot: Expression) -> Value:
        """The whole number that all worlds hold in a slot: that of the first."""
        first = self.put(f"load {self.element}, ptr {self.address(slot)}, align {self.bytes}")
        f = self.need(f"@llvm.fptosi.sat.i64.{suffix(self.element)}", "i64", self.element)
        name = self.put(f"call i64 {f}({self.element} {first})")
        self.levels[name] = len(self.heads) - 1
        return Value(name, WHOLE, True)

    def to_real(self, value: Value) -> Value:
        """A whole number as a real one, in every lane."""
        lane = Value(self.splat(value), value.kind, False)
        return Value(self.put(f"sitofp {self.type_of(WHOLE, False)} {lane.text} to {self.ty}"), REAL, False)

    def to_whole(self, value: Value) -> Value:
        """A real number as a whole one, of each lane; zero if it is not a number, and never out of range."""
        wide = self.type_of(WHOLE, False)
        f = self.need(f"@llvm.fptosi.sat.{suffix(wide)}.{suffix(self.ty)}", wide, self.ty)
        return Value(self.placed(f"call {wide} {f}({self.ty} {value.text})"), WHOLE, self.lanes == 1)

    def operation(self, op: str, args: list[Value], kind: str) -> Value:
        """Arithmetic, comparisons, logic and choices."""
        operand = args[-1].kind
        shared = (self.lanes == 1 or all(a.shared for a in args)) and operand != REAL  # one world shares all with itself
        texts = [a.text if shared else self.splat(a) for a in args]
        ty = self.type_of(operand, shared)
        text, result = self.instruction(op, texts, ty, operand, args)
        if shared and operand == WHOLE and kind == WHOLE:
            return Value(self.put_out(text, [t for t in texts if t.startswith("%")]), WHOLE, True)
        return Value(self.placed(text), result, shared and result != REAL)

    def instruction(self, op: str, texts: list[str], ty: str, kind: str, args: list[Value]) -> tuple[str, str]:
        """The instruction of an operation, and the kind of its result."""
        real = kind == REAL
        if op in ARITHMETIC:
            return f"{ARITHMETIC[op][real]} {ty} {texts[0]}, {texts[1]}", kind
        if op == "floordiv":
            return f"sdiv {ty} {texts[0]}, {texts[1]}", kind
        if op == "neg":
            return (f"fneg {ty} {texts[0]}" if real else f"sub {ty} {constant(0, ty)}, {texts[0]}"), kind
        if op in COMPARE:
            return f"{f'fcmp {ORDERED[op]}' if real else f'icmp {COMPARE[op]}'} {ty} {texts[0]}, {texts[1]}", FLAG
        if op in ("and", "or"):
            return f"{op} {ty} {texts[0]}, {texts[1]}", FLAG
        if op == "not":
            return f"xor {ty} {texts[0]}, {constant(1, ty) if self.lanes == 1 or ty == 'i1' else 'splat (i1 true)'}", FLAG
        if op == "select":
            flag = "i1" if self.lanes == 1 or (args[0].shared and not ty.startswith("<")) else f"<{self.lanes} x i1>"
            return f"select {flag} {texts[0]}, {ty} {texts[1]}, {ty} {texts[2]}", kind
        names = {"sqrt": "sqrt", "abs": "fabs", "min": "minnum", "max": "maxnum"} if real else {"abs": "abs", "min": "smin", "max": "smax"}
        extra = (", i1 false", "i1") if op == "abs" and not real else ("", "")
        f = self.need(f"@llvm.{names[op]}.{suffix(ty)}", ty, *[ty] * len(texts), *([extra[1]] if extra[1] else []))
        return f"call {ty} {f}({', '.join(f'{ty} {t}' for t in texts)}{extra[0]})", kind

    def address(self, slot: Expression) -> str:
        """Of a slot that all worlds share; in scalar code, of any: what memory led to is kept within it.

        A number that the text adds to such a place may lead beyond, by no more than there is room for behind the memory (MARGIN).
        """
        if slot.op == "add" and slot.shared:
            base = self.address(slot.args[0])
            step = self.value(slot.args[1]).text
            return self.put_out(f"getelementptr {self.ty}, ptr {base}, i64 {step}", [x for x in (base, step) if x.startswith("%")])
        if slot.shared:
            at = self.value(slot).text
            return self.put_out(f"getelementptr {self.ty}, ptr %world, i64 {at}", [at])
        place, beyond = apart(slot)
        at = self.within(self.value(place).text, "i64")
        base = self.put_out(f"getelementptr {self.ty}, ptr %world, i64 {at}", [at])
        return self.put_out(f"getelementptr {self.ty}, ptr {base}, i64 {beyond}", [base]) if beyond else base

    def load(self, slot: Expression) -> str:
        """memory[slot]."""
        if slot.shared or self.lanes == 1:
            return self.put(f"load {self.ty}, ptr {self.address(slot)}, align {self.align}")
        return self.gather(self.lane_addresses(slot))

    def size_of_memory(self) -> str:
        """In scalars."""
        return self.value(Expression("word", (Expression("number", (1,), WHOLE, True),), WHOLE, True)).text

    def within(self, slot: str, ty: str) -> str:
        """A slot that is not beyond the memory, whatever it was computed from."""
        size = self.size_of_memory()
        last = self.put_out(f"sub i64 {size}, 1", [size])
        f = self.need(f"@llvm.umin.{suffix(ty)}", ty, ty, ty)
        if ty == "i64":
            return self.put_out(f"call i64 {f}(i64 {slot}, i64 {last})", [slot, last])
        return self.put(f"call {ty} {f}({ty} {slot}, {ty} {self.splat(Value(last, WHOLE, True))})")

    def lane_addresses(self, slot: Expression) -> list[str]:
        """Of each lane its own slot."""
        wide = self.type_of(WHOLE, False)
        slots = self.within(self.splat(self.value(slot)), wide)
        found: list[str] = []
        for lane in range(self.lanes):
            one = self.put(f"extractelement {wide} {slots}, i32 {lane}")
            row = self.put(f"getelementptr {self.ty}, ptr %world, i64 {one}")
            found.append(self.put(f"getelementptr {self.element}, ptr {row}, i64 {lane}"))
        return found

    def gather(self, addresses: list[str]) -> str:
        """The numbers at the addresses of the lanes."""
        current = "poison"
        for lane, p in enumerate(addresses):
            x = self.put(f"load {self.element}, ptr {p}, align {self.bytes}")
            current = self.put(f"insertelement {self.ty} {current}, {self.element} {x}, i32 {lane}")
        return current
