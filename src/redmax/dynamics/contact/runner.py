"""Runs with contact: one that begins where the last one ended goes on with the impulses of its contacts; and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from redmax.backends.base import Runner
from redmax.dynamics.common.continued import ContinuedRunner
from redmax.dynamics.contact.fields import COUNTS, EVERY, HELD, IMPULSES, LOSS, MOMENTS, SINCE, TABLE, XYZ
from redmax.dynamics.contact.rows import TOLD

SOLVER = slice(2, 5)  # of what is counted: residual, convex problems, Newton steps


@dataclass(frozen=True, eq=False)
class Told:
    """Contacts of samples: held: how many; table: (samples, worlds, capacity, TOLD); counts: (samples, worlds, 6), as of fields.COUNTS, of
    which residual, convex problems and Newton steps are the worst, and sums, of the steps since the sample before.

    moments: (samples, worlds, capacity, 3), impulses of torsional and rolling friction on the second body; None where there can be none
    impulse, loss: (samples, worlds, 4 for each pair of shapes) and (samples, worlds, 1), of impacts that are located
    """

    counts: np.ndarray
    held: np.ndarray
    table: np.ndarray
    moments: np.ndarray | None = None
    impulse: np.ndarray | None = None
    loss: np.ndarray | None = None

    def after(self, before: Told) -> Told:
        """The same, told of one sample, with what the solver says of the steps before it that another has."""
        counts, past = self.counts.copy(), before.counts[-1:]
        counts[..., 2] = np.fmax(counts[..., 2], past[..., 2])
        counts[..., 3:5] += past[..., 3:5]
        return replace(self, counts=counts)


def told_of(notes: Mapping[str, np.ndarray]) -> Told | None:
    """What a runner has noted of contacts in its last run, if it has."""
    if TABLE not in notes or not notes[TABLE].size:
        return None
    moments = notes[MOMENTS].reshape(*notes[MOMENTS].shape[:2], -1, XYZ) if MOMENTS in notes else None
    counts = notes[COUNTS].copy()
    if SINCE in notes:
        counts[..., SOLVER] = notes[SINCE][..., :3]
    table = notes[TABLE].reshape(*notes[TABLE].shape[:2], -1, TOLD)
    return Told(counts, notes[HELD][..., 0], table, moments, notes.get(IMPULSES), notes.get(LOSS))


class ContactRunner(ContinuedRunner):
    """carried: what goes on from step to step (stages.py). It notes what is told of the samples of the last run (`told_of`)."""

    run_of = "A run with contact"

    def __init__(self, carried: Mapping[str, int], inner: Runner) -> None:
        super().__init__(inner, carried, {COUNTS: 6, SINCE: 4}, every=EVERY)

    def remembered(self, q: np.ndarray, qdot: np.ndarray) -> dict[str, np.ndarray]:
        """What the last run leaves to one that begins here, (worlds, n) each, by name; nothing where it ended elsewhere."""
        if self.history is None or not self.history.goes_on(q, qdot).any():
            return {}
        on = self.history.goes_on(q, qdot)[:, None]
        return {name: np.where(on, x, 0.0) for name, x in self.history.carried.items()}
