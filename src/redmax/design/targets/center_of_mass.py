"""CenterOfMassTarget: the centre of mass of all bodies, or of a body and all that hangs on it, that is to be somewhere.

    r = sum m p / M - g,     dr / dqdot_k = m_k / M (v_k + omega_k x (c_k - x_k))

with m_k and c_k the mass and the centre of mass of all that hangs on joint k, and (omega_k; v_k) what its rate does at its origin x_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.components.checks import choice
from redmax.components.handles import BodyHandle
from redmax.design.targets.base import Block, Seen, Slopes, Target, Unit, at_point
from redmax.design.targets.position import AXES
from redmax.dynamics.centroidal import masses, share_of
from redmax.errors import SceneError
from redmax.types import Given

if TYPE_CHECKING:
    from redmax.model.model import Model


@dataclass(frozen=True, eq=False)
class CenterBlock(Block):
    """masses: (bodies,), zero of those that do not count."""

    masses: np.ndarray
    axes: tuple[int, ...]
    goals: int = 3
    unit: Unit = "m"

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.axes)

    def links(self, model: Model) -> Sequence[int]:
        return np.flatnonzero(self.masses).tolist()

    def rows(self, model: Model, seen: Seen, goal: np.ndarray) -> tuple[Sequence[Any], Slopes]:
        axes, total = list(self.axes), float(self.masses.sum())
        mass = self.masses.astype(float).copy()
        moment: list[Any] = [np.zeros(3) for _ in mass]  # m c of all that hangs on a joint
        for i in reversed(range(len(mass))):
            if self.masses[i]:
                com = model.links[i].body[:3, 3]
                moment[i] = moment[i] + self.masses[i] * (seen.link[i][:, :3] @ com + seen.link[i][:, 3])
            if (p := model.tree.parent[i]) >= 0:
                mass[p], moment[p] = mass[p] + mass[i], moment[p] + moment[i]
        r = sum((moment[i] for i in range(len(mass)) if model.tree.parent[i] < 0), np.zeros(3)) * (1.0 / total) - goal
        slopes = {k: (mass[k] / total) * at_point(seen, k, moment[k] * (1.0 / mass[k]))[:, 3:].T[axes] for k in seen.columns}
        return [r[i] for i in axes], slopes


class CenterOfMassTarget(Target):
    """The centre of mass that is to be at `goal`, (3,) m in the world. Of all bodies; with `body`, of it and all that hangs on it.

    axes: along which of the world's axes: "xyz", or some of them in this order, such as "xy" for balance over a place on the ground
    weight: a number, or one for each of these axes; priority: 0 is met first; name: "centre of mass" unless given
    """

    shape = (3,)

    def __init__(
        self, goal: Given = None, *, body: BodyHandle | str | None = None, axes: str = "xyz", weight: ArrayLike = 1.0,
        priority: int = 0, name: str = "centre of mass",
    ) -> None:  # fmt: skip
        self.hold(name, goal, weight, priority)
        choice(self.label, "axes", axes, AXES)
        self.body, self.axes = body, axes

    def blocks(self, model: Model) -> list[Block]:
        counted = (share_of(model, self.body) * masses(model))[: len(model.bodies)]
        if not counted.sum() > 0:
            raise SceneError(f"{self.label}: what it is of has no mass, and so no centre of mass. Give a body some.", argument="body")
        return [CenterBlock(counted, tuple("xyz".index(a) for a in self.axes))]
