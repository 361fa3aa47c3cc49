"""The directional derivative of a routine is a routine: each real name has its rate beside it, each slot of memory its tangent.

Slot s becomes slot 2 s, its tangent slot 2 s + 1, as in a plan with its tangent (program/tangent.py). Whole numbers and conditions have no
rate: worlds take the turns and branches that their values ask for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.program.routines.form import (
    FLAG,
    REAL,
    Assign,
    Expression,
    For,
    Form,
    If,
    Put,
    Statement,
    While,
    agreed,
    load,
    name_of,
    number,
    operation,
    total,
)
from redmax.program.routines.routine import Looped
from redmax.program.routines.walk import Walker

ZERO, TWO = number(0.0), number(2)
RATE = "'"  # behind a name: its rate


@dataclass(frozen=True, eq=False)
class RoutineTangent(Looped):
    """A routine with its directional derivative, over doubled memory; its rows are those of the routine."""

    base: Looped

    @property
    def name(self) -> str:
        """Of what is differentiated."""
        return f"tangent of {self.base.name}"

    def key(self, source: str) -> str:
        """Of the key of what is differentiated."""
        return hashlib.sha256(f"tangent {self.base.key(source)}".encode()).hexdigest()

    @cached_property
    def form(self) -> Form:
        """Values and rates."""
        return tangent_form(self.base.form)

    def call(self, memory: np.ndarray, row: Sequence[int]) -> None:
        """Statement by statement."""
        Walker(memory, row).walk(self.form.statements)


def value_form(form: Form) -> Form:
    """The same statements over doubled memory."""
    return Form(tuple(map(value_statement, form.statements)), form.parting)


def value_statement(s: Statement) -> Statement:
    """The same statement over doubled memory."""
    if isinstance(s, Assign):
        return Assign(s.name, valued(s.value))
    if isinstance(s, Put):
        return Put(doubled(s.slot), valued(s.value))
    body = tuple(map(value_statement, s.body))
    if isinstance(s, For):
        return For(s.name, valued(s.start), valued(s.stop), s.step, body, s.carried)
    if isinstance(s, While):
        return While(valued(s.condition), body, s.carried)
    return If(valued(s.condition), body, tuple(map(value_statement, s.otherwise)), s.carried)


def tangent_form(form: Form) -> Form:
    """The loop form that computes values and rates, over doubled memory."""
    return Form(tuple(x for s in form.statements for x in tangent_statements(s)), form.parting)


def tangent_statements(s: Statement) -> list[Statement]:
    """A statement, and that of its rate."""
    if isinstance(s, Assign):
        value = Assign(s.name, valued(s.value))
        if s.value.kind != REAL:
            return [value]
        held = Assign(f"{s.name}.new", valued(s.value))  # its rate is of the old values
        return [held, Assign(s.name + RATE, rate(s.value)), Assign(s.name, name_of(f"{s.name}.new", REAL, False))]
    if isinstance(s, Put):
        slot = doubled(s.slot)
        new = [Assign("put", valued(s.value)), Assign("put" + RATE, rate(s.value))]
        return [*new, Put(slot, name_of("put", REAL, False)), Put(operation("add", slot, number(1)), name_of("put" + RATE, REAL, False))]
    body = tuple(x for inner in s.body for x in tangent_statements(inner))
    if isinstance(s, For):
        return [For(s.name, valued(s.start), valued(s.stop), s.step, body, with_rates(s.carried))]
    if isinstance(s, While):
        return [While(valued(s.condition), body, with_rates(s.carried))]
    otherwise = tuple(x for inner in s.otherwise for x in tangent_statements(inner))
    return [If(valued(s.condition), body, otherwise, with_rates(s.carried))]


def with_rates(carried: Sequence[Expression]) -> tuple[Expression, ...]:
    """Real names carry their rates along."""
    rates = [name_of(c.args[0] + RATE, REAL, False) for c in carried if c.kind == REAL]
    return (*carried, *rates)


def doubled(slot: Expression) -> Expression:
    """Where a value lies in doubled memory."""
    return operation("mul", TWO, valued(slot))


def valued(e: Expression) -> Expression:
    """The same expression over doubled memory."""
    if e.op == "load":
        return load(doubled(e.args[0]))
    if e.op == "agreed":
        return agreed(doubled(e.args[0]))
    if e.op == "sum":
        return total(e.args[0], valued(e.args[1]), valued(e.args[2]))
    if e.op in ("number", "name"):
        return e
    return Expression(e.op, tuple(valued(a) for a in e.args), e.kind, e.shared)


def rate(e: Expression) -> Expression:
    """The rate of a real expression."""
    if e.op == "name":
        return name_of(e.args[0] + RATE, REAL, False)
    if e.op == "load":
        return load(operation("add", doubled(e.args[0]), number(1)))
    if e.op == "sum":
        return total(e.args[0], valued(e.args[1]), rate(e.args[2]))
    if e.op in ("number", "real"):
        return ZERO
    return RATES[e.op](e)


def plus(a: Expression, b: Expression) -> Expression:
    """a + b, of which one may be nothing."""
    return b if a == ZERO else a if b == ZERO else operation("add", a, b)


def times(a: Expression, b: Expression) -> Expression:
    """a b, of which one may be nothing."""
    return ZERO if ZERO in (a, b) else operation("mul", a, b)


def quotient(e: Expression) -> Expression:
    """(a / b)' = (a' - (a / b) b') / b."""
    (a, b), value = e.args, valued(e)
    change = plus(rate(a), operation("neg", times(value, rate(b))))
    return ZERO if change == ZERO else operation("div", change, valued(b))


def chosen(e: Expression, flag: Expression) -> Expression:
    """The rate of the one that is taken."""
    a, b = e.args[-2:]
    return operation("select", flag, rate(a), rate(b))


def compared(op: str, e: Expression) -> Expression:
    """a op b, of the values."""
    return operation(op, *[valued(a) for a in e.args], kind=FLAG)


def sign(e: Expression) -> Expression:
    """|x|' = x' or -x'."""
    (x,) = e.args
    return operation("select", operation("lt", valued(x), ZERO, kind=FLAG), operation("neg", rate(x)), rate(x))


RATES: dict[str, Callable[[Expression], Expression]] = {
    "add": lambda e: plus(rate(e.args[0]), rate(e.args[1])),
    "sub": lambda e: plus(rate(e.args[0]), ZERO if rate(e.args[1]) == ZERO else operation("neg", rate(e.args[1]))),
    "mul": lambda e: plus(times(rate(e.args[0]), valued(e.args[1])), times(valued(e.args[0]), rate(e.args[1]))),
    "div": quotient,
    "neg": lambda e: ZERO if rate(e.args[0]) == ZERO else operation("neg", rate(e.args[0])),
    "sqrt": lambda e: operation("div", times(number(0.5), rate(e.args[0])), valued(e)),
    "abs": sign,
    "min": lambda e: chosen(e, compared("le", e)),
    "max": lambda e: chosen(e, compared("ge", e)),
    "select": lambda e: chosen(e, valued(e.args[0])),
}
