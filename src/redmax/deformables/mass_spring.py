"""A chain of point masses and springs (RedMax notes Sec. 2.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import finite, number, positive, whole
from redmax.components.given import FromZero, Length, Mass, Point3, Positive, Range, Rayleigh, Unit
from redmax.deformables.base import Deformable
from redmax.deformables.elements import Elements, check_size
from redmax.deformables.spring import Spring
from redmax.errors import SceneError, called


@dataclass(frozen=True, eq=False, repr=False, init=False)
class SpringChain(Deformable):
    """Nodes evenly spaced from `start` to `end`, with a spring from each to the next.

    start, end: (3,) the first and the last node (m);  count: number of nodes, at least 2
    mass: of all nodes together (kg), split equally
    stiffness: K of each segment (J): the tension in a segment of rest length L at the strain e is K e / L (RedMax notes Eq. 2.82)
    damping: D of each segment (J s), which adds the tension D edot / L
    length: of the whole chain when no segment is strained (m); as long as it is from start to end unless given
    """

    def __init__(
        self,
        start: Point3,
        end: Point3,
        count: Annotated[int, Range(least=2)],
        *,
        mass: Mass,
        stiffness: Annotated[Positive, Unit("J")],
        damping: Annotated[FromZero, Unit("J s")] = 0.0,
        length: Length | None = None,
        rayleigh: Rayleigh = (0.0, 0.0),
        name: str | None = None,
    ) -> None:
        owner = "SpringChain" if name is None else called("SpringChain", name)
        a, b = (finite(owner, n, v, ((3,),), "a point (3 finite numbers, m)") for n, v in (("start", start), ("end", end)))
        n = whole(owner, "count", count, 2)
        check_size(owner, n, "count")
        apart = float(np.linalg.norm(b - a))
        if length is None and not apart > 0:
            raise SceneError(
                f"{owner}: start and end are both {brief(a)}, expected two places; or give the length of the chain.",
                owner=owner,
                argument="end",
            )
        L = (apart if length is None else positive(owner, "length", length, "m")) / (n - 1)
        K, D = positive(owner, "stiffness", stiffness, "J"), number(owner, "damping", damping, "a finite number from 0 up (J s)", least=0)
        pairs = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
        springs = Elements(Spring(damped=D > 0), pairs, np.tile([K, L, D], (n - 1, 1)))
        nodes = a + np.linspace(0.0, 1.0, n)[:, None] * (b - a)
        masses = np.full(n, positive(owner, "mass", mass, "kg") / n)
        super().__init__(nodes, masses, (springs,), rayleigh, lines=pairs, name=name)
