"""The public API says what it takes: few of its parameters are Any, or have no type at all."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Annotated, Any, NamedTuple

import redmax as rm

MOST = 0.05  # of the parameters


class Argument(NamedTuple):
    """A parameter of a public function, and whether its type says nothing."""

    owner: str
    name: str
    untyped: bool


def says_nothing(annotation: Any, module: ModuleType) -> bool:
    """No annotation, Any, a name for Any, or a union with one of these."""
    if not isinstance(annotation, str):
        return annotation in (inspect.Parameter.empty, Any)

    def any_in(node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            return any_in(node.left) or any_in(node.right)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
            inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
            return any_in(inner)
        if isinstance(node, ast.Name):
            named = vars(module).get(node.id)
            return node.id == "Any" or getattr(named, "__origin__", named) is Any  # by another name, or with a description
        return False

    return any_in(ast.parse(annotation, mode="eval").body)


def arguments_of(owner: str, function: Callable[..., Any]) -> list[Argument]:
    function = inspect.unwrap(function)
    module = importlib.import_module(function.__module__)
    found = inspect.signature(function).parameters.values()
    return [Argument(owner, p.name, says_nothing(p.annotation, module)) for p in found if p.name not in ("self", "cls")]


def is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("redmax")


def public_functions(module: ModuleType, seen: set[int]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, constructors and public methods of all that a module offers, and of the modules that it offers, each once."""
    for name in getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]:
        thing = getattr(module, name)
        if id(thing) in seen or not (is_ours(thing) or (isinstance(thing, ModuleType) and thing.__name__.startswith("redmax"))):
            continue
        seen.add(id(thing))
        if isinstance(thing, ModuleType):
            yield from public_functions(thing, seen)
        elif isinstance(thing, type):
            yield from methods(thing, seen)
        elif callable(thing):
            yield f"{module.__name__}.{name}", thing


def methods(cls: type, seen: set[int]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for base in filter(is_ours, cls.__mro__):
        for name, value in vars(base).items():
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if inspect.isfunction(function) and id(function) not in seen and (name == "__init__" or not name.startswith("_")):
                seen.add(id(function))
                yield f"{base.__module__}.{base.__qualname__}.{name}", function


def test_few_parameters_say_nothing():
    found = [a for owner, function in public_functions(rm, set()) for a in arguments_of(owner, function)]
    untyped = [f"{a.owner}({a.name})" for a in found if a.untyped]
    assert len(found) > 1000
    assert len(untyped) <= MOST * len(found), "\n".join(untyped)


def test_what_says_nothing_is_found():
    def f(a, b: Any, c: Any | None, d: Nothing, e: Described, f: float, *rest: Any, g: Callable[..., Any]) -> None: ...

    assert [a.untyped for a in arguments_of("f", f)] == [True, True, True, True, True, False, True, False]


Nothing, Described = Any, Annotated[Any, "a number"]
