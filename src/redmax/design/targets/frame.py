"""FrameTarget: a frame that is to be at a pose: its position error, then the rotation vector from the goal to it, in world axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.design.targets.base import Block, Target, named, placed
from redmax.design.targets.orientation import TurnBlock, check_rotations
from redmax.design.targets.position import PointBlock
from redmax.errors import wrong
from redmax.model.frames import Framed
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model


class FrameTarget(Target):
    """A frame that is to be at `goal`, a pose (4, 4) in the world: three rows of position (m), then three of rotation (rad).

    of: a body, a frame on it, or the name of a body, a joint or a frame
    weight: a number, or one for each of the six rows; priority: 0 is met first; name: that of what it is of, unless given
    """

    shape = (4, 4)

    def __init__(self, of: Framed, goal: Given = None, *, weight: ArrayLike = 1.0, priority: int = 0, name: str | None = None) -> None:
        self.of = of
        self.hold(named(of, name, "frame"), goal, weight, priority)

    def checked(self, goal: Any) -> np.ndarray:
        found = super().checked(goal)
        if not (found[..., 3, :] == [0.0, 0.0, 0.0, 1.0]).all():
            transposed = " It looks transposed." if (found[..., :, 3] == [0.0, 0.0, 0.0, 1.0]).all() else ""
            raise wrong(self.label, "goal", goal, f"poses whose last row is 0, 0, 0, 1.{transposed}".rstrip("."))
        check_rotations(self.label, found[..., :3, :3])
        return found

    def packed(self, goal: np.ndarray) -> np.ndarray:
        return np.concatenate([goal[..., :3, 3], goal[..., :3, :3].reshape(*goal.shape[:-2], 9)], axis=-1)

    def blocks(self, model: Model) -> list[Block]:
        at = placed(model, self.label, self.of)
        return [PointBlock(*at), TurnBlock(*at)]
