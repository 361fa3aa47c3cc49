"""All slopes of forward or inverse dynamics in one call, as matrices, where the recursions for them apply (dynamics/recursive).

For a chain of 20 links a call takes 4.5 us; directions side by side in lanes take ten times that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from redmax.backends.base import make_plan
from redmax.bridges.derivative import Call, Derivative
from redmax.bridges.function import BACKEND, Function


def operands_of(which: Derivative) -> tuple[str, ...]:
    """The operands by which there are matrices, of those that a function is given; none of a derivative."""
    f = which.of
    if f.matrices is None or which.by is not None or which.along:
        return ()
    return tuple(name for name in list(f.inputs)[:3] if name in which.given)


@dataclass(frozen=True)
class Matrices:
    """The slopes (n, n) of a function's result by some operands; of each those entries alone that a mask has, if there are masks.

    given: the operands of the function; names: those of q, qdot and what drives it
    """

    of: Function
    given: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def results(self) -> tuple[int, ...]:
        """The size of each matrix."""
        return (self.of.model.nv**2,) * len(self.names)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of each operand."""
        return tuple(self.of.inputs[name].size for name in self.given)

    @cached_property
    def call(self) -> Call:
        """Of whole matrices, row after row."""
        if self not in self.of.calls:
            self.of.calls[self] = self.entries({})
        return self.of.calls[self]

    def entries(self, masks: Mapping[str, np.ndarray]) -> Call:
        """masks: operand -> (n, n) of bool: then of those entries, column after column."""
        f, n = self.of, self.of.model.nv
        assert f.matrices is not None
        plan = make_plan(f.laid, f.matrices, BACKEND)
        parted = f.parted(plan, plan.names[1])
        numbered = {name: k for k, name in enumerate(f.inputs)}
        slots = dict(zip(list(f.inputs)[:3], parted.plan.outputs[1:], strict=True))
        outputs = [slots[name].reshape(n, n).T[masks[name].T] if name in masks else slots[name] for name in self.names]
        opened = parted.opened([numbered[name] for name in self.given], outputs, f.dtype)
        return Call(*opened, self.sizes, [len(o) for o in outputs], f.dtype)
