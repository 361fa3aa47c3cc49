"""Newton's step of an implicit method in O(n), where no force couples bodies: the linear system is eliminated along the tree.

What a body carries on to its parent is linear in how the parent moves, chi_p = (phi, psi, s) summed over all coordinates above:

    dF = N chi_p + b,     row of a joint: s' (N (chi_p + chi dx) + b) + (own slopes) dx = -r
    D = s' N chi + own slopes,   Z = D^-1 s' N,   z = D^-1 (-r - s' b),   Y = N chi + s x* F
    N_p += N - Y Z,    b_p += b + Y z,    F_p += F;         from the root:  dx = z - Z chi_p,   chi = chi_p + chi dx

This is the articulated-body recursion with unsymmetric matrices (N of linearised.py); each joint is one pivot block, leaves first.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from redmax.dynamics.common.unsymmetric import solve_unsymmetric
from redmax.dynamics.recursive.linearised import displaced, felt_by_body, linearise_joint, own_block
from redmax.math import sqrt
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Recursion, backward, forward, interactions, recursion


def fields_of(W: int) -> tuple[dict[str, int], dict[str, int]]:
    """What joints hand up, and down."""
    return {"N_hat": 6 * W, "F_hat": 6, "b_hat": 6}, {"chi_sum": W}


@lru_cache(maxsize=2)
def newton_step(W: int) -> Recursion:
    """From q, qdot, qddot: dx of each joint, of prescribed ones zero. tau: what is given besides."""

    @forward
    def linearise(j: JointView, p: ParentView, w: WorldView) -> None:
        linearise_joint(W, j, p, w)

    @backward
    def eliminate(j: JointView, p: ParentView, w: WorldView) -> None:
        N, F = felt_by_body(W, j)
        N, F, b = N + j.N_hat.reshape(6, W), F + j.F_hat, j.b_hat
        p.F_hat += F
        if j.prescribed:
            p.N_hat += N.ravel()
            p.b_hat += b
            return
        moved = N @ j.chi
        missing = j.tau + j.passive - j.s.T @ (F + b)
        rows = np.concatenate([j.s.T @ N, missing[:, None]], axis=1)
        solved = solve_unsymmetric(own_block(j, moved, F), rows, nothing=sqrt(0.0 - w.r2))  # which is no number
        j.Z, j.z = solved[:, :W], solved[:, W]
        Y = moved + displaced(j.s, F)
        p.N_hat += (N - Y @ j.Z).ravel()
        p.b_hat += b + Y @ j.z

    @forward
    def step(j: JointView, p: ParentView) -> None:
        if j.prescribed:
            j.dx = np.zeros(j.joint.dof)
            j.chi_sum = p.chi_sum
            return
        j.dx = j.z - j.Z @ p.chi_sum
        j.chi_sum = p.chi_sum + j.chi @ j.dx

    return recursion(linearise, interactions("newton"), eliminate, step, name=f"newton step {W}")
