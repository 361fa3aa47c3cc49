"""A moment of a run: between two samples, what moves is where a straight and steady motion from one to the other has it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.lie import from_quaternion
from redmax.view.packing import pose_rows

Array = NDArray[np.float64]
SMALL = 1e-6  # rad between two samples, below which a turn is straight


@dataclass(frozen=True)
class Moment:
    """t: s; index: the sample at or before it; share: how far it is on the way to the next one, 0 to 1."""

    t: float
    index: int
    share: float

    def mix(self, rows: Array) -> Array:
        """Of rows (T, ...) over time, or a single one of what never moves, the one at this moment."""
        i = self.index if len(rows) > 1 else 0
        return rows[i] if self.share == 0 or len(rows) == 1 else rows[i] + self.share * (rows[i + 1] - rows[i])

    def pick(self, rows: NDArray) -> NDArray:
        """The row at the sample before this moment."""
        return rows[self.index if len(rows) > 1 else 0]

    def pose(self, poses: Array, rows: Array | None = None) -> Array:
        """(4, 4) of poses (T, 4, 4), or of a single one: turned at a constant rate in between. rows: their `pose_rows`, if known."""
        i = self.index if len(poses) > 1 else 0
        if self.share == 0 or len(poses) == 1:
            return poses[i]
        a, b = pose_rows(poses[i : i + 2]) if rows is None else rows[i : i + 2]
        pose = np.eye(4)
        pose[:3, :3] = from_quaternion(steady(a[3:], b[3:], self.share))
        pose[:3, 3] = a[:3] + self.share * (b[:3] - a[:3])
        return pose


def moment_at(times: Array, t: float) -> Moment:
    """The moment t among samples at increasing times (T,); those outside are the first and the last."""
    i = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 1))
    if i == len(times) - 1:
        return Moment(t, i, 0.0)
    return Moment(t, i, float(np.clip((t - times[i]) / (times[i + 1] - times[i]), 0.0, 1.0)))


def steady(a: Array, b: Array, share: float) -> Array:
    """The unit quaternion at a share of the way from a to b, both on one half sphere, at a constant rate."""
    angle = np.arccos(np.clip(a @ b, -1.0, 1.0))
    if angle < SMALL:
        return a + share * (b - a)
    return (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)
