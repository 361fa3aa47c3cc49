"""The Munthe-Kaas method with the classical rule of order 4 (munthe_kaas.py): c = (0, 1/2, 1/2, 1), b = (1/6, 1/3, 1/3, 1/6).

    Theta_2 = h/2 K_1,  Theta_3 = h/2 K_2,  Theta_4 = h K_3,  K_i = dexp^-1_{-Theta_i} v_i
    q1 = q0 exp(h (K_1 + 2 K_2 + 2 K_3 + K_4) / 6)

Velocities by the same coefficients. It is what `rk4` does where joints say how a step goes along their group. One-step: nothing to start
with but the state; no Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.lie import munthe_kaas
from redmax.program.program import Program

A, B = ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def program(system: System) -> Program:
    return munthe_kaas.program("mk4", system, A, B)


MK4 = Method("mk4", 4, False, program)
