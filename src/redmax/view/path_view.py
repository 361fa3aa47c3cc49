"""What a viewer needs to know about a line that moves freely through some points: a muscle, a spring, a cable."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError


@dataclass(frozen=True, eq=False)
class PathView:
    """A polyline through points that move on their own, drawn as a rod with a bead at each point.

    name: shown when the pointer rests on it
    points: (T, n, 3) in the world, one row per time, or (1, n, 3) if it never moves; NaN where a point takes no part at a time: the line
        then goes straight from the point before to the one after it
    radius: of the rod; by default a small share of the size of the scene
    level: (T,) what its colour shows, such as the activation of a muscle, from blue to red; None for a neutral grey
    range: the levels that are all blue and all red
    colour: "#rrggbb" in place of that of its level, or of grey; None for these
    smooth: whether it is round at its points, as a rope is, instead of having beads there
    """

    name: str
    points: NDArray[np.float64]
    radius: float | None = None
    level: NDArray[np.float64] | None = None
    range: tuple[float, float] = (0.0, 1.0)
    colour: str | None = None
    smooth: bool = False

    def __post_init__(self) -> None:
        points = np.asarray(self.points, np.float64)
        if points.ndim != 3 or points.shape[2] != 3 or points.shape[0] < 1 or points.shape[1] < 2:
            raise RedmaxError(f"Path {self.name!r}: got points of shape {points.shape}, expected (T, n, 3), T > 0, n > 1.")
        if np.isinf(points).any():
            raise RedmaxError(f"Path {self.name!r}: some points are infinite; a point that takes no part at a time is NaN.")
        object.__setattr__(self, "points", points)
        if not self.active.any():
            raise RedmaxError(f"Path {self.name!r}: all points are NaN at all times, expected some to see; leave it out.")
        if self.radius is not None and not 0 < self.radius < np.inf:
            raise RedmaxError(f"Path {self.name!r}: got radius {self.radius}, expected a positive length, or None to have one chosen.")
        self._check_level()

    def _check_level(self) -> None:
        low, high = self.range
        if not -np.inf < low < high < np.inf:
            raise RedmaxError(f"Path {self.name!r}: got range {self.range}, expected two finite numbers, the lower one first.")
        if self.level is None:
            return
        level = np.asarray(self.level, np.float64)
        if level.ndim != 1 or len(level) == 0 or not np.isfinite(level).all():
            raise RedmaxError(f"Path {self.name!r}: got level of shape {level.shape}, expected finite numbers (T,), one per time, or None.")
        object.__setattr__(self, "level", level)

    @property
    def active(self) -> NDArray[np.bool_]:
        """(T, n): whether a point takes part at a time."""
        return np.asarray(~np.isnan(self.points).any(axis=2))
