"""From the source of a routine to its loop form.

Names are followed as Python would: views become loads and stores, calls of other routines their statements, loops over a few turns whose
number the text gives are written out. A name that changes in a loop is carried; its kind is the widest that it takes on the way.
"""

from __future__ import annotations

import ast
import builtins
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from redmax.errors import TraceError
from redmax.program.routines import control, expressions
from redmax.program.routines.form import (
    FLAG,
    REAL,
    WHOLE,
    Assign,
    Expression,
    For,
    Form,
    Put,
    Statement,
    as_real,
    name_of,
    number,
    operation,
)
from redmax.program.routines.values import MatrixAt, Run, TableAt, VectorAt, as_entries, word
from redmax.program.routines.views import Matrix, Places, Vector, Wholes

if TYPE_CHECKING:
    from redmax.program.routines.routine import Routine


def read(routine: Routine) -> Form:
    """The loop form of a routine."""
    reader = Reader(routine)
    for name, value in arguments(routine).items():
        reader.names[name] = value
    reader.body(definition(routine).body)
    return Form(tuple(reader.out), reader.parting)


@lru_cache(maxsize=256)
def definition(routine: Routine) -> ast.FunctionDef:
    """The function as it is written: many are used again and again by others."""
    tree = ast.parse(routine.text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


def arguments(routine: Routine) -> dict[str, Any]:
    """The arguments as the words of a row."""
    found: dict[str, Any] = {}
    k = 2  # behind the address of the code and the size of the memory
    for name, kind in routine.parameters.items():
        first = word(number(k))
        k += 2 if kind is Matrix else 1
        if kind is Matrix:
            found[name] = MatrixAt(first, word(number(k - 1)))
        elif kind in (Wholes, Places):
            found[name] = TableAt(operation("add", first, number(1)), kind is Places)  # the address stands before all words
        else:
            found[name] = VectorAt(first) if kind is Vector else first
    return found


class Reader:
    """Reads statements in order. names: what each stands for; out: the statements so far; lines are for errors."""

    def __init__(self, routine: Routine, scope: str = "") -> None:
        self.routine, self.scope = routine, scope
        self.names: dict[str, Any] = {}
        self.out: list[Statement] = []
        self.parting = False
        self.before: set[str] = set()  # names that were there when worlds parted
        self.result: Any = None
        self.count = 0

    def fail(self, node: ast.AST, why: str) -> TraceError:
        """An error that says where."""
        line = self.routine.text.splitlines()[getattr(node, "lineno", 1) - 1].strip()
        return TraceError(f"The routine {self.routine.name}: {why}, in `{line}`.")

    def lookup(self, name: str, node: ast.AST) -> Any:
        """A name of the routine, of its module, or of Python."""
        if name in self.names:
            return self.names[name]
        space = self.routine.function.__globals__
        if name in space:
            return space[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise self.fail(node, f"{name} has no value here")

    def expression(self, node: ast.AST) -> Any:
        """What an expression stands for."""
        return expressions.evaluate(self, node)

    def whole(self, node: ast.AST) -> Expression:
        """An expression that must be a whole number."""
        value = self.expression(node)
        if not isinstance(value, Expression) or value.kind != WHOLE:
            raise self.fail(node, f"{ast.unparse(node)} must be a whole number; whole(...) makes one of what memory holds")
        return value

    def flag(self, node: ast.AST) -> Expression:
        """A condition, of memory or of whole numbers; it is asked where it stands, without statements of its own."""
        value = self.expression(node)
        if not isinstance(value, Expression) or value.kind != FLAG:
            raise self.fail(node, f"{ast.unparse(node)} is no condition; compare it with something")
        return value

    def fresh(self, hint: str) -> str:
        """A name that no other has."""
        self.count += 1
        return f"{self.scope}{hint}.{self.count}"

    def body(self, statements: list[ast.stmt]) -> None:
        """Statements in order; a docstring says nothing."""
        for s in statements:
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
                continue
            try:
                self.statement(s)
            except TraceError:
                raise
            except (AttributeError, IndexError, TypeError, ValueError) as error:  # of what is no number, or not so many
                raise self.fail(s, f"this cannot be read ({error})") from error

    def statement(self, s: ast.stmt) -> None:
        """One statement."""
        if isinstance(s, ast.Assign) and len(s.targets) == 1:
            self.assign(s.targets[0], self.expression(s.value))
        elif isinstance(s, ast.AugAssign):
            current = self.expression(as_load(s.target))
            self.assign(s.target, expressions.binary(self, s, s.op, current, self.expression(s.value)))
        elif isinstance(s, ast.For):
            control.loop(self, s)
        elif isinstance(s, ast.While):
            control.repeat(self, s)
        elif isinstance(s, ast.If):
            control.choose(self, s)
        elif isinstance(s, ast.Return):
            self.result = None if s.value is None else self.hold("result", self.expression(s.value))
        elif isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            self.expression(s.value)
        elif not isinstance(s, ast.Pass):
            raise self.fail(s, "a routine has assignments, for over range, while, if, and calls of routines")

    def assign(self, target: ast.AST, value: Any) -> None:
        """name = value, or entries of a view = value."""
        if isinstance(target, ast.Tuple):
            values = [self.hold(f"{i}", v) for i, v in enumerate(value)]
            for part, v in zip(target.elts, values, strict=True):
                self.assign(part, v)
        elif isinstance(target, ast.Name):
            self.names[target.id] = self.hold(target.id, value, keep=True)
        elif isinstance(target, ast.Subscript):
            self.put(target, value)
        else:
            raise self.fail(target, "only names and entries can be assigned")

    def hold(self, name: str, value: Any, keep: bool = False) -> Any:
        """Give a value a name, so that it stays what it is though what it was computed from changes. keep: under its own name."""
        if isinstance(value, Expression):
            full = f"{self.scope}{name}" if keep else self.fresh(name)
            shared = value.shared and value.kind != REAL and full not in self.before
            self.out.append(Assign(full, value))
            return name_of(full, value.kind, shared)
        if isinstance(value, VectorAt):
            return VectorAt(self.hold(f"{name}.place", value.start))
        if isinstance(value, MatrixAt):
            return MatrixAt(self.hold(f"{name}.place", value.start), self.hold(f"{name}.leading", value.leading))
        return value

    def put(self, target: ast.Subscript, value: Any) -> None:
        """Store a number, or a run of them entry by entry."""
        place = expressions.subscript(self, target)
        if isinstance(place, Expression) and place.op == "load":
            self.out.append(Put(place.args[0], as_real(value)))
            self.parting |= not place.args[0].shared
        elif isinstance(place, Run):
            self.put_run(place, value)
        else:
            raise self.fail(target, "only entries of vectors and matrices can be assigned")

    def put_run(self, run: Run, value: Any) -> None:
        """Entry by entry; a few, as the text counts them, are written out, unless they fill vector registers."""
        value = self.hold("entry", value) if isinstance(value, Expression) and value.op != "number" else value
        entry = as_entries(value)
        if run.count.op == "number" and run.count.args[0] <= control.FEW and run.count.args[0] % 4:
            values = [self.hold("entry", as_real(entry(number(k)))) for k in range(run.count.args[0])]
            self.out += [Put(run.slot(number(k)), v) for k, v in enumerate(values)]
            return
        k = self.fresh("k")
        index = name_of(k, WHOLE, True)
        body = (Put(run.slot(index), as_real(entry(index))),)
        self.out.append(For(k, number(0), run.count, 1, body, apart=True))

    def inline(self, routine: Routine, args: list[Any]) -> Any:
        """The statements of another routine, with these arguments; what it returns."""
        self.count += 1
        inner = Reader(routine, f"{self.scope}{routine.name}.{self.count}.")
        inner.out, inner.before, inner.parting = self.out, self.before, self.parting
        for (name, kind), value in zip(routine.parameters.items(), args, strict=True):
            told = kind is int and (not isinstance(value, Expression) or value.op == "number")  # by the text: branches go one way
            inner.names[name] = value if told else inner.hold(name, value, keep=True)  # which the routine may assign anew, in a branch too
        inner.body(definition(routine).body)
        self.parting = inner.parting
        return inner.result


def as_load(target: Any) -> ast.AST:
    """What an augmented assignment reads."""
    return ast.copy_location(ast.parse(ast.unparse(target), mode="eval").body, target)
