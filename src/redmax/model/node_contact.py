"""Nodes of deformables that touch rigid shapes: small balls on links of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from redmax.contact.shape import ContactShape
from redmax.errors import SceneError

if TYPE_CHECKING:
    from redmax.model.model import Model

HERE = np.eye(4)
HERE.setflags(write=False)


def node_shapes(model: Model) -> Iterator[ContactShape]:
    """A ball for each node that touches."""
    known = {link.name for link in model.bodies} | {o.name for o in model.obstacles}
    for soft in model.soft:
        touching = soft.shape.contact
        if touching is None:
            continue
        if soft.name in known:
            said = f"Deformable {soft.name!r} touches others, and a body or an obstacle has the same name: contacts could not say which is"
            raise SceneError(f"{said} meant. Give one of them another name.", owner=soft.name, argument="name")
        size = np.array([touching.radius, 0.0, 0.0])
        for i in touching.nodes:
            yield ContactShape(soft.name, soft.first + i, "sphere", HERE, size, touching.radius, touching.contact, touching.group, i)


def shape_pairs(shapes: Sequence[ContactShape]) -> Iterator[tuple[ContactShape, ContactShape]]:
    """All pairs of which at most one is a node."""
    rigid, nodes = [s for s in shapes if s.node < 0], [s for s in shapes if s.node >= 0]
    yield from ((a, b) for i, a in enumerate(rigid) for b in rigid[i + 1 :])
    yield from ((a, b) for a in rigid for b in nodes)


def smallest(shapes: Sequence[ContactShape]) -> float:
    """The radius of the smallest of rigid shapes; where there are planes alone, of nodes."""
    solid = [s for s in shapes if s.radius > 0]
    return min([s.radius for s in solid if s.node < 0] or [s.radius for s in solid], default=1.0)


def touching_deformables(model: Model) -> list[str]:
    """The names of deformables of which some nodes touch."""
    return [soft.name for soft in model.soft if soft.shape.contact is not None]
