"""States in reduced coordinates as those of bodies by themselves, poses and twists, and back.

To bodies it is forward kinematics. Back, joint by joint with E = G_p^-1 G of the joint frames and V of the child relative to its parent,

    e = log(Q(q)^-1 E),    q <- q exp(S+ e) until nothing moves;    qdot = S+ (V - s),    S+ = (S^T S)^-1 S^T

(dynamics/maximal/joints.py does so within steps). What is left of e and of V across S says whether the bodies are where joints let them;
where that is much, the search begins again from places all over the joint's range. Nodes of deformables are points, and are carried along.
Where coordinates follow from fewer, q = f(q_R), those are found of which f is nearest to the joints' own (constraints/coordinate_map.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.constraints.coordinate_map import CoordinateMap
from redmax.constraints.starts import starting_places
from redmax.dynamics.kinematics import Kinematics
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.lie import se3
from redmax.model.links import Link
from redmax.model.state import State

TURNS, HALVINGS, STILL = 60, 8, 1e-14  # of Newton's method: how often, of its steps, and one that is nothing
TRIED = 24  # of the places from which it begins again, those that are nearest
OPEN = 1e-6
OWNER = "Dynamics.reduced"


class BodyStates(Kinematics):
    """The functions of `Dynamics` between the two ways to say where a mechanism is."""

    def absolute(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Poses (..., bodies, 4, 4) of the body frames in the world, and twists (..., bodies, 6) in body axes; `reduced` goes back."""
        pose, twist = self.absolute_links(state, "Dynamics.absolute")
        bodies = len(self.model.bodies)
        return pose[..., :bodies, :, :], twist[..., :bodies, :]

    def absolute_nodes(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities (..., nodes, 3) in the world of the nodes of deformables, one deformable after the other; `reduced`
        takes them."""
        pose, twist = self.absolute_links(state, "Dynamics.absolute_nodes")
        first = len(self.model.links) - len(self.model.nodes)
        R = pose[..., first:, :3, :3]
        return pose[..., first:, :3, 3], times(R, twist[..., first:, 3:])

    def absolute_links(self, state: State, owner: str) -> tuple[np.ndarray, np.ndarray]:
        """Of bodies, what hides states, and nodes."""
        check_state(state, owner, "state")
        places = self.model.configurations
        seen = self.observe_bodies(places.join(as_numbers(state.q, "q", self.dtype), places.numbered(state.chart)), state.qdot, state.t)
        return seen.pose, seen.twist

    def reduced(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        t: float = 0.0,
        *,
        nodes: tuple[ArrayLike, ArrayLike] | None = None,
        near: State | None = None,
        tolerance: float = OPEN,
    ) -> State:
        """The State at which bodies are at these poses (..., bodies, 4, 4), with these twists (..., bodies, 6), at rest unless given.

        nodes: positions and velocities (..., nodes, 3) of those of deformables, as `absolute_nodes` tells them
        near: a state of one world from which coordinates are sought, so that angles are within half a turn of its own, in its charts, and
            from which hidden states such as activations are; the scene's own unless given
        tolerance: how far joints may be open (rad, and the scene's unit of length; and per s), how far nodes may be from bodies that carry
            them, and coordinates from what the scene's map gives; what is found is the nearest to that
        """
        model, near = self.model, State(t, self.model.q0, self.model.qdot0) if near is None else near
        check_state(near, OWNER, "near")
        n = len(model.bodies)
        E = shaped(pose, "pose", (n, 4, 4))
        V = np.zeros((*E.shape[:-2], 6)) if twist is None else shaped(twist, "twist", (n, 6))
        x, v = self.given_nodes(nodes)
        worlds = np.broadcast_shapes(E.shape[:-3], V.shape[:-2], x.shape[:-2], v.shape[:-2])
        begin = model.configurations.join(np.asarray(near.q, float), model.configurations.numbered(near.chart))
        q, qdot = (np.broadcast_to(y, (*worlds, y.shape[-1])).copy() for y in (begin, np.asarray(near.qdot, float)))
        frames: list[tuple[Any, Any]] = []
        for i, (link, part) in enumerate(zip(model.bodies, model.configurations.parts(), strict=False)):
            G = E[..., i, :, :] @ np.linalg.inv(link.body)
            W = times(se3.Ad(link.body), V[..., i, :])
            frames.append((G, W))
            parent = frames[link.parent] if link.parent >= 0 else (np.eye(4), np.zeros(6))
            relative = np.linalg.inv(parent[0] @ link.at) @ G
            moving = W - times(se3.Ad(se3.inverse(link.at @ relative)), parent[1])
            q[..., part] = located(link.joint, q[..., part], relative, t, tolerance)
            qdot[..., model.v_slice(link.joint_name)] = rates(link, q[..., part], relative, moving, t, tolerance)
        for k, link in enumerate(model.nodes):
            if link.joint.dof:
                q[..., model.q_slice(link.joint_name)], qdot[..., model.v_slice(link.joint_name)] = x[..., k, :], v[..., k, :]
        places, charts = model.configurations.split(q)
        if model.map is not None:
            places, qdot = on_map(model.map, places, qdot, tolerance)
        found = State(t, places, qdot, model.configurations.chart_names(charts))
        self.check_carried(found, x, tolerance)
        return found

    def given_nodes(self, nodes: Any) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities."""
        count = len(self.model.nodes)
        if not count and nodes is None:
            return np.zeros((0, 3)), np.zeros((0, 3))
        if not isinstance(nodes, tuple | list) or len(nodes) != 2:
            valid = f"(positions, velocities) of its {count} nodes, as Dynamics.absolute_nodes(state) returns them"
            said = f"{OWNER}: the scene has deformables, so that nodes= must be {valid}" if count else f"{OWNER} takes nodes= {valid}"
            raise SceneError(f"{said}. Got {brief(nodes)}.", owner=OWNER, argument="nodes", got=brief(nodes), expected=valid)
        return shaped(nodes[0], "positions of nodes", (count, 3)), shaped(nodes[1], "velocities of nodes", (count, 3))

    def check_carried(self, found: State, x: np.ndarray, tolerance: float) -> None:
        """Raise where nodes are not where bodies carry them."""
        if all(link.joint.dof for link in self.model.nodes):
            return
        far = np.abs(self.absolute_nodes(found)[0] - x).max(axis=-1)
        if not far.max(initial=0.0) <= tolerance:
            k = int(np.argmax(far.reshape(-1, far.shape[-1]).max(axis=0)))
            said = f"{self.model.nodes[k].name!r} is {far.max():.3g} from where its body carries it"
            fix = f"expected at most tolerance={tolerance:g}. Give positions of nodes that belong to the poses"
            raise SceneError(f"{said}, {fix}.", owner=OWNER, argument="nodes", got=f"{far.max():.3g}")


def on_map(f: CoordinateMap, q: np.ndarray, qdot: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """What the map gives that is nearest to coordinates and rates, (..., n) each."""
    flat = [np.reshape(x, (-1, x.shape[-1])) for x in (q, qdot)]
    found = [f.nearest(*state, within=tolerance) for state in zip(*flat, strict=True)]
    at, moving = (np.array([state[i] for state in found]) for i in range(2))
    return f.coordinates(at).reshape(q.shape), f.rates(at, moving).reshape(qdot.shape)


def located(joint: Joint, start: np.ndarray, E: np.ndarray, t: float, tolerance: float) -> np.ndarray:
    """(..., nq and charts) where a joint comes nearest to relative poses: from a start, or from anywhere where that leaves it open."""
    q = sought(joint, np.broadcast_to(start, (*E.shape[:-2], start.shape[-1])), E, t)
    off = np.linalg.norm(error(joint, q, E, t), axis=-1)
    if not joint.dof or (off <= tolerance).all():
        return q
    q, off, E = q.reshape(-1, q.shape[-1]), off.ravel(), np.broadcast_to(E, (*q.shape[:-1], 4, 4)).reshape(-1, 4, 4)
    places = starting_places(joint, None)
    for world in np.flatnonzero(~(off <= tolerance)).tolist():
        charts = np.broadcast_to(q[world, joint.nq :], (len(places), q.shape[-1] - joint.nq))
        begin = np.concatenate([places[:, : joint.nq], charts], axis=1)
        aimed = np.broadcast_to(E[world], (len(places), 4, 4))
        near = np.argsort(np.nan_to_num(np.linalg.norm(error(joint, begin, aimed, t), axis=-1), nan=np.inf))[:TRIED]
        ends = sought(joint, begin[near], aimed[near], t)
        left = np.nan_to_num(np.linalg.norm(error(joint, ends, aimed[near], t), axis=-1), nan=np.inf)
        if left.min() < off[world]:
            q[world] = ends[int(np.argmin(left))]
    return q.reshape(*start.shape[:-1], q.shape[-1])


def sought(joint: Joint, start: np.ndarray, E: np.ndarray, t: float) -> np.ndarray:
    """By Newton's method."""
    q = start.copy()
    for _ in range(TURNS if joint.dof else 0):
        e = error(joint, q, E, t)
        try:
            step = joint.rates(q, e + still(joint, q, t), t=t)
        except np.linalg.LinAlgError:  # singular there: what is left says so
            break
        q = nearer(joint, q, step, E, t, np.linalg.norm(e, axis=-1, keepdims=True))
        if not np.abs(step).max(initial=0.0) > STILL * max(1.0, float(np.abs(q).max(initial=0.0))):
            break
    return q


def nearer(joint: Joint, q: np.ndarray, step: np.ndarray, E: np.ndarray, t: float, size: np.ndarray) -> np.ndarray:
    """A step further, which is halved where it makes errors larger than they are."""
    share = np.ones_like(size)
    for _ in range(HALVINGS):
        there = np.concatenate([joint.moved(q, share * step), q[..., joint.nq :]], axis=-1)
        farther = ~(np.linalg.norm(error(joint, there, E, t), axis=-1, keepdims=True) <= size + STILL)
        if not farther.any():
            return there
        share = np.where(farther, 0.5 * share, share)
    return np.concatenate([joint.moved(q, share * step), q[..., joint.nq :]], axis=-1)


def error(joint: Joint, q: np.ndarray, E: np.ndarray, t: float) -> np.ndarray:
    """(..., 6): log(Q^-1 E)."""
    return np.asarray(se3.log(np.linalg.inv(joint.pose(q, t=t)) @ E), float)


def still(joint: Joint, q: np.ndarray, t: float) -> np.ndarray:
    """(..., 6): the twist of a joint that depends on time, whose coordinates do not change."""
    return joint.twist(q, np.zeros(joint.dof), t=t)


def rates(link: Link, q: np.ndarray, E: np.ndarray, V: np.ndarray, t: float, tolerance: float) -> np.ndarray:
    """(..., dof) of a relative twist. Raises where the joint is open by more than the tolerance."""
    joint = link.joint
    qdot = joint.rates(q, V, t=t) if joint.dof else np.zeros((*V.shape[:-1], 0))
    left = {"open by": error(joint, q, E, t), "left at a rate of": V - joint.twist(q, qdot, t=t)}
    for what, e in left.items():
        far = float(np.abs(e).max(initial=0.0))
        if not far <= tolerance:
            said = f"With these bodies joint {link.joint_name!r} is {what} {far:.3g}, expected at most tolerance={tolerance:g}"
            fix = "Give poses and twists that joints allow, near= a state that is closer, or a larger tolerance to have the nearest"
            raise SceneError(f"{said}. {fix}.", owner=OWNER, argument="pose" if what == "open by" else "twist", got=f"{far:.3g}")
    return qdot


def check_state(value: Any, owner: str, name: str) -> None:
    """Raise unless it is a State."""
    if not isinstance(value, State):
        said = f"{owner} takes {name}, a redmax.State such as run.state() or redmax.State(0.0, q, qdot). Got {brief(value)}."
        raise SceneError(said, owner=owner, argument=name, got=brief(value), expected="a redmax.State")


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x of matrices and vectors, state by state."""
    return (A @ x[..., None])[..., 0]


def shaped(value: ArrayLike, name: str, last: tuple[int, ...]) -> np.ndarray:
    """(..., *last) finite numbers, or an error."""
    found = as_numbers(value, name, "float64")
    if found.shape[max(found.ndim - len(last), 0) :] != last or not np.isfinite(found).all():
        valid = f"finite numbers, (..., {', '.join(map(str, last))})"
        raise SceneError(f"{name} must be {valid}. Got shape {found.shape}.", owner=OWNER, argument=name, expected=valid)
    return found
