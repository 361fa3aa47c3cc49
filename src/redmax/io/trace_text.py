"""A trace as the text of a file, one operation a line, and back. Numbers are written so that they are read back to the last bit.

input q 0           entry 0 of the argument q
const 0.5
mul 0 1             of the results of lines 0 and 1
stumpff 1 2         c_1 of the result of line 2
lookup 1.0,4.0 3    the entry of a constant table at the result of line 3
gather table 0 1 5 3    that of a parameter: entries 0, 1, ..., five of them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from redmax.io.traces import MOST, PARTS, SITE, Operation, Ref, Shape, TableShape
from redmax.trace import Span, Table
from redmax.trace.evaluate import SYMBOLIC

TWO = {"add", "sub", "mul", "pow", "atan2", "lt", "le", "eq", "and"}
COUNTS = {op: 3 if op == "select" else 2 if op in TWO else 1 for op in SYMBOLIC if op not in ("stumpff", "lookup", "gather")}
HIGHEST = 40  # order of a Stumpff function
ENTRIES = 1_000_000  # of the tables of a function


def written(operations: tuple[Operation, ...]) -> str:
    return "".join(line(op) + "\n" for op in operations)


def line(operation: Operation) -> str:
    return " ".join([operation[0], *map(word, operation[1:])])


def word(value: Any) -> str:
    if isinstance(value, Table):
        return ",".join(map(repr, value.values))
    if isinstance(value, Span):
        return f"{value.base} {value.start} {value.stride} {value.count}"
    return str(int(value)) if isinstance(value, Ref) else value if isinstance(value, str) else repr(value)


def parsed(
    text: str, arguments: Mapping[str, Shape], parameters: Mapping[str, Shape | TableShape], problem: Callable[[int, str], None]
) -> tuple[Operation, ...]:
    """The operations of a text; `problem` hears of each line that is none, with its number from 0."""
    lines = text.splitlines()
    if len(lines) > MOST:
        problem(0, f"there are {len(lines)} operations, expected at most {MOST}")
        return ()
    sizes = input_sizes({**arguments, **parameters})
    tables = {name for name, shape in parameters.items() if isinstance(shape, TableShape)}
    found: list[Operation] = []
    room = ENTRIES
    for number, content in enumerate(lines):
        try:
            found.append(operation(content.split(), number, sizes, tables))
            room -= len(found[-1][1].values) if found[-1][0] == "lookup" else 0
            if room < 0:
                raise ValueError(f"the tables have more than {ENTRIES} entries")
        except (ValueError, IndexError) as error:
            problem(number, f"{content[:60]!r} is no operation: {error}")
            found.append(("const", 0.0))  # so that those after it are read too
    return tuple(found)


def input_sizes(shapes: Mapping[str, Shape | TableShape]) -> dict[str, int]:
    """How many inputs each name has."""
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        if shape == SITE:
            sizes.update({f"{name}.{part}": size_of(s) for part, s in PARTS.items()})
        else:
            sizes[name] = size_of(shape.shape if isinstance(shape, TableShape) else shape)
    return sizes


def size_of(shape: Any) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def operation(words: list[str], number: int, sizes: Mapping[str, int], tables: set[str]) -> Operation:
    if not words:
        raise ValueError("the line is empty")
    op, *rest = words
    if op == "const" and len(rest) == 1:
        return op, constant(rest[0])
    if op == "input" and len(rest) == 2:
        return op, rest[0], within(rest[1], sizes.get(rest[0], 0), f"entries of {rest[0]!r}")
    if op == "stumpff" and len(rest) == 2:
        return op, within(rest[0], HIGHEST + 1, "orders"), earlier(rest[1], number)
    if op == "lookup" and len(rest) == 2:
        return op, Table([constant(x) for x in rest[0].split(",")]), earlier(rest[1], number)
    if op == "gather" and len(rest) == 5:
        return op, span(rest, sizes, tables), earlier(rest[4], number)
    if op not in COUNTS:
        raise ValueError(f"there is no operation {op!r}")
    if len(rest) != COUNTS[op]:
        raise ValueError(f"{op} takes {COUNTS[op]} results")
    return op, *[earlier(x, number) for x in rest]


def span(rest: list[str], sizes: Mapping[str, int], tables: set[str]) -> Span:
    base, start, stride, count = rest[0], *map(int, rest[1:4])
    if base not in tables or start < 0 or stride < 1 or count < 1 or start + stride * (count - 1) >= sizes[base]:
        raise ValueError(f"{base!r} has no such entries")
    return Span(base, start, stride, count)


def constant(text: str) -> float:
    return float(text)  # infinities and NaN too: a trace compares with the former, and gives the latter outside of a domain


def within(text: str, count: int, what: str) -> int:
    value = int(text)
    if not 0 <= value < count:
        raise ValueError(f"{value} is none of the {count} {what}")
    return value


def earlier(text: str, number: int) -> Ref:
    value = int(text)
    if not 0 <= value < number:
        raise ValueError(f"{value} is not the number of a line before it")
    return Ref(value)
