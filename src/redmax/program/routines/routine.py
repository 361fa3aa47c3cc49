"""A routine: a Python function over vectors, matrices and whole numbers, marked with `@routine`.

    @routine
    def scale(v: Vector, n: Whole, factor: Vector) -> None:
        v[0:n] *= factor[0]

It may loop over counts that are known when it runs, ask and branch, load and store at places that it computes, and call other routines.
NumPy runs the function itself; backends compile its loop form, which is read from its source once (read.py).
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from redmax.errors import TraceError
from redmax.program.group import Kernels, Meta
from redmax.program.routines.form import Form, If
from redmax.program.routines.names import inner
from redmax.program.routines.views import Matrix, Places, Vector, Wholes
from redmax.program.sweep import code_text

KINDS: Mapping[str, type] = {"Vector": Vector, "Matrix": Matrix, "Whole": int, "Wholes": Wholes, "Places": Places, "Number": Vector}
WORDS = {Vector: 1, Matrix: 2, int: 1, Wholes: 1, Places: 1}  # of a row that an argument takes; a table's is where its entries begin
FIRST = 1  # word of a row that is the first argument's: before it stands how large the memory is


class Looped(Kernels):
    """What rows call that is no traced kernel: it has a name and a loop form."""

    @property
    def name(self) -> str:
        """For errors."""
        raise NotImplementedError

    def line_of_lookup(self, name: str) -> str:
        """The first line of the user's that looks something up with a number of this name; nothing if there is none."""
        return ""

    @cached_property
    def form(self) -> Form:
        """Its statements."""
        raise NotImplementedError

    def call(self, memory: np.ndarray, row: Sequence[int]) -> None:
        """With NumPy, over the memory of all worlds or of one."""
        raise NotImplementedError

    def numeric(self, memory: np.ndarray, row: Sequence[int]) -> None:
        """With NumPy, memory (scalars, worlds): all worlds at once, or one by one where they may go different ways."""
        with np.errstate(all="ignore"):
            for part in [memory[:, w] for w in range(memory.shape[1])] if self.one_by_one else [memory]:
                self.call(part, row)

    @cached_property
    def one_by_one(self) -> bool:
        """Whether worlds may go different ways: a derivative goes that which a choice took, also where all worlds compute both."""
        return self.form.parting or any(isinstance(s, If) and not s.condition.shared for s in inner(self.form.statements))

    @cached_property
    def kernels(self) -> list[Looped]:
        """[itself]."""
        return [self]

    @cached_property
    def meta(self) -> Meta:
        """Nothing is parked; how long it takes is data."""
        return Meta(0, (1,), (True,))

    def units(self, places: int) -> list[str]:
        """What each word of a row counts: the size of the memory, then plain numbers."""
        return ["size", *["number"] * (places - 1)]


@dataclass(frozen=True, eq=False)
class Routine(Looped):
    """A function as something that rows call. Compare `parameters`: name -> Vector, Matrix, int, Wholes or Places, in order."""

    function: Callable[..., Any]
    parameters: Mapping[str, type]

    @property
    def name(self) -> str:
        """Of its function."""
        return self.function.__name__

    def line_of_lookup(self, name: str) -> str:
        """See `Looped`."""
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, ast.Subscript) and any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(node.slice)):
                return self.text.splitlines()[node.lineno - 1].strip()
        return ""

    @cached_property
    def text(self) -> str:
        """The source of its function."""
        try:
            return textwrap.dedent(inspect.getsource(self.function))
        except OSError as error:
            raise TraceError(f"The routine {self.name} has no source that can be read ({error}). Write it in a file.") from None

    @cached_property
    def form(self) -> Form:
        """Its loop form, read once."""
        from redmax.program.routines.read import read

        return read(self)

    @cached_property
    def head(self) -> int:
        """Words of a row before its tables."""
        return FIRST + sum(WORDS[kind] for kind in self.parameters.values())

    def __call__(self, *args: Any) -> Any:
        """As Python, over views: how one routine uses another."""
        return self.function(*args)

    def row(self, *args: Any) -> list[int]:
        """The words of a row: places in scalars, numbers, and the entries of tables behind all of them. A matrix is (place, leading)."""
        if len(args) != len(self.parameters):
            raise TraceError(f"The routine {self.name} takes {', '.join(self.parameters)}. Got {len(args)} arguments.")
        words: list[int] = [1]
        end = self.head
        behind: list[int] = []
        for kind, value in zip(self.parameters.values(), args, strict=True):
            if kind in (Wholes, Places):
                words.append(end + len(behind))
                behind += value
            else:
                words += value if kind is Matrix else [value]
        return [*words, *behind]

    def views(self, memory: np.ndarray, row: Sequence[int]) -> list[Any]:
        """The arguments that a row stands for."""
        found: list[Any] = []
        k = FIRST
        for kind in self.parameters.values():
            if kind is Matrix:
                found.append(Matrix(memory, row[k], row[k + 1]))
            elif kind is Wholes:
                found.append(Wholes(row[row[k] :]))
            elif kind is Places:
                found.append(Places(memory, row[row[k] :]))
            else:
                found.append(Vector(memory, row[k]) if kind is Vector else row[k])
            k += WORDS[kind]
        return found

    def call(self, memory: np.ndarray, row: Sequence[int]) -> None:
        """The function itself."""
        self.function(*self.views(memory, row))

    def key(self, source: str) -> str:
        """Of its code and that of the routines it calls."""
        return hashlib.sha256("\n".join([source, "routine", *codes(self)]).encode()).hexdigest()


def routine(function: Callable[..., Any]) -> Routine:
    """Mark a function as a routine; its annotations say what its arguments are: Vector, Matrix, Whole, Wholes, Places."""
    parameters: dict[str, type] = {}
    for name, p in inspect.signature(function).parameters.items():
        kind = getattr(p.annotation, "__name__", p.annotation)
        kind = "Whole" if kind == "int" else kind
        if kind not in KINDS:
            raise TraceError(f"Argument {name} of the routine {function.__name__} is {kind}. Valid: {', '.join(KINDS)}.")
        parameters[name] = KINDS[kind]
    return Routine(function, parameters)


def codes(routine: Routine) -> list[str]:
    """The code of a routine, and of all that it may call."""
    found: dict[Routine, None] = {}
    waiting = [routine]
    while waiting:
        now = waiting.pop()
        found[now] = None
        waiting += [r for r in called_by(now) if r not in found]
    return [code_text(r.function.__code__) for r in found]


def called_by(routine: Routine) -> list[Routine]:
    """The routines among the names of its module, and of the modules, that it uses."""
    names, space = routine.function.__code__.co_names, routine.function.__globals__
    modules = [space[name] for name in names if isinstance(space.get(name), ModuleType)]
    values = [getattr(module, name, None) for module in modules for name in names] + [space.get(name) for name in names]
    return [value for value in values if isinstance(value, Routine)]
