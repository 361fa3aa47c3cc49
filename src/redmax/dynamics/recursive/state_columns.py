"""How a joint's motion changes with its coordinates and with its velocities: what derivatives of the dynamics begin with.

In world axes about the origin of each tree, seen from bodies that are carried along, the c-th coordinate of joint j changes the twists and
accelerations of all bodies k below by (linearised.py, which has the same of an implicit step)

    dV_k = psi_c,   dA_k = phi_c - V_k x psi_c

so that a body feels N chi, chi = (phi; psi; s), N = [I, 2B + D, -K], s how far it is displaced: S_c by q, nothing by qdot. Where no force
acts on bodies the angular half of psi is all that counts, and W = 9. Because derivatives by time and by coordinates commute,

    psi_c = ad(V) S_c + Sdot_c,   phi_c = ad(A) S_c + ad(V) (psi_c + Sdot_c) + Sddot_c           by q_c
    psi_c = S_c,                  phi_c = 2 (ad(V) S_c + Sdot_c)                                 by qdot_c

whatever the joint, S(q) and time in it among others. Velocities of joints on groups are no rates of coordinates: along their body twists,
with the twist and the acceleration of the parent,

    psi_c = ad(V_p) S_c,   phi_c = ad(A_p) S_c + ad(V_p) psi_c;       psi_c = S_c,   phi_c = ad(V + V_p) S_c         where S is constant
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.dynamics.common.kinematics import ad, applied_wrench, coordinates, motion, place_frame
from redmax.dynamics.recursive.linearised import (
    BARE,
    FORCED,
    Moves,
    Place,
    changes,
    derivative,
    own_slopes,
    place_of,
    twist_columns,
    world_inertia,
    world_wrench_stiffness,
)
from redmax.forces.frames import crossed, skew
from redmax.joints.motion import Motion, rates_of
from redmax.joints.stepping import moving
from redmax.lie import Inertia
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.trace import Scalar, is_traced, jvp
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


def by_columns(function: Any, columns: Any) -> np.ndarray:
    """(6, n): a function of each of n vectors."""
    return np.array([function(c) for c in columns], object).reshape(-1, 6).T


def in_world(place: Place, columns: np.ndarray) -> np.ndarray:
    """Twists (6, n) in the joint frame, seen from the world."""
    return by_columns(place.twist, columns.T)


def seen(place: Place, V: Any) -> np.ndarray:
    """A twist in world axes about the origin of the tree, in the joint frame."""
    return np.concatenate([place.R.T @ V[:3], place.R.T @ (V[3:] - crossed(place.arm, V[:3]))])


def transmitted(place: Place, F: Any) -> np.ndarray:
    """The same of a wrench."""
    return np.concatenate([place.R.T @ (F[:3] - crossed(place.arm, F[3:])), place.R.T @ F[3:]])


def holonomic(j: JointView) -> bool:
    """Whether velocities are rates of coordinates."""
    return j.joint.nq == j.joint.dof


def plain(S: np.ndarray) -> bool:
    """Whether S is the same wherever the joint is."""
    return not any(is_traced(x) for x in S.ravel())


def move_in_world(j: JointView, p: ParentView, w: WorldView) -> Motion:
    """Frame and twist; s, psi (6, dof) by q, and eta, what of the acceleration comes from velocities. V: in the joint frame, for forces."""
    X, m = motion(j, j.qdot, w)
    place_frame(j, p, X)
    place = place_of(j)
    j.s = in_world(place, m.S)
    timed = place.twist(m.s) if j.joint.timed else np.zeros(6)
    j.Vw = p.Vw + j.s @ j.qdot + timed
    if "V" in j:
        j.V = seen(place, j.Vw)
    if holonomic(j):
        j.psi_w = by_columns(lambda s: ad(j.Vw, s), j.s.T) + in_world(place, m.Sdot)
        j.eta_w = j.psi_w @ j.qdot
        if j.joint.timed:
            j.eta_w = j.eta_w + ad(j.Vw, timed) + place.twist(m.sdot)
    elif plain(m.S):
        j.psi_w = by_columns(lambda s: ad(p.Vw, s), j.s.T)
        j.eta_w = j.psi_w @ j.qdot
    else:
        at = Moved(seen(place, j.Vw), np.zeros(6), j.qdot, np.zeros(j.joint.dof))
        j.psi_w = in_world(place, np.array([psi for psi, _ in twist_columns(at, m, AlongPlaces(j))], object).T)  # type: ignore[arg-type]
        j.eta_w = place.twist(ad(at.V, m.twist(j.qdot)) + m.bias(j.qdot))
    return m


def rates_in_time(j: JointView, w: WorldView, values: np.ndarray) -> np.ndarray:
    """How what is traced from q, qdot and t changes in time."""
    pairs = [*zip(coordinates(j), j.qdot, strict=True), *zip(j.qdot, j.qddot, strict=True), *([(w.t, 1.0)] if j.joint.timed else [])]
    changing: dict[Any, Any] = {x: v for x, v in pairs if isinstance(x, Scalar)}
    return rates_of(values, changing)


def phi_columns(j: JointView, p: ParentView, w: WorldView, A: Any) -> tuple[np.ndarray, np.ndarray]:
    """phi by q and by qdot, (6, dof) each, in world axes. A: the acceleration of the body there."""
    s, psi, place = j.s, j.psi_w, place_of(j)
    if holonomic(j):
        m = motion(j, j.qdot, w)[1]
        if plain(m.S):
            return np.array([ad(A, a) + ad(j.Vw, b) for a, b in zip(s.T, psi.T, strict=True)], object).reshape(-1, 6).T, 2.0 * psi
        Sdot, Sddot = in_world(place, m.Sdot), in_world(place, rates_in_time(j, w, m.Sdot))
        columns = zip(s.T, (psi + Sdot).T, strict=True)
        return np.array([ad(A, a) + ad(j.Vw, b) for a, b in columns], object).reshape(-1, 6).T + Sddot, 2.0 * psi
    m = motion(j, j.qdot, w)[1]
    if plain(m.S):
        by_q = np.array([ad(p.Vdot, a) + ad(p.Vw, b) for a, b in zip(s.T, psi.T, strict=True)], object).reshape(-1, 6).T
        return by_q, by_columns(lambda a: ad(j.Vw + p.Vw, a), s.T)
    at = Moved(seen(place, j.Vw), seen(place, A), j.qdot, j.qddot)
    by_q, by_v = ([phi for _, phi in twist_columns(at, m, moves)] for moves in (AlongPlaces(j), AlongRates(j)))  # type: ignore[arg-type]
    return in_world(place, np.array(by_q, object).T), in_world(place, np.array(by_v, object).T)


def row_slopes(j: JointView, w: WorldView, F: Any) -> tuple[np.ndarray, np.ndarray]:
    """(dof, dof) by q and by qdot: what a joint's own row changes by beside s' N chi. F: what it transmits, in world axes."""
    places, rates = AlongPlaces(j), AlongRates(j)
    own_q, own_v = own_slopes(j, w, places), own_slopes(j, w, rates)
    S = motion(j, j.qdot, w)[1].S
    if plain(S):
        return own_q, own_v
    n, along = j.joint.dof, S.T @ transmitted(place_of(j), F)
    return own_q + np.array([places.place(along, c) for c in range(n)], object).reshape(n, n).T, own_v


def carried_columns(s: np.ndarray, F: Any) -> np.ndarray:
    """s x* F of each column: what ancestors feel of a wrench that is carried along."""
    return by_columns(lambda c: np.concatenate([crossed(c[:3], F[:3]) + crossed(c[3:], F[3:]), crossed(c[:3], F[3:])]), s.T)


@dataclass(frozen=True, eq=False)
class BodyTerms:
    """Of a body alone, in world axes: its inertia; P (6, W - 6), what it feels of psi and s; B, what its motion takes without acceleration,
    less what acts on it."""

    inertia: Inertia
    P: np.ndarray
    B: np.ndarray


def body_terms(j: JointView, w: WorldView, W: int) -> BodyTerms:
    """Once forces have acted."""
    place = place_of(j)
    A, h, m = world_inertia(j, place)
    omega, u = j.Vw[:3], j.Vw[3:]
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
    B = np.concatenate([crossed(omega, n) + crossed(u, p), crossed(omega, p)])
    given = applied_wrench(j, w)
    if any(is_traced(x) or x != 0 for x in given):
        B = B - place.wrench(given)
    if j.touched and "applied" in j:
        B = B - np.concatenate([j.applied[:3] + crossed(place.arm, j.applied[3:]), j.applied[3:]])
    return BodyTerms(Inertia.rigid(m, h, A), P, B)


def chi_rest(psi: np.ndarray, s: np.ndarray, W: int) -> tuple[np.ndarray, ...]:
    """Of chi what is below phi."""
    return (psi, s) if W == FORCED else (psi[:3],)


def beside(*groups: Any) -> np.ndarray:
    """Rows of columns, group beside group, one below the other: as numbers."""
    return np.concatenate([np.concatenate(group) for group in groups], axis=1).ravel()


def state_fields(model: Model, state: dict[str, Any], up: dict[str, int], down: dict[str, int], wrench: bool) -> Fields:
    """The record of programs that differentiate by the state: frames in the world for all joints, and what forces add."""
    forced: dict[str, Any] = {"applied": 6, "own_damping": 36, "own_stiffness": 36} if model.acting else {}
    forced |= {"pushed": "v"} if model.pushed else {}
    given = {"wrench": 6} if wrench else {}
    return Fields(
        down={**({"V": 6} if model.acting else {}), "Vw": 6, "Vdot": 6, "R": 9, "x": 3, "o": 3} | down,
        blank=("columns", "own"),
        up=up,
        state=forced | {"q": "q", "qdot": "v", "qddot": "v", "tau": "v"} | given | state,  # what forces add to first
        sums=forced,
        lasting=tuple(down),  # which routines read, when the sweeps are through
        world={"t": 1, "h": 1},
    )
