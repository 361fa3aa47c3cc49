"""What explicit Runge-Kutta methods on groups share: stages j.v1, j.a1, j.v2, ... from coefficients, and the clock of each.

The state of a joint is (q, v): q on its group, v in the vector space of its velocities, v' = a(t, q, v) from the dynamics. Velocities go by
the ordinary method. A configuration goes along the group, by `joint.retract(q, delta)`, q exp(delta): from the start of the step with
delta' = dexp^-1_{-delta} v (`joint.rate`), or by frozen velocities one after the other. Ordinary joints are the additive group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from redmax.dynamics.choose import System
from redmax.integrators.base import fixed_step_program
from redmax.program.fields import Size
from redmax.program.program import Program, ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, forward, once, recursion

Row = Sequence[float]


class Place(Protocol):
    """Puts j.q of stage i, and keeps j.v{i}; of the end, i = stages + 1, just j.q. j.qdot is known. Its repr tells it from others."""

    def __call__(self, j: JointView, w: WorldView, i: int) -> None: ...


def combined(j: JointView, name: str, row: Row) -> Any:
    """The sum of coefficients times what stages 1, 2, ... have of this name."""
    terms = [c * getattr(j, f"{name}{i}") for i, c in enumerate(row, 1) if c]
    return sum(terms[1:], terms[0])


def stage(method: str, i: int, row: Row, place: Place, last: bool) -> Recursion:
    """From the accelerations of stage i to the state of the next, by coefficients of stages 1 to i; or to the end of the step."""

    @forward
    def go(j: JointView, w: WorldView) -> None:
        if i == 1:
            j.q_start, j.v_start = j.q, j.qdot
            j.v1 = j.qdot
        setattr(j, f"a{i}", j.qddot)
        j.qdot = j.v_start + w.h * combined(j, "a", row)
        place(j, w, i + 1)

    return recursion(go, name=f"{method} {'end' if last else f'stage {i + 1}'}", core=False)


def clock_at(method: str, i: int, c: float) -> Recursion:
    """What time stage i has."""

    @once
    def go(w: WorldView) -> None:
        w.t = w.t0 + (w.k + c) * w.h

    return recursion(go, name=f"{method} clock {i}", core=False)


def explicit_program(name: str, system: System, a: Sequence[Row], b: Row, place: Place, more: dict[str, Size] | None = None) -> Program:
    """Of velocities by the method of these coefficients, and configurations by `place`. more: what else it keeps"""
    rows, k = [*a[1:], b], system.accelerations
    times = [float(sum(row)) for row in a]
    body: list[ProgramStage] = []
    for i, row in enumerate(rows, 1):
        if i > 1 and times[i - 1] != times[i - 2]:
            body.append(clock_at(name, i, times[i - 1]))
        body += [*k, stage(name, i, row, place, i == len(b))]
    kept: dict[str, Size] = {"q_start": "q", "v_start": "v"}
    kept |= {f"{x}{i}": "v" for x in "va" for i in range(1, len(b) + 1)}
    return fixed_step_program(name, system, tuple(body), kept | (more or {}))
