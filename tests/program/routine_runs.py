"""Runs routines by themselves: a program whose whole memory goes in and comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.program.blocks import Rows, WideRun
from redmax.program.fields import Fields
from redmax.program.plan import Plan
from redmax.program.program import Program
from redmax.program.routines.routine import Routine

Calls = Sequence[tuple[Routine, Sequence[Sequence[Any]]]]


def table(routine: Routine, rows: Sequence[Sequence[Any]]) -> Rows:
    """Rows of a routine's arguments, filled up to the longest."""
    words = [routine.row(*row) for row in rows]
    places = np.zeros((len(words), max(map(len, words), default=0)), np.int64)
    for place, given in zip(places, words, strict=True):
        place[: len(given)] = given
    return Rows(routine, places)


def plan_of(tables: Sequence[Rows], size: int) -> Plan:
    run, slots = WideRun(tuple(tables)), np.arange(size)
    return Plan(
        program=Program("routines", (), Fields(), ("memory",), ("memory",)),
        blocks=(run,),
        groups=tuple(dict.fromkeys(t.group for t in run.tables)),
        constants=np.zeros(1),
        workspace=size,
        accumulators=0,
        inputs=(slots,),
        outputs=(slots,),
        kept=frozenset(),
    )


def run(calls: Calls, memory: np.ndarray, dtype: str = "float64", interpret: bool = False, lanes: int | None = None) -> np.ndarray:
    """The memory (worlds, size) afterwards."""
    plan = plan_of([table(routine, rows) for routine, rows in calls], memory.shape[1])
    out, given = np.empty((1, *memory.shape), dtype), np.ascontiguousarray(memory, dtype)
    if interpret:
        Interpreter(plan).run([given], [out], len(memory))
    else:
        Executable(plan, dtype).run([given], [out], len(memory), lanes=lanes)
    return out[0]


def run_rows(rows: Rows, memory: np.ndarray, interpret: bool) -> np.ndarray:
    """The memory after one table of rows."""
    out, plan = np.empty((1, *memory.shape)), plan_of([rows], memory.shape[1])
    (Interpreter(plan) if interpret else Executable(plan)).run([memory], [out], len(memory))
    return out[0]


def check(calls: Calls, memory: np.ndarray, expected: Callable[[np.ndarray], None], tolerance: float = 1e-13) -> None:
    """Compiled and interpreted do to each world what `expected` does to its memory, and nothing else."""
    after = memory.copy()
    for world in after:
        expected(world)
    scale = np.abs(after).max(axis=1, keepdims=True)
    for interpret in (False, True):
        assert (np.abs(run(calls, memory, interpret=interpret) - after) <= tolerance * scale).all()
    single = run(calls, memory, "float32")
    assert (np.abs(single - after) <= 1e-5 * scale).all()
