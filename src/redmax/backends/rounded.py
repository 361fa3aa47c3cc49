"""A program that runs in doubles, whatever type the numbers of its caller have: inputs are widened, outputs rounded."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, by_name

RUN = "A run in doubles"


class Rounded(Runner):
    """inner: of doubles."""

    def __init__(self, inner: Runner) -> None:
        self.inner, self.inputs, self.outputs = inner, inner.inputs, inner.outputs

    def prepare(self, worlds: int) -> None:
        """Compile for so many worlds."""
        self.inner.prepare(worlds)

    def checkpoint(self) -> Any:
        """What lies within."""
        return self.inner.checkpoint()

    def restore(self, past: Any) -> None:
        """See `checkpoint`."""
        self.inner.restore(past)

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """See `Runner.run`."""
        given = [np.ascontiguousarray(a, np.float64) for a in by_name(inputs, self.inputs, RUN).values()]
        wanted = by_name(outputs, self.outputs, RUN)
        found = [np.array(a, np.float64) for a in wanted.values()]  # samples that are not reached keep what they held
        try:
            return self.inner.run(given, found, worlds, count, stride)
        finally:
            with np.errstate(over="ignore"):
                for target, values in zip(wanted.values(), found, strict=True):
                    target[...] = values
