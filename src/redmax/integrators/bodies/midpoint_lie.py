"""The explicit midpoint method on rotations (Krysl, Int. J. Numer. Meth. Eng. 63, 2005: it approximates the midpoint Lie method), order 2.

    pi = J W_0 + h/2 n_0,   Theta_0 = h J^-1 pi,   Theta = h J^-1 exp(-Theta_0 / 2) pi
    R_1 = R_0 exp(Theta),   J W_1 = exp(-Theta) pi + h/2 n_1

The midpoint Lie method asks for Theta = h J^-1 exp(-Theta / 2) pi, the velocity in the middle of the turn; here the middle is where half of
Theta_0 leads. The momentum is kept where nothing acts, as with every turn by one rotation (Mueller and Terze Eq. 98). One evaluation of
what acts, two exponentials. One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.bodies import steps
from redmax.integrators.bodies.body import inverse, moves
from redmax.lie import quaternions, so3
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, recursion


@forward
def turn(j: JointView, w: WorldView) -> None:
    if moves(j):
        pi = steps.kicked(j, w)
        half = (0.5 * w.h) * (inverse(j) @ pi)
        theta = w.h * (inverse(j) @ (so3.exp(half).T @ pi))
        steps.drift(j, w, pi, quaternions.exp(theta))


TURN = recursion(turn, name="midpoint-lie")


def program(system: System) -> Program:
    return steps.program("midpoint-lie", system, (TURN,))


MIDPOINT_LIE = Method("midpoint-lie", 2, False, program)
