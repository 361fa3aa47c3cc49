"""The Munthe-Kaas method with Kutta's third-order rule (munthe_kaas.py): c = (0, 1/2, 1), b = (1/6, 2/3, 1/6), a31 = -1, a32 = 2.

    Theta_2 = h/2 K_1,  Theta_3 = h (-K_1 + 2 K_2),  K_i = dexp^-1_{-Theta_i} v_i,     q1 = q0 exp(h (K_1 + 4 K_2 + K_3) / 6)

Velocities by the same coefficients. One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.lie import munthe_kaas
from redmax.program.program import Program

A, B = ((), (1 / 2,), (-1.0, 2.0)), (1 / 6, 2 / 3, 1 / 6)


def program(system: System) -> Program:
    return munthe_kaas.program("mk3", system, A, B)


MK3 = Method("mk3", 3, False, program)
