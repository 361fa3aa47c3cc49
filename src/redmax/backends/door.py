"""The door through which arrays reach code that asks no more.

Compiled code knows addresses alone. An array of another type or size would be read as what it is not, so every array passes `Door.check`
where its address is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from redmax.errors import RedmaxError
from redmax.program.plan import Plan

Arrays: TypeAlias = "Sequence[np.ndarray] | dict[str, np.ndarray]"  # in the declared order, or by their declared names


class Door:
    """What a plan declares of its arrays: their names, their type and how many columns each has."""

    def __init__(self, plan: Plan, dtype: np.dtype) -> None:
        self.program, self.dtype, self.names = plan.program, dtype, plan.names
        self.inputs, self.outputs = [len(slots) for slots in plan.inputs], [len(slots) for slots in plan.outputs]

    def ordered(self, inputs: Arrays, outputs: Arrays) -> tuple[Sequence[np.ndarray], Sequence[np.ndarray]]:
        """Both as lists in the declared order."""
        if not (isinstance(inputs, dict) or isinstance(outputs, dict)):  # nothing to do, and in a hurry
            return inputs, outputs
        name = f"Program {self.program.name!r}"
        return in_order(inputs, self.names[0], name), in_order(outputs, self.names[1], name)

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
        given = [f"{name} {a.dtype} {a.shape} (n = {n}){how(a)}" for name, a, n in zip(names, arrays, columns, strict=True)]
        raise RedmaxError(f"Program {self.program.name!r} takes {self.dtype} arrays {shape}, by rows. Got {', '.join(given)}.")


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
