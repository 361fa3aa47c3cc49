"""What measured poses look like that are not as they were meant: millimetres, degrees, rotations transposed, half turns between neighbours.

All of it can be right, so that it is a warning, which says why and what to do.
"""

from __future__ import annotations

import numpy as np

from redmax.design.pose_rows import Rows, transposed, turns
from redmax.errors import warn
from redmax.lie import so3
from redmax.types import Array

FAR = 5.0  # m from one bone or link to the next: those of people and robots are nearer
DEGREES = 180 / np.pi
COARSE = 8  # steps of a motion in which noise from pose to pose does not add up
HALF = 0.95 * np.pi  # rad from one pose to the next: which way round it goes is a guess
ENOUGH, TURNED = 8, 1.0  # poses, and rad between some of them, that tell one way of turning about a point from the other
SPAN = 6.0  # of a parameter, from which on it may be in degrees
NEARLY, ABOUT = 1.6, 3.0  # by what factor one of several is off from a degree for each unit, and others beside one that is not
SOME = 200  # poses that are looked at for it
FITS, DOES_NOT, LONG = 0.2, 0.1, 6.0  # what is left of the other way; of the spread of positions what is left by one, and its arm


def warn_of_looks(say: Rows, E: Array, order: np.ndarray, u: Array | None, sequence: bool) -> None:
    """Of poses E[order]. u: their parameters, ascending, if there is one for each; sequence: whether those that follow are neighbours"""
    check_far(say, E, order)
    if u is not None:
        check_degrees(say.owner, E[order], u)
    if sequence:
        check_half_turns(say, E, order)
        check_transposed(say, E, order)
    check_all_transposed(say, E[order])


def check_far(say: Rows, E: Array, order: np.ndarray) -> None:
    """Positions that look like millimetres."""
    far = np.linalg.norm(E[order, :3, 3], axis=1)
    k = int(np.argmax(far))
    if far[k] > FAR:
        where = f"{say.owner}: {say.names[order[k]]} is {far[k]:.4g} m away from its origin, and by the look of it in millimetres"
        warn(f"{where}. Divide positions by 1000; if they are right, or all of the scene is in another unit, go on.")


def check_degrees(owner: str, E: Array, u: Array) -> None:
    """Parameters that look like degrees: their range is 57.3 times what the poses turn by. In the order of the parameters."""
    turned = degrees_by_the_look(E, u)
    if turned:
        by = f"parameters go from {u[0]:.4g} to {u[-1]:.4g} while the poses turn by {turned:.4g} rad: by the look of it they are in degrees"
        warn(f"{owner}: {by}. Give np.radians(parameters), so that rates of the joint are in rad/s.")


def degrees_by_the_look(E: Array, u: Array) -> float:
    """By how much the poses turn, from each to the next or in a few steps, if the parameters go 57.3 times as far; else 0."""
    if len(u) < 2 or not np.ptp(u) > SPAN:
        return 0.0
    few = E[np.linspace(0, len(E) - 1, min(len(E), COARSE + 1)).round().astype(int)]
    for some in (E, few):
        turned = float(turns(some[:-1], some[1:]).sum())
        if turned > 0.1 and 0.8 < np.ptp(u) / (DEGREES * turned) < 1.25:
            return turned
    return 0.0


def several_by_the_look(R: Array, q: Array) -> list[tuple[int, float]]:
    """Which of parameters (N, dof) look like degrees, and by how much rotations (N, 3, 3) turn while each goes over its range (rad).

    As a linear function of all of them, rotations turn by about a degree for one of each. Where one does so, others may be further off.
    """
    if len(q) < q.shape[1] + 2:
        return []
    U, _, V = np.linalg.svd(R.mean(axis=0))
    turned = so3.log(transposed(U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V) @ R)
    slopes = np.linalg.lstsq(q - q.mean(axis=0), turned - turned.mean(axis=0), rcond=None)[0]
    rates, spans = np.linalg.norm(slopes, axis=1), np.ptp(q, axis=0)
    off = np.abs(np.log(np.maximum(DEGREES * rates, np.finfo(float).tiny)))
    near = (spans > SPAN) & (off < np.log(NEARLY))
    if near.any():
        near |= (spans > SPAN) & (off < np.log(ABOUT))
    return [(int(i), float(rates[i] * spans[i])) for i in np.flatnonzero(near)]


def check_half_turns(say: Rows, E: Array, order: np.ndarray) -> None:
    """Neighbours between which there are two ways round."""
    step = turns(E[order[:-1]], E[order[1:]])
    if len(step) and step.max() > HALF:
        i, j = order[int(np.argmax(step)) :][:2]
        said = f"from {say.names[i]} to {say.names[j]} the pose turns by {np.degrees(step.max()):.4g} degrees"
        warn(f"{say.owner}: {said}, nearly half a turn: which way round it goes is a guess. Measure a pose between them.")


def check_transposed(say: Rows, E: Array, order: np.ndarray) -> None:
    """A rotation far from both neighbours that is near them when it is transposed."""
    if len(order) < 3:
        return
    before, here, after = E[order[:-2]], E[order[1:-1]], E[order[2:]]
    back = here.copy()
    back[:, :3, :3] = transposed(here[:, :3, :3])
    as_given = np.minimum(turns(before, here), turns(here, after))
    other = np.maximum(turns(before, back), turns(back, after))
    gap = turns(before, after)
    odd = (as_given > 0.5) & (other < 0.2 * as_given) & (gap < 0.2 * as_given)
    if odd.any():
        i = int(order[1:-1][np.argmax(odd)])
        angle = float(as_given[np.argmax(odd)])
        far = f"turned by {np.degrees(angle):.3g} degrees or more against both of its neighbours, but not so when it is transposed"
        warn(f"{say.owner}: {say.names[i]} is {far}. Transpose its rotation, or leave it out.")


def check_all_transposed(say: Rows, E: Array) -> None:
    """Rotations that are all transposed: with their positions, they then turn about a point, and as they are given they do not."""
    E = E[:: 1 + len(E) // SOME]
    if len(E) < ENOUGH or turns(E, E[:1]).max() < TURNED:
        return
    spread = float(E[:, :3, 3].std(axis=0).max())
    (given, _), (other, arm) = about_a_point(E[:, :3, :3], E), about_a_point(transposed(E[:, :3, :3]), E)
    if other < FITS * given and given > DOES_NOT * spread and arm < LONG * spread:
        said = f"{say.owner}: all rotations look transposed: if they were, the poses would turn about a point, as they do not now"
        warn(f"{said}. Give rm.pose(R.T, p) of each if rows and columns were exchanged; if the poses are right, go on.")


def about_a_point(R: Array, E: Array) -> tuple[float, float]:
    """How far, p = c - R x at its best misses positions (root mean square), with one c in the parent and one x in the body; and |x|."""
    A = np.concatenate([np.broadcast_to(np.eye(3), R.shape), -R], axis=2).reshape(-1, 6)
    p = E[:, :3, 3].reshape(-1)
    x = np.linalg.lstsq(A, p, rcond=None)[0]
    return float(np.sqrt(np.mean((A @ x - p) ** 2))), float(np.linalg.norm(x[3:]))
