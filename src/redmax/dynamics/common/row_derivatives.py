"""How the rows of one constraint change, at many states: along the motion, and with the numbers that it was made from.

    Wdot = d/dt of d gdot/d(omega, v) of each place,   Ddot = d/dt of d gdot/d qdot of each joint that it reads
    dg/dc = dg/d(constants)        at the same coordinates; what a constraint carries is where it was, which g does not see where it is kept

Exact, from the trace that rows are read off (constraint_report.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.constraint_report import Report
from redmax.trace import gradient, jvp


@dataclass(frozen=True, eq=False)
class RateReport(Report):
    """The traced function of Wdot and Ddot."""

    def __call__(self, t: Any, constants: Any, **members: Any) -> list[Any]:
        rows = self.rows(t, constants, members)
        moving = rows.moving()

        def rates(inputs: Sequence[Any]) -> Any:
            found = [
                rows.back(jvp(gradient(row, inputs), moving)) if hasattr(row, "graph") else [0.0] * len(inputs) for row in rows.traced_rate
            ]
            return np.array(found, object).reshape(len(found), len(inputs))

        places = [x for site in rows.local for x in (*site.omega, *site.v)]
        return [rates(places), rates([x for qdot in rows.qdot for x in qdot])]


@dataclass(frozen=True, eq=False)
class ConstantReport(Report):
    """The traced function of dg/dc."""

    def __call__(self, t: Any, constants: Any, **members: Any) -> list[Any]:
        rows = self.rows(t, constants, members)
        found = [gradient(g, list(constants)) if hasattr(g, "graph") else [0.0] * len(constants) for g in rows.gap]
        return [np.array(found, object).reshape(len(found), len(constants))]
