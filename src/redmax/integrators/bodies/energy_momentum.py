"""Steps that keep the energy and the momentum of bodies under gravity, to rounding (Simo and Wong 1991; Lewis and Simo 1994), of order 2.

    Theta = h (W_0 + W_1) / 2,   Q = cay(Theta),   R_1 = R_0 Q
    R_1 J W_1 = R_0 J W_0 + h m (x_0 + x_1) / 2 x g,   x = R X      about the fixed point; without the last term about the centre of mass

The energy is exact with the Cayley map, and the momentum about the vertical, since nothing turns the sum about it; without gravity all of
R J W. The spin about an axis of symmetry is not. A body that floats falls with (u_0 + u_1) / 2. Given torques act in the mean of both ends,
(R_0 + R_1) / 2 n. With c = Theta / 2 and W_1 = 4 c / h - W_0, Newton's method solves

    Q J W_1 - J W_0 - h ((1 + Q) / 2 m X) x R_0' g - h (1 + Q) / 2 n = 0

in the axes at the beginning, to 1e-14 (newton.py), with the derivative of the trace, from c = h/2 W_0 + h^2/4 W'_0. One-step: nothing to
start with but the state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.dynamics.choose import System
from redmax.dynamics.common.kinematics import motion
from redmax.integrators.base import Method
from redmax.integrators.bodies import newton, steps
from redmax.integrators.bodies.body import (
    angular_velocity,
    center,
    center_velocity,
    crossed,
    floats,
    inertia,
    inverse,
    moves,
    rotation,
    set_velocity,
    turn_by,
    turned_back,
)
from redmax.lie import so3
from redmax.program.program import Program
from redmax.program.record import JointView, ParentView, WorldView
from redmax.program.sweep import forward, recursion
from redmax.trace import jacobian


def given(j: JointView) -> tuple[Any, Any]:
    """Torque about the fixed point or the centre of mass, and force, of given torques: body axes."""
    if not floats(j):
        return j.tau, np.zeros(3)
    return j.tau[:3] - crossed(center(j), j.tau[3:]), j.tau[3:]


def mean(c: Any) -> Any:
    """(1 + Q) / 2 (3, 3)."""
    return 0.5 * (np.eye(3) + so3.from_quaternion(newton.cayley(c)))


def impulse(j: JointView, w: WorldView, c: Any) -> Any:
    """Of the momentum within the step, in the axes at its beginning."""
    n = mean(c) @ given(j)[0]
    return w.h * (n if floats(j) else n + crossed(mean(c) @ j.first_moment, j.g))


@forward
def guess(j: JointView, p: ParentView, w: WorldView) -> None:
    if not moves(j):
        return
    X, _ = motion(j, np.zeros(j.joint.dof).astype(object), w)
    j.g = -(X @ p.Vdot)[3:]  # R_0' g
    W = j.qdot[:3]
    n = given(j)[0] if floats(j) else given(j)[0] + crossed(j.first_moment, j.g)
    j.c = (0.5 * w.h) * W + (0.25 * w.h * w.h) * (inverse(j) @ (n - crossed(W, inertia(j) @ W)))


def momentum(j: JointView, w: WorldView, c: Any) -> Any:
    """Q J W_1."""
    return so3.from_quaternion(newton.cayley(c)) @ (inertia(j) @ ((4.0 / w.h) * c - j.qdot[:3]))


@forward
def improve(j: JointView, w: WorldView) -> None:
    if moves(j):
        residual = momentum(j, w, j.c) - inertia(j) @ j.qdot[:3] - impulse(j, w, j.c)
        newton.improved(j, w, residual, jacobian(list(residual), list(j.c)).reshape(3, 3))


@forward
def conclude(j: JointView, w: WorldView) -> None:
    """The momentum at the end by its own equation, whatever Newton's method left of it."""
    if not moves(j):
        return
    turn, gained = newton.cayley(j.c), impulse(j, w, j.c)
    W = angular_velocity(j, turned_back(turn, inertia(j) @ j.qdot[:3] + gained) + gained)
    if not floats(j):
        turn_by(j, turn, 0.0)
        set_velocity(j, W, 0.0)
        return
    R, u = rotation(j), center_velocity(j)
    force = j.g + (1.0 / j.mass_value) * (mean(j.c) @ given(j)[1])
    end = u + w.h * (R @ force)
    turn_by(j, turn, (0.5 * w.h) * (u + end))
    set_velocity(j, W, end)


GUESS, IMPROVE, CONCLUDE = (recursion(s, name=f"energy-momentum {s.name}") for s in (guess, improve, conclude))


def program(system: System) -> Program:
    step = (GUESS, *newton.solved(IMPROVE), CONCLUDE)
    return steps.whole("energy-momentum", system.model, (), step, newton.JOINT | {"g": 3}, newton.WORLD)


ENERGY_MOMENTUM = Method("energy-momentum", 2, False, program)
