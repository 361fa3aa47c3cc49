"""The commutator-free method of order 4 of Celledoni, Marthinsen and Owren (Future Gener. Comput. Syst. 19, 2003).

    q_2 = q0 exp(h/2 v_1),   q_3 = q0 exp(h/2 v_2),   q_4 = q_2 exp(h (v_3 - v_1/2))
    q1 = q0 exp(h/12 (3 v_1 + 2 v_2 + 2 v_3 - v_4)) exp(h/12 (-v_1 + 2 v_2 + 2 v_3 + 3 v_4))

v_i are the body velocities of the stages, which go by the classical rule of order 4. One-step: nothing to start with but the state; no
Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.lie import frozen
from redmax.program.program import Program

ROWS = (
    ((1 / 2,),),
    ((0.0, 1 / 2),),
    ((1 / 2,), (-1 / 2, 0.0, 1.0)),
    ((3 / 12, 2 / 12, 2 / 12, -1 / 12), (-1 / 12, 2 / 12, 2 / 12, 3 / 12)),
)


def program(system: System) -> Program:
    return frozen.program("cf4", system, ROWS)


CF4 = Method("cf4", 4, False, program)
