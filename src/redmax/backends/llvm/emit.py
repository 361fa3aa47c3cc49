"""A kernel as LLVM IR text: one function of straight-line code over the type `ty` (a scalar, or one lane per world).

LLVM's module passes are not run: the trace is already free of common subexpressions and dead code, so they would double
the compile time and gain nothing. Constants are scalars for all worlds and are broadcast when loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from redmax.backends.llvm.elementary import INLINE, Elementary
from redmax.backends.llvm.libm import declarations, emit_call
from redmax.backends.llvm.tables import Tables
from redmax.backends.llvm.target import constant, element_of, lanes_of, suffix
from redmax.program.kernel import CONSTANTS, PLACES, WORLD, Kernel
from redmax.trace import Scalar, near_use
from redmax.trace.logic import TRUTH

ARITHMETIC = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract"}
COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq"}
INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor"}
LIBM = {"tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "sinh", "cosh", "tanh"}
STACK, SHORT = 16, 100  # bytes, to which callers align the stack; operations, which need it little
BLOCK = 5000  # lines, after which a new block begins: the time that LLVM takes for one grows with the square of its length


class KernelWriter:
    """Writes one kernel. `needs` collects the declarations and definitions that its module must hold."""

    def __init__(self, kernel: Kernel, name: str, ty: str, needs: dict[str, str]) -> None:
        self.kernel, self.name, self.ty, self.needs = kernel, name, ty, needs
        self.element, self.lanes = element_of(ty), lanes_of(ty)
        self.bits = 4 if self.element == "float" else 8
        self.truth = "i1" if self.lanes == 1 else f"<{self.lanes} x i1>"
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.pointers: dict[tuple[str, int], str] = {}
        self.trig: dict[int, tuple[str, str]] = {}
        self.stumpff: dict[int, tuple[int, list[str]]] = {}
        self.orders: dict[int, list[int]] = {}  # of the Stumpff functions of an argument
        self.tables = Tables(self.lines, needs, ty)
        self.block = "entry"

    def write(self) -> str:
        """The text of the function: each node right before its first use, each store as soon as it may be."""
        nodes = near_use(self.kernel.values)
        for e in nodes:
            if e.op == "stumpff":
                self.orders.setdefault(e.args[1].id, []).append(e.args[0])
        arguments = len(self.orders) + len({e.args[0].id for e in nodes if e.op in ("sin", "cos")})
        self.elementary = Elementary(self.lines, self.needs, self.ty, arguments <= INLINE)
        memory = [p for p in (*self.kernel.places, WORLD) if p != CONSTANTS]  # constants are never stored to, and there may be many
        read = self.kernel.reads(memory)
        early, late = self.split_stores(read)
        end = BLOCK
        for e in nodes:
            self.node(e)
            for s in early.get(e.id, ()):
                self.store(s)
            if len(self.lines) > end:
                self.block, end = f"after{end}", len(self.lines) + BLOCK
                self.lines += [f"br label %{self.block}", f"{self.block}:"]
        for s in late:
            self.store(s)
        head, first = self.head()
        begin = f"define void @{self.name}({head}) {self.attributes()} {{\nentry:"
        return "\n".join([begin, *first, *self.lines, "ret void\n}\n"])

    def head(self) -> tuple[str, list[str]]:
        """The arguments, and the lines that find the places of a wide kernel in its row."""
        if not self.kernel.wide:
            return ", ".join(f"ptr noalias %{p}" for p in PLACES), []
        lines: list[str] = []
        for i, place in enumerate(self.kernel.places, start=1):
            lines.append(f"%row{i} = getelementptr i64, ptr %row, i64 {i}")
            lines.append(f"%byte{i} = load i64, ptr %row{i}, align 8")
            lines.append(f"%{place} = getelementptr i8, ptr %{'shared' if place == CONSTANTS else WORLD}, i64 %byte{i}")
        return f"ptr %row, ptr %shared, ptr %{WORLD}", lines

    def attributes(self) -> str:
        """A kernel over wide registers that is so long that it puts values aside aligns its stack, which it is given at 16 bytes.

        Each second one of them would lie across two lines of the cache otherwise (measured: 10 % of a step in lanes).
        """
        return 'nounwind "stackrealign"' if self.lanes * self.bits > STACK and self.kernel.operations > SHORT else "nounwind"

    def split_stores(self, read: set[tuple[str, int]]) -> tuple[dict[int, list[Any]], list[Any]]:
        """Stores go out as soon as their value is there, except to a slot whose old value the kernel reads, or that is stored to twice."""
        early: dict[int, list[Any]] = {}
        late: list[Any] = []
        times = Counter((s.base, s.index) for s in self.kernel.stores)
        for s in self.kernel.stores:
            if isinstance(s.value, Scalar) and not s.scattered and (s.base, s.index) not in read and times[s.base, s.index] == 1:
                early.setdefault(s.value.id, []).append(s)
            else:
                late.append(s)
        return early, late

    def put(self, text: str, e: Scalar) -> None:
        """Append the instruction whose value is this node."""
        self.names[e.id] = f"%t{e.id}"
        self.lines.append(f"%t{e.id} = {text}")

    def pointer(self, base: str, index: int) -> str:
        """The name of the address of one scalar of a place, computed at its first use only."""
        found = self.pointers.get((base, index))
        if found is None:
            found = self.pointers[base, index] = f"%p{len(self.pointers)}"
            kind = self.element if base == CONSTANTS else self.ty
            self.lines.append(f"{found} = getelementptr {kind}, ptr %{base}, i64 {index}")
        return found

    def load(self, e: Scalar) -> None:
        """An input of the kernel; a constant is one scalar for all worlds, and goes into every lane."""
        base, index = e.args
        where = self.pointer(base, index)
        if base == CONSTANTS and self.lanes > 1:
            self.lines.append(f"%s{e.id} = load {self.element}, ptr {where}, align {self.bits}")
            self.lines.append(f"%i{e.id} = insertelement {self.ty} poison, {self.element} %s{e.id}, i32 0")
            self.put(f"shufflevector {self.ty} %i{e.id}, {self.ty} poison, <{self.lanes} x i32> zeroinitializer", e)
        else:
            align = self.bits if base == CONSTANTS else self.bits * self.lanes
            self.put(f"load {self.ty}, ptr {where}, align {align}", e)

    def store(self, s: Any) -> None:
        """Write a value to its slot, or add it to what is there."""
        if s.scattered:
            self.scatter(s.value)
            return
        value = self.value(s.value)
        where = self.pointer(s.base, s.index)
        align = self.bits * self.lanes
        if s.accumulate:
            number = len(self.lines)
            self.lines.append(f"%o{number} = load {self.ty}, ptr {where}, align {align}")
            self.lines.append(f"%a{number} = fadd contract {self.ty} %o{number}, {value}")
            value = f"%a{number}"
        self.lines.append(f"store {self.ty} {value}, ptr {where}, align {align}")

    def value(self, x: Any) -> str:
        """The name of a number; a truth value used as a number becomes 1.0 or 0.0."""
        if not isinstance(x, Scalar):
            return constant(float(x), self.ty)
        name = self.names[x.id]
        if x.op in TRUTH:
            number = f"%u{len(self.lines)}"
            self.lines.append(f"{number} = uitofp {self.truth} {name} to {self.ty}")
            return number
        return name

    def condition(self, x: Scalar) -> str:
        """The name of a truth value; a number used as one is true when nonzero."""
        if x.op in TRUTH:
            return self.names[x.id]
        name = f"%b{len(self.lines)}"
        self.lines.append(f"{name} = fcmp une {self.ty} {self.names[x.id]}, {constant(0.0, self.ty)}")
        return name

    def node(self, e: Scalar) -> None:
        """The instructions of one node, whose arguments have their names already."""
        op, ty = e.op, self.ty
        if op in ARITHMETIC:  # most, and almost all of numbers
            x, y = e.args
            a = self.value(x) if x.op in TRUTH else self.names[x.id]
            b = self.value(y) if y.op in TRUTH else self.names[y.id]
            name = self.names[e.id] = f"%t{e.id}"
            self.lines.append(f"{name} = {ARITHMETIC[op]} {ty} {a}, {b}")
        elif op == "const":
            self.names[e.id] = constant(e.args[0], ty)
        elif op == "input":
            self.load(e)
        elif op == "neg":
            self.put(f"fneg {ty} {self.value(e.args[0])}", e)
        elif op == "inv":
            self.put(f"fdiv {ty} {constant(1.0, ty)}, {self.value(e.args[0])}", e)
        else:
            self.function(e)

    def function(self, e: Scalar) -> None:
        """The instructions of a node that is more than arithmetic."""
        handlers: dict[str, Callable[[Scalar], None]] = {
            "sin": self.sincos, "cos": self.sincos, "stumpff": self.stumpff_node, "frozen": self.alias, "select": self.select,
            "and": self.logic, "not": self.logic, "lookup": self.lookup, "gather": self.gather,
            "scatter": lambda e: None,  # its store says it all
        }  # fmt: skip
        if e.op in handlers:
            handlers[e.op](e)
        elif e.op in COMPARE:
            a, b = self.value(e.args[0]), self.value(e.args[1])
            self.put(f"fcmp {COMPARE[e.op]} {self.ty} {a}, {b}", e)
        elif e.op in INTRINSIC:
            symbol = f"@llvm.{INTRINSIC[e.op]}.{suffix(self.ty)}"
            self.needs[symbol] = f"declare {self.ty} {symbol}({self.ty})"
            self.put(f"call {self.ty} {symbol}({self.ty} {self.value(e.args[0])})", e)
        elif e.op in LIBM:
            self.needs.update(declarations([e.op], self.ty))
            args = [self.value(a) for a in e.args]
            self.names[e.id] = emit_call(self.lines, e.op, args, f"%t{e.id}", self.ty)
        else:
            raise NotImplementedError(f"no code for operation {e.op!r}")

    def alias(self, e: Scalar) -> None:
        """What is frozen is so to derivatives alone: here it is its argument."""
        self.names[e.id] = self.value(e.args[0])

    def sincos(self, e: Scalar) -> None:
        """Sine and cosine of one argument come from one evaluation."""
        x = e.args[0]
        if x.id not in self.trig:
            sin, cos, self.block = self.elementary.sincos(self.value(x), f"trig{x.id}", self.block)
            self.trig[x.id] = sin, cos
        self.names[e.id] = self.trig[x.id][0 if e.op == "sin" else 1]

    def stumpff_node(self, e: Scalar) -> None:
        """All orders of one argument come from one evaluation."""
        k, x = e.args
        if x.id not in self.stumpff:
            orders = range(min(self.orders[x.id]), max(self.orders[x.id]) + 1)
            names, self.block = self.elementary.stumpff(self.value(x), orders, f"stumpff{x.id}", self.block)
            self.stumpff[x.id] = orders[0], names
        low, names = self.stumpff[x.id]
        self.names[e.id] = names[k - low]

    def select(self, e: Scalar) -> None:
        """Both values are there already; each lane takes one."""
        condition = self.condition(e.args[0])
        a, b = self.value(e.args[1]), self.value(e.args[2])
        self.put(f"select {self.truth} {condition}, {self.ty} {a}, {self.ty} {b}", e)

    def logic(self, e: Scalar) -> None:
        """`and` and `not`, of which all other logic is made."""
        conditions = [self.condition(a) for a in e.args]
        if e.op == "and":
            self.put(f"and {self.truth} {conditions[0]}, {conditions[1]}", e)
        else:
            ones = "true" if self.lanes == 1 else "splat (i1 true)"
            self.put(f"xor {self.truth} {conditions[0]}, {ones}", e)

    def lookup(self, e: Scalar) -> None:
        """From a table in the module's constants."""
        table, index = e.args
        self.names[e.id] = self.tables.read(f"%g{e.id}", self.tables.symbol(table), self.value(index), len(table), 1)

    def gather(self, e: Scalar) -> None:
        """From a table among the constants, which all worlds share, or from one in memory, where each lane has its own."""
        span, index = e.args
        lanes = 1 if span.base == CONSTANTS else self.lanes
        start = self.pointer(span.base, span.start)
        self.names[e.id] = self.tables.read(f"%g{e.id}", start, self.value(index), span.count, span.stride * lanes, apart=lanes > 1)

    def scatter(self, e: Scalar) -> None:
        """Add to an entry of a table in memory, where each lane has its own."""
        span, index, value = e.args
        start = self.pointer(span.base, span.start)
        self.tables.add(f"%c{e.id}", start, self.value(index), self.value(value), span.count, span.stride * self.lanes)
