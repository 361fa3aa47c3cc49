"""Worlds of one run that fail apart from each other: where one has no way on, the others go to the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from redmax.errors import SimulationError


class WorldsFailed(SimulationError):
    """Some worlds of a run had no way on; the others went to the end. reasons: sentences, by world."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__(next(iter(reasons.values())))
        self.reasons = dict(reasons)


class Apart:
    """What is known of the worlds of a run that failed. One that is alone raises its own error."""

    def __init__(self, worlds: int) -> None:
        self.worlds = worlds
        self.reasons: dict[int, str] = {}

    def begins(self, *state: np.ndarray) -> bool:
        """Whether a world has a state to begin from; one that failed before has none, and stays as it is."""
        return self.worlds == 1 or all(np.isfinite(x).all() for x in state)

    @contextmanager
    def world(self, number: int) -> Iterator[None]:
        """Within it, a failure is that of this world."""
        try:
            yield
        except SimulationError as failure:
            if self.worlds == 1:
                raise
            self.reasons[number] = failure.reason

    def end(self) -> None:
        """Raise if a world failed."""
        if self.reasons:
            raise WorldsFailed(self.reasons)
