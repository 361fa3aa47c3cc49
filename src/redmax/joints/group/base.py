"""What an element of a group is to a joint: numbers that say how the child is placed, and steps along the group.

The velocity is the body twist V of the child relative to the parent, whatever the numbers are: S is constant. A step is exp(delta) of
SO(3) or SE(3), so that the same motion follows from every way to write it; within it delta changes at the rate dexp^-1(delta) V
(Munthe-Kaas).

Roundings do not add up, and nothing looks at how far a state is from the group: steps are products of lie/long_products.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from redmax.arguments import as_array
from redmax.types import Array

LAST = (0, 0, 0, 1)  # row of a pose


class Element(ABC):
    """nq: how many numbers; dof: of how many directions; identity: where the child is the parent."""

    nq: int
    dof: int
    identity: tuple[float, ...]
    valid: str  # what a configuration is, in words
    matrices: tuple[tuple[int, int], ...] = ()  # as which it may be given, too

    def flat(self, q: Any) -> Any:
        """A matrix row by row, without the last row of a pose; anything else as it is."""
        given = as_array(q)
        if given.shape not in self.matrices or (len(given) == 4 and not np.array_equal(given[3], LAST)):
            return q
        return given[:3].ravel()

    @abstractmethod
    def pose(self, q: Array) -> tuple[Any, Any]:
        """R (3, 3) and p (3,)."""

    @abstractmethod
    def step(self, q: Array, delta: Array) -> Any:
        """The configuration, (nq,), that is delta, (dof,), further."""

    @abstractmethod
    def turned(self, q: Array, turn: Array, position: Array) -> Any:
        """The configuration turned by a unit quaternion (4,) in its own axes, and put at a position (3,), if it has one."""

    @abstractmethod
    def difference(self, q: Array, other: Array) -> Any:
        """The step from one to another."""

    @abstractmethod
    def rate(self, delta: Array, velocity: Array) -> Any:
        """How fast delta changes with the twist at the end of it."""

    @abstractmethod
    def velocity(self, delta: Array, rate: Array) -> Any:
        """The inverse of `rate`."""

    @abstractmethod
    def tangent(self, q: Array) -> Any:
        """(nq, dof): how the numbers change with the twist."""

    @abstractmethod
    def speeds(self, q: Array, rates: Array) -> Any:
        """The twist with which the numbers change at these rates, (nq,)."""

    @abstractmethod
    def off(self, q: np.ndarray) -> np.ndarray:
        """(...): how far configurations (..., nq) are from the group, the largest of what should be zero."""

    @abstractmethod
    def nearest(self, q: np.ndarray) -> np.ndarray:
        """(nq,) on the group, of a configuration near it."""

    @abstractmethod
    def located(self, quaternion: np.ndarray, position: np.ndarray) -> np.ndarray:
        """(..., nq) of a child that is turned and moved so, of unit quaternions."""
