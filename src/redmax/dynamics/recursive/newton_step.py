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
from redmax.dynamics.recursive.linearised import Linearise, Linearised, linearise_joint, ready
from redmax.math import sqrt
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, Recursion, backward, forward, interactions, recursion


def eliminate_joint(here: Linearised, j: JointView, p: ParentView, w: WorldView) -> None:
    """One pivot block. here: what the joint and its body contribute."""
    W = here.N.shape[1]
    N, b = here.N + j.N_hat.reshape(6, W), j.b_hat
    if j.prescribed:
        p.N_hat += N.ravel()
        p.b_hat += b
        return
    moved = N @ here.chi
    rows = np.concatenate([here.s.T @ N, (j.missing - here.s.T @ b)[:, None]], axis=1)
    D, Y = here.s.T @ moved + here.slopes, moved + here.carried
    solved = solve_unsymmetric(D, rows, nothing=sqrt(0.0 - w.r2))  # which is no number
    j.chi, j.Z, j.z = here.chi, solved[:, :W], solved[:, W]
    j.twist, j.borne, j.pivot = here.s.ravel(), Y.ravel(), D.ravel()
    p.N_hat += (N - Y @ j.Z).ravel()
    p.b_hat += b + Y @ j.z


def step_joint(j: JointView, p: ParentView) -> None:
    """dx, from what moves above."""
    if j.prescribed:
        j.dx = np.zeros(j.joint.dof)
        j.chi_sum = p.chi_sum
        return
    j.dx = j.z - j.Z @ p.chi_sum
    j.chi_sum = p.chi_sum + j.chi @ j.dx


def fields_of(W: int) -> tuple[dict[str, int], dict[str, int]]:
    """What joints hand up, and down."""
    return {"N_hat": 6 * W, "b_hat": 6}, {"chi_sum": W}


KEPT = {"twist": "6v", "borne": "6v", "pivot": "vv"}  # s, Y and D of a joint, which the transposed system reads


@lru_cache(maxsize=8)
def newton_step(W: int, linearise: Linearise | None = None) -> Recursion:
    """At what transmitted.py leaves: dx of each joint, of prescribed ones zero. linearise: in place of `linearise_joint`."""

    @backward
    def eliminate(j: JointView, p: ParentView, w: WorldView) -> None:
        eliminate_joint((linearise or linearise_joint)(W, j, p, w), j, p, w)

    @forward
    def step(j: JointView, p: ParentView) -> None:
        step_joint(j, p)

    return recursion(ready, interactions(Part.NEWTON), eliminate, step, name=f"newton step {W}{linearise or ''}")
