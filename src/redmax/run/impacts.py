"""Impulses of impacts in a run: what limits and ropes that close gave at once, beside the multipliers, which are forces.

change of momentum = sum of impulses + integral of multipliers, along each row. Runs keep the sum of impulses since they began at every
sample, and when the last one was, of each row (dynamics/common/impulses.py); what was between two samples is their difference. Impacts of
`adaptive` are located in time, those of fixed steps to a step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from redmax.dynamics.common.impulses import OUTPUTS

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation

SLIGHT = 1e-6  # of the largest impulse of a constraint, that is not listed: what a row that rests has at the start of a portion


@dataclass(frozen=True, eq=False)
class Impact:
    """t: when (s), the last of those between two samples; impulse: (rows,), of each row of the constraint (N s or N m s) between them;
    world: its place in the batch, () of a run by itself."""

    t: float
    impulse: np.ndarray
    world: tuple[int, ...] = ()

    def __repr__(self) -> str:
        where = f", world={self.world}" if self.world else ""
        return f"Impact(t={self.t:.9g}, impulse={np.array2string(self.impulse, precision=6, separator=', ')}{where})"


@dataclass(frozen=True, eq=False)
class RecordsImpacts:
    """What a Trajectory knows of impacts; None where no constraint only pushes, and with bdf1 and bdf2.

    impulse: (time, ..., rows), what impacts gave each row of all constraints since the run began (N s or N m s)
    impulse_time: (time, ..., rows), when the last of them was (s); nan where there was none
    """

    impulse: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    impulse_time: np.ndarray | None = field(default=None, kw_only=True, repr=False)


class ImpactLog:
    """What the portions of a run had of impacts: since it began, of the samples of the last portion, (samples, worlds, rows)."""

    def __init__(self, worlds: int, rows: int) -> None:
        self.total, self.last = np.zeros((1, worlds, rows)), np.full((1, worlds, rows), np.nan)

    def add(self, impulse: np.ndarray, struck: np.ndarray) -> None:
        """What another portion had, since that began."""
        self.total, self.last = self.total[-1:] + impulse, np.where(impulse != 0.0, struck, self.last[-1:])


def impact_log(sim: Simulation) -> ImpactLog | None:
    """Of a run that records impacts."""
    return ImpactLog(len(sim.q), sim.model.row_count) if OUTPUTS[0] in sim.runner.outputs else None


def impact_room(sim: Simulation, samples: int, worlds: int) -> dict[str, np.ndarray]:
    """Where a portion writes what it has of them, by the names of its outputs; nothing where it has none."""
    if OUTPUTS[0] not in sim.runner.outputs:
        return {}
    return {name: np.full((samples, worlds, sim.model.row_count), np.nan, sim.dtype) for name in OUTPUTS}


def impacts_of(t: np.ndarray, impulse: np.ndarray, times: np.ndarray) -> tuple[Impact, ...]:
    """Of one constraint, impulse and times (time, ..., rows): what happened between each two samples at times t, in order of time."""
    change = np.diff(impulse, axis=0)
    least = SLIGHT * float(np.nanmax(np.abs(impulse), initial=0.0))
    found: list[Impact] = []
    for k, *world in np.argwhere((np.abs(np.nan_to_num(change)) > least).any(axis=-1)).tolist():
        at = (k, *world)
        when = np.where(np.abs(change[at]) > least, times[(k + 1, *world)], -np.inf).max()
        found.append(Impact(float(when) if np.isfinite(when) else float(t[k + 1]), change[at], tuple(world)))
    return tuple(sorted(found, key=lambda impact: impact.t))
