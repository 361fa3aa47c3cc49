"""What a viewer needs to know about the line that a point leaves behind."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrailView:
    """name: of the body; points: (T, 3) where the point was, in the world; colour: "#rrggbb"; seconds: how long it stays, None for good."""

    name: str
    points: Array
    colour: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        points = np.asarray(self.points, np.float64)
        if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
            raise RedmaxError(f"Trail of {self.name!r}: got points of shape {points.shape}, expected finite numbers (T, 3), T > 0.")
        object.__setattr__(self, "points", points)

    def until(self, t: float, times: Array) -> Array:
        """(k, 3): the points from when it begins to be seen until t, both included, of samples at `times` (T,)."""
        first = times[0] if self.seconds is None else max(times[0], t - self.seconds)
        between = self.points[(times > first) & (times < t)]
        ends = [np.array([np.interp(at, times, self.points[:, k]) for k in range(3)]) for at in (first, t)]
        points = np.concatenate([ends[:1], between, ends[1:]])
        moved = np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=1) > 0])
        return points[moved]
