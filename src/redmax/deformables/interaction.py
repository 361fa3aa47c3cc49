"""Elements as the forces of a program: each acts on the nodes it joins, wherever their records are.

A node is a joint frame that does not turn with the element: free nodes have a translational joint, attached ones are fixed to a body
(x_a of RedMax notes Eq. 2.83), held ones to the world. Damping proportional to stiffness is beta (df/dx) v, a derivative along the
velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from redmax.deformables.elements import Law
from redmax.described import OWN
from redmax.trace import Graph, Scalar, jacobian, jvp, listing, substitute


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

    def pairs(self, part: str) -> Sequence[tuple[int, int]]:
        return ()

    def act(self, part: str, members: Sequence[Any], constants: np.ndarray, w: Any) -> dict[tuple[int, int], Any]:
        x, data = np.stack([np.asarray(b.x, object) for b in members]), constants[: self.law.numbers]
        if part == "potential":
            w.gather("potential", self.law.energy(x, data))
            return {}
        force = np.asarray(self.law.forces(x, data), object)
        if self.viscous or self.law.damped:
            v = np.stack([np.asarray(b.R, object).reshape(3, 3) @ b.V[3:] for b in members])
            force = force + self.drag(x, v, constants)
        for b, pull in zip(members, force, strict=True):
            b.applied += np.concatenate([np.zeros(3), pull])
        return {}

    def drag(self, x: Any, v: Any, constants: np.ndarray) -> Any:
        """What velocities add to the forces, (k, 3)."""
        data = constants[: self.law.numbers]
        total = np.asarray(self.law.damping(x, v, data), object) if self.law.damped else np.zeros(x.shape).astype(object)
        if not self.viscous:
            return total
        graph = next(e for e in np.ravel(x) if isinstance(e, Scalar)).graph
        local = np.array(graph.inputs("node", x.size), object).reshape(x.shape)
        force = np.asarray(self.law.forces(local, data), object)
        rate = jvp(list(force.ravel()), dict(zip(local.ravel(), v.ravel(), strict=True)))
        flat = x.ravel()
        known = substitute(rate, lambda base, index: flat[index] if base == "node" else graph.input(base, index))
        return total + constants[self.law.numbers] * np.array([*known, None], object)[:-1].reshape(x.shape)

    def stiffness(self, x: Any, v: Any, data: Any) -> list[Any]:
        """The upper triangles of K = df/dx and D = -df/dv of one element, by rows; what a damper's own K adds is symmetrised."""
        flat, k = [*x], len(x)
        place, rate = np.asarray(x, object).reshape(-1, 3), np.asarray(v, object).reshape(-1, 3)
        constants = data[: self.law.numbers]
        force = np.asarray(self.law.forces(place, constants), object)
        K = jacobian(force.ravel(), flat)
        D = np.zeros((k, k)).astype(object)
        if self.law.damped:
            drag = np.asarray(self.law.damping(place, rate, constants), object).ravel()
            change = jacobian(drag, flat)
            K, D = K + 0.5 * (change + change.T), D - jacobian(drag, [*v])
        if self.viscous:
            D = D - data[self.law.numbers] * jacobian(force.ravel(), flat)
        upper = np.triu_indices(k)
        return [K[upper], D[upper]]


@dataclass(frozen=True, eq=False)
class NodeDrag:
    """Damping by mass: f = -alpha m v on one node; its constant is alpha m."""

    text: str = "drag of a node"

    def pairs(self, part: str) -> Sequence[tuple[int, int]]:
        return ()

    def act(self, part: str, members: Sequence[Any], constants: np.ndarray, w: Any) -> dict[tuple[int, int], Any]:
        if part != "potential":
            (b,) = members
            v = np.asarray(b.R, object).reshape(3, 3) @ b.V[3:]
            b.applied += np.concatenate([np.zeros(3), -constants[0] * v])
        return {}


def law_text(law: Law) -> str:
    """The library's laws are known by their class and fields, a user's by its trace."""
    if type(law).__module__.startswith(OWN):
        return f"{type(law).__qualname__} {law!r}"
    graph = Graph()
    x = np.array(graph.inputs("x", 3 * law.nodes), object).reshape(-1, 3)
    v = np.array(graph.inputs("v", 3 * law.nodes), object).reshape(-1, 3)
    data = np.array([*graph.inputs("data", law.numbers), None], object)[:-1]
    outputs = {"V": law.energy(x, data)}
    parts = {"f": law.forces(x, data)} | ({"d": law.damping(x, v, data)} if law.damped else {})
    for name, part in parts.items():
        outputs |= {f"{name}{i}": e for i, e in enumerate(np.ravel(np.asarray(part, object)))}
    return listing(outputs)
