"""The Munthe-Kaas method with Runge's midpoint rule, of order 2 (munthe_kaas.py): a21 = 1/2, b = (0, 1).

    q1 = q0 exp(h dexp^-1_{-Theta} v_2),  v1 = v0 + h A_2,     Theta = h/2 v0, v_2 = v0 + h/2 A_1 at t0 + h/2

One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.lie import munthe_kaas
from redmax.program.program import Program

A, B = ((), (1 / 2,)), (0.0, 1.0)


def program(system: System) -> Program:
    return munthe_kaas.program("mk2", system, A, B)


MK2 = Method("mk2", 2, False, program)
