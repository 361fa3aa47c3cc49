"""Recording: the samples that a viewer can show so far, with poses and energies, growing as a simulation goes on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from redmax.dynamics.dynamics import Dynamics
from redmax.errors import SimulationError
from redmax.model.model import Model
from redmax.run.contact.records import COLUMNS

FIELDS = ("t", "q", "qdot", "pose", "twist", "kinetic", "potential")


class Recording:
    """t: (T,); q: (T, n) configurations, with the charts in use; qdot: (T, nv); pose: (T, links, 4, 4); twist: (T, links, 6);
    kinetic, potential: (T,). The arrays are views of what has been computed.

    rows_at: contacts of a sample, (n, COLUMNS) as of run/contact/records.py
    """

    def __init__(self, engine: Dynamics) -> None:
        self.engine = engine
        self.count = 0
        self.rows_at: Callable[[int], NDArray[np.float64]] = lambda sample: np.zeros((0, COLUMNS))
        self._room: dict[str, NDArray[np.float64]] = {}

    @property
    def model(self) -> Model:
        return self.engine.model

    def append(self, t: NDArray[np.float64], q: NDArray[np.float64], qdot: NDArray[np.float64]) -> int:
        """Add samples at times t (k,): configurations q (k, n) and velocities (k, nv), up to the first that has no finite pose and
        energy: a run that blows up gets there before its states do. Returns how many were added."""
        try:
            seen = self.engine.observe(q, qdot, t)
        except SimulationError:
            count = self.visible(t, q, qdot)
            return self.append(t[:count], q[:count], qdot[:count]) if count else 0
        new = dict(zip(FIELDS, (t, q, qdot, seen.pose, seen.twist, seen.kinetic, seen.potential), strict=True))
        end = self.count + len(t)
        for name, values in new.items():
            room = self._room.get(name)
            if room is None or len(room) < end:
                larger = np.empty((max(end, 2 * self.count), *values.shape[1:]))
                if room is not None:
                    larger[: self.count] = room[: self.count]
                self._room[name] = room = larger
            room[self.count : end] = values
        self.count = end
        return len(t)

    def keep(self, most: int) -> None:
        """Forget all but the first samples."""
        self.count = min(self.count, most)

    def visible(self, t: NDArray[np.float64], q: NDArray[np.float64], qdot: NDArray[np.float64]) -> int:
        """How many samples come before the first that cannot be seen."""

        def can_see(count: int) -> bool:
            try:
                self.engine.observe(q[:count], qdot[:count], t[:count])
            except SimulationError:
                return False
            return True

        return bisect_left(range(1, len(t)), True, key=lambda count: not can_see(count))

    def __getattr__(self, name: str) -> NDArray[np.float64]:
        if name not in FIELDS:
            raise AttributeError(name)
        return self._room[name][: self.count]

    def index(self, t: float) -> int:
        """The sample shown at a time: the nearest one."""
        times = self.t
        after = int(np.clip(np.searchsorted(times, t), 1, max(self.count - 1, 1)))
        if self.count == 1:
            return 0
        return after if times[after] - t <= t - times[after - 1] else after - 1
