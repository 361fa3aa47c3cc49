"""A method on coadjoint orbits (Mueller and Terze Eqs. 96-101; Engo and Faltinsen, SIAM J. Numer. Anal. 39, 2001), of order 4.

    pi_1 = Ad*_Q pi_0 = Q' pi_0,   Q' = Q [W],   Q = exp(Theta),   Theta' = dexp^-1_{-Theta} W,   W = J^-1 exp(-Theta) lambda

(with +Theta, as in print, every method silently has order 2). lambda = R_0' R pi is the momentum in the axes at the
beginning of the step. It stays where nothing acts, so that pi goes along its orbit whatever W is, and |pi| and R pi are kept to rounding.
Where something acts, lambda' = exp(Theta) n: the orbits of rotations with translations, as of heavy tops; what of R pi no torque changes,
as that about the vertical, is kept too. Theta and lambda take the classical rule of order 4 (mk4.py), as does the centre of mass of a body
that floats.
Energy drifts slowly. Four evaluations of what acts. One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.bodies import body, steps
from redmax.integrators.bodies.body import (
    angular_velocity,
    center_velocity,
    floats,
    inertia,
    inverse,
    moves,
    pull,
    set_velocity,
    torque,
    turn_by,
    turned_back,
)
from redmax.integrators.lie.mk4 import A, B
from redmax.integrators.lie.stages import clock_at, combined
from redmax.lie import quaternions, so3
from redmax.program.fields import Size
from redmax.program.program import Program, ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, forward, recursion

STAGES = len(B)
ROWS = (*A[1:], B)


def momentum(j: JointView) -> Any:
    """lambda at the beginning of the step."""
    return inertia(j) @ j.v_start[:3]


def slopes(j: JointView, i: int) -> None:
    """Those of stage i at j.q: of Theta, of lambda, and of x and u."""
    if i == 1:
        j.q_start, j.v_start = j.q, j.qdot
        j.K1, j.N1 = inverse(j) @ momentum(j), torque(j)
        if floats(j):
            j.U1, j.F1 = center_velocity(j), pull(j)
        return
    Q = so3.exp(j.theta)
    setattr(j, f"K{i}", so3.dexp_right_inverse(j.theta) @ (inverse(j) @ (Q.T @ j.moment)))
    setattr(j, f"N{i}", Q @ torque(j))
    if floats(j):
        setattr(j, f"U{i}", j.u)
        setattr(j, f"F{i}", pull(j))


def go(j: JointView, w: WorldView, i: int) -> None:
    """From stage i to the next, or to the end."""
    if not moves(j):
        return
    slopes(j, i)
    row = ROWS[i - 1]
    theta, gained = w.h * combined(j, "K", row), w.h * combined(j, "N", row)
    moment = momentum(j) + gained
    shift: Any = w.h * combined(j, "U", row) if floats(j) else 0.0
    u: Any = j.U1 + w.h * combined(j, "F", row) if floats(j) else 0.0
    j.q = j.q_start
    turn = quaternions.exp(theta)
    turn_by(j, turn, shift)
    if i == STAGES:
        j.qdot = j.v_start
        set_velocity(j, angular_velocity(j, turned_back(turn, moment) + gained), u)
    else:
        j.theta, j.moment = theta, moment
        if floats(j):
            j.u = u


def stage(i: int) -> Recursion:
    @forward
    def to_next(j: JointView, w: WorldView) -> None:
        go(j, w, i)

    return recursion(to_next, name=f"coadjoint {i}")


def program(system: System) -> Program:
    times = [float(sum(row)) for row in A]
    step: list[ProgramStage] = []
    for i in range(1, STAGES + 1):
        if i > 1 and times[i - 1] != times[i - 2]:
            step.append(clock_at("coadjoint", i, times[i - 1]))
        step += [body.loaded, stage(i)]
    kept: dict[str, Size] = {"q_start": "q", "v_start": "v", "theta": 3, "moment": 3, "u": 3}
    return steps.whole("coadjoint", system.model, (), tuple(step), kept | {f"{x}{i}": 3 for x in "KNUF" for i in range(1, STAGES + 1)})


COADJOINT = Method("coadjoint", 4, False, program)
