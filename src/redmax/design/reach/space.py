"""What is looked for: the coordinates of the joints, or those of the scene's map that these follow from.

A place x is a configuration (worlds, n), or the map's coordinates (worlds, N); a step is along velocities.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from redmax.design.reach.bounds import Bounds
from redmax.errors import SceneError
from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class Space(ABC):
    """Of a model."""

    model: Model
    bounds: Bounds

    movable: np.ndarray
    unit: np.ndarray

    @abstractmethod
    def begin(self, q: np.ndarray) -> np.ndarray:
        """The place of configurations."""

    @abstractmethod
    def stepped(self, x: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations and steps of the joints that lead from places along d."""

    def configurations(self, x: np.ndarray) -> np.ndarray:
        """Of the joints, at places."""
        return self.stepped(x, np.zeros((1, len(self.unit))))[0]

    @abstractmethod
    def arrived(self, x: np.ndarray, d: np.ndarray, q: np.ndarray) -> np.ndarray:
        """The places that steps lead to; q: the configurations there."""

    @abstractmethod
    def along(self, x: np.ndarray, A: np.ndarray) -> np.ndarray:
        """(worlds, m, n): how rows change with steps, from how they change with velocities (worlds, m, nv)."""

    @abstractmethod
    def room(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far down and up coordinates may go."""

    @abstractmethod
    def random(self, rng: np.random.Generator, near: np.ndarray) -> np.ndarray:
        """As many places anywhere."""


class JointSpace(Space):
    """The joints' configurations."""

    def __init__(self, model: Model, bounds: Bounds) -> None:
        super().__init__(model, bounds, bounds.movable, bounds.unit)

    def begin(self, q: np.ndarray) -> np.ndarray:
        return self.bounds.within(q)

    def stepped(self, x: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x, d

    def arrived(self, x: np.ndarray, d: np.ndarray, q: np.ndarray) -> np.ndarray:
        return self.bounds.within(q)

    def along(self, x: np.ndarray, A: np.ndarray) -> np.ndarray:
        return A

    def room(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.bounds.room(x)

    def random(self, rng: np.random.Generator, near: np.ndarray) -> np.ndarray:
        return self.bounds.random(rng, self.model, len(near), near)


class MappedSpace(Space):
    """The coordinates of a map, which have no bounds of their own."""

    def __init__(self, model: Model, bounds: Bounds) -> None:
        if model.map is None:
            raise SceneError("The scene has no map.")
        self.map = model.map
        super().__init__(model, bounds, np.ones(model.map.size, bool), np.ones(model.map.size))

    def begin(self, q: np.ndarray) -> np.ndarray:
        rest = np.zeros(self.model.nv)
        return np.array([self.map.inverse(one, rest)[0] for one in self.model.configurations.split(q)[0]])

    def stepped(self, x: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q = self.model.configurations.join(self.map.coordinates(x + d))
        return q, np.zeros((len(q), self.model.nv))

    def arrived(self, x: np.ndarray, d: np.ndarray, q: np.ndarray) -> np.ndarray:
        return x + d

    def along(self, x: np.ndarray, A: np.ndarray) -> np.ndarray:
        return A @ self.map.evaluate("J", q=x)

    def room(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.full(x.shape, -np.inf), np.full(x.shape, np.inf)

    def random(self, rng: np.random.Generator, near: np.ndarray) -> np.ndarray:
        return near + rng.uniform(-np.pi, np.pi, near.shape)


def space_of(model: Model, bounds: Bounds) -> Space:
    """Of the joints, or of the map."""
    return JointSpace(model, bounds) if model.map is None else MappedSpace(model, bounds)
