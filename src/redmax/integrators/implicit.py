"""Linearly implicit Euler, of order 1 (RedMax notes Eq. 2.75, with the damping counted once).

    (M + h D - h^2 K) qdot1 = (M + h D) qdot0 + h f,   q1 = q0 + h qdot1

M, Coriolis and gravity at the start, f with all springs, dampers and torques at (t1, q0, qdot0), K = df/dq and D = -df/dqdot.
Stable for any stiffness and damping within the joints.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method, fixed_step_program
from redmax.integrators.euler import step_symplectically
from redmax.program.program import Program
from redmax.program.record import WorldView
from redmax.program.sweep import once, recursion


@once
def to_end(w: WorldView) -> None:
    """Forces that depend on time are taken at the end of the step."""
    w.t = w.t0 + (w.k + 1.0) * w.h


clock_to_end = recursion(to_end, name="clock to end", core=False)


def program(system: System) -> Program:
    stages = clock_to_end, *system.implicit, *(system.moving or (step_symplectically,))
    return fixed_step_program("implicit", system, stages, implicit=True, by_step=True)


IMPLICIT = Method("implicit", 1, False, program, implicit=True)
