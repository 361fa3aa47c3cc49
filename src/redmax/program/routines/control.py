"""Loops and branches of a routine's source.

A name that changes in a loop is carried; its kind is the widest that it takes on the way, so that the body is read again until no kind
changes. Loops of a few turns whose number the text gives are written out.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from redmax.program.routines.form import (
    FLAG,
    REAL,
    WHOLE,
    Assign,
    Expression,
    For,
    If,
    Statement,
    While,
    as_real,
    assigned,
    name_of,
    number,
    operation,
)
from redmax.program.routines.views import beside

if TYPE_CHECKING:
    from redmax.program.routines.read import Reader

FEW = 8  # turns of a loop, or entries of a run or a sum, that are written out


def loop(reader: Reader, s: ast.For) -> None:
    """for name in range(...), or in reversed(range(...)), or in beside(...)."""
    if isinstance(s.iter, ast.Call) and reader.expression(s.iter.func) is beside:
        side_by_side(reader, s, s.iter)
        return
    start, stop, step = range_of(reader, s.iter)
    if not isinstance(s.target, ast.Name):
        raise reader.fail(s, "a loop has one name")
    turns = [x.args[0] for x in (start, stop) if x.op == "number"]
    if len(turns) == 2 and abs(turns[1] - turns[0]) <= FEW:
        for k in range(turns[0], turns[1], step):
            reader.names[s.target.id] = number(k)
            reader.body(s.body)
        return
    own = s.target.id
    name = reader.fresh(own)

    def body() -> None:
        reader.names[own] = name_of(name, WHOLE, start.shared)
        reader.body(s.body)

    statements, carried = carry(reader, body, parting=not (start.shared and stop.shared))
    reader.out.append(For(name, start, stop, step, statements, carried))
    reader.names.pop(own, None)


def side_by_side(reader: Reader, s: ast.For, call: ast.Call) -> None:
    """for name in beside(count): what a turn gives names is its own."""
    if len(call.args) != 1 or not isinstance(s.target, ast.Name):
        raise reader.fail(s, "a loop over beside(count) has one name and one count")
    own, stop = s.target.id, reader.whole(call.args[0])
    name = reader.fresh(own)

    def body() -> None:
        reader.names[own] = name_of(name, WHOLE, True)
        reader.body(s.body)

    statements, carried = carry(reader, body, parting=not stop.shared)
    if carried:
        raise reader.fail(s, f"turns of beside(...) are apart, but {carried[0].args[0]} goes from one to the next")
    reader.out.append(For(name, number(0), stop, 1, statements, apart=True, room=True))
    reader.names.pop(own, None)


def range_of(reader: Reader, node: ast.expr) -> tuple[Expression, Expression, int]:
    """First, bound and step of a range."""
    backward = isinstance(node, ast.Call) and reader.expression(node.func) is reversed
    call = node.args[0] if backward and isinstance(node, ast.Call) else node
    if not isinstance(call, ast.Call) or reader.expression(call.func) is not range or len(call.args) > 2:
        raise reader.fail(node, "loops run over range(stop), range(start, stop), or reversed of it")
    ends = [reader.whole(a) for a in call.args]
    start, stop = ends if len(ends) == 2 else (number(0), ends[0])
    if backward:
        return operation("sub", stop, number(1)), operation("sub", start, number(1)), -1
    return start, stop, 1


def repeat(reader: Reader, s: ast.While) -> None:
    """while condition."""
    condition: list[Expression] = []

    def body() -> None:
        condition[:] = [reader.flag(s.test)]
        reader.parting |= not condition[0].shared
        reader.body(s.body)

    shared = reader.flag(s.test).shared
    statements, carried = carry(reader, body, parting=not shared)
    reader.out.append(While(condition[0], statements, carried))


def choose(reader: Reader, s: ast.If) -> None:
    """if condition, else."""
    condition = reader.flag(s.test)
    if condition.op == "number":
        reader.body(s.body if condition.args[0] else s.orelse)
        return
    names = dict(reader.names)
    (body, first), (otherwise, second) = (apart(reader, part, names, not condition.shared) for part in (s.body, s.orelse))
    carried: list[Expression] = []
    for key, old in names.items():
        if isinstance(old, Expression) and old.op == "name" and old.args[0] in assigned(body) | assigned(otherwise):
            kinds = [first[key], second[key]]
            wide = widest(kinds, shared=condition.shared)
            carried.append(name_of(old.args[0], *wide))
            reader.names[key] = carried[-1]
    reader.out.append(If(condition, body, otherwise, tuple(carried)))


def apart(reader: Reader, statements: list[ast.stmt], names: dict[str, Any], parting: bool) -> tuple[tuple[Statement, ...], dict[str, Any]]:
    """Statements that may not run; and what names stand for behind them."""
    out, before = reader.out, reader.before
    reader.out, reader.names = [], dict(names)
    if parting:
        reader.parting, reader.before = True, before | known(names)
    reader.body(statements)
    found, after = tuple(reader.out), reader.names
    reader.out, reader.before, reader.names = out, before, names
    return found, after


def carry(reader: Reader, body: Any, parting: bool) -> tuple[tuple[Statement, ...], tuple[Expression, ...]]:
    """The statements of a loop's body, read again until no name changes its kind; and the names that it carries."""
    before = reader.before
    while True:
        names, out, count = dict(reader.names), reader.out, reader.count
        reader.out = []
        if parting:
            reader.parting, reader.before = True, before | known(names)
        body()
        statements, after = tuple(reader.out), reader.names
        reader.out, reader.names, reader.before = out, names, before
        changed = widen(reader, names, after, statements, shared=not parting)
        if not changed:
            inside = assigned(statements)
            carried = [x for x in names.values() if isinstance(x, Expression) and x.op == "name" and x.args[0] in inside]
            return statements, tuple(dict.fromkeys(carried))
        reader.count = count


def widen(reader: Reader, names: dict[str, Any], after: dict[str, Any], statements: tuple[Statement, ...], shared: bool) -> bool:
    """Give names the kinds that they have behind the body; whether one changed."""
    inside, changed = assigned(statements), False
    for key, old in names.items():
        if isinstance(old, Expression) and old.op == "name" and old.args[0] in inside:
            kind = widest([old, after.get(key, old)], shared)
            if kind != (old.kind, old.shared):
                value = as_real(old) if kind[0] == REAL else old
                reader.out.append(Assign(old.args[0], value))
                names[key], changed = name_of(old.args[0], *kind), True
    return changed


def known(names: dict[str, Any]) -> set[str]:
    """The names of the loop form that values have."""
    return {x.args[0] for x in names.values() if isinstance(x, Expression) and x.op == "name"}


def widest(values: list[Expression], shared: bool) -> tuple[str, bool]:
    """The kind that holds all of these values."""
    kinds = {v.kind for v in values}
    kind = REAL if REAL in kinds else WHOLE if WHOLE in kinds else FLAG
    return kind, shared and all(v.shared for v in values) and kind != REAL
