"""Euler's methods, of order 1: explicit (`forward-euler`, as Lee and Terzopoulos use it) and symplectic (`euler`).

explicit:    q1 = q0 + h qdot0,  qdot1 = qdot0 + h qddot0
symplectic:  qdot1 = qdot0 + h qddot0,  q1 = q0 + h qdot1     (bounded energy error where the inertia is constant)
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.dynamics.common.flown import symplectic_step
from redmax.integrators.base import Method, fixed_step_program
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, recursion


@forward
def explicit_step(j: JointView, w: WorldView) -> None:
    j.q, j.qdot = j.joint.retract(j.q, w.h * j.qdot), j.qdot + w.h * j.qddot


step_explicitly = recursion(explicit_step, name="explicit step", core=False)
step_symplectically = recursion(symplectic_step, name="symplectic step", core=False)


def explicit_program(system: System) -> Program:
    return fixed_step_program("forward-euler", system, (*system.accelerations, step_explicitly), by_step=True)


def symplectic_program(system: System) -> Program:
    stages = *(system.symplectic or system.accelerations), *(system.moving or (step_symplectically,))
    return fixed_step_program("euler", system, stages, by_step=True)


FORWARD_EULER = Method("forward-euler", 1, False, explicit_program)
EULER = Method("euler", 1, False, symplectic_program)
