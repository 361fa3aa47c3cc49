"""Which nodes of a deformable touch rigid shapes, as small balls, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from redmax.arguments import brief
from redmax.components.checks import number
from redmax.contact.material import ContactMaterial, as_material
from redmax.deformables.attachment import selected
from redmax.errors import SceneError

if TYPE_CHECKING:
    from redmax.deformables.base import Deformable

THIN = 0.1  # radius of nodes unless given: a part of the mean length of edges


@dataclass(frozen=True)
class NodeContact:
    """contact: what they are made of; radius (m): of the ball about each; nodes: their numbers; group: as of bodies."""

    contact: ContactMaterial
    radius: float
    nodes: tuple[int, ...]
    group: int = 0


def node_contact(shape: Deformable, contact: Any, radius: Any, nodes: Any, group: Any) -> NodeContact:
    """As `Deformable.touching` is called, checked."""
    owner = shape.owner
    made = as_material(owner, contact)
    chosen = surface_nodes(shape) if nodes is None else sorted(selected(owner, nodes, shape.nodes))
    if isinstance(group, bool) or not isinstance(group, int):
        raise SceneError(f"{owner}: contact group is {brief(group)}, expected a whole number, 0 for none.", owner=owner, argument="group")
    size = usual_radius(shape) if radius is None else number(owner, "radius", radius, "a number greater than 0 (m)", least=0)
    if not size > 0:
        said = f"{owner}: radius of its nodes is {size:g}, expected a number greater than 0 (m), such as half the thickness of a sheet."
        raise SceneError(said, owner=owner, argument="radius")
    return NodeContact(made, size, tuple(chosen), group)


def surface_nodes(shape: Deformable) -> list[int]:
    """Those of its triangles, else of its lines; all, where it has neither."""
    drawn = shape.surface if len(shape.surface) else shape.lines
    return np.unique(drawn).tolist() if len(drawn) else list(range(len(shape.nodes)))


def usual_radius(shape: Deformable) -> float:
    """A part of the mean length of the edges at rest."""
    ends = np.concatenate([shape.surface[:, [0, 1]], shape.surface[:, [1, 2]], shape.surface[:, [2, 0]], shape.lines])
    if not len(ends):
        said = f"{shape.owner}: radius of its nodes is not given, and there are no edges to take it from. Give radius=, such as 0.01 (m)."
        raise SceneError(said, owner=shape.owner, argument="radius")
    return THIN * float(np.linalg.norm(shape.nodes[ends[:, 1]] - shape.nodes[ends[:, 0]], axis=1).mean())
