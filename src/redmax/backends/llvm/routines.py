"""Routines as LLVM IR: loops that rows call, over the type `ty` (a scalar, or one lane per world).

What each does is written with NumPy beside its name (program/reduced_matrix.py). Loops carry their counters and sums in registers: no pass
of LLVM's would put them there later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redmax.backends.llvm.target import constant, element_of, lanes_of


class LoopWriter:
    """Writes the body of one function: values by name, loops with values carried from turn to turn."""

    def __init__(self, ty: str) -> None:
        self.ty = ty
        self.align = (4 if element_of(ty) == "float" else 8) * lanes_of(ty)
        self.lines: list[str] = []
        self.count = 0
        self.block = "entry"

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def put(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def word(self, index: int | str) -> str:
        """A word of the row."""
        return self.put(f"load i64, ptr {self.put(f'getelementptr i64, ptr %row, i64 {index}')}, align 8")

    def place(self, index: int | str) -> str:
        """The address that a word of the row stands for."""
        return self.put(f"getelementptr i8, ptr %world, i64 {self.word(index)}")

    def at(self, start: str, index: int | str) -> str:
        return self.put(f"getelementptr {self.ty}, ptr {start}, i64 {index}")

    def load(self, start: str, index: int | str = 0) -> str:
        return self.put(f"load {self.ty}, ptr {self.at(start, index)}, align {self.align}")

    def store(self, value: str, start: str, index: int | str = 0) -> None:
        self.lines.append(f"store {self.ty} {value}, ptr {self.at(start, index)}, align {self.align}")

    def times(self, a: str, b: str) -> str:
        return self.put(f"fmul contract {self.ty} {a}, {b}")

    def plus(self, a: str, b: str) -> str:
        return self.put(f"fadd contract {self.ty} {a}, {b}")

    def minus(self, a: str, b: str) -> str:
        return self.put(f"fsub contract {self.ty} {a}, {b}")

    def whole(self, op: str, a: str | int, b: str | int) -> str:
        """Arithmetic of counters."""
        return self.put(f"{op} i64 {a}, {b}")

    def dot(self, a: Sequence[str], b: Sequence[str]) -> str:
        total = self.times(a[0], b[0])
        for x, y in zip(a[1:], b[1:], strict=True):
            total = self.plus(total, self.times(x, y))
        return total

    def loop(self, start: str | int, stop: str | int, body: Callable[..., str | None], carried: str | None = None) -> str:
        """For i from start to stop: carried = body(i, carried). Returns what is carried in the end."""
        n = self.count = self.count + 1
        before, head = self.block, f"l{n}.head"
        self.lines.append(f"br label %{head}\n{head}:")
        self.block = head
        counter, value = f"%l{n}.i", f"%l{n}.c"
        counter_line = len(self.lines)
        self.lines.append("")
        value_line = len(self.lines)
        if carried is not None:
            self.lines.append("")
        go = self.put(f"icmp slt i64 {counter}, {stop}")
        self.lines.append(f"br i1 {go}, label %l{n}.body, label %l{n}.end\nl{n}.body:")
        self.block = f"l{n}.body"
        new = body(counter) if carried is None else body(counter, value)
        following = self.whole("add", counter, 1)
        self.lines[counter_line] = f"{counter} = phi i64 [ {start}, %{before} ], [ {following}, %{self.block} ]"
        if carried is not None:
            self.lines[value_line] = f"{value} = phi {self.ty} [ {carried}, %{before} ], [ {new}, %{self.block} ]"
        self.lines.append(f"br label %{head}\nl{n}.end:")
        self.block = f"l{n}.end"
        return value


def clear(f: LoopWriter) -> None:
    start, size = f.place(1), f.word(2)
    f.loop(0, size, lambda i: f.store(constant(0.0, f.ty), start, i))


def copy(f: LoopWriter) -> None:
    source, target, count = f.place(1), f.place(2), f.word(3)
    f.loop(0, count, lambda i: f.store(f.load(source, i), target, i))


def add_block(f: LoopWriter) -> None:
    source, target, leading, n = f.place(1), f.place(2), f.word(3), f.word(4)

    def row(i: str) -> None:
        from_row, to_row = f.at(source, f.whole("mul", i, n)), f.at(target, f.whole("mul", i, leading))
        f.loop(0, n, lambda k: f.store(f.plus(f.load(to_row, k), f.load(from_row, k)), to_row, k))

    f.loop(0, n, row)


def moments(f: LoopWriter) -> None:
    momentum, count = f.place(1), f.word(2)
    U = [f.load(momentum, k) for k in range(6)]

    def entry(i: str) -> None:
        first = f.whole("add", f.whole("mul", i, 3), 3)
        twist, lower, upper = (f.place(f.whole("add", first, k)) for k in range(3))
        value = f.dot(U, [f.load(twist, k) for k in range(6)])
        f.store(value, lower)
        f.store(value, upper)

    f.loop(0, count, entry)


class NamedCoordinates:
    """The coordinates that a row names: where the twist of each is, where its row of H begins, and its number, in bytes."""

    def __init__(self, f: LoopWriter, first: int) -> None:
        self.f, self.first = f, first

    def __call__(self, k: str) -> tuple[str, str, str]:
        f = self.f
        word = f.whole("add", f.whole("mul", k, 3), self.first)
        return f.place(word), f.place(f.whole("add", word, 1)), f.word(f.whole("add", word, 2))

    def twist(self, place: str) -> list[str]:
        return [self.f.load(place, k) for k in range(6)]

    def add(self, value: str, row: str, byte: str) -> None:
        where = self.f.put(f"getelementptr i8, ptr {row}, i64 {byte}")
        self.f.store(self.f.plus(self.f.load(where), value), where)


def own(f: LoopWriter) -> None:
    Z, count, columns = f.place(1), f.word(2), NamedCoordinates(f, 3)

    def right_column(b: str) -> None:
        twist, _, byte = columns(b)
        s = columns.twist(twist)
        upper = {(i, j): f.load(Z, 6 * i + j) for i in range(6) for j in range(i, 6)}
        force = [f.dot([upper[min(i, k), max(i, k)] for k in range(6)], s) for i in range(6)]

        def left_column(a: str) -> None:
            twist_a, row_a, _ = columns(a)
            columns.add(f.dot(columns.twist(twist_a), force), row_a, byte)

        f.loop(0, count, left_column)

    f.loop(0, count, right_column)


def between(f: LoopWriter) -> None:
    Z, left, right, columns = f.place(1), f.word(2), f.word(3), NamedCoordinates(f, 4)

    def right_column(b: str) -> None:
        twist, row_b, byte_b = columns(b)
        s = columns.twist(twist)
        force = [f.dot([f.load(Z, 6 * i + k) for k in range(6)], s) for i in range(6)]

        def left_column(a: str) -> None:
            twist_a, row_a, byte_a = columns(a)
            value = f.dot(columns.twist(twist_a), force)
            columns.add(value, row_a, byte_b)
            columns.add(value, row_b, byte_a)

        f.loop(0, left, left_column)

    f.loop(left, f.whole("add", left, right), right_column)


def less(f: LoopWriter, a: str, b: str) -> Callable[[str, str], str]:
    """Carried: the sum less a_k b_k."""
    return lambda k, total: f.minus(total, f.times(f.load(a, k), f.load(b, k)))


def factor(f: LoopWriter) -> None:
    H, leading, start, stop = f.place(1), f.word(2), f.word(3), f.word(4)

    def row(i: str) -> str:
        return f.at(H, f.whole("mul", i, leading))

    def eliminate(i: str) -> None:
        mine = row(i)
        f.loop(0, i, lambda j: f.store(f.loop(0, j, less(f, mine, row(j)), f.load(mine, j)), mine, j))

        def scaled(j: str, d: str) -> str:
            u = f.load(mine, j)
            L = f.times(u, f.load(row(j), j))
            f.store(L, mine, j)
            return f.minus(d, f.times(u, L))

        d = f.loop(0, i, scaled, f.load(mine, i))
        f.store(f.put(f"fdiv {f.ty} {constant(1.0, f.ty)}, {d}"), mine, i)

    f.loop(start, stop, eliminate)


def solve(f: LoopWriter) -> None:
    H, b, y, leading, free, n = f.place(1), f.place(2), f.place(3), f.word(4), f.word(5), f.word(6)

    def row(i: str) -> str:
        return f.at(H, f.whole("mul", i, leading))

    f.loop(0, free, lambda i: f.store(f.loop(free, n, less(f, row(i), b), f.load(b, i)), b, i))
    f.loop(0, free, lambda i: f.store(f.loop(0, i, less(f, row(i), b), f.load(b, i)), b, i))
    f.loop(0, free, lambda i: f.store(f.times(f.load(b, i), f.load(row(i), i)), b, i))

    def backward(k: str) -> None:
        i = f.whole("sub", f.whole("sub", free, 1), k)
        rest = f.whole("add", i, 1)
        f.store(f.loop(rest, free, lambda m, x: f.minus(x, f.times(f.load(row(m), i), f.load(b, m))), f.load(b, i)), b, i)

    f.loop(0, free, backward)

    def product(p: str) -> None:
        mine = row(p)
        f.store(f.loop(0, n, lambda k, x: f.plus(x, f.times(f.load(mine, k), f.load(b, k))), constant(0.0, f.ty)), y, p)

    f.loop(free, n, product)


WRITERS: dict[str, Callable[[LoopWriter], None]] = {
    "clear": clear, "copy": copy, "add block": add_block, "moments": moments, "own": own, "between": between,
    "factor": factor, "solve": solve,
}  # fmt: skip


def routine_text(routine: str, name: str, ty: str) -> str:
    """The function `name` that does what the routine does; its arguments are the words of its row."""
    writer = LoopWriter(ty)
    WRITERS[routine](writer)
    return f"define void @{name}(ptr %row, ptr %shared, ptr %world) nounwind {{\nentry:\n" + "\n".join(writer.lines) + "\nret void\n}\n"
