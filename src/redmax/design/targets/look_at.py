"""LookAtTarget: an axis of a body that is to point at a place, r = R a - u with u = (g - p) / |g - p|.

|r| = 2 sin(angle / 2): the angle itself where it is small, and smooth wherever the body looks.

    rdot = omega x R a + (1 - u u') pdot / |g - p|
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import finite
from redmax.design.targets.base import Block, OnFrame, Target, Unit, named, placed
from redmax.errors import wrong
from redmax.lie.so3 import AXES
from redmax.math import sqrt
from redmax.model.frames import Framed
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class LookBlock(OnFrame):
    """axis: (3,), of length 1 in the frame."""

    axis: np.ndarray
    size: int = 3
    goals: int = 3
    unit: Unit = "rad"

    @property
    def undefined(self) -> str:
        return "is at the place that it is to look at, where there is no direction to it"

    def of_frame(self, R: np.ndarray, p: np.ndarray, goal: np.ndarray) -> tuple[Sequence[Any], np.ndarray]:
        a, d = R @ self.axis, goal - p
        nearness = 1.0 / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        u = [x * nearness for x in d]
        turn = [[0.0, a[2], -a[1]], [-a[2], 0.0, a[0]], [a[1], -a[0], 0.0]]
        slide = [[nearness * ((i == j) - u[i] * u[j]) for j in range(3)] for i in range(3)]
        return [a[i] - u[i] for i in range(3)], np.concatenate([np.array(turn, object), np.array(slide, object)], axis=1)


class LookAtTarget(Target):
    """An axis of a frame that is to point at `goal`, (3,) m in the world: a camera, a lamp, eyes. Its rows are those of an angle (rad).

    of: a body, a frame or a point on it, or the name of a body, a joint or a frame; the axis begins at its origin
    axis: "x", "y", "z", or a direction in the frame
    weight: a number, or one for each of the three rows; priority: 0 is met first; name: that of what it is of, unless given
    """

    shape = (3,)

    def __init__(
        self, of: Framed, goal: Given = None, *, axis: Any = "x", weight: ArrayLike = 1.0, priority: int = 0, name: str | None = None
    ) -> None:
        self.of = of
        self.hold(named(of, name, "look at"), goal, weight, priority)
        valid = "'x', 'y', 'z', or three finite numbers that are not all zero"
        found = np.array(AXES[axis]) if isinstance(axis, str) and axis in AXES else finite(self.label, "axis", axis, ((3,),), valid)
        if not found.any():
            raise wrong(self.label, "axis", axis, valid)
        self.axis = found / np.linalg.norm(found)

    def blocks(self, model: Model) -> list[Block]:
        return [LookBlock(*placed(model, self.label, self.of), self.axis)]
