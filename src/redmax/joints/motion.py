"""The motion of one joint, traced: its pose, S and Sdot, and what time alone does to them.

    twist = S qdot + s,    its rate = S qddot + Sdot qdot + sdot,    S_i = unbracket(E^-1 dE/dq_i),  s = unbracket(E^-1 dE/dt)

(RedMax supplement, list of symbols of Alg. 6; s, of a joint that depends on time, is zero for all others and then costs nothing.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.joints.stepping import directions
from redmax.trace import Graph, Scalar, evaluate_numeric, jvp, reachable, substitute
from redmax.trace.vector import vector_of

NOTHING = np.zeros(6).astype(object)
KEPT = ("input", "add")  # nodes that no rule of simplification takes apart


@dataclass(frozen=True, eq=False)
class Motion:
    """E: (4, 4); S, Sdot: (6, dof); s, sdot: (6,), the twist that time alone brings, and its rate as q and t change."""

    E: np.ndarray
    S: np.ndarray
    Sdot: np.ndarray
    s: np.ndarray
    sdot: np.ndarray

    def twist(self, qdot: Any) -> Any:
        """S qdot + s."""
        return self.S @ qdot + self.s if len(qdot) else self.s

    def bias(self, qdot: Any) -> Any:
        """Sdot qdot + sdot: what the rate of the twist is without qddot."""
        return self.Sdot @ qdot + self.sdot if len(qdot) else self.sdot


def traced_motion(joint: Joint, q: np.ndarray, qdot: np.ndarray, t: Any = 0.0) -> Motion:
    """At q and qdot, which may be expressions: of an element of a group that a step led to they are."""
    if all(isinstance(x, Scalar) and x.op in KEPT for x in q[: joint.nq]):
        return motion_of(joint, q, qdot, t)
    return motion_at(joint, q, qdot, t)


def motion_at(joint: Joint, q: np.ndarray, qdot: np.ndarray, t: Any) -> Motion:
    """By variables of its own, which then are q and qdot: of -q, q = a - b, simplification leaves b - a, which does not know of q."""
    graph = next((x.graph for x in (*q, *qdot, t) if isinstance(x, Scalar)), None)
    if graph is None:
        return motion_of(joint, q, qdot, t)
    name, given = f"variable {len(graph.nodes)}", [*q[: joint.nq], *qdot]  # as many as there are nodes: no other has this name
    own = graph.inputs(name, len(given))
    m = motion_of(joint, vector_of([*own[: joint.nq], *q[joint.nq :]]), vector_of(own[joint.nq :]), t)
    parts = (m.E, m.S, m.Sdot, m.s, m.sdot)
    flat = [x for part in parts for x in part.ravel()]
    found = vector_of(substitute(flat, lambda base, i: given[i] if base == name else graph.input(base, i)))
    ends = np.cumsum([part.size for part in parts])[:-1]
    return Motion(*(values.reshape(part.shape) for part, values in zip(parts, np.split(found, ends), strict=True)))


def motion_of(joint: Joint, q: np.ndarray, qdot: np.ndarray, t: Any) -> Motion:
    E = checked_pose(joint, joint.at("transform", q, t))
    S = jacobian_of(joint, E, q, t)
    rates = qdot if joint.nq == joint.dof else joint.tangent(q) @ qdot
    changing = {x: v for x, v in zip(q[: joint.nq], rates, strict=True) if isinstance(x, Scalar)}
    if not joint.timed:
        return Motion(E, S, rates_of(S, changing), NOTHING, NOTHING)
    s = differentiated_jacobian(E, [t])[:, 0]
    changing[t] = 1.0
    return Motion(E, S, rates_of(S, changing), s, rates_of(s, changing))


def jacobian_of(joint: Joint, E: np.ndarray, q: Any, t: Any) -> np.ndarray:
    """S, (6, dof), of a joint that is at E: in closed form if the joint has one, by differentiation if not; of numbers too."""
    S = joint.at("jacobian", q, t) if joint.has_own("jacobian") else None
    if S is not None:
        return S
    if all(isinstance(x, Scalar) for x in q[: joint.nq]):
        return twists_along(E, directions(joint, q))
    graph = Graph()
    symbols = vector_of([*graph.inputs("q", joint.nq), *q[joint.nq :]])
    traced = twists_along(checked_pose(joint, joint.at("transform", symbols, t)), directions(joint, symbols))
    return np.array([*evaluate_numeric(list(traced.ravel()), lambda base, i: q[i]), 0.0], float)[:-1].reshape(6, joint.dof)


def rates_of(values: np.ndarray, moving: dict[Any, Any]) -> np.ndarray:
    """The rates of traced values as their inputs move."""
    return vector_of(jvp(list(values.ravel()), moving)).reshape(values.shape)


def differentiated_jacobian(E: np.ndarray, q: Sequence[Any]) -> np.ndarray:
    """The twist of a traced pose as each of these grows."""
    return twists_along(E, [{x: 1.0} for x in q])


def twists_along(E: np.ndarray, seeds: Sequence[Mapping[Scalar, Any]]) -> np.ndarray:
    """The twist of a traced pose for each way in which what it is traced from may move."""
    S = np.zeros((6, len(seeds)), object)
    R, flat = E[:3, :3], list(E[:3].ravel())
    nodes = reachable(flat)
    for i, moving in enumerate(seeds):
        dE = vector_of(jvp(flat, moving, nodes)).reshape(3, 4)
        for row, (a, b) in enumerate(((2, 1), (0, 2), (1, 0))):
            S[row, i] = sum_products(R[:, a], dE[:, b])
        for row in range(3):
            S[3 + row, i] = sum_products(R[:, row], dE[:, 3])
    return S


def sum_products(a: np.ndarray, b: np.ndarray) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def checked_pose(joint: Joint, E: Any) -> np.ndarray:
    E = np.asarray(E, object)
    if E.shape != (4, 4):
        raise SceneError(f"{joint.source} must return a 4x4 pose. Got shape {E.shape}.")
    return E
