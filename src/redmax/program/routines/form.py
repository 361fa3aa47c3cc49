"""The loop form: what a routine is once its names, slices and calls are resolved. From it every compiled version follows.

An expression is a real number, a whole number or a flag; `shared` says that it is the same in all worlds, so that worlds in lanes may
go through it together. Memory is addressed by slots: whole numbers that count scalars from the beginning of a world's memory. A word is
an entry of the row that calls the routine: a place, a size, an entry of a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

REAL, WHOLE, FLAG = "real", "whole", "flag"


@dataclass(frozen=True)
class Expression:
    """op and its arguments: other expressions, or the number, name or word that it stands for. kind: of its value."""

    op: str
    args: tuple[Any, ...]
    kind: str
    shared: bool


@dataclass(frozen=True)
class Assign:
    """name = value."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Put:
    """memory[slot] = value."""

    slot: Expression
    value: Expression


@dataclass(frozen=True)
class For:
    """For name = start, start + step, ... before stop. carried: names that the body changes and that were there before.

    apart: no turn reads what another writes, so that several may be taken at a time. room: there is memory for turns behind the last, up to
    the next multiple of eight.
    """

    name: str
    start: Expression
    stop: Expression
    step: int
    body: tuple[Statement, ...]
    carried: tuple[Expression, ...] = ()
    apart: bool = False
    room: bool = False


@dataclass(frozen=True)
class While:
    """As long as the condition holds, which is asked before each turn."""

    condition: Expression
    body: tuple[Statement, ...]
    carried: tuple[Expression, ...]


@dataclass(frozen=True)
class If:
    """One of two bodies."""

    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    carried: tuple[Expression, ...]


Statement: TypeAlias = "Assign | Put | For | While | If"


@dataclass(frozen=True)
class Form:
    """The statements of a routine. parting: whether worlds may go different ways, or to different places of their memory."""

    statements: tuple[Statement, ...]
    parting: bool


def number(value: float | int | bool) -> Expression:
    """A number that the routine's text gives."""
    kind = FLAG if isinstance(value, bool) else WHOLE if isinstance(value, int) else REAL
    return Expression("number", (value,), kind, True)


def name_of(name: str, kind: str, shared: bool) -> Expression:
    """The value that a name has where it is used."""
    return Expression("name", (name,), kind, shared)


def load(slot: Expression) -> Expression:
    """memory[slot], of each world its own."""
    return Expression("load", (slot,), REAL, False)


def agreed(slot: Expression) -> Expression:
    """The whole number in a slot, of which all worlds hold the same."""
    return Expression("agreed", (slot,), WHOLE, True)


def total(name: str, count: Expression, term: Expression) -> Expression:
    """The sum of a term over name = 0, ..., count - 1."""
    return Expression("sum", (name, count, term), REAL, False)


def operation(op: str, *args: Expression, kind: str | None = None) -> Expression:
    """An operation on expressions of one kind, folded where its value is known."""
    known = [a.args[0] for a in args if a.op == "number"]
    kind = kind or args[-1].kind
    if kind == WHOLE and len(known) == len(args) and op in FOLD:
        return number(FOLD[op](*known))
    if kind == WHOLE and op == "add" and known and known[0] == 0:
        return args[0] if args[1].op == "number" else args[1]
    if kind == WHOLE and op == "mul" and known and known[0] == 1:
        return args[0] if args[1].op == "number" else args[1]
    if kind == WHOLE and op == "sub" and args[1].op == "number" and known == [0]:
        return args[0]
    return Expression(op, args, kind, all(a.shared for a in args))


FOLD = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a, "min": min, "max": max}


def as_real(x: Expression) -> Expression:
    """A whole number as a real one."""
    if x.kind == REAL:
        return x
    return number(float(x.args[0])) if x.op == "number" else Expression("real", (x,), REAL, x.shared)


def assigned(statements: tuple[Statement, ...]) -> set[str]:
    """All names that statements give a value to, loops' own too."""
    found: set[str] = set()
    for s in statements:
        if isinstance(s, Assign):
            found.add(s.name)
        elif isinstance(s, For):
            found |= {s.name} | assigned(s.body)
        elif isinstance(s, While):
            found |= assigned(s.body)
        elif isinstance(s, If):
            found |= assigned(s.body) | assigned(s.otherwise)
    return found
