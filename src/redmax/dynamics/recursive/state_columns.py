"""How a joint's motion changes with its coordinates and with its velocities: what derivatives of the dynamics begin with.

In world axes about the origin of each tree, seen from bodies that are carried along, the c-th coordinate of joint j changes the twists and
accelerations of all bodies k below by (linearised.py, which has the same of an implicit step)

    dV_k = psi_c,   dA_k = phi_c - V_k x psi_c;    by q as the joint was traced, by qdot psi = S_c, phi = dA_j/dqdot_c + V_j x S_c

so that a body feels N chi, chi = (phi; psi; s), N = [I, 2B + D, -K], s how far it is displaced: S_c by q, nothing by qdot. Where no force
acts on bodies the angular half of psi is all that counts, and W = 9. Of joints on groups coordinates are along body twists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import coordinates
from redmax.dynamics.recursive.linearised import (
    BARE,
    FORCED,
    Moves,
    Place,
    changes,
    derivative,
    own_slopes,
    turning_columns,
    twist_columns,
    world_inertia,
    world_wrench_stiffness,
)
from redmax.forces.frames import crossed, skew
from redmax.joints.motion import Motion
from redmax.joints.stepping import moving
from redmax.lie import Inertia
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, WorldView
from redmax.trace import jvp
from redmax.trace.vector import vector_of


def width(model: Model) -> int:
    """W: whether what acts on a body changes with its pose or its twist."""
    return FORCED if model.acting or model.world_wrench else BARE


class AlongPlaces(Moves):
    """q moves along the c-th velocity; qdot and qddot stay."""

    def __init__(self, j: JointView) -> None:
        self.j = j
        joint = j.joint
        self.tangent = None if joint.nq == joint.dof else np.asarray(joint.tangent(j.q), object)

    def place(self, values: Any, c: int) -> np.ndarray:
        given = list(coordinates(self.j))
        if self.tangent is None:
            return derivative(values, given[c])
        return vector_of(jvp(list(values), moving(given, self.tangent[:, c])))

    def rate(self, values: Any, c: int) -> np.ndarray:
        return np.zeros(len(values)).astype(object)

    def columns(self, S: Any) -> tuple[Any, Any, Any]:
        return S, 0.0 * S, 0.0 * S


class AlongRates(Moves):
    """qdot changes; q and qddot stay."""

    def __init__(self, j: JointView) -> None:
        self.j = j

    def place(self, values: Any, c: int) -> np.ndarray:
        return np.zeros(len(values)).astype(object)

    def rate(self, values: Any, c: int) -> np.ndarray:
        return derivative(values, self.j.qdot[c])

    def columns(self, S: Any) -> tuple[Any, Any, Any]:
        return 0.0 * S, S, 0.0 * S


@dataclass(frozen=True, eq=False)
class Moved:
    """What `twist_columns` asks of a joint: its twist, its acceleration and the rates of its coordinates, in its own frame."""

    V: Any
    Vdot: Any
    qdot: Any
    qddot: Any


@dataclass(frozen=True, eq=False)
class StateColumns:
    """Of one joint, in world axes, (6, dof) each: s; psi and phi by q; phi by qdot, whose psi is s; carried: s x* F.

    slopes_q, slopes_v: (dof, dof), what its own row changes by beside s' N chi
    """

    s: np.ndarray
    psi: np.ndarray
    phi_q: np.ndarray
    phi_v: np.ndarray
    slopes_q: np.ndarray
    slopes_v: np.ndarray
    carried: np.ndarray


def by_columns(function: Any, columns: Any) -> np.ndarray:
    """(6, n): a function of each of n vectors."""
    return np.array([function(c) for c in columns], object).reshape(-1, 6).T


def state_columns(j: JointView, w: WorldView, m: Motion, place: Place, at: Moved | JointView, F: Any) -> StateColumns:
    """F: the wrench that the joint transmits, in its own frame."""
    n = j.joint.dof
    places, rates = AlongPlaces(j), AlongRates(j)
    by_q, by_v = twist_columns(at, m, places), twist_columns(at, m, rates)  # type: ignore[arg-type]
    s = by_columns(place.twist, m.S.T)
    psi, phi_q = by_columns(place.twist, [p for p, _ in by_q]), by_columns(place.twist, [p for _, p in by_q])
    phi_v = by_columns(place.twist, [p for _, p in by_v])
    turned = np.array([dS.T @ F for dS in turning_columns(j, m.S, places)], object).reshape(n, n).T
    carried = by_columns(place.wrench, [swung(S, F) for S in m.S.T])
    return StateColumns(s, psi, phi_q, phi_v, turned + own_slopes(j, w, places), own_slopes(j, w, rates), carried)


def swung(S: Any, F: Any) -> np.ndarray:
    """S x* F: what ancestors feel of a wrench that is carried along."""
    return np.concatenate([crossed(S[:3], F[:3]) + crossed(S[3:], F[3:]), crossed(S[:3], F[3:])])


def body_terms(j: JointView, w: WorldView, place: Place, W: int) -> tuple[Inertia, np.ndarray]:
    """N of the body alone: its inertia, and (6, W - 6) of psi and s; with the forces on it, once these have acted."""
    A, h, m = world_inertia(j, place)
    V = place.twist(j.V)
    omega, u = V[:3], V[3:]
    p = m * u - crossed(h, omega)
    n = A @ omega + crossed(h, u)
    turned = skew(omega) @ A
    P = np.zeros((6, W - 6), object)
    P[:3, :3] = turned + turned.T - skew(n) - np.outer(u, h) - np.outer(h, u) + 2.0 * (u @ h) * np.eye(3)
    P[3:, :3] = -2.0 * skew(p)
    if W == FORCED:
        P[:, 6:] = world_wrench_stiffness(j, place, w)
    if changes(j):
        P[:, :6] = P[:, :6] + j.own_damping.reshape(6, 6)
        P[:, 6:] = P[:, 6:] + j.own_stiffness.reshape(6, 6)
    return Inertia.rigid(m, h, A), P


def felt_by(P: np.ndarray, psi: np.ndarray, s: np.ndarray) -> np.ndarray:
    """What a body feels of psi and s, (6, n): P (psi; s), or of the angular half of psi alone."""
    if P.shape[1] == 3:
        return P @ psi[:3]
    return P[:, :6] @ psi + P[:, 6:] @ s


def state_fields(model: Model, state: dict[str, Any], up: dict[str, int], down: dict[str, int], wrench: bool) -> Fields:
    """The record of programs that differentiate by the state: frames in the world for all joints, and what forces add."""
    forced: dict[str, Any] = {"applied": 6, "own_damping": 36, "own_stiffness": 36} if model.acting else {}
    forced |= {"pushed": "v"} if model.pushed else {}
    given = {"wrench": 6} if wrench else {}
    return Fields(
        down={"V": 6, "Vdot": 6, "R": 9, "x": 3, "o": 3} | down,
        up=up,
        state=forced | {"q": "q", "qdot": "v", "qddot": "v", "tau": "v"} | given | state,  # what forces add to first
        sums=forced,
        world={"t": 1, "h": 1},
    )
