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
from redmax.deformables.as_bodies import Slopes, act_linearised
from redmax.deformables.elements import Law
from redmax.errors import SceneError
from redmax.program.member import MemberView
from redmax.program.record import WorldView
from redmax.program.sweep import Part
from redmax.trace import Graph, jacobian, listing, substitute
from redmax.trace.vector import vector_of

BLOCK = 9  # numbers of a block between two nodes


@dataclass(frozen=True, eq=False)
class ElementLaw:
    """law: of the elements; viscous: whether they are damped by stiffness, by a constant of each behind its data (s).

    implicit: whether implicit steps take Z = h D - h^2 K of the elements into their system, and f + h K v instead of f.
    """

    law: Law
    viscous: bool
    implicit: bool = True

    @property
    def text(self) -> str:
        return self.written

    @cached_property
    def written(self) -> str:
        return f"{law_text(self.law)} {self.viscous} {self.implicit}"

    @property
    def of_bodies(self) -> bool:
        """An element knows its nodes by where they are."""
        return True

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        """All, both ways, and each node with itself unless nodes count as bodies, which keep that."""
        if part is Part.NEWTON or (part is Part.IMPLICIT and self.implicit):
            return [(a, b) for a in range(self.law.nodes) for b in range(self.law.nodes) if a != b or part is Part.IMPLICIT]
        return ()

    def block_size(self, part: Part) -> int:
        """Three by three, or as of bodies."""
        return part.block if part is Part.NEWTON else BLOCK

    def act(self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView) -> dict[tuple[int, int], Any]:
        x, data = np.stack([np.asarray(b.x, object) for b in members]), constants[: self.law.numbers]
        if part is Part.POTENTIAL:
            w.gather("potential", self.law.energy(x, data))
            return {}
        v = np.stack([np.asarray(b.R, object).reshape(3, 3) @ b.V[3:] for b in members])
        if part is Part.NEWTON:
            return act_linearised(members, v, self.slopes(x, v, constants))
        pairs = self.pairs(part)
        force = per_node(self.law, "forces", self.law.forces(x, data))
        if self.viscous or self.law.damped:
            force = force + self.drag(x, v, constants)
        Z: Any = None
        if pairs:
            K, D = self.impedance(x, v, constants)
            force, Z = force + w.h * (K @ v.ravel()).reshape(-1, 3), w.h * D - w.h * w.h * K
        for b, pull in zip(members, force, strict=True):
            b.applied += np.concatenate([np.zeros(3), pull])
        return {(a, b): Z[3 * a : 3 * a + 3, 3 * b : 3 * b + 3].ravel() for a, b in pairs}

    def drag(self, x: Any, v: Any, constants: np.ndarray) -> Any:
        """What the velocities add to the forces."""
        data = constants[: self.law.numbers]
        total = per_node(self.law, "damping", self.law.damping(x, v, data)) if self.law.damped else np.zeros(np.shape(x))
        return total + constants[self.law.numbers] * np.asarray(self.law.viscous(x, v, data), object) if self.viscous else total

    def slopes(self, x: Any, v: Any, constants: np.ndarray) -> Slopes:
        """How the forces change, exactly. x is traced."""
        graph, k = x[0, 0].graph, 3 * self.law.nodes
        rate = np.array(graph.inputs("rate", k), object)
        drag = self.drag(x, rate.reshape(-1, 3), constants)
        total = np.asarray(self.law.forces(x, constants[: self.law.numbers]), object) + drag
        by_place, by_velocity = jacobian(total.ravel(), list(x.ravel())), jacobian(np.asarray(drag, object).ravel(), list(rate))
        return Slopes(*(at_velocities(part, graph, v) for part in (total, by_place, by_velocity)))

    def impedance(self, x: Any, v: Any, constants: np.ndarray) -> tuple[Any, Any]:
        """K and D = -df/dv of one element (3k, 3k), symmetric; K is that of its potential, as the law has it. x is traced."""
        k, data, v = 3 * self.law.nodes, constants[: self.law.numbers], np.ravel(v)
        graph = x[0, 0].graph
        rate = np.array(graph.inputs("rate", k), object)  # by which D is found, whatever velocities are made of
        D = np.zeros((k, k)).astype(object)
        if self.law.damped:
            D = D - jacobian(np.asarray(self.law.damping(x, rate.reshape(-1, 3), data), object).ravel(), list(rate))
        if self.viscous:
            D = D + constants[self.law.numbers] * self.law.viscosity(x, rate.reshape(-1, 3), data)
        return mirrored(self.law.stiffness(x, data)), mirrored(at_velocities(D, graph, v))


def at_velocities(values: Any, graph: Graph, v: Any) -> np.ndarray:
    """Traced values, with v for the inputs "rate"."""
    values, v = np.asarray(values, object), np.ravel(v)
    known = substitute(list(values.ravel()), lambda base, i: v[i] if base == "rate" else graph.input(base, i))
    return vector_of(known).reshape(values.shape)


def mirrored(A: Any) -> Any:
    """The symmetric matrix of an upper half, so that both halves are the same to the last bit."""
    return np.triu(A) + np.triu(A, 1).T


@dataclass(frozen=True, eq=False)
class NodeDrag:
    """Damping by mass: f = -alpha m v on one node; its constant is alpha m. implicit: see ElementLaw."""

    implicit: bool = True

    @property
    def text(self) -> str:
        return f"drag of a node {self.implicit}"

    @property
    def of_bodies(self) -> bool:
        """As of an element."""
        return True

    def pairs(self, part: Part) -> Sequence[tuple[int, int]]:
        """The node with itself."""
        return ((0, 0),) if part is Part.IMPLICIT and self.implicit else ()

    def block_size(self, part: Part) -> int:
        """As of an element."""
        return part.block if part is Part.NEWTON else BLOCK

    def act(self, part: Part, members: Sequence[MemberView], constants: np.ndarray, w: WorldView) -> dict[tuple[int, int], Any]:
        if part is Part.POTENTIAL:
            return {}
        (b,) = members
        v = np.asarray(b.R, object).reshape(3, 3) @ b.V[3:]
        if part is Part.NEWTON:
            return act_linearised(members, [v], Slopes([-constants[0] * v], np.zeros((3, 3)), -constants[0] * np.eye(3)))
        b.applied += np.concatenate([np.zeros(3), -constants[0] * v])
        return {pair: (w.h * constants[0] * np.eye(3)).ravel() for pair in self.pairs(part)}


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
