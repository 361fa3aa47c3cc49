"""What sentences call measured poses, and how much these are turned against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from redmax.errors import SceneError
from redmax.types import Array


@dataclass(frozen=True)
class Rows:
    """What sentences call the poses: whose argument they are, and the name of each."""

    owner: str
    argument: str
    names: Sequence[str]

    def wrong(self, i: int, got: str, expected: str) -> SceneError:
        """The error of one pose."""
        said = f"{self.owner}: {self.names[i]} has {got}, expected {expected}."
        return SceneError(said, owner=self.owner, argument=self.argument, got=got, expected=expected)


def turns(A: Array, B: Array) -> np.ndarray:
    """By how much one rotation is turned against another, rad, (N,): of the chord |A - B| = 2 sqrt(2) sin(angle / 2)."""
    chord = np.sqrt(((A[:, :3, :3] - B[:, :3, :3]) ** 2).sum(axis=(1, 2)))
    return 2 * np.arcsin(np.minimum(chord / np.sqrt(8.0), 1.0))


def transposed(R: Array) -> Array:
    return np.swapaxes(R, -1, -2)
