"""What the joints with an axis share: the motion is written along z, and a constant rotation turns z to the axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.components.given import Axis
from redmax.joints.base import Joint, frame_of_axis, unit_axis
from redmax.types import Array


class AlongAxis(Joint):
    """transform(q) = C along_z().transform(q) C^-1, with the z axis of C along `axis`: "x", "y", "z" or any 3-vector."""

    def __init__(self, axis: Axis = "z") -> None:
        self.frame = frame_of_axis(unit_axis(axis, type(self).__name__))

    def along_z(self) -> Joint:
        """The same motion along z."""
        raise NotImplementedError(f"{type(self).__name__} does not define along_z()")

    @property
    def axis(self) -> np.ndarray:
        """The unit vector along the axis, (3,)."""
        return self.frame[:3, 2]

    @property
    def directions(self) -> np.ndarray:
        """Two unit vectors across the axis, (2, 3), right-handed with it: y, z for x; z, x for y; x, y for z.

        Those of an axis between are the ones of the nearest of x, y, z (or its opposite), turned with it by the smallest rotation.
        """
        return self.frame[:3, :2].T

    def transform(self, q: Array) -> Any:
        return self.frame @ self.along_z().transform(q) @ self.frame.T

    def rechart(self, states: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]] | None:
        return self.along_z().rechart(states)

    def canonical(self) -> tuple[Joint, np.ndarray]:
        return self.along_z(), self.frame
