"""A trace as the text of a file, one operation a line, and back. Numbers are written so that they are read back to the last bit.

input q 0           entry 0 of the argument q
const 0.5
mul 0 1             of the results of lines 0 and 1
stumpff 1 2         c_1 of the result of line 2
lookup 1.0,4.0 3    the entry of a constant table at the result of line 3
gather table 0 1 5 3    that of a parameter: entries 0, 1, ..., five of them
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redmax.io.traces import MOST, Operation, Ref
from redmax.io.valid_trace import COUNTS, SPECIAL
from redmax.trace import Span, Table


def written(operations: tuple[Operation, ...]) -> str:
    """All operations, a line each."""
    return "".join(line(op) + "\n" for op in operations)


def line(operation: Operation) -> str:
    """One operation."""
    return " ".join([operation[0], *map(word, operation[1:])])


def word(value: Any) -> str:
    """An argument of an operation."""
    if isinstance(value, Table):
        return ",".join(map(repr, value.values))
    if isinstance(value, Span):
        return f"{value.base} {value.start} {value.stride} {value.count}"
    return str(int(value)) if isinstance(value, Ref) else value if isinstance(value, str) else repr(value)


def parsed(text: str, problem: Callable[[int, str], None]) -> tuple[Operation, ...]:
    """The operations of a text; `problem` hears of each line that cannot be read, with its number from 0.

    Such a line is a constant, so that the numbers of those after it stay. What the operations may be, valid_trace.py says.
    """
    found: list[Operation] = []
    for number, content in enumerate(text.splitlines()[: MOST + 1]):
        try:
            found.append(operation(content.split()))
        except ValueError as error:
            problem(number, str(error))
            found.append(("const", 0.0))
    return tuple(found)


def operation(words: list[str]) -> Operation:
    """The operation of a line's words, or a ValueError that says what is wrong."""
    if not words:
        raise ValueError("the line is empty")
    op, *rest = words
    if op == "const" and len(rest) == 1:
        return op, float(rest[0])  # infinities and NaN too: a trace compares with the former, and gives the latter outside of a domain
    if op == "input" and len(rest) == 2:
        return op, rest[0], int(rest[1])
    if op == "stumpff" and len(rest) == 2:
        return op, int(rest[0]), Ref(rest[1])
    if op == "lookup" and len(rest) == 2:
        return op, Table([float(x) for x in rest[0].split(",")]), Ref(rest[1])
    if op == "gather" and len(rest) == 5:
        return op, Span(rest[0], *map(int, rest[1:4])), Ref(rest[4])
    if op not in COUNTS:
        raise ValueError(f"there is no operation {op!r}" if op not in SPECIAL else f"{op} takes other things")
    return op, *map(Ref, rest)
