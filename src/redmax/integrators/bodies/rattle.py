"""RATTLE, symplectic, of order 2, in its reduced form (Mueller and Terze Eqs. 102-106; McLachlan and Zanna, Found. Comput. Math. 5, 2005).

    pi = J W_0 + h/2 n_0,   Q D - D Q' = h [pi],  D = tr(J)/2 - J,   R_1 = R_0 Q,   J W_1 = Q' pi + h/2 n_1

No inverse of D is needed, so that rods and plates are bodies as all others are. With Q = cay(2 c) the equation of Q is

    h pi = 2 / (1 + c.c) (J c + c x J c)

and Newton's method solves (1 + c.c) h/2 pi = J c + c x J c for c, beginning with g + J^-1 (g.g J g - g x J g), g = h/2 J^-1 pi, to 1e-14
(newton.py). It is the discrete motion of Moser and Veselov between half kicks: momentum is kept, and the energy error stays bounded. One
evaluation of what acts. One-step: nothing to start with but the state. There is no turn for h |pi| that is too large: the run breaks off.
"""

from __future__ import annotations

import numpy as np

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.bodies import newton, steps
from redmax.integrators.bodies.body import crossed, inertia, inverse, moves
from redmax.lie import so3
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, recursion


@forward
def guess(j: JointView, w: WorldView) -> None:
    if moves(j):
        j.pi_start = steps.kicked(j, w)
        half = (0.5 * w.h) * j.pi_start
        g = inverse(j) @ half
        j.c = g + inverse(j) @ ((g @ g) * half - crossed(g, half))


@forward
def improve(j: JointView, w: WorldView) -> None:
    if moves(j):
        J, c, half = inertia(j), j.c, (0.5 * w.h) * j.pi_start
        Jc = J @ c
        residual = Jc + crossed(c, Jc) - (1.0 + c @ c) * half
        newton.improved(j, w, residual, J + so3.bracket(c) @ J - so3.bracket(Jc) - 2.0 * np.outer(half, c))


@forward
def turn(j: JointView, w: WorldView) -> None:
    if moves(j):
        steps.drift(j, w, j.pi_start, newton.cayley(j.c))


GUESS, IMPROVE, TURN = (recursion(s, name=f"rattle {s.name}") for s in (guess, improve, turn))


def program(system: System) -> Program:
    solve = (GUESS, *newton.solved(IMPROVE), TURN)
    return steps.program("rattle", system, solve, newton.JOINT | {"pi_start": 3}, newton.WORLD)


RATTLE = Method("rattle", 2, False, program)
