"""Products seen as lists of factors, however they are nested: to find equal ones, and a sin(b)^2 + a cos(b)^2 = a."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redmax.trace.scalar import Scalar


MOST = 64  # factors that a product is taken apart into; a longer one is one factor, or squares of squares would have no end


def factors(x: Scalar) -> list[Scalar]:
    """The factors of a product, ordered by number."""
    known = x.graph.factors.get(x.id)
    if known is None:
        known = taken_apart(x) if x.op == "mul" else [x]
        x.graph.factors[x.id] = known
    return known


def taken_apart(x: Scalar) -> list[Scalar]:
    """The factors of what a product is of, those within first: they may be nested more deeply than functions may."""
    known = x.graph.factors
    inner = [x]
    while True:
        e = inner[-1]
        later = [a for a in e.args if a.op == "mul" and a.id not in known]
        if later:
            inner += later
            continue
        parts = factors(e.args[0]) + factors(e.args[1])
        known[e.id] = sorted(parts, key=lambda f: f.id) if len(parts) <= MOST else [e]
        if e is x:
            return known[e.id]
        inner.pop()


def equal_products(x: Scalar, y: Scalar) -> bool:
    """Whether two products have the same factors, in whatever order they were multiplied."""
    if x.op != "mul" or y.op != "mul" or x.weight != y.weight:
        return False
    a, b = factors(x), factors(y)
    return len(a) == len(b) and all(u is v for u, v in zip(a, b, strict=True))


def pythagoras(x: Scalar, y: Scalar) -> list[Scalar] | None:
    """The factors of a, if x + y is a sin(b)^2 + a cos(b)^2."""
    if x.op != "mul" or y.op != "mul" or not (x.wavy and y.wavy):
        return None
    a, b = factors(x), factors(y)
    if len(a) != len(b):
        return None
    common, only_a, only_b = split_common(a, b)
    if len(only_a) != 2 or len(only_b) != 2 or only_a[0] is not only_a[1] or only_b[0] is not only_b[1]:
        return None
    u, v = only_a[0], only_b[0]
    return common if {u.op, v.op} == {"sin", "cos"} and u.args[0] is v.args[0] else None


def split_common(a: list[Scalar], b: list[Scalar]) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """What two ordered lists of factors share, and what only one of them has (given up once that is more than two)."""
    i = j = 0
    common: list[Scalar] = []
    only_a: list[Scalar] = []
    only_b: list[Scalar] = []
    while (i < len(a) or j < len(b)) and len(only_a) < 3 and len(only_b) < 3:
        if j == len(b) or (i < len(a) and a[i].id < b[j].id):
            only_a.append(a[i])
            i += 1
        elif i == len(a) or b[j].id < a[i].id:
            only_b.append(b[j])
            j += 1
        else:
            common.append(a[i])
            i, j = i + 1, j + 1
    return common, only_a, only_b
