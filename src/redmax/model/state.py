"""State: coordinates and rates of one world or of a batch, at one time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class State:
    """Where a mechanism is and how it moves, at one time.

    t: s;  q: (..., nq);  qdot: (..., nv);  chart: joint -> the name of its coordinates, where there is a choice."""

    t: float
    q: np.ndarray
    qdot: np.ndarray
    chart: dict[str, Any] = field(default_factory=dict)
