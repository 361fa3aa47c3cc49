"""The method of Crouch and Grossman of order 3 (J. Nonlinear Sci. 3, 1993), with the coefficients of Owren and Marthinsen (BIT 39, 1999).

    q_2 = q0 exp(3/4 h v_1),   q_3 = q0 exp(119/216 h v_1) exp(17/108 h v_2)
    q1 = q0 exp(13/51 h v_1) exp(-2/3 h v_2) exp(24/17 h v_3),   velocities by the sums of the same coefficients

v_i are the body velocities of the stages. One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.lie import frozen
from redmax.program.program import Program

ROWS = (((3 / 4,),), ((119 / 216,), (0.0, 17 / 108)), ((13 / 51,), (0.0, -2 / 3), (0.0, 0.0, 24 / 17)))


def program(system: System) -> Program:
    return frozen.program("cg3", system, ROWS)


CG3 = Method("cg3", 3, False, program)
