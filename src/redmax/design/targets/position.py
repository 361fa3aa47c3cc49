"""PositionTarget: a point that is to be somewhere, r = p - g along some of the world's axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import choice
from redmax.design.targets.base import Block, OnFrame, Target, Unit, named, placed
from redmax.model.frames import Framed
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model

AXES = ("xyz", "xy", "xz", "yz", "x", "y", "z")


@dataclass(frozen=True, eq=False)
class PointBlock(OnFrame):
    """r = (p - g) along the world's axes of these numbers."""

    axes: tuple[int, ...] = (0, 1, 2)
    goals: int = 3
    unit: Unit = "m"

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.axes)

    def of_frame(self, R: np.ndarray, p: np.ndarray, goal: np.ndarray) -> tuple[Sequence[Any], np.ndarray]:
        return [p[i] - goal[i] for i in self.axes], np.eye(6)[3:][list(self.axes)]


class PositionTarget(Target):
    """A point that is to be at `goal`, (3,) m in the world.

    of: a body (its centre of mass), a point or a frame on it, or the name of a body, a joint or a frame
    axes: along which of the world's axes: "xyz", or some of them in this order, such as "xy" for a plumb line
    weight: a number, or one for each of these axes; priority: 0 is met first; name: that of what it is of, unless given
    """

    shape = (3,)

    def __init__(
        self, of: Framed, goal: Given = None, *, weight: ArrayLike = 1.0, priority: int = 0, axes: str = "xyz", name: str | None = None
    ) -> None:
        self.of = of
        self.hold(named(of, name, "position"), goal, weight, priority)
        choice(self.label, "axes", axes, AXES)
        self.axes = axes

    def blocks(self, model: Model) -> list[Block]:
        return [PointBlock(*placed(model, self.label, self.of), tuple("xyz".index(a) for a in self.axes))]
