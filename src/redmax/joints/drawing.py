"""What a joint looks like: curves and surfaces, each fixed to one of its two sides. How to draw them is the viewer's affair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from redmax.errors import SceneError, wrong

Array = np.ndarray
Side = Literal["parent", "child"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A curve or a surface that belongs to a joint.

    points: (n, 3) along a curve or (m, n, 3) over a surface (m); or, where it changes with time, a function of times (T,) (s) that
        returns (T, n, 3) or (T, m, n, 3)
    on: the side that carries it, and whose frame the points are in: "parent", where `at` puts the joint, or "child", the moving frame
    """

    points: Array | Callable[[Array], Array]
    on: Side = "parent"

    def __post_init__(self) -> None:
        if self.on not in ("parent", "child"):
            raise wrong("Drawing", "on", self.on, "'parent' or 'child'")
        if not callable(self.points):
            points = np.asarray(self.points, float)
            if points.ndim not in (2, 3) or points.shape[-1] != 3 or not np.isfinite(points).all():
                valid = "finite points (n, 3) of a curve or (m, n, 3) of a surface, or a function of time"
                raise SceneError(f"Drawing: points have shape {points.shape}, expected {valid}.", owner="Drawing", argument="points")
            object.__setattr__(self, "points", points)

    def placed(self, E: Array) -> Drawing:
        """The same in another frame, in which the present one has the pose E (4, 4)."""
        R, p, points = E[:3, :3], E[:3, 3], self.points
        moved = (lambda t: points(t) @ R.T + p) if callable(points) else points @ R.T + p
        return Drawing(moved, self.on)
