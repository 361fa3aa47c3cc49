"""Expressions of a routine's source: numbers and names, arithmetic, comparisons, entries and runs of views, calls."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from redmax import math as redmax_math
from redmax.program.routines import control
from redmax.program.routines.form import FLAG, REAL, WHOLE, Expression, as_real, load, name_of, number, operation, total
from redmax.program.routines.values import Entries, MatrixAt, Run, TableAt, VectorAt, elementwise
from redmax.program.routines.views import dot, matrix, some, whole

if TYPE_CHECKING:
    from redmax.program.routines.read import Reader

OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv"}
COMPARISONS: dict[type, str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}


def evaluate(reader: Reader, node: ast.AST) -> Any:
    """What an expression stands for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return number(node.value)
    if isinstance(node, ast.Name):
        value = reader.lookup(node.id, node)
        return number(value) if isinstance(value, bool | int | float) else value
    if isinstance(node, ast.Tuple):
        return tuple(evaluate(reader, e) for e in node.elts)
    if isinstance(node, ast.ListComp):
        return several(reader, node)
    if isinstance(node, ast.BinOp):
        return binary(reader, node, node.op, evaluate(reader, node.left), evaluate(reader, node.right))
    if isinstance(node, ast.UnaryOp):
        return unary(reader, node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return compare(reader, node)
    if isinstance(node, ast.BoolOp):
        flags = [reader.flag(v) for v in node.values]
        op = "and" if isinstance(node.op, ast.And) else "or"
        return together(reader, op, flags)
    if isinstance(node, ast.Subscript):
        return subscript(reader, node)
    if isinstance(node, ast.Call):
        return call(reader, node)
    if isinstance(node, ast.Attribute):
        return getattr(evaluate(reader, node.value), node.attr)
    raise reader.fail(node, f"{ast.unparse(node)} is nothing that a routine can compute")


def several(reader: Reader, node: ast.ListComp) -> tuple[Any, ...]:
    """[... for k in range(n)] with an n that the text gives: so many values."""
    (clause,) = node.generators
    start, stop, step = control.range_of(reader, clause.iter)
    if clause.ifs or not isinstance(clause.target, ast.Name) or start.op != "number" or stop.op != "number":
        raise reader.fail(node, "a list runs over a range that the text gives")
    before, found = dict(reader.names), []
    for k in range(start.args[0], stop.args[0], step):
        reader.names[clause.target.id] = number(k)
        found.append(reader.hold(clause.target.id, evaluate(reader, node.elt)))
    reader.names = before
    return tuple(found)


def together(reader: Reader, op: str, flags: list[Expression]) -> Expression:
    """All of them, or one of them."""
    decided, known = int(op == "or"), [f for f in flags if f.op == "number"]
    if any(f.args[0] == decided for f in known):
        return next(f for f in known if f.args[0] == decided)
    flags = [f for f in flags if f.op != "number"] or known[:1]
    found = flags[0]
    for f in flags[1:]:
        found = operation(op, found, f)
    reader.parting |= not found.shared
    return found


def binary(reader: Reader, node: ast.AST, op: ast.operator, a: Any, b: Any) -> Any:
    """Arithmetic of numbers, or of runs entry by entry."""
    if type(op) not in OPERATORS:
        raise reader.fail(node, "a routine adds, subtracts, multiplies and divides")
    name = OPERATORS[type(op)]
    if isinstance(a, Run | Entries) or isinstance(b, Run | Entries):
        a, b = (reader.hold("factor", x) if isinstance(x, Expression) and x.op != "number" else x for x in (a, b))  # once, for all entries
        return elementwise(lambda x, y: arithmetic(name, x, y), a, b)
    if not isinstance(a, Expression) or not isinstance(b, Expression):
        raise reader.fail(node, "arithmetic is for numbers and runs of entries")
    return arithmetic(name, a, b)


def arithmetic(name: str, a: Expression, b: Expression) -> Expression:
    """Of two numbers: whole ones stay whole unless they are divided."""
    if a.kind == WHOLE and b.kind == WHOLE and name != "div":
        return operation(name, a, b)
    return operation(name, as_real(a), as_real(b))


def unary(reader: Reader, node: ast.UnaryOp) -> Any:
    """-x, not x."""
    value = evaluate(reader, node.operand)
    if isinstance(node.op, ast.Not):
        reader.parting |= not value.shared
        return operation("not", value)
    if isinstance(value, Run | Entries):
        return elementwise(lambda x: operation("neg", x), value)
    if value.op == "number":
        return number(-value.args[0])
    return operation("neg", value)


def compare(reader: Reader, node: ast.Compare) -> Expression:
    """a < b, and so on."""
    a, b = evaluate(reader, node.left), evaluate(reader, node.comparators[0])
    if a.kind != b.kind:
        a, b = as_real(a), as_real(b)
    name = COMPARISONS[type(node.ops[0])]
    if a.op == "number" and b.op == "number" and a.kind == WHOLE:  # the text says so
        return Expression("number", (int(getattr(operator, name)(a.args[0], b.args[0])),), FLAG, True)
    return operation(name, a, b, kind=FLAG)


def subscript(reader: Reader, node: ast.Subscript) -> Any:
    """An entry, a run of entries, a row, or what follows from an entry on."""
    value, index = evaluate(reader, node.value), node.slice
    if isinstance(value, tuple):
        return value[reader.whole(index).args[0]]
    if isinstance(value, TableAt):
        place = reader.whole(index)
        if not place.shared:
            raise reader.fail(node, "a table is looked up with numbers that all worlds share")
        return value.entry(place)
    if isinstance(value, MatrixAt) and isinstance(index, ast.Tuple):
        i, j = index.elts
        if isinstance(i, ast.Slice):
            return value.column(*ends(reader, i), reader.whole(j))
        value, index = value.row(reader.whole(i)), j
    elif isinstance(value, MatrixAt):
        return value.row(reader.whole(index))
    if not isinstance(value, VectorAt):
        raise reader.fail(node, f"{ast.unparse(node.value)} has no entries")
    if not isinstance(index, ast.Slice):
        slot = value.slot(reader.whole(index))
        reader.parting |= not slot.shared
        return load(slot)
    if index.upper is None:
        return VectorAt(value.slot(reader.whole(index.lower))) if index.lower is not None else value
    return value.run(*ends(reader, index))


def ends(reader: Reader, s: ast.Slice) -> tuple[Expression, Expression]:
    """first:stop, both given."""
    if s.lower is None or s.upper is None or s.step is not None:
        raise reader.fail(s, "a run of entries is first:stop, both given")
    return reader.whole(s.lower), reader.whole(s.upper)


def call(reader: Reader, node: ast.Call) -> Any:
    """A function that routines know, or another routine."""
    from redmax.program.routines.routine import Routine

    function = evaluate(reader, node.func)
    args = [evaluate(reader, a) for a in node.args]
    if isinstance(function, Routine):
        return reader.inline(function, args)
    known = FUNCTIONS.get(function)
    if known is None:
        names = ", ".join(sorted(f.__name__ for f in FUNCTIONS if hasattr(f, "__name__")))
        raise reader.fail(node, f"a routine cannot call {ast.unparse(node.func)}; it knows {names}, and other routines")
    return known(reader, *args)


def square_root(reader: Reader, x: Any) -> Any:
    """sqrt(x)."""
    return operation("sqrt", as_real(x))


def magnitude(reader: Reader, x: Any) -> Any:
    """abs(x)."""
    return operation("abs", x)


def smaller(reader: Reader, a: Expression, b: Expression) -> Expression:
    """min(a, b) of whole numbers, or of reals, of which NumPy then sees one world at a time."""
    reader.parting |= not (a.shared and b.shared)
    return operation("min", *alike(a, b))


def larger(reader: Reader, a: Expression, b: Expression) -> Expression:
    """max(a, b)."""
    reader.parting |= not (a.shared and b.shared)
    return operation("max", *alike(a, b))


def alike(a: Expression, b: Expression) -> tuple[Expression, Expression]:
    """Both whole, or both real."""
    return (a, b) if a.kind == b.kind else (as_real(a), as_real(b))


def selected(reader: Reader, flag: Expression, a: Any, b: Any) -> Any:
    """where(flag, a, b)."""
    return operation("select", flag, *alike(a, b))


def as_whole(reader: Reader, x: Expression) -> Expression:
    """whole(x): what memory holds, as a whole number of each world."""
    reader.parting |= x.kind == REAL
    return x if x.kind == WHOLE else Expression("whole", (x,), WHOLE, False)


def in_some(reader: Reader, flag: Expression) -> Expression:
    """some(flag): shared by all worlds that go side by side."""
    reader.parting = True  # NumPy sees one world at a time
    return flag if flag.shared else Expression("some", (flag,), FLAG, True)


def to_real(reader: Reader, x: Expression) -> Expression:
    """float(x)."""
    return as_real(x)


def product_sum(reader: Reader, a: Any, b: Any) -> Expression:
    """dot(a, b)."""
    a, b = (listed(x) for x in (a, b))
    terms = elementwise(lambda x, y: operation("mul", x, y), a, b)
    if terms.count.op == "number" and terms.count.args[0] <= control.FEW:
        return summed([terms.entry(number(k)) for k in range(terms.count.args[0])])
    k = reader.fresh("k")
    return total(k, terms.count, terms.entry(name_of(k, WHOLE, True)))


def summed(terms: list[Expression]) -> Expression:
    """Of every other one, and of those between, so that half of the sum need not wait for the other."""
    if len(terms) < 4:
        return reduce(lambda a, b: operation("add", a, b), terms) if terms else number(0.0)
    return operation("add", summed(terms[::2]), summed(terms[1::2]))


def matrix_at(reader: Reader, v: VectorAt, leading: Expression) -> MatrixAt:
    """matrix(v, leading)."""
    return MatrixAt(v.start, leading)


def listed(x: Any) -> Any:
    """Values of a list, as entries."""
    return Entries(number(len(x)), lambda k: x[k.args[0]]) if isinstance(x, tuple) else x


def sum_of(reader: Reader, values: tuple[Expression, ...]) -> Expression:
    """sum([...])."""
    found = values[0]
    for x in values[1:]:
        found = arithmetic("add", found, x)
    return found


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    math.sqrt: square_root, redmax_math.sqrt: square_root, abs: magnitude, min: smaller, max: larger,
    redmax_math.where: selected, whole: as_whole, float: to_real, dot: product_sum, sum: sum_of,
    matrix: matrix_at, some: in_some,
}  # fmt: skip
