"""OrientationTarget: a frame that is to be turned somewhere, r = log(R G^T), the rotation vector from the goal to it in world axes.

rdot = dexp_left(r)^-1 omega        (lie/so3.py; |r| is the angle between the two, at most pi)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.design.targets.base import Block, OnFrame, Target, Unit, named, placed
from redmax.errors import SceneError, brief
from redmax.lie import so3
from redmax.model.frames import Framed
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model

RIGID = 1e-6  # of R'R - 1, that a goal may have


@dataclass(frozen=True, eq=False)
class TurnBlock(OnFrame):
    """r = log(R G^T)."""

    size: int = 3
    goals: int = 9
    unit: Unit = "rad"

    def of_frame(self, R: np.ndarray, p: np.ndarray, goal: np.ndarray) -> tuple[Sequence[Any], np.ndarray]:
        r = so3.log(R @ np.reshape(goal, (3, 3)).T)
        D = np.zeros((3, 6), object)
        D[:, :3] = so3.dexp_left_inverse(r)
        return list(r), D


class OrientationTarget(Target):
    """A frame that is to be turned as `goal` says, a rotation matrix (3, 3) in the world.

    of: a body, a frame on it, or the name of a body, a joint or a frame
    weight: a number, or one for the turn about each axis of the world; priority: 0 is met first; name: that of what it is of, unless given
    """

    shape = (3, 3)

    def __init__(self, of: Framed, goal: Given = None, *, weight: ArrayLike = 1.0, priority: int = 0, name: str | None = None) -> None:
        self.of = of
        self.hold(named(of, name, "orientation"), goal, weight, priority)

    def checked(self, goal: Any) -> np.ndarray:
        found = super().checked(goal)
        check_rotations(self.label, found)
        return found

    def blocks(self, model: Model) -> list[Block]:
        return [TurnBlock(*placed(model, self.label, self.of))]


def check_rotations(owner: str, R: np.ndarray) -> None:
    """Raise unless all of (..., 3, 3) are rotations: quaternions, angles or transposed poses are not."""
    if R.ndim == 2:
        if not off_rotation(*R.ravel().tolist()) <= RIGID:
            raise no_rotation(owner, "", R)
        return
    off = off_rotation(*np.ascontiguousarray(R.reshape(-1, 9).T))
    bad = np.flatnonzero(~(off <= RIGID))
    if len(bad):
        world = np.unravel_index(bad[0], R.shape[:-2])
        raise no_rotation(owner, f" of world {[int(k) for k in world]}", R[world])


def off_rotation(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> Any:
    """How far a matrix, by rows, or many of them, is from a rotation: of lengths, of right angles, and of the third row from a x b."""
    lengths = abs(a * a + b * b + c * c - 1.0) + abs(d * d + e * e + f * f - 1.0)
    crossed = abs(b * f - c * e - g) + abs(c * d - a * f - h) + abs(a * e - b * d - i)
    return lengths + abs(a * d + b * e + c * f) + crossed


def no_rotation(owner: str, where: str, R: np.ndarray) -> SceneError:
    """The sentence."""
    fix = "Use rm.rotation_about(axis, angle), or lie.so3.from_quaternion(wxyz)"
    said = f"{owner}: the goal{where} is {brief(R)}, expected a rotation: R'R = 1 and det R = 1. {fix}."
    return SceneError(said, owner=owner, argument="goal")
