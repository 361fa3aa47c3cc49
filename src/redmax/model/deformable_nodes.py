"""What deformables add to a model: a hidden link for each node, and their elements as forces between these.

A free node is a point mass on a translational joint; one that is attached is fixed to its body, one that is held to the world. So the
velocities of all nodes are J_MR times the reduced ones (RedMax notes Eqs. 2.83-2.86), and every dynamics moves them as it moves bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from redmax.bodies.point_mass import PointMass
from redmax.deformables.attachment import Attachment
from redmax.deformables.base import Deformable
from redmax.deformables.interaction import ElementLaw, NodeDrag
from redmax.joints import Fixed, Translational
from redmax.model.links import Link
from redmax.program.interaction import Acting

FREE, KEPT = Translational(), Fixed()
NONE, THREE, HERE = np.zeros(0), np.zeros(3), np.eye(4)
for shared in (NONE, THREE, HERE):  # by all nodes
    shared.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Soft:
    """A deformable in a model. first: the number of its first node among the links."""

    shape: Deformable
    first: int
    ties: tuple[tuple[int, int, np.ndarray], ...] = ()  # (node, body or -1, place in its joint frame or in the world)

    @property
    def name(self) -> str:
        return str(self.shape.name)

    @property
    def links(self) -> slice:
        return slice(self.first, self.first + len(self.shape.nodes))

    def acting(self) -> list[Acting]:
        """Its elements, and its damping by mass."""
        alpha, beta = self.shape.rayleigh
        result: list[Acting] = []
        for e in self.shape.elements:
            data = np.column_stack([e.data, np.full(len(e), beta)]) if beta else e.data
            result.append(Acting(ElementLaw(e.law, beta > 0, self.shape.implicit), self.first + e.nodes, data))
        if alpha:
            nodes = self.first + np.arange(len(self.shape.nodes))[:, None]
            result.append(Acting(NodeDrag(self.shape.implicit), nodes, alpha * self.shape.masses[:, None]))
        return result


def node_links(shape: Deformable, bodies: Sequence[Link], poses: Sequence[np.ndarray]) -> list[Link]:
    """A link for each node. poses: of the bodies where the scene begins."""
    links: list[Link] = []
    weights: dict[float, PointMass] = {}
    for i, (position, velocity, m) in enumerate(zip(shape.positions, shape.velocities, shape.masses.tolist(), strict=True)):
        name, kept = f"{shape.name} node {i}", shape.attachments.get(i)
        if m not in weights:
            weights[m] = PointMass(m)
        mass = weights[m]
        if kept is None:
            links.append(node(name, mass, FREE, -1, HERE, position, velocity))
            continue
        at, parent = np.eye(4), -1
        if kept.body is None:
            at[:3, 3] = position
        else:
            parent = kept.body.index
            at[:3, 3] = in_joint_frame(kept, position, bodies[parent], poses[parent])
        links.append(node(name, mass, KEPT, parent, at, NONE, NONE))
    return links


def placed_ties(shape: Deformable, bodies: Sequence[Link], poses: Sequence[np.ndarray]) -> tuple[tuple[int, int, np.ndarray], ...]:
    """Where the nodes held by constraint rows belong."""
    found: list[tuple[int, int, np.ndarray]] = []
    for i, kept in shape.ties.items():
        if kept.body is None:
            found.append((i, -1, shape.positions[i]))
        else:
            b = kept.body.index
            found.append((i, b, in_joint_frame(kept, shape.positions[i], bodies[b], poses[b])))
    return tuple(found)


def in_joint_frame(kept: Attachment, position: np.ndarray, body: Link, pose: np.ndarray) -> np.ndarray:
    """Where a body keeps a node, seen from its joint frame. position: where the node begins; pose: of the body there."""
    local = pose[:3, :3].T @ (position - pose[:3, 3]) if kept.point is None else np.asarray(kept.point, float)
    return body.body[:3, :3] @ local + body.body[:3, 3]


def node(name: str, mass: PointMass, joint: Fixed | Translational, parent: int, at: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> Link:
    nothing = THREE if joint.dof else NONE
    return Link(name, name, mass, joint, parent, at, HERE, q, qdot, nothing, nothing, nothing)
