"""A partitioned method of order 4 of the index-1 form: poses by Munthe-Kaas with brackets, velocities by the ordinary method.

Partitioned (Engo, BIT 43, 2003): the state is a pose on a group and a velocity in a vector space, and each part is advanced by
a method of its own. Velocities take the classical rule of order 4, V_i = v0 + h sum a_ij A_j. Poses take stages in which dexp^-1 is not
evaluated but replaced, to the order, by two brackets (Munthe-Kaas and Owren, Phil. Trans. R. Soc. A 357, 1999), with body velocities V_i:

    Q1 = V1,  Q2 = V2 - V1,  Q3 = V3 - V2,  Q4 = V4 - 2 V2 + V1
    Theta_2 = h/2 Q1,   Theta_3 = h/2 (Q1 + Q2) + h^2/8 [Q1, Q2],   Theta_4 = h (Q1 + Q2 + Q3)
    Theta   = h (Q1 + Q2 + Q3/3 + Q4/6) + h^2/6 [Q1, Q2] + h^2/12 [Q1, Q4],     q1 = q0 exp(Theta)

The brackets have the sign of body velocities, dexp^-1_{-X} Y = Y + [X, Y]/2 + ..., and are taken from there. One-step: nothing to start
with but the state; no Newton iterations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from redmax.dynamics.choose import System
from redmax.integrators.base import Method
from redmax.integrators.lie.mk4 import A, B
from redmax.integrators.lie.stages import explicit_program
from redmax.program.program import Program
from redmax.program.record import JointView, WorldView
from redmax.trace import Graph, jvp, substitute
from redmax.trace.vector import vector_of


def half_bracket(joint: Any, x: Any, y: Any) -> Any:
    """[x, y] / 2 of a joint's group: of how rates change with steps, the part that changes its sign with x and y; zero where steps add."""
    graph = Graph()
    along, of = (vector_of(graph.inputs(name, len(x))) for name in ("along", "of"))
    slope = jvp(list(joint.rate(along, of)), {entry: graph.input("x", entry.args[1]) for entry in along})
    start = vector_of([0.0] * len(x))

    def change(x: Any, y: Any) -> Any:
        """Of dexp^-1_{-X} y, as X goes from 0 along x."""
        values = {"along": start, "of": y, "x": x}
        return vector_of(substitute(slope, lambda base, index: values[base][index]))

    return 0.5 * (change(x, y) - change(y, x))


@dataclass(frozen=True)
class Bracketed:
    """Poses of stages 2, 3, 4 and of the end; the velocities of stages are kept as they are."""

    def __call__(self, j: JointView, w: WorldView, i: int) -> None:
        h, v1 = w.h, j.v1
        if i == 2:
            delta = 0.5 * h * v1
        elif i == 3:
            delta = 0.5 * h * j.v2 + 0.25 * h * h * half_bracket(j.joint, v1, j.v2 - v1)
        elif i == 4:
            delta = h * j.v3
        else:
            bent = half_bracket(j.joint, v1, (1 / 3) * (j.v2 - v1) + (1 / 6) * (j.v4 - 2.0 * j.v2 + v1))
            delta = (h / 6.0) * (v1 + 2.0 * (j.v2 + j.v3) + j.v4) + h * h * bent
        j.q = j.joint.retract(j.q_start, delta)
        if i < 5:
            setattr(j, f"v{i}", j.qdot)


def program(system: System) -> Program:
    return explicit_program("mk4-partitioned", system, A, B, Bracketed())


MK4_PARTITIONED = Method("mk4-partitioned", 4, False, program)
