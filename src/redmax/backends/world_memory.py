"""What Python sees of one world when a program calls it: its fields by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


class WorldMemory:
    """The memory of one world. `view[name]` is a copy of a field over all joints, of doubles; assigning to it writes the field.

    Solvers in Python compute with doubles, whatever the memory holds.
    """

    def __init__(self, memory: np.ndarray, slots: Callable[[str], np.ndarray]) -> None:
        self.memory, self.slots = memory, slots

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray(self.memory[self.slots(name)], float)

    def __setitem__(self, name: str, value: np.ndarray) -> None:
        self.memory[self.slots(name)] = value
