"""The explicit Newmark method on rotations (Krysl and Endres, Int. J. Numer. Meth. Eng. 62, 2005; beta = 0, gamma = 1/2), of order 2.

    Theta = h W_0 + h^2/2 W'_0,   W'_0 = J^-1 (n_0 - W_0 x J W_0),   R_1 = R_0 exp(Theta)
    R_1 J W_1 = R_0 J W_0 + h/2 (R_0 n_0 + R_1 n_1)

The momentum goes by the trapezoidal rule in axes that do not turn, and is kept where nothing acts; the centre of mass of a body that floats
by Newmark's method too, which is Verlet's. Energy drifts: Theta knows nothing of the end of the step. One evaluation of what acts, one
exponential. One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.bodies import steps
from redmax.integrators.bodies.body import crossed, inertia, inverse, moves
from redmax.lie import quaternions
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, recursion


@forward
def turn(j: JointView, w: WorldView) -> None:
    """Theta = h J^-1 (pi - h/2 W x J W), of pi after half a kick."""
    if moves(j):
        pi, W = steps.kicked(j, w), j.qdot[:3]
        theta = w.h * (inverse(j) @ (pi - (0.5 * w.h) * crossed(W, inertia(j) @ W)))
        steps.drift(j, w, pi, quaternions.exp(theta))


TURN = recursion(turn, name="newmark-lie")


def program(system: System) -> Program:
    return steps.program("newmark-lie", system, (TURN,))


NEWMARK_LIE = Method("newmark-lie", 2, False, program)
