"""How inverse dynamics changes with the unknown of an implicit step: q by r0 dx, qdot by r1 dx, qddot by r2 dx, all exact (r0 = 1 mostly).

In world axes about the origin of each tree, seen from bodies that are carried along by what moves them, a coordinate c of joint j changes
the twists and the accelerations of all bodies k below by

    dV_k = psi_c,   dA_k = phi_c - V_k x psi_c,    psi = dV_j + r1 S,   phi = dA_j + r2 S + V_j x psi    (dV_j, dA_j: within the joint)

so that a body feels I phi + 2B psi, with 2B = V x* I - I V x + (I V) x* = [[G, 0], [-2 [p], 0]], p its linear momentum (Singh, Russell and
Wensing, IEEE RA-L 7, 2022). Forces on it add D psi - K s. N = [I, 2B + D, -K] is one (6, W) matrix of a body, chi = (phi, psi, s) one
column of a coordinate; without forces the angular half of psi is all that counts, and W = 9.

Of a joint whose configuration is an element of a group the unknown is the step delta from where it began: the child is displaced by
S dexp(delta) dx, and qdot and qddot change by the derivative of what they are of delta (Moves).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from redmax.dynamics.common.joint_laws import rotor_block
from redmax.dynamics.common.kinematics import ad, coordinates, minus_ad_transposed, motion, passive_torque, reflected
from redmax.dynamics.recursive.transmitted import move_joint
from redmax.forces.frames import crossed, skew
from redmax.joints.motion import Motion
from redmax.joints.stepping import moving
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward
from redmax.trace import jvp
from redmax.trace.local import derivatives
from redmax.trace.vector import vector_of

BARE, FORCED = 9, 18  # W: (phi, angular psi), or (phi, psi, s)


def width(model: Model) -> int:
    """W: whether what acts on a body changes with its pose or its twist."""
    return FORCED if model.acting or model.world_wrench or model.constraints else BARE


@dataclass(frozen=True)
class Place:
    """The joint frame seen from the world: axes R, and `arm` from the origin of the tree to it."""

    R: Any
    arm: Any

    def twist(self, V: Any) -> np.ndarray:
        """(R a; R b + arm x R a) of a twist (a; b) in the joint frame."""
        a, b = self.R @ V[:3], self.R @ V[3:]
        return np.concatenate([a, b + crossed(self.arm, a)])

    def wrench(self, F: Any) -> np.ndarray:
        """(R n + arm x R f; R f) of a wrench (n; f) in the joint frame."""
        n, f = self.R @ F[:3], self.R @ F[3:]
        return np.concatenate([n + crossed(self.arm, f), f])


def place_of(j: JointView) -> Place:
    """Of a joint whose R, x and o are known."""
    return Place(np.asarray(j.R, object).reshape(3, 3), j.x - j.o)


@dataclass(frozen=True)
class Linearised:
    """s (6, dof), chi (W, dof) and N (6, W) of a joint and its body alone; slopes (dof, dof) of the joint's own row, beside s' N chi;
    carried (6, dof): s x* F of how far s goes."""

    s: np.ndarray
    chi: np.ndarray
    N: np.ndarray
    slopes: np.ndarray
    carried: np.ndarray


def derivative(outputs: Any, x: Any) -> np.ndarray:
    """The derivative of a vector by one scalar."""
    return vector_of(jvp(list(outputs), {x: 1.0}))


class Moves:
    """How a joint's q, qdot and qddot change with the c-th of its unknowns: by r0, r1 and r2 times it."""

    def __init__(self, j: JointView, w: WorldView, r0: Any) -> None:
        self.j, self.w, self.r0 = j, w, r0

    def place(self, values: Any, c: int) -> np.ndarray:
        """The change of what is traced from q."""
        return self.r0 * derivative(values, coordinates(self.j)[c])

    def rate(self, values: Any, c: int) -> np.ndarray:
        """The change of what is traced from qdot."""
        return self.w.r1 * derivative(values, self.j.qdot[c])

    def columns(self, S: Any) -> tuple[Any, Any, Any]:
        """How far S q, S qdot and S qddot go, (6, dof) each, or as many rows as S has."""
        return self.r0 * S, self.w.r1 * S, self.w.r2 * S


class MovesOnGroup(Moves):
    """The same where the unknown is the step delta: q by dexp(delta), qdot = velocity(delta, (delta - known_v) r1) and r1 of it."""

    def __init__(self, j: JointView, w: WorldView, r0: Any) -> None:
        super().__init__(j, w, r0)
        joint, n = j.joint, j.joint.dof
        rate = (j.delta - j.known_v) * w.r1
        self.R0 = r0 * np.array([joint.velocity(j.delta, e) for e in np.eye(n)], object).reshape(n, n).T
        bend = derivatives(lambda *x: joint.velocity(vector_of(x), rate), list(j.delta), [(c,) for c in range(n)])
        self.R1 = np.array(bend, object).reshape(n, n).T + w.r1 * self.R0
        self.T = np.asarray(joint.tangent(j.q), object) @ self.R0

    def place(self, values: Any, c: int) -> np.ndarray:
        return vector_of(jvp(list(values), moving(list(coordinates(self.j)), self.T[:, c])))

    def rate(self, values: Any, c: int) -> np.ndarray:
        return vector_of(jvp(list(values), moving(list(self.j.qdot), self.R1[:, c])))

    def columns(self, S: Any) -> tuple[Any, Any, Any]:
        displaced, moved = S @ self.R0, S @ self.R1
        return displaced, moved, self.w.r1 * moved


def moves_of(j: JointView, w: WorldView, r0: Any) -> Moves:
    return Moves(j, w, r0) if j.joint.nq == j.joint.dof or j.prescribed else MovesOnGroup(j, w, r0)


def twist_columns(j: JointView, m: Motion, moves: Moves) -> list[tuple[Any, Any]]:
    """psi and phi of each coordinate of a joint, in its frame; what time does to a joint is part of its twist and bias."""
    qdot, V = j.qdot, j.V
    twist, bias, pushed = m.twist(qdot), m.bias(qdot), m.S @ j.qddot
    carried, accelerated = V - twist, j.Vdot - pushed - ad(V, twist) - bias  # as the parent brings them
    S0, S1, S2 = moves.columns(m.S)
    found: list[tuple[Any, Any]] = []
    for c in range(len(qdot)):
        moved = moves.place(twist, c) + S1[:, c]
        psi = ad(carried, S0[:, c]) + moved
        by_velocity = moves.place(bias, c) + moves.rate(bias, c)
        phi = ad(accelerated, S0[:, c]) + moves.place(pushed, c) + ad(psi, twist) + ad(V, moved) + by_velocity + S2[:, c] + ad(V, psi)
        found.append((psi, phi))
    return found


def world_columns(place: Place, columns: list[tuple[Any, Any]], S: Any, W: int, moves: Moves) -> tuple[np.ndarray, ...]:
    """s (6, dof), how far it goes (6, dof), and chi (W, dof) in world axes."""
    n = len(columns)
    s = np.array([place.twist(S[:, c]) for c in range(n)], object).reshape(n, 6).T
    s0, chi = moves.columns(s)[0] if n else s, np.empty((W, n), object)
    for c, (psi, phi) in enumerate(columns):
        chi[:6, c] = place.twist(phi)
        chi[6:9, c] = place.R @ psi[:3]
        if W == FORCED:
            chi[6:12, c], chi[12:, c] = place.twist(psi), s0[:, c]
    return s, s0, chi


def body_matrix(j: JointView, place: Place, W: int) -> np.ndarray:
    """N of the body alone: its inertia, and 2B at its present twist."""
    A, h, m = world_inertia(j, place)
    V = place.twist(j.V)
    omega, u = V[:3], V[3:]
    p = m * u - crossed(h, omega)
    n = A @ omega + crossed(h, u)
    turned = skew(omega) @ A
    G = turned + turned.T - skew(n) - np.outer(u, h) - np.outer(h, u) + 2.0 * (u @ h) * np.eye(3)
    N = np.zeros((6, W), object)
    N[:3, :3], N[:3, 3:6], N[3:, :3], N[3:, 3:6] = A, skew(h), -skew(h), m * np.eye(3)
    N[:3, 6:9], N[3:, 6:9] = G, -2.0 * skew(p)
    return N


def world_inertia(j: JointView, place: Place) -> tuple[Any, Any, Any]:
    """A (3, 3) and first moment (3,) about the origin of the tree, in world axes, and the mass."""
    m, d, R = j.mass_value, place.arm, place.R
    h = R @ j.first_moment
    e = h + (0.5 * m) * d
    turned = R @ np.array(j.M.A, object) @ R.T
    upper = np.triu(turned - np.outer(e, d) - np.outer(d, e) + 2.0 * (e @ d) * np.eye(3))  # symmetric: half of it is computed
    return upper + np.triu(upper, 1).T, h + m * d, m


def world_wrench_stiffness(j: JointView, place: Place, w: WorldView) -> np.ndarray:
    """-K (6, 6) of wrenches that keep their axes in the world while their points move with the body."""
    total = np.zeros((6, 6), object)
    if "world_wrench" not in j:
        return total
    for row in np.asarray(j.world_wrench(w.t), object):
        arm = place.arm + place.R @ (j.body_p + j.body_R @ row[6:])
        total[:3, :3] = total[:3, :3] - skew(row[:3]) - skew(arm) @ skew(row[3:6])
        total[3:, :3] = total[3:, :3] - skew(row[3:6])
    return total


def own_slopes(j: JointView, w: WorldView, moves: Moves) -> np.ndarray:
    """-d passive/dx (dof, dof): the joint's own springs, dampers, torques and forces, exactly; and what its rotor takes."""
    n = j.joint.dof
    tau = passive_torque(j, w)
    slopes = -np.array([moves.place(tau, c) + moves.rate(tau, c) for c in range(n)], object).reshape(n, n).T
    return slopes + rotor_slopes(j, w, moves) if "armature" in j else slopes


def rotor_slopes(j: JointView, w: WorldView, moves: Moves) -> np.ndarray:
    """How what a rotor takes for qddot changes: with qddot, and of a ball joint with its coordinates."""
    n, S = j.joint.dof, motion(j, j.qdot, w)[1].S
    block = rotor_block(reflected(j), S[:3])
    return np.array([moves.place(block @ j.qddot, c) for c in range(n)], object).reshape(n, n).T + moves.columns(block)[2]


def turning_columns(j: JointView, S: Any, moves: Moves) -> np.ndarray:
    """dS (dof, 6, dof), by the coordinate that moves first."""
    n = j.joint.dof
    return np.array([moves.place(S.ravel(), c).reshape(6, n) for c in range(n)], object).reshape(n, 6, n)


def linearise_joint(W: int, j: JointView, p: ParentView, w: WorldView, r0: Any = 1.0) -> Linearised:
    """What a joint and its body contribute, with the forces on it, once these have acted."""
    if j.root:
        move_joint(j, p, w)  # again, as most of it is known to be zero there
    _, m = motion(j, j.qdot, w)
    place, moves = place_of(j), moves_of(j, w, r0)
    s, s0, chi = world_columns(place, twist_columns(j, m, moves), m.S, W, moves)
    N = body_matrix(j, place, W)
    if W == FORCED:
        N[:, 12:] = world_wrench_stiffness(j, place, w)
    if changes(j):
        N[:, 6:12] = N[:, 6:12] + j.own_damping.reshape(6, 6)
        N[:, 12:] = N[:, 12:] + j.own_stiffness.reshape(6, 6)
    turning = np.array([dS.T @ j.F for dS in turning_columns(j, m.S, moves)], object).reshape(j.joint.dof, j.joint.dof)
    return Linearised(s, chi, N, turning.T + own_slopes(j, w, moves), displaced(s0, place.wrench(j.F)))


class Linearise(Protocol):
    """What stands for `linearise_joint` in another method. Its repr tells it from others."""

    def __call__(self, W: int, j: JointView, p: ParentView, w: WorldView, r0: Any = 1.0) -> Linearised: ...


def changes(j: JointView) -> bool:
    """Whether a force or a reaction may add to how what the body feels changes."""
    return "row_wrench" in j or (j.touched and "own_damping" in j)


@forward
def ready(j: JointView) -> None:
    """Nothing yet of what forces will add."""
    if changes(j):
        j.own_damping, j.own_stiffness = np.zeros(36), np.zeros(36)


def displaced(s: Any, F: Any) -> np.ndarray:
    """s x* F of each column: what ancestors feel of a wrench that is carried along."""
    return np.array([minus_ad_transposed(column, F) for column in s.T], object).reshape(-1, 6).T


def linearised_fields(model: Model, state: dict[str, Any], up: dict[str, int], down: dict[str, int], world: dict[str, int]) -> Fields:
    """Of programs that solve for a step: the frames in the world for all joints, what they transmit, and what forces add."""
    forced: dict[str, Any] = {"applied": 6, "own_damping": 36, "own_stiffness": 36} if model.acting else {}
    forced |= {"pushed": "v"} if model.pushed else {}
    forced |= {"own_damping": 36, "own_stiffness": 36, "row_wrench": 6} if model.constraints else {}
    forced |= {"row_push": "v"} if any(c.joints for c in model.constraints) else {}
    moved = {"V": 6, "Vdot": 6, "R": 9, "x": 3, "o": 3}
    return Fields(
        down=moved | down,
        lasting=tuple(moved),
        up={"F_hat": 6} | up,
        state=forced | {"F": 6, "q": "q", "qdot": "v", "qddot": "v", "tau": "v", "missing": "v"} | state,  # what forces add to first
        sums=forced,
        world={"t": 1, "h": 1, "r0": 1, "r1": 1, "r2": 1} | world,
    )
