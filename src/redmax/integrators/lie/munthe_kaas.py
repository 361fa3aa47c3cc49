"""Munthe-Kaas methods (BIT 38, 1998): a Runge-Kutta method for the rotation vector, or twist, by which a step turns its start.

q' = q V~ (body velocities) has q(t) = q0 exp(Theta(t)) with Theta' = dexp^-1_{-Theta} V, Theta(0) = 0
(Mueller and Terze Eqs. 97-99; with +Theta, as in print, every method silently has order 2). For each stage i, with the coefficients a, b
of any explicit method,

    Theta_i = h sum a_ij K_j,   v_i = v0 + h sum a_ij A_j,   A_i = a(t_i, q0 exp(Theta_i), v_i),   K_i = dexp^-1_{-Theta_i} v_i

    q1 = q0 exp(h sum b_j K_j),   v1 = v0 + h sum b_j A_j

dexp^-1 in closed form, so to any order. One-step: nothing to start with but the state; no Newton iterations.
"""

from __future__ import annotations

from dataclasses import dataclass

from redmax.dynamics.choose import System
from redmax.integrators.lie.stages import Row, combined, explicit_program
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView


@dataclass(frozen=True)
class Along:
    """Configurations of stages 2, 3, ... and of the end, by these coefficients."""

    rows: tuple[Row, ...]

    def __call__(self, j: JointView, w: WorldView, i: int) -> None:
        delta = w.h * combined(j, "v", self.rows[i - 2])
        j.q = j.joint.retract(j.q_start, delta)
        if i <= len(self.rows):
            setattr(j, f"v{i}", j.joint.rate(delta, j.qdot))


def program(name: str, system: System, a: tuple[Row, ...], b: Row) -> Program:
    """The method of Munthe-Kaas with these coefficients."""
    return explicit_program(name, system, a, b, Along((*a[1:], b)))
