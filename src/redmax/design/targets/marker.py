"""MarkerTarget: points on bodies that are to be where markers were seen; markers that were not seen (NaN) do not count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redmax.design.targets.base import Block, Target, named, placed
from redmax.design.targets.position import PointBlock
from redmax.errors import wrong
from redmax.model.frames import Framed
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model


class MarkerTarget(Target):
    """Points on bodies that are to be at `goal`, (markers, 3) m in the world, or as near as can be; rows of NaN are markers not seen.

    of: the markers: points or frames on bodies, or their names
    weight: a number, or one for each marker; priority: 0 is met first; name: "markers" unless given
    """

    def __init__(
        self, of: Sequence[Framed], goal: Given = None, *, weight: ArrayLike = 1.0, priority: int = 0, name: str = "markers"
    ) -> None:
        if isinstance(of, str) or not isinstance(of, Sequence) or not len(of):
            raise wrong("MarkerTarget", "of", of, "a list of points or frames on bodies, or of their names")
        self.of = tuple(of)
        self.shape = (len(self.of), 3)  # type: ignore[misc]
        self.hold(name, goal, weight, priority)

    @property
    def labels(self) -> tuple[str, ...]:
        """What sentences call the markers."""
        found = [named(of, None, "marker") for of in self.of]
        return tuple(name if found.count(name) == 1 else f"{name} {found[:k].count(name)}" for k, name in enumerate(found))

    @property
    def holes(self) -> bool:
        return True

    def packed(self, goal: np.ndarray) -> np.ndarray:
        return np.nan_to_num(super().packed(goal))

    def weights(self, goal: np.ndarray, size: int) -> np.ndarray:
        if self.weight.ndim and len(self.weight) != len(self.of):
            raise wrong(self.label, "weight", self.weight, f"a number, or one for each of {len(self.of)} markers")
        seen = np.isfinite(goal).all(axis=-1)
        return np.repeat(np.where(seen, self.weight, 0.0), 3, axis=-1)

    def blocks(self, model: Model) -> list[Block]:
        return [PointBlock(*placed(model, self.label, of)) for of in self.of]
