"""Methods that compose exponentials of velocities that stay as they are: q_i = q0 exp(h sum c1_j v_j) exp(h sum c2_j v_j) ...

No dexp^-1 and no brackets. rows[i]: of stage i + 2, and last of the end, the coefficients of one exponential after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from redmax.dynamics.choose import System
from redmax.integrators.lie.stages import Row, combined, explicit_program
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView


@dataclass(frozen=True)
class Composed:
    """Configurations of stages 2, 3, ... and of the end."""

    rows: tuple[tuple[Row, ...], ...]

    def __call__(self, j: JointView, w: WorldView, i: int) -> None:
        q = j.q_start
        for row in self.rows[i - 2]:
            q = j.joint.retract(q, w.h * combined(j, "v", row))
        j.q = q
        if i <= len(self.rows):
            setattr(j, f"v{i}", j.qdot)


def summed(rows: tuple[Row, ...]) -> Row:
    """The coefficients of all exponentials of a stage together: those of the velocities."""
    return tuple(sum(row[i] for row in rows if i < len(row)) for i in range(max(map(len, rows))))


def program(name: str, system: System, rows: tuple[tuple[Row, ...], ...]) -> Program:
    """The method of these coefficients."""
    sums = [summed(row) for row in rows]
    return explicit_program(name, system, [(), *sums[:-1]], sums[-1], Composed(rows))
