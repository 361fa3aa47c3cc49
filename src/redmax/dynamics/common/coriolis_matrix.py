"""The Coriolis matrix C(q, qdot) in O(n d), d the depth: C qdot is what velocities take, and Mdot = C + C', so that Mdot - 2C is skew.

    C = sum over bodies of J' (I Jdot + B J),      2B = V x* I - I V x + (I V) x*      (Echeandia and Wensing, J. Mech. Robot. 13, 2021)

In world axes about the origin of each tree the columns s of J are the same for all bodies that a coordinate moves, so that with I and B
summed over what the deeper of two joints carries, and sdot the rate of s,

    C_ij = s_i' (I_j sdot_j + B_j s_j)  if j is i or below it,      (I_i s_i)' sdot_j + (B_i' s_i)' s_j  if it is above.

This is the matrix of the Christoffel symbols, C_ij = Gamma_ijk qdot_k. Another with the same C qdot and the same C + C' is

    C = sum of J' (M Jdot - N J),     N = [[mu~, f~], [f~, 0]],  (mu; f) = M V,       in world axes B = -N - I V x

(Mueller and Terze, Eq. 84, with N in place of b'M: without it C + C' is not Mdot.) It needs no more than J and Jdot of each body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import ad, has_ball_rotor, motion, place_frame, reflected
from redmax.dynamics.common.terms import block_index
from redmax.dynamics.recursive.linearised import BARE, body_matrix, place_of
from redmax.forces.frames import skew
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import backward, forward, recursion
from redmax.trace.vector import vector_of

COLUMNS = ("s", "sdot", "f", "Is", "Bs")  # with f = I sdot + B s


@forward
def place_columns(j: JointView, p: ParentView, w: WorldView) -> None:
    """s and sdot of each coordinate, and what the rotor of a ball joint adds to the joint's own block."""
    X, m = motion(j, j.qdot, w)
    place_frame(j, p, X)
    j.V = (X @ p.V) + m.twist(j.qdot)
    place, columns = place_of(j), range(j.joint.dof)
    j.s = vector_of([x for k in columns for x in place.twist(m.S[:, k])])
    j.sdot = vector_of([x for k in columns for x in place.twist(ad(j.V, m.S[:, k]) + m.Sdot[:, k])])
    if "rotor" in j:
        j.rotor = (reflected(j)[0] * (m.S[:3].T @ m.Sdot[:3])).ravel() if has_ball_rotor(j) else np.zeros(j.joint.dof**2)


@backward
def sum_bodies(j: JointView, p: ParentView) -> None:
    """What the joint carries, and its columns of it."""
    N = j.N_below.reshape(6, BARE)
    N = N + body_matrix(j, place_of(j), BARE) if j.counted else N
    p.N_below += N.ravel()
    fill_columns(j, N[:, :6], 0.5 * N[:, 6:])


@backward
def sum_skew(j: JointView, p: ParentView) -> None:
    """The same with the other B, which has all six columns."""
    N = j.N_below.reshape(6, 12)
    N = N + np.concatenate(skew_terms(j), axis=1) if j.counted else N
    p.N_below += N.ravel()
    fill_columns(j, N[:, :6], N[:, 6:])


def skew_terms(j: JointView) -> tuple[np.ndarray, np.ndarray]:
    """I and -N - I V x of the body alone."""
    place = place_of(j)
    inertia, V = body_matrix(j, place, BARE)[:, :6], place.twist(j.V)
    P, across = inertia @ V, np.zeros((6, 6), object)
    across[:3, :3] = across[3:, 3:] = skew(V[:3])
    across[3:, :3] = skew(V[3:])
    N = np.zeros((6, 6), object)
    N[:3, :3], N[:3, 3:], N[3:, :3] = skew(P[:3]), skew(P[3:]), skew(P[3:])
    return inertia, -N - inertia @ across


def fill_columns(j: JointView, inertia: Any, B: Any) -> None:
    """The joint's columns of what it carries. B: (6, 6), or its first columns where the others are zero."""
    n, found = B.shape[1], dict[str, list[Any]]({"f": [], "Is": [], "Bs": []})
    for k in range(0, 6 * j.joint.dof, 6):
        s, sdot = j.s[k : k + 6], j.sdot[k : k + 6]
        found["f"] += list(inertia @ sdot + B @ s[:n])
        found["Is"] += list(inertia @ s)
        found["Bs"] += [*(B.T @ s), *[0.0] * (6 - n)]
    j.f, j.Is, j.Bs = (vector_of(found[name]) for name in ("f", "Is", "Bs"))


def coriolis_program(model: Model, form: str = "christoffel") -> Program:
    """The columns, (nv, 6) each, and where rotors turn with joints the blocks that they add."""
    sums, width = (sum_skew, 72) if form == "skew" else (sum_bodies, 6 * BARE)
    state: dict[str, Any] = {"q": "q", "qdot": "v"} | dict.fromkeys(COLUMNS, "6v") | ({"rotor": "vv"} if model.has_rotors else {})
    fields = Fields(down={"R": 9, "x": 3, "o": 3, "V": 6}, up={"N_below": width}, state=state, world={"t": 1})
    stages = (recursion(place_columns, sums, name=f"Coriolis matrix, {form}"),)
    return Program("Coriolis matrix", stages, fields, ("q", "qdot", "t"), (*COLUMNS, *(("rotor",) if model.has_rotors else ())))


def assembled(model: Model, columns: Sequence[np.ndarray], rotors: np.ndarray | None) -> np.ndarray:
    """C, (..., nv, nv), from columns (..., nv, 6) and the rotors' blocks."""
    s, sdot, f, Is, Bs = columns
    below = moved_by(model)
    C = np.where(below, s @ np.swapaxes(f, -1, -2), 0.0)
    C += np.where(below.T & ~below, Is @ np.swapaxes(sdot, -1, -2) + Bs @ np.swapaxes(s, -1, -2), 0.0)
    if rotors is not None:
        rows, across = block_index(model)
        C[..., rows, across] += rotors
    return C


def moved_by(model: Model) -> np.ndarray:
    """(nv, nv): whether the joint of the column is that of the row, or hangs on it."""
    links = len(model.links)
    below = np.eye(links, dtype=bool)
    for i, link in enumerate(model.links):  # parents come first
        if link.parent >= 0:
            below[:, i] |= below[:, link.parent]
    owner = np.repeat(np.arange(links), np.diff(model.offsets))
    return below[np.ix_(owner, owner)]
