"""What a simulation keeps of a moment, to go back to it and go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.model.state import State


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything a Simulation needs to go on exactly as it would have."""

    state: State
    start: float
    steps: int
    h: np.ndarray | None
    history: Any = None  # what a runner keeps of the past: states that BDF2 needs, the poses behind maximal states
