"""States in reduced coordinates as those of bodies by themselves, poses and twists, and back.

To bodies it is forward kinematics. Back, joint by joint with E = G_p^-1 G of the joint frames and V of the child relative to its parent,

    e = log(Q(q)^-1 E),    q <- q exp(S+ e) until nothing moves;    qdot = S+ (V - s),    S+ = (S^T S)^-1 S^T

(dynamics/maximal/joints.py does so within steps). What is left of e and of V across S says whether the bodies are where joints let them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from redmax.arguments import as_numbers, brief
from redmax.dynamics.kinematics import Kinematics
from redmax.errors import SceneError
from redmax.joints.base import Joint
from redmax.lie import se3
from redmax.model.links import Link
from redmax.model.state import State

TURNS, HALVINGS, STILL = 60, 8, 1e-14  # of Newton's method: how often, of its steps, and one that is nothing
OPEN = 1e-6
OWNER = "Dynamics.reduced"


class BodyStates(Kinematics):
    """The functions of `Dynamics` between the two ways to say where a mechanism is."""

    def absolute(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Poses (..., bodies, 4, 4) of the body frames in the world, and twists (..., bodies, 6) in body axes; `reduced` goes back."""
        check_state(state, "Dynamics.absolute", "state")
        places = self.model.configurations
        seen = self.observe_bodies(places.join(as_numbers(state.q, "q", self.dtype), places.numbered(state.chart)), state.qdot, state.t)
        bodies = len(self.model.bodies)
        return seen.pose[..., :bodies, :, :], seen.twist[..., :bodies, :]

    def reduced(
        self, pose: ArrayLike, twist: ArrayLike | None = None, t: float = 0.0, *, near: State | None = None, tolerance: float = OPEN
    ) -> State:
        """The State at which bodies are at these poses (..., bodies, 4, 4), with these twists (..., bodies, 6), at rest unless given.

        near: a state of one world from which coordinates are sought, so that angles are within half a turn of its own, in its charts, and
            from which hidden states such as activations are; the scene's own unless given
        tolerance: how far joints may be open (rad, and the scene's unit of length; and per s), and what is found is the nearest to that
        """
        model, near = self.model, State(t, self.model.q0, self.model.qdot0) if near is None else near
        check_state(near, OWNER, "near")
        if model.soft:
            raise SceneError(f"{OWNER} is of joints and bodies, but the scene has deformables.", owner=OWNER, argument="pose")
        n = len(model.bodies)
        E = shaped(pose, "pose", (n, 4, 4))
        V = np.zeros((*E.shape[:-2], 6)) if twist is None else shaped(twist, "twist", (n, 6))
        worlds = np.broadcast_shapes(E.shape[:-3], V.shape[:-2])
        begin = model.configurations.join(np.asarray(near.q, float), model.configurations.numbered(near.chart))
        q, qdot = (np.broadcast_to(x, (*worlds, x.shape[-1])).copy() for x in (begin, np.asarray(near.qdot, float)))
        frames: list[tuple[Any, Any]] = []
        for i, (link, part) in enumerate(zip(model.bodies, model.configurations.parts(), strict=False)):
            G = E[..., i, :, :] @ np.linalg.inv(link.body)
            W = times(se3.Ad(link.body), V[..., i, :])
            frames.append((G, W))
            parent = frames[link.parent] if link.parent >= 0 else (np.eye(4), np.zeros(6))
            relative = np.linalg.inv(parent[0] @ link.at) @ G
            moving = W - times(se3.Ad(se3.inverse(link.at @ relative)), parent[1])
            q[..., part] = located(link.joint, q[..., part], relative, t)
            qdot[..., model.v_slice(link.joint_name)] = rates(link, q[..., part], relative, moving, t, tolerance)
        places, charts = model.configurations.split(q)
        return State(t, places, qdot, model.configurations.chart_names(charts))


def located(joint: Joint, start: np.ndarray, E: np.ndarray, t: float) -> np.ndarray:
    """(..., nq and charts) where a joint comes nearest to relative poses."""
    q = np.broadcast_to(start, (*E.shape[:-2], start.shape[-1])).copy()
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
