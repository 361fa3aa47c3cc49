"""A node of a deformable is where a body or the world has a place: three rows, g = x_node - x_place in world axes (RedMax notes Sec. 2.8).

`Deformable.tie` asks for it; a model has one for each node that is tied. lambda is the force on the node, in world axes; what holds it gets
the opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redmax.components.handles import BodyHandle, Point
from redmax.components.holding import Site
from redmax.constraints.base import Constraint
from redmax.types import Value


class NodeTie(Constraint):
    """One node that is tied. node: it, as a link of the model; place: a point of a body, or of the world."""

    size = 3

    def __init__(self, node: BodyHandle, place: Point | Sequence[float], name: str, gain: float | None, compliance: float) -> None:
        self.hold((node, place), name, gain=gain, compliance=compliance)

    def gap(self, sites: Sequence[Site], t: Value) -> Any:
        return sites[0].x - sites[1].x
