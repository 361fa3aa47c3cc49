"""Impacts of contact in a run of `adaptive`, which are located in time: what each pair of shapes gave at once, and the energy that took.

    change of momentum = sum of impulses + integral of contact forces

Runs keep sums since they began at every sample (integrators/located/runner.py); what was between two samples is their difference, so that
impacts of one pair between two samples are one. Fixed steps have no impulses of their own: theirs are forces of one step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from redmax.components.one_line import OneLine
from redmax.dynamics.contact.pair_laws import detected_pairs
from redmax.dynamics.contact.runner import Told

if TYPE_CHECKING:
    from redmax.run.simulation import Simulation
    from redmax.run.trajectory import Trajectory

WHEN = 3  # of the numbers of a pair: x, y, z of the impulse, and the time of the last


@dataclass(frozen=True, eq=False, repr=False)
class ContactImpact(OneLine):
    """t: when (s), the last of those between two samples; first, second: what met, by name; impulse: (3,), on the second (N s), in world
    axes; world: its place in the batch, () of a run by itself."""

    t: float
    first: str
    second: str
    impulse: np.ndarray
    world: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class RecordsContactImpacts:
    """What a Trajectory knows of impacts of contact; None of runs without contact, and of fixed steps.

    contact_impulse: (time, ..., pairs of shapes, 4): what impacts gave the second of a pair since the run began (N s), and when the last
    of them was (s), not a number before the first
    contact_loss: (time, ...): the energy that they took since the run began (J)
    """

    contact_impulse: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    contact_loss: np.ndarray | None = field(default=None, kw_only=True, repr=False)

    @property
    def contact_impacts(self) -> tuple[ContactImpact, ...]:
        """What struck what, in order of time, where impacts are located: with integrator "adaptive"."""
        run = cast("Trajectory", self)
        return () if self.contact_impulse is None else impacts_of(run, np.asarray(self.contact_impulse))


def impacts_of(run: Trajectory, impulse: np.ndarray) -> tuple[ContactImpact, ...]:
    """What happened between each two samples."""
    change, pairs = np.diff(impulse[..., :WHEN], axis=0), detected_pairs(run.model)
    found: list[ContactImpact] = []
    for k, *place in np.argwhere((np.nan_to_num(change) != 0.0).any(axis=-1)).tolist():
        a, b = pairs[place[-1]]
        found.append(ContactImpact(float(impulse[(k + 1, *place, WHEN)]), a.owner, b.owner, change[(k, *place)], tuple(place[:-1])))
    return tuple(sorted(found, key=lambda impact: impact.t))


class ImpactSamples:
    """Of at most `size` samples of all worlds, added up over the portions of a run."""

    def __init__(self, sim: Simulation, size: int) -> None:
        self.worlds, self.pairs = len(sim.q), len(sim.model.contact_pairs)
        self.last = self.fresh(1)
        self.begin(size)

    def fresh(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Without any."""
        impulse = np.zeros((size, self.worlds, self.pairs, 4))
        impulse[..., WHEN] = np.nan
        return impulse, np.zeros((size, self.worlds))

    def begin(self, size: int) -> None:
        """Room for samples, the first of which has what there was before."""
        self.impulse, self.loss = self.fresh(size)
        self.impulse[0], self.loss[0] = self.last[0][0], self.last[1][0]

    def keep(self, held: int, count: int, told: Told) -> None:
        """Those of the next samples, of which so many are held already."""
        if told.impulse is None or told.loss is None or not count:
            return
        before, lost = (x[0] for x in self.last)
        now = told.impulse[:count].reshape(count, self.worlds, self.pairs, 4).copy()
        struck = np.isfinite(now[..., WHEN])
        now[..., WHEN] = np.where(struck, now[..., WHEN], before[..., WHEN])
        now[..., :WHEN] += before[..., :WHEN]
        self.impulse[held : held + count], self.loss[held : held + count] = now, told.loss[:count, :, 0] + lost
        self.last = now[-1:], self.loss[held + count - 1 : held + count].copy()

    def fields(self, n: int, batch: tuple[int, ...]) -> dict[str, Any]:
        """What a Trajectory of the first n samples has of them."""
        return {
            "contact_impulse": self.impulse[:n].reshape(n, *batch, self.pairs, 4),
            "contact_loss": self.loss[:n].reshape(n, *batch),
        }
