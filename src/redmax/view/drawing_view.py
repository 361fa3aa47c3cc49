"""What a viewer needs to know about a curve or a surface: its points, how they change, and what carries them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redmax.errors import RedmaxError

MOST_POINTS = 65_536  # that a graphics card can number in two bytes


@dataclass(frozen=True, eq=False)
class DrawingView:
    """A curve, drawn as a wire, or a surface, drawn as a translucent sheet.

    name: of what it belongs to
    points: (n, 3) along a curve or (m, n, 3) over a surface, in the frame that carries it; or, where they change with time, a function
        of times (T,) (s) that returns (T, n, 3) or (T, m, n, 3)
    poses: (T, 4, 4) of that frame in the world, one per time of the motion, or (1, 4, 4) if it never moves
    carrier: the number of the body that has this frame, -1 for the world, for those who hang the drawing on it
    """

    name: str
    points: NDArray[np.float64] | Callable[[NDArray[np.float64]], NDArray[np.float64]]
    poses: NDArray[np.float64]
    carrier: int = -1

    def __post_init__(self) -> None:
        poses = np.asarray(self.poses, np.float64)
        if poses.ndim != 3 or poses.shape[1:] != (4, 4) or not len(poses):
            raise RedmaxError(f"Drawing {self.name!r}: got poses of shape {poses.shape}, expected (T, 4, 4), T > 0.")
        object.__setattr__(self, "poses", poses)
        if not callable(self.points):
            self.at(np.zeros(1))

    @property
    def moves(self) -> bool:
        """Whether its points change with time, beside the frame that carries them."""
        return callable(self.points)

    def at(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """(T, ..., 3): the points at some times, (1, ..., 3) if they never change."""
        points = np.asarray(self.points(times) if callable(self.points) else np.asarray(self.points)[None], np.float64)
        count = len(times) if self.moves else 1
        if points.ndim not in (3, 4) or points.shape[-1] != 3 or len(points) != count or min(points.shape) < 1:
            wanted = "(n, 3) or (m, n, 3)" if not self.moves else f"({count}, n, 3) or ({count}, m, n, 3) at {count} times"
            raise RedmaxError(f"Drawing {self.name!r}: got points of shape {points.shape[not self.moves :]}, expected {wanted}.")
        if min(points.shape[1:-1]) < 2 or points[0].size > 3 * MOST_POINTS:
            shape, most = points.shape[1:-1], f"{MOST_POINTS:,}"
            raise RedmaxError(f"Drawing {self.name!r}: got {shape} points, expected at least 2 along each side and at most {most} in all.")
        if not np.isfinite(points).all():
            raise RedmaxError(f"Drawing {self.name!r}: some points are not finite; show only where it is defined.")
        return points
