"""How a force changes with the coordinates that its moving points follow, and what it does to these (forces/points.py).

    rows: the wrenches on the bodies, and the torques on the coordinates;   columns: how bodies move, and (qdot, q) of the coordinates

Each pair of members that is not two bodies gets a 6 x 12 block as two bodies do: minus the slopes of what is felt, by rates and by places.
In it the coordinates of a joint, at most six, take the place of the six directions of a body. ~k stands for the coordinates of member k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.forces.base import Force
from redmax.forces.frames import crossed, skew
from redmax.program.member import MemberView
from redmax.trace import Scalar, jvp
from redmax.trace.vector import vector_of

Pair = tuple[int, int]


def followed(force: Force) -> list[int]:
    """The joints, of those that the force reads, whose coordinates move one of its points; of a force on coordinates, all."""
    if force.on_coordinates:
        return list(range(len(force.joints)))
    return sorted({m.joint for m in force.movers if m is not None})


def following_pairs(force: Force) -> list[Pair]:
    """The members whose blocks `following_blocks` gives."""
    n = len(force.bodies)
    hidden = range(n + len(force.joints), n + len(force.joints) + len(force.hidden()))
    own = [~(n + k) for k in followed(force)]
    return [*[(i, c) for i in range(n) for c in own], *[(c, j) for c in own for j in (*range(n), *own, *hidden)]]


def following_blocks(
    force: Force, members: Sequence[MemberView], origins: Sequence[Any], wrenches: Sequence[Any], torques: Sequence[tuple[int, Any]]
) -> dict[Pair, np.ndarray]:
    """wrenches: on the bodies, about their origins; torques: (joint that is read, on its coordinates)."""
    n, first = len(force.bodies), len(force.bodies) + len(force.joints)
    pushed: dict[int, np.ndarray] = {k: np.sum([torque for joint, torque in torques if joint == k], axis=0) for k in followed(force)}
    blocks: dict[Pair, np.ndarray] = {}
    for k, push in pushed.items():
        own = ~(n + k)
        for i, wrench in enumerate(wrenches):
            blocks[i, own] = minus_slopes(wrench, coordinate_seeds(force, k))
        for j, (b, o) in enumerate(zip(members[:n], origins, strict=True)):
            blocks[own, j] = minus_slopes(push, body_seeds(b, o))
        for other in pushed:
            blocks[own, ~(n + other)] = minus_slopes(push, coordinate_seeds(force, other))
        for h, b in enumerate(members[first:]):
            about_z = np.concatenate([np.asarray(b.R, object).reshape(3, 3)[:, 2], np.zeros(9)])
            blocks[own, first + h] = padded(-np.outer(vector_of(jvp(list(push), {force.states[h]: 1.0})), about_z))
    return blocks


def minus_slopes(values: Any, seeds: Sequence[dict[Scalar, Any]]) -> np.ndarray:
    """(6, 12): of up to six values, by up to twelve ways in which they change."""
    return padded(-np.array([vector_of(jvp(list(values), seed)) if seed else np.zeros(len(values)) for seed in seeds], object).T)


def padded(block: np.ndarray) -> np.ndarray:
    """Filled up with zeros."""
    full = np.zeros((6, 12)).astype(object)
    full[: block.shape[0], : block.shape[1]] = block
    return full


def coordinate_seeds(force: Force, k: int) -> list[dict[Scalar, Any]]:
    """(qdot, q) of a joint, six each."""
    q, qdot = force.coordinates[k]
    return [{x[m]: 1.0} if m < len(qdot) else {} for x in (qdot, q) for m in range(6)]


def body_seeds(b: MemberView, o: Any) -> list[dict[Scalar, Any]]:
    """The twist of a body about o, then its pose with the twist kept in its own axes: turning and shifting along the world's axes."""
    R, arm = np.asarray(b.R, object).reshape(3, 3), b.x - o
    twists, poses = [], []
    for axis in np.eye(3):
        moved = crossed(axis, arm)
        twists.append(dict(zip(b.V, [*(R.T @ axis), *(R.T @ moved)], strict=True)))
        poses.append(dict(zip([*b.R, *b.x], [*(skew(axis) @ R).ravel(), *moved], strict=True)))
    for axis in np.eye(3):
        twists.append(dict(zip(b.V[3:], R.T @ axis, strict=True)))
        poses.append(dict(zip(b.x, axis, strict=True)))
    return [*twists, *poses]
