"""The classical Runge-Kutta method of order 4, for q' = qdot, qdot' = qddot(t, q, qdot).

k1 at (t, y), k2 at (t + h/2, y + h/2 k1), k3 at (t + h/2, y + h/2 k2), k4 at (t + h, y + h k3);  y1 = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.choose import System
from redmax.integrators.base import Method, fixed_step_program
from redmax.program.fields import Size
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, once, recursion

EXTRA: dict[str, Size] = {"q_start": "q", "v_start": "v", "v_sum": "v", "a_sum": "v", "delta": "v"}


@forward
def after_k1(j: JointView, w: WorldView) -> None:
    j.q_start, j.v_start, j.v_sum, j.a_sum = j.q, j.qdot, j.qdot, j.qddot
    j.delta = 0.5 * w.h * j.qdot
    j.q, j.qdot = j.joint.retract(j.q, j.delta), j.qdot + 0.5 * w.h * j.qddot


def move(j: JointView, step: Any) -> None:
    """Add twice k to the sum, and go `step` along k from the start."""
    slope = j.joint.rate(j.delta, j.qdot)
    j.v_sum, j.a_sum = j.v_sum + 2.0 * slope, j.a_sum + 2.0 * j.qddot
    j.delta = step * slope
    j.q, j.qdot = j.joint.retract(j.q_start, j.delta), j.v_start + step * j.qddot


@forward
def after_k2(j: JointView, w: WorldView) -> None:
    move(j, 0.5 * w.h)


@forward
def after_k3(j: JointView, w: WorldView) -> None:
    move(j, w.h)


@forward
def after_k4(j: JointView, w: WorldView) -> None:
    sixth = w.h / 6.0
    j.q = j.joint.retract(j.q_start, sixth * (j.v_sum + j.joint.rate(j.delta, j.qdot)))
    j.qdot = j.v_start + sixth * (j.a_sum + j.qddot)


@once
def to_middle(w: WorldView) -> None:
    w.t = w.t0 + (w.k + 0.5) * w.h


@once
def to_end(w: WorldView) -> None:
    w.t = w.t0 + (w.k + 1.0) * w.h


SWEEPS = (after_k1, to_middle, after_k2, after_k3, to_end, after_k4)
FIRST, MIDDLE, SECOND, THIRD, END, FOURTH = (recursion(s, name=f"rk4 {s.name}", core=False) for s in SWEEPS)


def program(system: System) -> Program:
    k = system.accelerations
    return fixed_step_program("rk4", system, (*k, FIRST, MIDDLE, *k, SECOND, *k, THIRD, END, *k, FOURTH), EXTRA)


RK4 = Method("rk4", 4, False, program)
