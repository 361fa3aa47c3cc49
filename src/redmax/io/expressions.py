"""Numbers and functions as a person writes them: `pi/4`, `2*mass`, `where(t < 3, 0, 100)`, `k*(q[0] - rest)`.

An expression is read with Python's grammar, of which only arithmetic is known here: anything else is a mistake, and nothing is executed.
It becomes a tree of small functions, which takes numbers and traced scalars alike.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from functools import reduce
from itertools import chain, islice
from math import isfinite, pi
from typing import Any

import numpy as np

from redmax import math as rm
from redmax.arguments import as_float
from redmax.errors import MOST, NoValue, RedmaxError, SceneError
from redmax.io.problems import among, shown
from redmax.io.traces import PARTS, filled, leaves

UNARY = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "floor")
LENGTH, NODES, POWER, BITS = 4000, 1000, 64, 10_000
FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    **{name: (getattr(rm, name), 1) for name in UNARY},
    "abs": (rm.absolute, 1), "absolute": (rm.absolute, 1), "atan2": (rm.atan2, 2), "power": (rm.power, 2), "minimum": (rm.minimum, 2),
    "maximum": (rm.maximum, 2), "min": (rm.minimum, 2), "max": (rm.maximum, 2), "where": (rm.where, 3), "less": (rm.less, 2),
}  # fmt: skip
CONSTANTS = {"pi": pi}


def times(a: Any, b: Any) -> Any:
    """a b, of whole numbers that are far too long as floats."""
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > BITS:
        a = float(a)
    return a * b


def power(a: Any, b: Any) -> Any:
    """a^b, of whole numbers as floats where the result would be long."""
    if isinstance(a, int) and isinstance(b, int) and (abs(b) > POWER or abs(a) > 1000 or b < 0):
        a = float(a)
    return a**b


BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: times,
    ast.Div: lambda a, b: a / b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: power,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
Evaluate = Callable[[Mapping[str, Any]], Any]


class Wrong(RedmaxError, ValueError):
    """Why a text is no expression: a sentence."""

    def __init__(self, message: str, argument: str = "") -> None:
        super().__init__(message if message.endswith((".", "?")) else f"{message}.", argument=argument)


class Expression:
    """text: as written; names: those of `known` that it depends on. Called with values by name."""

    known: Collection[str]

    def __init__(self, text: str, known: Collection[str]) -> None:
        if len(text) > LENGTH:
            raise Wrong(f"the expression has {len(text)} characters, expected at most {LENGTH}")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = getattr(error, "msg", None) or "it cannot be read"
            if re.match(r"\s*[-+\d.eE]+\s*[^\W\d]|.*[\u00b0%]$", text):
                why = "write the number alone: lengths, masses and times are in the units of the scene, angles in rad"
            raise Wrong(f"{shown(text)} is no expression ({why})") from None
        if sum(1 for _ in ast.walk(tree)) > NODES:
            raise Wrong(f"the expression has more than {NODES} parts")
        self.text, self.known = text, known
        self.names: set[str] = set()
        try:
            self.evaluate = self.compiled(tree)
        except RecursionError:
            raise Wrong(f"{text[:80]!r} is nested too deeply") from None
        self.known = ()

    def compiled(self, node: ast.expr) -> Evaluate:
        """A node of the grammar as a function of the values of names; anything but arithmetic is Wrong."""
        match node:
            case ast.Constant(value=value) if isinstance(value, int | float) and type(value) is not bool and is_finite(value):
                return lambda _: value
            case ast.Name(id=name):
                return self.name(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                a, b, f = self.compiled(left), self.compiled(right), BINARY[type(op)]
                return lambda v: f(a(v), b(v))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                a = self.compiled(operand)
                return lambda v: -a(v)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.compiled(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                a = self.compiled(operand)
                return lambda v: rm.logical_not(a(v))
            case ast.BoolOp(op=op, values=values):
                parts, f = [self.compiled(x) for x in values], rm.logical_and if isinstance(op, ast.And) else rm.logical_or
                return lambda v: reduce(f, [p(v) for p in parts])
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in COMPARE for op in ops):
                sides, fs = [self.compiled(x) for x in (left, *others)], [COMPARE[type(op)] for op in ops]
                return lambda v: reduce(rm.logical_and, [f(a(v), b(v)) for f, a, b in zip(fs, sides, sides[1:])])
            case ast.IfExp(test=test, body=body, orelse=other):
                c, a, b = (self.compiled(x) for x in (test, body, other))
                return lambda v: rm.where(c(v), a(v), b(v))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self.call(name, args)
            case ast.Subscript(value=inner, slice=index):
                a, i = self.compiled(inner), indices(index)
                return lambda v: entry(a(v), i)
            case ast.Attribute(value=ast.Name(id=name), attr=part) if part in PARTS and name.startswith("site"):
                a = self.name(name)
                return lambda v: getattr(a(v), part)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            raise Wrong(f"{shown(self.text)} has a number that is too large")
        if isinstance(node, ast.Tuple):
            raise Wrong(f"{shown(ast.unparse(node))} is several numbers, expected one; the decimal point is a dot")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
            raise Wrong("a power is written with **, not with ^")
        raise Wrong(
            f"{ast.unparse(node)[:60]!r} is not allowed in an expression: it has numbers, names, + - * / ** % comparisons and functions"
        )

    def name(self, name: str) -> Evaluate:
        """A name as a function of the values, or a constant such as pi."""
        if name in self.known:
            self.names.add(name)
            return lambda v: v[name]
        if name in CONSTANTS:
            value = CONSTANTS[name]
            return lambda _: value
        if name.lower() in ("yes", "no", "on", "off", "true", "false", "y", "n"):
            raise Wrong(f"there is no {name!r} here: write true or false for a truth value")
        if name in FUNCTIONS:
            raise Wrong(f"{name} is a function: write {name}(...) with what it is of")
        if name in ("t", "q", "qdot"):
            raise Wrong(f"there is no {name!r} here: this value cannot depend on it")
        near = among(name, chain(sorted(islice(self.known, MOST)), CONSTANTS))
        without = "Without parameters an expression is of numbers, pi and functions."
        raise Wrong(f"there is no {name!r} here. {near if self.known or 'mean' in near else without}")

    def call(self, name: str, args: list[ast.expr]) -> Evaluate:
        """A call of one of the known functions."""
        if name == "stumpff" and len(args) == 2 and isinstance(args[0], ast.Constant) and args[0].value in range(20):
            k, a = args[0].value, self.compiled(args[1])
            return lambda v: rm.stumpff(k, a(v))  # type: ignore[arg-type]
        if name not in FUNCTIONS:
            raise Wrong(f"there is no function {name!r}. {among(name, FUNCTIONS)}")
        f, count = FUNCTIONS[name]
        if len(args) != count:
            raise Wrong(f"{name} takes {count} {'value' if count == 1 else 'values'}, but is given {len(args)}")
        parts = [self.compiled(x) for x in args]
        return lambda v: f(*[p(v) for p in parts])


def is_finite(value: float) -> bool:
    """Whether a float can hold it, and is not infinite."""
    found = as_float(value)
    return found is not None and isfinite(found)


def indices(node: ast.expr) -> tuple[int, ...]:
    """Whole numbers that are written out."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = [ast.literal_eval(p) if isinstance(p, ast.Constant | ast.UnaryOp) else None for p in parts]
    if not all(type(i) is int for i in values):
        raise Wrong(f"the index {ast.unparse(node)!r} is no whole number that is written out")
    return tuple(values)  # type: ignore[arg-type]


def entry(value: Any, index: tuple[int, ...]) -> Any:
    """The entry at an index, or a sentence about the index."""
    if np.ndim(value) != len(index):
        raise Wrong(f"a value with {np.ndim(value)} indices is given {len(index)}")
    try:
        return np.asarray(value)[index]
    except IndexError:
        sizes = " x ".join(map(str, np.shape(value)))
        raise Wrong(f"the index {', '.join(map(str, index))} is beyond what has {sizes} entries; counting starts at 0") from None


def number(expression: Expression, values: Mapping[str, Any]) -> int | float:
    """The value of an expression that depends on numbers alone."""
    try:
        with np.errstate(all="ignore"):
            found: Any = expression.evaluate(values)
            result: Any = found.item() if isinstance(found, np.generic) else found
            if isinstance(result, int | float) and isfinite(result):
                return result
    except OverflowError:
        raise Wrong(f"{shown(expression.text)} has no value: it is too large for a number") from None
    except (ArithmeticError, ValueError, TypeError, IndexError, Wrong) as error:
        raise Wrong(f"{shown(expression.text)} has no value: {error}") from None
    raise Wrong(f"{shown(expression.text)} is {shown(result)}, expected a finite number")


class Written:
    """A function given by expressions, in nested lists: called with its arguments by position, and with parameters by name."""

    def __init__(
        self, parts: Any, arguments: Collection[str], parameters: Collection[str], numbers: Mapping[str, Any], vector: bool
    ) -> None:
        self.parts = [parts] if vector and not isinstance(parts, list) else parts
        used = {name for e in leaves(parts) if isinstance(e, Expression) for name in e.names}
        self.numbers = {name: numbers[name] for name in used - {*arguments, *parameters} if name in numbers}
        self.__name__ = "expression"
        positional = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in arguments]
        named = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in parameters]
        self.__signature__ = inspect.Signature([*positional, *named])

    def __call__(self, *arguments: Any, **parameters: Any) -> Any:
        values = self.numbers | self.__signature__.bind(*arguments, **parameters).arguments
        return filled(evaluated(self.parts, values))


def evaluated(parts: Any, values: Mapping[str, Any]) -> Any:
    """Nested lists with the values of their expressions."""
    if isinstance(parts, list):
        return [evaluated(p, values) for p in parts]
    if not isinstance(parts, Expression):
        return parts
    try:
        return parts.evaluate(values)
    except NoValue as error:
        raise SceneError(f"The expression {shown(parts.text)} has no value: {error.why}.") from None
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, RedmaxError | Wrong):
            raise
        said = "it is too large for a number" if isinstance(error, OverflowError) else str(error).removesuffix(".")
        raise SceneError(f"The expression {shown(parts.text)} has no value: {said}.") from None
