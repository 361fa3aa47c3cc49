"""Elements as the forces of a program: each acts on the nodes it joins, wherever their records are.

A node is a joint frame that does not turn with the element: free nodes have a translational joint, attached ones are fixed to a body
(x_a of RedMax notes Eq. 2.83), held ones to the world. Damping proportional to stiffness is what the law says of it (Law.viscous).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.components.data_and_structure import OWN
from redmax.deformables.elements import Law
from redmax.errors import SceneError
from redmax.program.interaction import MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import Graph, jacobian, listing
from redmax.trace.vector import vector_of


@dataclass(frozen=True, eq=False)
class ElementLaw:
    """law: of the elements; beta: their damping by stiffness (s), a constant of each element behind its data."""

    law: Law
    viscous: bool

    @property
    def text(self) -> str:
        return self.written

    @cached_property
    def written(self) -> str:
        return f"{law_text(self.law)} {self.viscous}"

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        return ()

    def act(self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView) -> dict[tuple[int, int], Any]:
        x, data = np.stack([np.asarray(b.x, object) for b in members]), constants[: self.law.numbers]
        if part is Part.POTENTIAL:
            w.gather("potential", self.law.energy(x, data))
            return {}
        force = per_node(self.law, "forces", self.law.forces(x, data))
        if self.viscous or self.law.damped:
            v = np.stack([np.asarray(b.R, object).reshape(3, 3) @ b.V[3:] for b in members])
            force = force + self.drag(x, v, constants)
        for b, pull in zip(members, force, strict=True):
            b.applied += np.concatenate([np.zeros(3), pull])
        return {}

    def drag(self, x: Any, v: Any, constants: np.ndarray) -> Any:
        """What velocities add to the forces, (k, 3)."""
        data = constants[: self.law.numbers]
        total = per_node(self.law, "damping", self.law.damping(x, v, data)) if self.law.damped else np.zeros(x.shape).astype(object)
        return total + constants[self.law.numbers] * np.asarray(self.law.viscous(x, v, data), object) if self.viscous else total

    def stiffness(self, x: Any, v: Any, data: Any) -> list[Any]:
        """The upper triangles of K and D = -df/dv of one element, by rows; K is that of its potential, as the law has it."""
        k, constants = len(x), data[: self.law.numbers]
        place, rate = np.asarray(x, object).reshape(-1, 3), np.asarray(v, object).reshape(-1, 3)
        K, D = self.law.stiffness(place, constants), np.zeros((k, k)).astype(object)
        if self.law.damped:
            D = D - jacobian(np.asarray(self.law.damping(place, rate, constants), object).ravel(), [*v])
        if self.viscous:
            D = D + data[self.law.numbers] * self.law.viscosity(place, rate, constants)
        upper = np.triu_indices(k)
        return [K[upper], D[upper]]


@dataclass(frozen=True, eq=False)
class NodeDrag:
    """Damping by mass: f = -alpha m v on one node; its constant is alpha m."""

    text: str = "drag of a node"

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        return ()

    def act(self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView) -> dict[tuple[int, int], Any]:
        if part is not Part.POTENTIAL:
            (b,) = members
            v = np.asarray(b.R, object).reshape(3, 3) @ b.V[3:]
            b.applied += np.concatenate([np.zeros(3), -constants[0] * v])
        return {}


def per_node(law: Law, method: str, found: Any) -> np.ndarray:
    """What a law returns for its nodes, checked to be three numbers for each."""
    force = np.asarray(found, object)
    if force.shape != (law.nodes, 3):
        got = "None" if found is None else f"shape {force.shape}"
        raise SceneError(
            f"{type(law).__name__}.{method} must return an array of shape ({law.nodes}, 3), a force on each node. Got {got}.",
            owner=type(law).__name__,
        )
    return force


def law_text(law: Law) -> str:
    """The library's laws are known by their class and fields, a user's by its trace."""
    if type(law).__module__.startswith(OWN):
        return f"{type(law).__qualname__} {law!r}"
    graph = Graph()
    x = np.array(graph.inputs("x", 3 * law.nodes), object).reshape(-1, 3)
    v = np.array(graph.inputs("v", 3 * law.nodes), object).reshape(-1, 3)
    data = vector_of(graph.inputs("data", law.numbers))
    outputs = {"V": law.energy(x, data)}
    parts = {"f": law.forces(x, data)} | ({"d": law.damping(x, v, data)} if law.damped else {})
    parts |= {"s": law.viscous(x, v, data)} if type(law).viscous is not Law.viscous else {}
    parts |= {"K": law.stiffness(x, data)} if type(law).stiffness is not Law.stiffness else {}
    parts |= {"S": law.viscosity(x, v, data)} if type(law).viscosity is not Law.viscosity else {}
    for name, part in parts.items():
        outputs |= {f"{name}{i}": e for i, e in enumerate(np.ravel(np.asarray(part, object)))}
    return listing(outputs)
