"""What a backend and a runner are, and which backends there are.

A backend lays programs out as plans and turns a plan into a runner: `interpret` walks it with NumPy, `llvm` compiles it. Who has a runner
knows no more than what stands here, whichever backend made it, and whatever else advances states from Python (integrators that keep a
past, dynamics in other coordinates) is a runner too.

Compiled code knows addresses alone. An array of another type or size would be read as what it is not, so every array passes `Door.check`
where its address is taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np

from redmax.arguments import brief
from redmax.errors import RedmaxError
from redmax.program.group import Group, Meta, Signature
from redmax.program.interaction import Acting
from redmax.program.plan import Plan, Planner
from redmax.program.program import Program
from redmax.program.relation import Tree

Arrays: TypeAlias = "Sequence[np.ndarray] | dict[str, np.ndarray]"  # in the declared order, or by their declared names


class Runner(ABC):
    """A program that can be run on arrays. inputs, outputs: the names of its arrays, in the declared order.

    Arrays are given in that order, or by name as a dict: the first is what a caller in a hurry does. All have the runner's dtype.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @abstractmethod
    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """Run all worlds; nonzero if an input or output is not finite.

        inputs: (worlds, columns), or (columns,) for all worlds; outputs: (samples, worlds, columns). count: turns of a counted loop;
        stride: how many of them make a sample. Samples that a run does not reach keep what they held. A world that fails leaves the others
        alone; where Python knows why, WorldsFailed says so once they are at the end.
        """

    def prepare(self, worlds: int) -> None:  # noqa: B027  a runner that compiles nothing has nothing to do
        """Compile what runs of so many worlds need now, not within the first."""

    def bind(self, inputs: Arrays, outputs: Arrays) -> Callable[[], int]:
        """A call of one world without count, over arrays (columns,) of the caller: what they hold goes in and comes out at each call.

        They are checked once; a call is as quick as the backend can make it.
        """
        wide = [o[None, None] for o in in_order(outputs, self.outputs, "A bound call")]
        return lambda: self.run(inputs, wide, 1)

    def checkpoint(self) -> Any:
        """What a runner keeps of the past, for `restore`; None for one whose runs know nothing but their inputs."""
        return None

    def restore(self, past: Any) -> None:  # noqa: B027  a runner without a past has nothing to do
        """Go back to a checkpoint; what follows is the same to the last bit. None: forget the past."""

    @property
    def notes(self) -> Mapping[str, np.ndarray]:
        """What the last run noticed of its samples beside its outputs, by name: (samples, worlds, n) each; none before the first run."""
        return {}


class Door:
    """What a plan declares of its arrays: their names, their type and how many columns each has."""

    def __init__(self, plan: Plan, dtype: np.dtype) -> None:
        self.program, self.dtype, self.names = plan.program, dtype, plan.names
        self.inputs, self.outputs = [len(slots) for slots in plan.inputs], [len(slots) for slots in plan.outputs]
        self.fed, self.turns = plan.fed, plan.turns

    def ordered(self, inputs: Arrays, outputs: Arrays) -> tuple[Sequence[np.ndarray], Sequence[np.ndarray]]:
        """Both as lists in the declared order."""
        if not (isinstance(inputs, dict) or isinstance(outputs, dict)):  # nothing to do, and in a hurry
            return inputs, outputs
        name = f"Program {self.program.name!r}"
        return in_order(inputs, self.names[0], name), in_order(outputs, self.names[1], name)

    def check(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], worlds: int, count: int = 0, contiguous: bool = True
    ) -> None:
        """Raise unless the arrays are what the plan declares. contiguous: the code steps through them by itself, row after row.

        count: turns, of which inputs that come turn by turn must have a row each
        """
        dtype, samples = self.dtype, len(outputs[0]) if outputs else 0
        if len(inputs) != len(self.inputs) or len(outputs) != len(self.outputs):
            got = f"{len(inputs)} inputs and {len(outputs)} outputs"
            raise RedmaxError(f"Program {self.program.name!r} takes {len(self.inputs)} inputs and {len(self.outputs)} outputs. Got {got}.")
        for n, (array, columns) in enumerate(zip(inputs, self.inputs, strict=True)):
            shape = array.shape
            if n in self.fed:
                if len(shape) < 2 or len(array) < count:
                    self.refuse(inputs, self.names[0], self.inputs, f"({count}, {worlds}, n) or ({count}, n) of {self.names[0][n]!r}")
                shape = shape[1:]
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
        given = [f"{name} {a.dtype} {a.shape} (n = {n}){how(a)}" for name, a, n in zip(names, arrays, columns, strict=True)]
        raise RedmaxError(f"Program {self.program.name!r} takes {self.dtype} arrays {shape}, by rows. Got {', '.join(given)}.")

    def leave(self, outputs: Sequence[np.ndarray]) -> None:
        """Raise where a loop took more turns than a program reversed has room for; the cotangents of these worlds are no numbers."""
        if not self.turns:
            return
        took = outputs[self.names[1].index("turns")].max(axis=(0, 2))
        if (beyond := np.flatnonzero(took > self.turns)).size:
            world, most = int(beyond[0]), int(took.max())
            kept = f"The cotangent of program {self.program.name!r} keeps {self.turns} turns of each loop."
            raise RedmaxError(f"{kept} World {world} took {int(took[world])}. Make it with cotangent(plan, turns={most}).")


def in_order(arrays: Arrays, names: Sequence[str], who: str) -> Sequence[np.ndarray]:
    """Arrays in the order of their names; those that come in order already pass. who: takes them, for the error."""
    if not isinstance(arrays, dict):
        return arrays
    found = [arrays[name] for name in names if name in arrays]
    if len(found) != len(names) or len(arrays) != len(names):
        raise RedmaxError(f"{who} takes arrays named {', '.join(names) or 'nothing'}. Got {', '.join(arrays) or 'none'}.")
    return found


def by_name(arrays: Arrays, names: Sequence[str], who: str) -> dict[str, np.ndarray]:
    """Arrays by their names, in the declared order."""
    ordered = in_order(arrays, names, who)
    if len(ordered) != len(names):
        raise RedmaxError(f"{who} takes {len(names)} arrays ({', '.join(names)}). Got {len(ordered)}.")
    return dict(zip(names, ordered, strict=True))


def how(array: np.ndarray) -> str:
    """What else may be wrong with an array."""
    return ("" if array.flags.c_contiguous else ", not by rows") + ("" if array.flags.writeable else ", which cannot be written")


class Mechanism(Protocol):
    """What a program is laid out for: a tree of joints with their signatures and constants, and the forces between them."""

    @property
    def tree(self) -> Tree:
        """Which joint hangs on which; the recursions follow it."""
        ...

    @cached_property
    def kernels_of(self) -> tuple[list[Signature], list[np.ndarray]]:
        """Each joint's signature, which says what code it needs, and its row of constants."""
        ...

    @cached_property
    def acting(self) -> tuple[Acting, ...]:
        """The forces, those of one law together, each with the joints it acts between."""
        ...

    @property
    def interacting(self) -> tuple[Acting, ...]:
        """These, and the constraints, those of one kind together."""
        ...


class Backend(ABC):
    """Lays programs out, and makes what runs them."""

    def describe(self, group: Group) -> Meta:
        """The sizes of a group of kernels, if possible without tracing it."""
        return group.meta

    def rolled(self, model: Mechanism, program: Program, keep: bool = False) -> Plan:
        """A program laid out for a model, kernel by kernel. keep: every value has a slot of its own, for a reverse sweep."""
        signatures, constants = model.kernels_of
        return Planner(program, model.tree, signatures, constants, self.describe, model.interacting, keep).plan()

    def plan(self, model: Mechanism, program: Program) -> Plan:
        """A program laid out for a model as this backend runs it best."""
        return self.rolled(model, program)

    @abstractmethod
    def runner(self, plan: Plan, dtype: str) -> Runner:
        """What runs a plan on arrays of this type, "float64" or "float32"."""


@dataclass(frozen=True)
class Entry:
    """A backend that can be asked for by name. says: what it is, in a word; make: makes it, and imports what it needs no earlier."""

    says: str
    make: Callable[[], Backend]


def llvm() -> Backend:
    """Compiled code."""
    from redmax.backends.llvm.executable import LLVM

    return LLVM()


def interpret() -> Backend:
    """NumPy."""
    from redmax.backends.interpret import Interpret

    return Interpret()


BACKENDS: dict[str, Entry] = {"llvm": Entry("compiled", llvm), "interpret": Entry("NumPy, for debugging", interpret)}


def check_backend(backend: str, dtype: str) -> None:
    """Raise unless there is such a backend, and such a type of numbers."""
    if not isinstance(backend, str) or backend not in BACKENDS:
        *most, last = [f"{name!r} ({entry.says})" for name, entry in BACKENDS.items()]
        raise RedmaxError(f"There is no backend {brief(backend)}. Valid: {', '.join(most)} or {last}.")
    if not isinstance(dtype, str) or dtype not in ("float64", "float32"):
        raise RedmaxError(f"dtype is {brief(dtype)}. Valid: 'float64' or 'float32'.")


def make_plan(model: Mechanism, program: Program, backend: str) -> Plan:
    """A program laid out for a model; small ones as straight-line code."""
    return BACKENDS[backend].make().plan(model, program)


def rolled_plan(model: Mechanism, program: Program, backend: str, keep: bool = False) -> Plan:
    """A program laid out for a model, kernel by kernel. keep: every value has a slot of its own, for a reverse sweep."""
    return BACKENDS[backend].make().rolled(model, program, keep)


def make_runner(plan: Plan, backend: str, dtype: str) -> Runner:
    """What runs a plan."""
    return BACKENDS[backend].make().runner(plan, dtype)
