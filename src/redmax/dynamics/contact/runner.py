"""Runs with contact: one that begins where the last one ended goes on with the impulses of its contacts; and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from redmax.backends.base import Runner
from redmax.dynamics.common.continued import ContinuedRunner
from redmax.dynamics.contact.rows import TOLD
from redmax.dynamics.contact.stages import COUNTS, HELD, TABLE


@dataclass(frozen=True, eq=False)
class Told:
    """Contacts of samples: counts (samples, worlds, 6), as of stages.COUNTS; held: how many; table: (samples, worlds, capacity, TOLD)."""

    counts: np.ndarray
    held: np.ndarray
    table: np.ndarray


class ContactRunner(ContinuedRunner):
    """capacity: how many contacts there is room for; told: of the samples of the last run."""

    run_of = "A run with contact"

    def __init__(self, capacity: int, inner: Runner) -> None:
        super().__init__(inner, {HELD: 1, TABLE: TOLD * capacity}, {COUNTS: 6})
        self.capacity = capacity
        self.told: Told | None = None

    def hear(self, found: Mapping[str, np.ndarray]) -> None:
        table = found[TABLE].reshape(*found[TABLE].shape[:2], self.capacity, TOLD)
        self.told = Told(found[COUNTS], found[HELD][..., 0], table)
