"""sin, cos and Stumpff functions of a kernel: written inline, or where there are many, as functions of its module, which it calls.

Inline they are fastest. Hundreds of them would be megabytes of text, over which LLVM takes minutes. The values are the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redmax.backends.llvm.stumpff import Stumpff, emit_stumpff
from redmax.backends.llvm.target import suffix
from redmax.backends.llvm.vector_math import SinCos, emit_sincos, prelude

Write = Callable[[list[str]], Sequence[str]]  # appends the body of a function of %x to the lines; the names of its values
INLINE = 200  # arguments of such functions in one kernel, each of 3 to 10 kB of text


class Elementary:
    """For one kernel: its lines, what its module needs, its type. few: inline."""

    def __init__(self, lines: list[str], needs: dict[str, str], ty: str, few: bool) -> None:
        self.lines, self.needs, self.ty, self.few = lines, needs, ty, few

    def sincos(self, x: str, prefix: str, block: str) -> SinCos:
        """Both of the value `x`; `block` is the label of the block that the lines are in."""
        self.needs.update(prelude(self.ty))
        if self.few:
            return emit_sincos(self.lines, x, prefix, self.ty, block)
        sin, cos = self.call(f"@sincos.{suffix(self.ty)}", x, prefix, 2, lambda body: emit_sincos(body, "%x", "v", self.ty, "entry")[:2])
        return SinCos(sin, cos, block)

    def stumpff(self, x: str, orders: range, prefix: str, block: str) -> Stumpff:
        """Those of these orders, of the value `x`."""
        self.needs.update(prelude(self.ty))
        low, high = orders[0], orders[-1]
        if self.few:
            return emit_stumpff(self.lines, x, high, prefix, self.ty, block, low)
        symbol = f"@stumpff.{low}.{high}.{suffix(self.ty)}"
        values = self.call(symbol, x, prefix, len(orders), lambda body: emit_stumpff(body, "%x", high, "v", self.ty, "entry", low).values)
        return Stumpff(values, block)

    def call(self, symbol: str, x: str, prefix: str, count: int, write: Write) -> list[str]:
        """Append a call of a function with `count` values, which the module gets from `write` if it has it not."""
        kind = f"{{ {', '.join([self.ty] * count)} }}"
        if symbol not in self.needs:
            self.needs[symbol] = definition(symbol, self.ty, kind, write)
        self.lines.append(f"%{prefix} = call {kind} {symbol}({self.ty} {x})")
        self.lines += [f"%{prefix}.{i} = extractvalue {kind} %{prefix}, {i}" for i in range(count)]
        return [f"%{prefix}.{i}" for i in range(count)]


def definition(symbol: str, ty: str, kind: str, write: Write) -> str:
    """A function that returns all that `write` names."""
    lines: list[str] = []
    together = "poison"
    for i, value in enumerate(write(lines)):
        lines.append(f"%r{i} = insertvalue {kind} {together}, {ty} {value}, {i}")
        together = f"%r{i}"
    code = "\n".join([*lines, f"ret {kind} {together}"])
    return f"define internal {kind} {symbol}({ty} %x) nounwind noinline {{\nentry:\n{code}\n}}"
