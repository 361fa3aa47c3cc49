"""Programs of the world alone, written by hand: what the tests of the compiled loop run, in memory only.

The key of a recursion's code is its name and the library's source, so each name here is used once, and nothing may come from a disk cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from redmax.backends.interpret import Interpreter
from redmax.backends.llvm.executable import Executable
from redmax.program.fields import Fields
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program, ProgramStage
from redmax.program.relation import Tree
from redmax.program.sweep import Recursion, once, recursion

numbers = count()


def stage(function: Callable[[Any], None]) -> Recursion:
    """A function of the world's record as a stage."""
    return recursion(once(function), name=f"test {next(numbers)} {function.__name__}", core=False)


def make_plan(stages: Sequence[ProgramStage], world: dict[str, int], inputs: Sequence[str], outputs: Sequence[str]) -> Plan:
    program = Program("test", tuple(stages), Fields(world=world), tuple(inputs), tuple(outputs))
    return Planner(program, Tree(()), [], []).plan()


def run_both(plan: Plan, inputs: Sequence[Any], samples: int, worlds: int = 1, **options: Any) -> list[np.ndarray]:
    """The outputs of the compiled program, (samples, worlds, columns), after checking that the interpreter gives the same.

    Worlds of the interpreter run one by one, as each decides by itself when to stop. Samples that are not written stay NaN.
    """
    arrays = [np.atleast_1d(np.asarray(a, float)) for a in inputs]
    found = [np.full((samples, worlds, len(slots)), np.nan) for slots in plan.outputs]
    expected = [a.copy() for a in found]
    count_and_stride = {k: v for k, v in options.items() if k in ("count", "stride")}
    Executable(plan).run(arrays, found, worlds, **options)
    for w in range(worlds):
        own = [a[w : w + 1] if a.ndim == 2 else a for a in arrays]
        Interpreter(plan).run(own, [a[:, w : w + 1] for a in expected], 1, **count_and_stride)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-15)  # not the same bits: the compiler may fuse a product and a sum
    return found
