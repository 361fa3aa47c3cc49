"""How forward dynamics changes with q, qdot and tau, for all coordinates at once, without how inverse dynamics changes.

The articulated-body recursion, in world axes about the origin of each tree, carries P = [2B + D, -K] along with the inertia:

    D = S' I S,  Z = D^-1 S' [I, P],  U = I S;     I_p += I - U Z_I,   P_p += P - U Z_P;     Omega = L Omega_p L' + S D^-1 S', L = 1 - S Z_I

Omega is how a body answers a wrench. The column of a coordinate c of joint j is then

    p = N chi_c + S_c x* F - Z_I' slopes_c                  what its parent feels, N = [I, P] beyond the joint's own freedom
    alpha = phi_c - Omega_p p,   y_i = -Z_i (alpha; psi_c; s_c),   alpha += S_i y_i       down all i below j, from j on
    y_i = -alpha^i_p . p                                                                  of all others, by reciprocity

where alpha^i is how the column of the torque i moves j's parent, and y of torques are M^-1. Six multiplications and additions for each pair
that is above, not a product of matrices. The sweeps find what columns begin with, and those of torques, which Omega needs; column_loops.py
computes p, alpha and y of a joint's own columns side by side.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.kinematics import passive_torque, prescribed_acceleration, pushed, with_rotor
from redmax.dynamics.recursive.linearised import changes
from redmax.dynamics.recursive.state_columns import (
    AlongPlaces,
    AlongRates,
    beside,
    body_terms,
    carried_columns,
    chi_rest,
    move_in_world,
    phi_columns,
    row_slopes,
)
from redmax.lie import Inertia
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion


@lru_cache(maxsize=8)
def reduced(W: int) -> Recursion:
    """Accelerations, and of each coordinate what its columns begin with and what its row is made of."""

    @forward
    def move(j: JointView, p: ParentView, w: WorldView) -> None:
        j.S = move_in_world(j, p, w).S
        j.twist = j.s.T.ravel()
        if "psi" in j:
            j.psi = j.psi_w.T.ravel()
        if changes(j):
            j.own_damping, j.own_stiffness = np.zeros(36), np.zeros(36)
        j.given = prescribed_acceleration(j, w) if j.prescribed else j.tau + passive_torque(j, w)

    @backward
    def reduce(j: JointView, p: ParentView, w: WorldView) -> None:
        s, n, own = j.s, j.joint.dof, body_terms(j, w, W)
        inertia, P, B = own.inertia + Inertia.from_flat(j.M_hat), own.P + j.P_hat.reshape(6, W - 6), own.B + j.B_hat
        if j.prescribed:
            j.Z_I, j.Z_P, j.Psi = np.zeros((n, 6)), np.zeros((n, W - 6)), np.zeros((n, n))
            j.Pi, j.P, j.b = inertia, P, B
            beta = B + (inertia @ (j.eta_w + s @ j.given))
        else:
            tau = j.given + pushed(j) - s.T @ B
            right = np.concatenate([tau[:, None], s.T @ P, np.eye(n)], axis=1)
            free = release(inertia, s, with_rotor(0.0, j, j.S), right, j.name)
            j.Psi_u, j.Z_P, j.Psi = free.solved[:, 0], free.solved[:, 1 : W - 5], free.solved[:, W - 5 :]
            j.Z_I, j.Pi = free.U_Psi.T, free.Pi
            j.P = P - free.U @ j.Z_P
            j.b = B + free.U @ j.Psi_u
            beta = j.b + (j.Pi @ j.eta_w)
        p.M_hat += j.Pi
        p.P_hat += j.P.ravel()
        j.Pi_kept, j.P_kept = j.Pi, j.P.ravel()
        p.B_hat += beta
        j.Z = np.concatenate([j.Z_I, j.Z_P], axis=1).ravel()

    @forward
    def differentiate(j: JointView, p: ParentView, w: WorldView) -> None:
        s, psi, n = j.s, j.psi_w, j.joint.dof
        A = p.Vdot + j.eta_w
        j.qddot = j.given if j.prescribed else j.Psi_u - j.Z_I @ A
        along = s @ j.qddot
        F = (j.Pi @ (A + along if j.prescribed else A)) + j.b
        j.Vdot = A + along
        phi_q, phi_v = phi_columns(j, p, w, j.Vdot)
        slopes_q, slopes_v = row_slopes(j, w, F)
        own_q, own_v = -(j.Psi @ slopes_q), -(j.Psi @ slopes_v)
        felt_q, felt_v = carried_columns(s, F) - j.Z_I.T @ slopes_q, -(j.Z_I.T @ slopes_v)
        if j.prescribed:
            given = prescribed_acceleration(j, w)
            own_q = np.array([AlongPlaces(j).place(given, c) for c in range(n)], object).reshape(n, n).T
            own_v = np.array([AlongRates(j).rate(given, c) for c in range(n)], object).reshape(n, n).T
            felt_q, felt_v = felt_q + (j.Pi @ (s @ own_q)), felt_v + (j.Pi @ (s @ own_v))
        j.columns = beside([phi_q, *chi_rest(psi, s, W), felt_q], [phi_v, *chi_rest(s, 0.0 * s, W), felt_v])
        j.own = beside([own_q], [own_v])
        Omega = Inertia.from_flat(p.Omega)
        x = Omega @ j.Z_I.T
        K = j.Z_I @ x + j.Psi
        j.own_t, j.alpha_t = K.ravel(), (s @ K - x).T.ravel()
        j.Omega = Inertia.from_matrix(Omega.matrix() - x @ s.T - s @ (x - s @ K).T)

    between = interactions(Part.WRENCH), interactions(Part.NEWTON)
    return recursion(move, *between, reduce, differentiate, name=f"forward derivatives {W}")
