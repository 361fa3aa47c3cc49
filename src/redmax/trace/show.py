"""A trace as text: one expression, or the numbered list of steps of several outputs. It is what a person reads when debugging, and
what two joints compare to find out that they share a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redmax.trace.evaluate import reachable
from redmax.trace.scalar import Scalar, Value

INFIX = {"add": "+", "sub": "-", "mul": "*", "lt": "<", "le": "<=", "eq": "==", "and": "&"}


def leaf(e: Scalar) -> str | None:
    """The text of a node that needs no step of its own."""
    if e.op == "const":
        return repr(e.args[0])
    return f"{e.args[0]}[{e.args[1]}]" if e.op == "input" else None


def step(e: Scalar, names: Sequence[str]) -> str:
    """One operation over the names of its arguments."""
    if e.op in INFIX:
        return f"{names[0]} {INFIX[e.op]} {names[1]}"
    return f"-{names[0]}" if e.op == "neg" else f"{e.op}({', '.join(names)})"


def listing(outputs: Mapping[str, Value]) -> str:
    """The steps that compute the outputs, one a line, numbered in order of use."""
    names: dict[int, str] = {}
    lines: list[str] = []
    for e in reachable(outputs.values()):
        text = leaf(e)
        if text is None:
            text = f"t{len(lines)}"
            args = [names[a.id] if isinstance(a, Scalar) else repr(a) for a in e.args]
            lines.append(f"{text} = {step(e, args)}")
        names[e.id] = text
    lines += [f"{name} = {names[x.id] if isinstance(x, Scalar) else repr(x)}" for name, x in outputs.items()]
    return "\n".join(lines)


def expression(e: Scalar, depth: int = 4) -> str:
    """One expression written out to a limited depth; what lies deeper is shown as its number."""
    text = leaf(e)
    if text is not None:
        return text
    if depth == 0:
        return f"t{e.id}"
    inner = [expression(a, depth - 1) if isinstance(a, Scalar) else repr(a) for a in e.args]
    return f"({step(e, inner)})" if e.op in INFIX else step(e, inner)
