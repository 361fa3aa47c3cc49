"""States at which the dynamics has a value and no derivative, though nothing that is computed says so.

A spring whose ends meet pulls nowhere, and on each side of there elsewhere: the direction of a line of no length has no derivative. Where
coordinates of a joint are singular, S has lost a rank, M has none either, and roundings of zero stand in for what would divide by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from redmax.dynamics.common.force_report import States, force_report
from redmax.errors import SimulationError
from redmax.forces.path import PathForce
from redmax.forces.spring_damper import SpringDamper
from redmax.model.model import Model

if TYPE_CHECKING:
    from redmax.dynamics.kinematics import Kinematics

MEETING = 1e-13  # of where they are: ends closer than that are at one place, but for roundings
LOST = 1e-20  # 1 / M of one coordinate of a joint, over that of another: S has lost a rank, whatever the units
FAR_APART, ALIKE = 1e-10, 1e-14  # such a ratio asks to look closer; and how much of coordinates is their own, whatever the units
FIX = "Take a state beside it"


def lines(model: Model) -> tuple[PathForce, ...]:
    """The forces along a line between two points that stay where they are on their bodies."""
    return tuple(f for f in model.forces if isinstance(f, PathForce) and len(f.anchors) == 2 and f.straight)


def refuse_meeting_ends(dynamics: Kinematics, forces: Sequence[PathForce], owner: str, q: ArrayLike, qdot: ArrayLike, t: ArrayLike) -> None:
    """Raise where a spring, a muscle or a cable pulls, or is about to, along a line of no length. forces: those of `lines`"""
    shape, arrays = dynamics.arrays(q=q, qdot=qdot, t=t)
    spread = [np.broadcast_to(x if x.ndim == 1 else x.reshape(*shape, -1), (*shape, x.shape[-1])) for x in arrays[:3]]
    states = States(dynamics.observe_bodies(q, qdot, t), spread[0], spread[1], spread[2][..., 0])
    for force in forces:
        a, b = (place_of(force, k, states.seen.pose) for k in (0, 1))
        size = np.maximum(np.abs(a).max(axis=-1, initial=0.0), np.abs(b).max(axis=-1, initial=0.0))
        meeting = np.linalg.norm(b - a, axis=-1) <= MEETING * size
        if not meeting.any():
            continue
        pull = force_report(dynamics, force, states, {"tension": 1})["tension"][..., 0]
        stiff = isinstance(force, SpringDamper) and force.stiffness > 0.0
        if (meeting & (stiff | (pull != 0.0))).any():
            said = f"{owner}: {force.label} has its ends at one place at this state, and no direction to pull in"
            raise SimulationError(f"{said}: there is no derivative by q. {FIX}, or hold its ends together with redmax.PointClosure.")


def place_of(force: PathForce, k: int, poses: np.ndarray) -> np.ndarray:
    """(..., 3), in the world, of one end."""
    anchor = force.anchors[k]
    if anchor.member < 0:
        return anchor.position
    pose = poses[..., force.bodies[anchor.member].index, :, :]
    return pose[..., :3, :3] @ anchor.position + pose[..., :3, 3]


def several(model: Model) -> tuple[tuple[int, int, int], ...]:
    """(joint, first, last rate) of joints of more than one coordinate that may be singular: those on groups are not."""
    found = [(i, int(model.offsets[i]), int(model.offsets[i + 1])) for i, x in enumerate(model.links) if x.joint.nq == x.joint.dof]
    return tuple((i, a, b) for i, a, b in found if b - a > 1 and i < len(model.bodies))


def alike(inverse: np.ndarray) -> bool:
    """Whether some coordinates of a joint, of which these are the blocks of M^-1, answer as others do but for roundings. Or M^-1 is
    negative, which M is not: all of it is roundings."""
    size = np.sqrt(np.abs(np.diagonal(inverse, axis1=-2, axis2=-1)))
    scaled = inverse / (size[..., :, None] * size[..., None, :])
    return bool((np.linalg.eigvalsh(scaled)[..., 0] < ALIKE).any())


def refuse_singular_joints(model: Model, joints: Sequence[tuple[int, int, int]], owner: str, inverse: np.ndarray) -> None:
    """Raise where coordinates of a joint are singular. joints: those of `several`; inverse: (..., nv, nv), M^-1 without constraints"""
    each = np.diagonal(inverse, axis1=-2, axis2=-1)
    if not each.size or each.min() > FAR_APART * each.max():
        return  # quickly: nearly always
    for i, first, last in joints:
        own, block = each[..., first:last], inverse[..., first:last, first:last]
        if (own.min(axis=-1) < LOST * own.max(axis=-1)).any() or (own.min() < FAR_APART * own.max() and alike(block)):
            what = f"the coordinates of joint {model.links[i].joint_name!r} are singular at this state"
            raise SimulationError(f"{owner}: {what}: accelerations have no derivative. {FIX}, or use a joint whose coordinates are not.")
