"""Explicit Lie-Poisson splitting (McLachlan, Phys. Rev. Lett. 71, 1993), symplectic, of order 2.

    T = 1/2 pi' J^-1 pi = pi.pi / (2 J_2) + d_1/2 (a_1.pi)^2 + d_3/2 (a_3.pi)^2,    d_i = 1 / J_i - 1 / J_2,  J_1 <= J_2 <= J_3

with the principal axes a_i of J. Each part has a flow in closed form, a turn about a line that stays:

    of the first    R <- R exp(h pi / J_2), pi stays
    of the others   R <- R exp(Theta), pi <- exp(-Theta) pi,   Theta = h d_i (a_i.pi) a_i

The first commutes with the others, so that a turn is h/2 of the second, h of the third, h/2 of the second, and h of the first, between half
kicks; that of a body with two equal moments is exact. Compositions of flows keep the momentum and the symplectic form: the energy swings
about that of the motion without drift. One evaluation of what acts, four turns. One-step: nothing to start with but the state; no Newton
iterations.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.bodies import steps
from redmax.integrators.bodies.body import inertia, moves
from redmax.integrators.bodies.principal import principal_axes
from redmax.lie import quaternions, so3
from redmax.math import array
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, recursion


@forward
def split(j: JointView) -> None:
    """a_1, a_3, then d_1, d_3 and 1 / J_2."""
    if moves(j):
        (J1, a1), (J2, _), (J3, a3) = principal_axes(inertia(j))
        j.parts = array([*a1, *a3, 1.0 / J1 - 1.0 / J2, 1.0 / J3 - 1.0 / J2, 1.0 / J2])


@forward
def turn(j: JointView, w: WorldView) -> None:
    if not moves(j):
        return
    start = pi = steps.kicked(j, w)
    a1, a3, (d1, d3, rate) = j.parts[:3], j.parts[3:6], j.parts[6:]
    whole: Any = None
    for share, d, a in ((0.5, d1, a1), (1.0, d3, a3), (0.5, d1, a1)):
        part = quaternions.exp((share * w.h * d) * (a @ pi) * a)
        pi = so3.from_quaternion(part).T @ pi
        whole = part if whole is None else quaternions.product(whole, part)
    steps.drift(j, w, start, quaternions.product(whole, quaternions.exp((w.h * rate) * pi)))


SPLIT, TURN = recursion(split, name="lie-poisson split"), recursion(turn, name="lie-poisson")


def program(system: System) -> Program:
    return steps.program("lie-poisson", system, (TURN,), {"parts": 9}, begin=(SPLIT,))


LIE_POISSON = Method("lie-poisson", 2, False, program)
