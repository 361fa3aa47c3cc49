"""Runs with contact: one that begins where the last one ended goes on with the impulses of its contacts; and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from redmax.backends.base import Runner
from redmax.dynamics.common.continued import ContinuedRunner
from redmax.dynamics.contact.fields import COUNTS, HELD, MOMENTS, TABLE, XYZ
from redmax.dynamics.contact.rows import TOLD


@dataclass(frozen=True, eq=False)
class Told:
    """Contacts of samples: counts (samples, worlds, 6), as of stages.COUNTS; held: how many; table: (samples, worlds, capacity, TOLD).

    moments: (samples, worlds, capacity, 3), impulses of torsional and rolling friction on the second body; None where there can be none
    """

    counts: np.ndarray
    held: np.ndarray
    table: np.ndarray
    moments: np.ndarray | None = None


def told_of(notes: Mapping[str, np.ndarray]) -> Told | None:
    """What a runner has noted of contacts in its last run, if it has."""
    if TABLE not in notes or not notes[TABLE].size:
        return None
    moments = notes[MOMENTS].reshape(*notes[MOMENTS].shape[:2], -1, XYZ) if MOMENTS in notes else None
    return Told(notes[COUNTS], notes[HELD][..., 0], notes[TABLE].reshape(*notes[TABLE].shape[:2], -1, TOLD), moments)


class ContactRunner(ContinuedRunner):
    """carried: what goes on from step to step (stages.py). It notes what is told of the samples of the last run (`told_of`)."""

    run_of = "A run with contact"

    def __init__(self, carried: Mapping[str, int], inner: Runner) -> None:
        super().__init__(inner, carried, {COUNTS: 6})
