"""One world, run where arrays lie: callers that have no more than addresses, such as CasADi's, write these into the words of a call."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from redmax.backends.llvm.executable import FIRST_INPUT, Executable
from redmax.backends.llvm.words import INPUT, OUTPUT


class Alone:
    """The words of one world's calls, and where they take addresses.

    sizes, results: of the arrays whose addresses are given; held: the last input, which nobody gives
    """

    def __init__(self, runner: Executable, sizes: Sequence[int], held: np.ndarray, results: Sequence[int]) -> None:
        inputs, outputs = ([np.zeros(size, runner.dtype) for size in each] for each in (sizes, results))
        told = [np.zeros(1, runner.dtype)] if runner.plan.turns else []
        workspace = runner.lowered(1).take()
        self.enter = workspace.bind([*inputs, held], [*outputs, *told])
        self.held, self.told, self.door = (inputs, held, outputs, workspace), told, runner.door
        self.words = (ctypes.c_int64 * len(workspace.words)).from_address(workspace.words.ctypes.data)
        places = [FIRST_INPUT + n * len(INPUT) for n in range(len(inputs))]
        self.places = [*places, *[workspace.first_output + n * len(OUTPUT) for n in range(len(outputs))]]

    def run(self, addresses: Sequence[int]) -> None:
        """Fill the results, by the addresses of inputs and outputs, of whose sizes the caller is sure."""
        words = self.words
        for place, address in zip(self.places, addresses, strict=True):
            words[place] = address
        self.enter()
        if self.told:
            self.door.leave([self.told[0].reshape(1, 1, 1)] * len(self.door.outputs))
