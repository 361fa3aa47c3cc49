"""Accelerations that are known, differentiated by inverse dynamics: what the way back of an explicit method runs in their place.

    r = tau - ID(q, qdot, qddot, t) = 0,    qddot + M^-1 r:  the same number, with  d qddot = M^-1 (d tau - dID)    where M is held

M^-1 r is found by the recursion of system.py with nothing but r: articulated inertias, then what bodies gain. As M is symmetric, its
reverse is the same recursion: a gradient takes one inverse dynamics with its reverse and one solve, not the reverse of forward dynamics.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from redmax.dynamics.choose import System
from redmax.dynamics.common.articulated import release
from redmax.dynamics.common.kinematics import felt, pushed, rotor_torque, with_rotor
from redmax.dynamics.recursive.system import dynamics_fields, hybrid_dynamics, velocity_terms
from redmax.lie import Adjoint, Inertia
from redmax.math import frozen
from redmax.model.model import Model
from redmax.program.fields import Fields
from redmax.program.program import Derived, Found
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import Part, backward, forward, interactions, recursion


def held(values: object) -> np.ndarray:
    """The same array, constant to differentiation."""
    array = np.asarray(values, object)
    return np.array([frozen(x) for x in array.ravel()], object).reshape(array.shape)


@forward
def accelerate(j: JointView, p: ParentView, w: WorldView) -> None:
    """As inverse dynamics goes down."""
    velocity_terms(j, p, w)
    j.Vdot = (j.X @ p.Vdot) + j.S @ j.qddot + j.eta
    j.inertial = (j.M @ j.Vdot) + j.B


@backward
def explain(j: JointView, p: ParentView) -> None:
    """r, and what M^-1 takes of it on the way up."""
    F = j.inertial + j.F_hat - felt(j)
    p.F_hat += j.X.T @ F
    r = j.tau + j.passive + pushed(j) - j.S.T @ F - rotor_torque(j, j.S, j.qddot)
    X, S = still(j.X), held(j.S)
    M = j.M.map(frozen) + Inertia.from_flat(held(j.composite_hat).tolist())
    free = release(M, S, held(with_rotor(0.0, j, j.S)) if "armature" in j else 0.0, r - S.T @ j.r_hat, j.name)
    j.passing, j.gained = free.U_Psi, free.solved
    p.composite_hat += X.T @ free.Pi @ X
    p.r_hat += X.T @ free.passed(j.r_hat, r)


@forward
def arrive(j: JointView, p: ParentView) -> None:
    """qddot + M^-1 r."""
    A = still(j.X) @ p.gained_twist
    step = j.gained - held(j.passing).T @ A
    j.gained_twist = A + held(j.S) @ step
    j.qddot = j.qddot + step


def still(X: Adjoint) -> Adjoint:
    """The same, constant to differentiation."""
    return Adjoint.of_factors([held(R).tolist() for R in X.rotations], held(X.p).tolist())


explained_dynamics = recursion(accelerate, interactions(Part.WRENCH), explain, arrive, name="explained dynamics")


def explained_fields(model: Model, **extra: dict[str, int]) -> Fields:
    """Those of system.py, and what the way back has of its own."""
    found = dynamics_fields(False, model, **extra)
    up, down = {"F_hat": 6, "composite_hat": 21, "r_hat": 6}, {"gained_twist": 6}
    return replace(found, up={**found.up, **up}, down={**found.down, **down}, reuse={})


def explained(model: Model) -> System:
    """Explicit dynamics along the tree, with another way back."""
    stages = Found((hybrid_dynamics,)), Derived((explained_dynamics,))
    return System("recursive", stages, (), partial(explained_fields, model), model)
