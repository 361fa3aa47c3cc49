"""What a backend and a runner are, and the door through which arrays reach code that asks no more.

A backend turns a plan into a runner: `interpret` walks it with NumPy, `llvm` compiles it, and where a plan calls Python on the way,
`hosted` does both in turns. Compiled code knows addresses alone. An array of another type or size would be read as what it is not, so
every array passes `Door.check` where its address is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from redmax.arguments import brief
from redmax.errors import RedmaxError
from redmax.program.fuse import fuse
from redmax.program.group import Signature
from redmax.program.interaction import Acting
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program
from redmax.program.relation import Tree


class Runner(Protocol):
    """A program that can be run on arrays.

    inputs: (worlds, columns), or (columns,) for all worlds; outputs: (samples, worlds, columns). count: turns of a counted loop;
    stride: how many of them make a sample. Returns nonzero if an output is not finite.
    """

    def run(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], worlds: int, count: int = 0, stride: int = 1) -> int: ...


class Door:
    """What a plan declares of its arrays: their type and how many columns each has."""

    def __init__(self, plan: Plan, dtype: np.dtype) -> None:
        self.program, self.dtype, self.names = plan.program, dtype, plan.names
        self.inputs, self.outputs = [len(slots) for slots in plan.inputs], [len(slots) for slots in plan.outputs]

    def check(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], worlds: int, contiguous: bool = True) -> None:
        """Raise unless the arrays are what the plan declares. contiguous: the code steps through them by itself, row after row."""
        dtype, samples = self.dtype, len(outputs[0]) if outputs else 0
        if len(inputs) != len(self.inputs) or len(outputs) != len(self.outputs):
            got = f"{len(inputs)} inputs and {len(outputs)} outputs"
            raise RedmaxError(f"Program {self.program.name!r} takes {len(self.inputs)} inputs and {len(self.outputs)} outputs. Got {got}.")
        for array, columns in zip(inputs, self.inputs, strict=True):
            shape = array.shape
            right = shape == (worlds, columns) or shape == (columns,)
            if array.dtype != dtype or not right or (contiguous and not array.flags.c_contiguous):
                self.refuse(inputs, self.names[0], self.inputs, f"({worlds}, n) or (n,)")
        for array, columns in zip(outputs, self.outputs, strict=True):
            flags = array.flags
            right = array.shape == (samples, worlds, columns) and flags.writeable
            if array.dtype != dtype or not right or (contiguous and not flags.c_contiguous):
                self.refuse(outputs, self.names[1], self.outputs, f"({samples}, {worlds}, n)")

    def refuse(self, arrays: Sequence[np.ndarray], names: Sequence[str], columns: Sequence[int], shape: str) -> None:
        """An error of the caller of a runner, which a user of the library does not see."""
        given = [f"{name} {a.dtype} {a.shape} (n = {n}){how(a)}" for name, a, n in zip(names, arrays, columns, strict=False)]
        raise RedmaxError(f"Program {self.program.name!r} takes {self.dtype} arrays {shape}, by rows. Got {', '.join(given)}.")


def how(array: np.ndarray) -> str:
    """What else may be wrong with an array."""
    return ("" if array.flags.c_contiguous else ", not by rows") + ("" if array.flags.writeable else ", which cannot be written")


class Mechanism(Protocol):
    """What a program is laid out for: a tree of joints with their signatures and constants, and the forces between them."""

    @property
    def tree(self) -> Tree: ...

    @cached_property
    def kernels_of(self) -> tuple[list[Signature], list[np.ndarray]]: ...

    @cached_property
    def acting(self) -> tuple[Acting, ...]: ...


def make_plan(model: Mechanism, program: Program, backend: str) -> Plan:
    """A program laid out for a model; small ones as straight-line code."""
    if backend == "interpret":
        return rolled_plan(model, program, backend)
    from redmax.backends.llvm.engine import library

    return fuse(rolled_plan(model, program, backend), library().describe)


def rolled_plan(model: Mechanism, program: Program, backend: str, keep: bool = False) -> Plan:
    """A program laid out for a model, kernel by kernel. keep: every value has a slot of its own, for a reverse sweep."""
    signatures, constants = model.kernels_of
    if backend == "interpret":
        return Planner(program, model.tree, signatures, constants, acting=model.acting, keep=keep).plan()
    from redmax.backends.llvm.engine import library

    return Planner(program, model.tree, signatures, constants, library().describe, model.acting, keep).plan()


def make_runner(plan: Plan, backend: str, dtype: str) -> Runner:
    """What runs a plan: compiled, with NumPy, or where the plan calls Python, both in turns."""
    if backend == "interpret":
        from redmax.backends.interpret import Interpreter

        return Interpreter(plan, dtype)
    if plan.program.hosted:
        from redmax.backends.hosted import Hosted

        return Hosted(plan, dtype)
    from redmax.backends.llvm.executable import Executable

    return Executable(plan, dtype)


def check_backend(backend: str, dtype: str) -> None:
    """Raise unless there is such a backend, and such a type of numbers."""
    if not isinstance(backend, str) or backend not in ("llvm", "interpret"):
        raise RedmaxError(f"There is no backend {brief(backend)}. Valid: 'llvm' (compiled) or 'interpret' (NumPy, for debugging).")
    if not isinstance(dtype, str) or dtype not in ("float64", "float32"):
        raise RedmaxError(f"dtype is {brief(dtype)}. Valid: 'float64' or 'float32'.")
