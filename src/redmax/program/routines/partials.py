"""The cotangent of an expression given to what it is made of: names, and slots of memory.

e = f(a, b):   abar += g df/da,   bbar += g df/db
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from redmax.program.routines.form import FLAG, REAL, Assign, Expression, For, If, Put, Statement, load, name_of, number, operation

if TYPE_CHECKING:
    from redmax.program.routines.reverse import Reverser

BAR = "~"


def spread(r: Reverser, e: Expression, g: Expression) -> list[Statement]:
    """Statements that give the cotangent g of a real expression to what it is made of."""
    if e.op in ("number", "real"):
        return []
    if e.op == "name":
        bar = e.args[0] + BAR
        return [Assign(bar, operation("add", name_of(bar, REAL, False), g))]
    if e.op == "load":
        slot = operation("add", operation("mul", number(2), r.valued(e.args[0], True)), number(1))
        return [Put(slot, operation("add", load(slot), g))]
    if e.op == "sum":
        name, count, term = e.args
        held, g = hold(r, g)
        body = spread(r, term, g)
        return [*held, For(name, number(0), r.valued(count, True), 1, tuple(body), r.carried(body))] if body else []
    return RULES[e.op](r, e, g)


def hold(r: Reverser, g: Expression) -> tuple[list[Statement], Expression]:
    """A value that is used several times gets a name."""
    if g.op in ("number", "name"):
        return [], g
    name = r.fresh("g")
    return [Assign(name, g)], name_of(name, REAL, False)


def sums(*signs: float) -> Callable[..., list[Statement]]:
    """a + b, a - b, -a."""

    def rule(r: Reverser, e: Expression, g: Expression) -> list[Statement]:
        held, g = hold(r, g)
        parts = [spread(r, a, g if sign > 0 else operation("neg", g)) for sign, a in zip(signs, e.args, strict=True)]
        return [*held, *[s for part in parts for s in part]]

    return rule


def product(r: Reverser, e: Expression, g: Expression) -> list[Statement]:
    """g b to a, g a to b."""
    (a, b), (held, g) = e.args, hold(r, g)
    return [*held, *spread(r, a, operation("mul", g, r.valued(b, True))), *spread(r, b, operation("mul", g, r.valued(a, True)))]


def quotient(r: Reverser, e: Expression, g: Expression) -> list[Statement]:
    """g / b to a, -(a / b) g / b to b."""
    a, b = e.args
    held, g = hold(r, operation("div", g, r.valued(b, True)))
    return [*held, *spread(r, a, g), *spread(r, b, operation("neg", operation("mul", g, r.valued(e, True))))]


def root(r: Reverser, e: Expression, g: Expression) -> list[Statement]:
    """g / (2 sqrt x)."""
    return spread(r, e.args[0], operation("div", operation("mul", number(0.5), g), r.valued(e, True)))


def chosen(r: Reverser, e: Expression, g: Expression, flag: Expression) -> list[Statement]:
    """To the one that is taken, and to no other: a slope of the other that is no number does no harm."""
    a, b = e.args[-2:]
    held, g = hold(r, g)
    name = r.fresh("taken")
    body, otherwise = spread(r, a, g), spread(r, b, g)
    asked = If(name_of(name, FLAG, flag.shared), tuple(body), tuple(otherwise), r.carried([*body, *otherwise]))
    return [*held, Assign(name, flag), asked] if body or otherwise else []


def compared(op: str) -> Callable[..., list[Statement]]:
    """Of the values."""
    return lambda r, e, g: chosen(r, e, g, operation(op, *[r.valued(a, True) for a in e.args], kind=FLAG))


def absolute(r: Reverser, e: Expression, g: Expression) -> list[Statement]:
    """g or -g."""
    (x,) = e.args
    held, g = hold(r, g)
    negative = operation("lt", r.valued(x, True), number(0.0), kind=FLAG)
    return [*held, *spread(r, x, operation("select", negative, operation("neg", g), g))]


RULES: dict[str, Callable[..., list[Statement]]] = {
    "add": sums(1, 1), "sub": sums(1, -1), "neg": sums(-1), "mul": product, "div": quotient, "sqrt": root, "abs": absolute,
    "min": compared("le"), "max": compared("ge"), "select": lambda r, e, g: chosen(r, e, g, r.valued(e.args[0], True)),
}  # fmt: skip
