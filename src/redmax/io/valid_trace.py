"""What a trace from a file may hold, said in one place. Both backends run what is let through here, and of a file nothing else is run.

Names are names and shapes are small; each operation is known and takes results of earlier ones; what is read of an argument or of a table
is inside of what is declared; what is returned is there. Whatever a trace is then given is compared with its declaration, when a file is
read and at every call, so that what is inside of the declared table is inside of the given one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from math import prod
from typing import Any

import numpy as np

from redmax.io.traces import MOST, PARTS, SITE, Operation, Ref, Shape, TableShape, Trace, leaves
from redmax.trace import Span, Table, TableInput
from redmax.trace.evaluate import SYMBOLIC

TWO = {"add", "sub", "mul", "pow", "atan2", "lt", "le", "eq", "and"}
SPECIAL = ("const", "input", "stumpff", "lookup", "gather")  # that take more than results of others
COUNTS = {op: 3 if op == "select" else 2 if op in TWO else 1 for op in SYMBOLIC if op not in SPECIAL}
AXES = 4  # of an argument or a parameter
NUMBERS = 4_000_000  # in all arguments and parameters of a function: a file has no room for more
CONSTANTS = 100_000  # in its constant tables, which are compiled with it
HIGHEST = 40  # order of a Stumpff function

Mistake = tuple[str, int, str]  # in "arguments", "parameters", "operations" or "returns"; number of the operation, or -1; why
Sizes = Mapping[str, int]
Shapes = Mapping[str, "Shape | TableShape"]


def mistakes(trace: Trace) -> Iterator[Mistake]:
    """What a trace holds that it may not."""
    for part, shapes in (("arguments", trace.arguments), ("parameters", trace.parameters)):
        for name, shape in shapes.items():
            wrong = wrong_declaration(name, shape, part)
            if wrong is not None:
                yield part, -1, wrong
                return
    sizes = input_sizes({**trace.arguments, **trace.parameters})
    twice = trace.arguments.keys() & trace.parameters.keys()
    if twice or sum(sizes.values()) > NUMBERS:
        many = f"their shapes have {sum(sizes.values())} numbers, expected at most {NUMBERS}"
        why = f"{min(twice)!r} is an argument too, expected another name" if twice else many
        yield "parameters" if trace.parameters else "arguments", -1, why
    elif len(trace.operations) > MOST:
        yield "operations", 0, f"there are more operations than {MOST}, the most of a function"
    else:
        yield from wrong_operations(trace, sizes)


def wrong_operations(trace: Trace, sizes: Mapping[str, int]) -> Iterator[Mistake]:
    """The mistakes of each operation by itself, and of tables that are too long together."""
    room, last = CONSTANTS, len(trace.operations)
    for number, operation in enumerate(trace.operations):
        try:
            check_operation(operation, number, sizes, trace.parameters)
            room -= len(operation[1]) if operation[0] == "lookup" else 0
            expect(room >= 0, f"constant tables have more than {CONSTANTS} entries; let a long one be a parameter, {{Table: [...]}}")
        except ValueError as error:
            yield "operations", number, str(error)
    if not all(x is None or (type(x) is int and 0 <= x < last) for x in leaves(trace.returns)):
        yield "returns", -1, f"it returns other things than numbers of its {last} operations"


def wrong_declaration(name: str, shape: Any, part: str) -> str | None:
    """What is wrong with the name or the shape of an argument or a parameter."""
    if not name.isidentifier() or iskeyword(name):
        return f"{name[:60]!r} cannot be a name, expected a word of letters, digits and _"
    if isinstance(shape, TableShape):
        fits = part == "parameters" and is_sizes(shape.shape, 1) and shape.shape != ()
    else:
        fits = (shape == SITE and part == "arguments") or is_sizes(shape, 0)
    return None if fits else f"{name!r} is {worded(shape)[:80]}, expected up to {AXES} whole numbers, such as [3], and of a table its rows"


def is_sizes(shape: Any, least: int) -> bool:
    """Whether a shape is a tuple of whole numbers that are large enough."""
    return isinstance(shape, tuple) and len(shape) <= AXES and all(type(n) is int and n >= least for n in shape)


def input_sizes(shapes: Shapes) -> dict[str, int]:
    """How many numbers there are by the names of the inputs."""
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        if shape == SITE:
            sizes |= {f"{name}.{part}": prod(s) for part, s in PARTS.items()}
        else:
            sizes[name] = prod(shape.shape if isinstance(shape, TableShape) else shape)  # type: ignore[arg-type]
    return sizes


def check_operation(operation: Operation, number: int, sizes: Sizes, parameters: Shapes) -> None:
    """Raise ValueError, with a sentence, unless it may be the operation with this number."""
    op, *given = operation
    if op == "const":
        expect(kinds(given) == [float], "const takes a number")
    elif op == "input":
        expect(kinds(given) == [str, int], "input takes a name and a whole number")
        within(given[1], sizes.get(given[0], 0), f"entries of {given[0]!r}")
    elif op == "stumpff":
        expect(kinds(given) == [int, Ref], "stumpff takes an order and a result")
        within(given[0], HIGHEST + 1, "orders")
    elif op == "lookup":
        expect(kinds(given) == [Table, Ref] and len(given[0].shape) == 1, "lookup takes a row of numbers and a result")
    elif op == "gather":
        expect(kinds(given) == [Span, Ref], "gather takes a table, three whole numbers and a result")
        check_span(given[0], parameters)
    else:
        expect(op in COUNTS, f"there is no operation {op!r}")
        expect(kinds(given) == [Ref] * COUNTS[op], f"{op} takes {COUNTS[op]} results")
    for x in given:
        expect(not isinstance(x, Ref) or 0 <= x < number, f"{x} is not the number of a line before it")


def check_span(span: Span, parameters: Shapes) -> None:
    """A span is entries of one column of a table, from a row on: what `gathered` reads for either backend."""
    shape = parameters.get(span.base)
    expect(isinstance(shape, TableShape), f"{span.base!r} is no table among the parameters")
    assert isinstance(shape, TableShape)
    rows, width = shape.shape[0], prod(shape.shape[1:])
    inside = span.start >= 0 and span.count >= 1 and span.start // width + span.count <= rows
    expect(inside, f"{span.base!r} has no such entries")
    expect(span.stride == width, f"the rows of {span.base!r} are {width} apart, not {span.stride}")


def expect(condition: bool, otherwise: str) -> None:
    """Raise ValueError unless something holds."""
    if not condition:
        raise ValueError(otherwise)


def within(value: int, count: int, what: str) -> None:
    """Raise ValueError unless a number is one of so many things."""
    expect(0 <= value < count, f"{value} is none of the {count} {what}")


def kinds(values: Iterable[Any]) -> list[type]:
    """The types of the arguments of an operation."""
    return [type(x) for x in values]


# What a trace is given


def wrong_parameter(name: str, value: Any, shape: Shape | TableShape) -> str | None:
    """What is wrong with a parameter, numbers or traced, for this declaration."""
    if isinstance(shape, TableShape) != isinstance(value, Table | TableInput):
        return f"the parameter {name!r} is {'no ' * isinstance(shape, TableShape)}table, but the function takes {worded(shape)}"
    try:
        found = value.shape if isinstance(value, Table | TableInput) else np.shape(value)
    except ValueError:  # rows of different lengths
        return f"the parameter {name!r} has rows of different lengths, but the function takes {worded(shape)}"
    wanted = shape.shape if isinstance(shape, TableShape) else shape
    return None if found == wanted else f"the parameter {name!r} has shape {list(found)}, but the function takes {worded(shape)}"


def worded(shape: Any) -> str:
    """A shape in words."""
    if isinstance(shape, TableShape):
        return f"a table of {list(shape.shape)}"
    return "a site" if shape == SITE else f"an array of {list(shape)}" if shape else "a number"
