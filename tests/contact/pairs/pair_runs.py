"""Runs the routine of one pair on many configurations: shapes (n, 15) and margins in, counts and contacts out."""

from __future__ import annotations

from functools import cache
from types import FunctionType

import numpy as np

from program.routine_runs import plan_of, table
from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.contact.pairs.table import PAIRS
from redmax.program.plan import Plan
from redmax.program.routines.routine import Routine, routine
from redmax.program.routines.views import Matrix, Vector

A, B, MARGIN, COUNT, FOUND, LEADING = 0, 15, 30, 31, 32, 9
SIZE = FOUND + 8 * LEADING


def template(a: Vector, b: Vector, margin: Vector, found: Matrix, count: Vector) -> None:
    """One call, which keeps what is returned."""
    count[0] = pair(a, b, margin[0], found)  # type: ignore[name-defined] # noqa: F821


def kept(found: Routine) -> Routine:
    """A routine of a pair as one that a row can call."""
    function = FunctionType(template.__code__, {"pair": found}, f"call_{found.name}")
    function.__annotations__ = template.__annotations__
    return routine(function)


@cache
def plan_for(kinds: tuple[str, str], repeats: int = 1) -> Plan:
    rows = [(A, B, MARGIN, [FOUND, LEADING], COUNT)] * repeats
    return plan_of([table(kept(PAIRS[kinds][0]), rows)], SIZE)


@cache
def executable(kinds: tuple[str, str], dtype: str) -> Executable:
    return Executable(plan_for(kinds), dtype)


def memory_of(a: np.ndarray, b: np.ndarray, margin: np.ndarray | float) -> np.ndarray:
    a, b = np.atleast_2d(a), np.atleast_2d(b)
    memory = np.zeros((max(len(a), len(b)), SIZE))
    memory[:, A : A + 15], memory[:, B : B + 15], memory[:, MARGIN] = a, b, margin
    return memory


def meet(
    kinds: tuple[str, str],
    a: np.ndarray,
    b: np.ndarray,
    margin: np.ndarray | float,
    backend: str = "llvm",
    lanes: int | None = 1,
    dtype: str = "float64",
) -> list[np.ndarray]:
    """The contacts (count, 8) of each configuration. lanes: None for as many as there are."""
    memory = memory_of(a, b, margin).astype(dtype)
    out = np.empty((1, *memory.shape), dtype)
    if backend == "interpret":
        Interpreter(plan_for(kinds)).run([memory], [out], len(memory))
    else:
        executable(kinds, dtype).run([memory], [out], len(memory), lanes=lanes)
    rows = out[0, :, FOUND:].reshape(len(memory), 8, LEADING)[:, :, :8]
    return [r[: int(n)].astype(float) for r, n in zip(rows, out[0, :, COUNT], strict=True)]
