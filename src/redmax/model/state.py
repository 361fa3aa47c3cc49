"""State: coordinates and rates of one world or of a batch, at one time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from redmax.components.one_line import OneLine


@dataclass(frozen=True, eq=False, repr=False)
class State(OneLine):
    """Where a mechanism is and how it moves, at one time.

    t: s;  q: (..., nq);  qdot: (..., nv);  chart: joint -> the name of its coordinates, where there is a choice."""

    t: float
    q: np.ndarray
    qdot: np.ndarray
    chart: dict[str, Any] = field(default_factory=dict)
