"""What deformables add to a model: a hidden link for each node, and their elements as forces between these.

A free node is a point mass on a translational joint; one that is attached is fixed to its body, one that is held to the world. So the
velocities of all nodes are J_MR times the reduced ones (RedMax notes Eqs. 2.83-2.86), and every dynamics moves them as it moves bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from redmax.bodies.point_mass import PointMass
from redmax.components.handles import BodyHandle, Point
from redmax.constraints.base import unused
from redmax.constraints.node_tie import NodeTie
from redmax.deformables.attachment import Attachment
from redmax.deformables.base import Deformable
from redmax.deformables.interaction import ElementLaw, NodeDrag
from redmax.joints import Fixed, Translational
from redmax.model.links import Link
from redmax.program.interaction import Acting

if TYPE_CHECKING:
    from redmax.model.model import Model
    from redmax.model.parameters import Parameter

FREE, KEPT = Translational(), Fixed()
NONE, THREE, HERE = np.zeros(0), np.zeros(3), np.eye(4)
for shared in (NONE, THREE, HERE):  # by all nodes
    shared.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Soft:
    """A deformable in a model. first: the number of its first node among the links."""

    shape: Deformable
    first: int

    @property
    def name(self) -> str:
        return str(self.shape.name)

    @property
    def links(self) -> slice:
        return slice(self.first, self.first + len(self.shape.nodes))

    @property
    def owners(self) -> tuple[object, ...]:
        """Of the parameters that its elements, and its damping by mass, read from memory."""
        return *self.shape.elements, self

    def acting(self, parameters: Sequence[Parameter] = ()) -> list[Acting]:
        """Its elements, and its damping by mass. parameters: of the model"""
        own = {id(p.owner): p.remaking.entries for p in parameters if p.place is None and p.remaking is not None}
        alpha, beta = self.shape.rayleigh
        result: list[Acting] = []
        for e in self.shape.elements:
            data = np.column_stack([e.data, np.full(len(e), beta)]) if beta else e.data
            columns = sorted({int(k) % data.shape[1] for _, k in own.get(id(e), ())})
            varied = tuple((c, k) for k, c in enumerate(columns))
            result.append(Acting(ElementLaw(e.law, beta > 0, self.shape.implicit), self.first + e.nodes, data, varied))
        if alpha:
            nodes = self.first + np.arange(len(self.shape.nodes))[:, None]
            varied = ((0, 0),) if id(self) in own else ()
            result.append(Acting(NodeDrag(self.shape.implicit), nodes, alpha * self.shape.masses[:, None], varied))
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


def tied_nodes(soft: Sequence[Soft], poses: Sequence[np.ndarray], taken: Iterable[str]) -> list[NodeTie]:
    """A constraint for each node that is tied, under names that no other has. poses: of the bodies where the scene begins."""
    found: list[NodeTie] = []
    for s in soft:
        for i, kept in s.shape.ties.items():
            name, b = f"{s.name} node {i}", kept.body
            x, y, z = (s.shape.positions[i] if b is None else in_body_frame(kept, s.shape.positions[i], poses[b.index])).tolist()
            node, place = BodyHandle(name, s.first + i, name), (x, y, z) if b is None else Point(b, (x, y, z))
            found.append(NodeTie(node, place, f"tie of {name}", kept.gain, kept.compliance))
    names = unused([str(tie.name) for tie in found], taken)
    return [tie.replaced(name=name) for tie, name in zip(found, names, strict=True)]


def node_ties(model: Model) -> list[tuple[slice, slice]]:
    """(rows of the constraint, rates of the node) of each node that is tied."""
    ties = [(c.name, c.bodies[0].index) for c in model.constraints if isinstance(c, NodeTie)]
    return [(model.row_slice(str(name)), slice(int(model.offsets[i]), int(model.offsets[i + 1]))) for name, i in ties]


def in_body_frame(kept: Attachment, position: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Where a body keeps a node, seen from its body frame. position: where the node begins; pose: of the body there."""
    return pose[:3, :3].T @ (position - pose[:3, 3]) if kept.point is None else np.asarray(kept.point, float)


def in_joint_frame(kept: Attachment, position: np.ndarray, body: Link, pose: np.ndarray) -> np.ndarray:
    """The same, seen from its joint frame."""
    return body.body[:3, :3] @ in_body_frame(kept, position, pose) + body.body[:3, 3]


def node(name: str, mass: PointMass, joint: Fixed | Translational, parent: int, at: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> Link:
    nothing = THREE if joint.dof else NONE
    return Link(name, name, mass, joint, parent, at, HERE, q, qdot, nothing, nothing, nothing)
