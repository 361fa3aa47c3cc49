"""What an integrator is: a program that carries (q, qdot) over many steps and saves samples on the way.

The world's clock: t the time that forces see, t0 the start, h the step, k the number of steps done. Time is t0 + k h, never a running sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from redmax.backends.base import Runner
from redmax.dynamics.choose import System
from redmax.errors import RedmaxError
from redmax.model.model import Model
from redmax.program.fields import Size
from redmax.program.program import Load, Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, once, recursion

CLOCK = {"t0": 1, "k": 1}
FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS = ("q", "qdot", "tau", "t", "t0", "h", "k"), ("q", "qdot")


@dataclass(frozen=True)
class Method:
    """name: as on the command line; order: of convergence; adaptive: whether it chooses its steps by `rtol`

    implicit: whether stiff springs and dampers leave it stable; reads_rows: whether its runner takes torques of every step too
    """

    name: str
    order: int
    adaptive: bool
    program: Callable[[System], Program] | None
    runner: Callable[[Model, str, int, str], Runner] | None = None  # (model, backend, halvings, dynamics) -> where there is no program
    implicit: bool = False
    reads_rows: bool = False
    only_on: str = ""  # the only dynamics that it goes with, if there is but one
    absolute: Callable[[Model, str, str, int, float, str], Runner] | None = None  # of bodies: (model, backend, group, index, rho, frame)


def rechart_of(j: JointView) -> tuple[Any, Any] | None:
    """The joint's better coordinates, if it has any; a prescribed motion is in coordinates of its own."""
    if j.prescribed or not j.joint.has_own("rechart"):
        return None
    states = j.joint.rechart([(j.q, j.qdot)])
    return None if states is None else states[0]


@forward
def rechart(j: JointView) -> None:
    """Joints near a singularity of their coordinates change to others (RedMax supplement Sec. 4.7)."""
    changed = rechart_of(j)
    if changed is not None:
        j.q, j.qdot = changed


@once
def tick(w: WorldView) -> None:
    w.k = w.k + 1.0
    w.t = w.t0 + w.k * w.h


change_charts = recursion(rechart, name="change charts", core=False)
advance_clock = recursion(tick, name="advance clock", core=False)


def fixed_step_program(
    name: str,
    system: System,
    stages: tuple[ProgramStage, ...],
    extra: dict[str, Size] | None = None,
    implicit: bool = False,
    by_step: bool = False,
    clock: dict[str, int] | None = None,
) -> Program:
    """`count` steps of the given stages, saving each `stride`-th.

    by_step: gains of constraints are larger for shorter steps; clock: what else it keeps for the world
    """
    kept = system.upkeep
    body = (change_charts, *system.entering, *stages, *system.leaving, advance_clock, *kept.after_step, Save(strided=True))
    layout = system.implicit_fields if implicit and system.implicit_fields else system.fields
    fields = layout(extra=extra or {}, clock=CLOCK | (clock or {}))
    return system.complete(
        Program(
            name,
            (*kept.begin, *kept.bounds, *kept.gains(by_step), *(kept.ahead if implicit else ()), Repeat(body)),
            fields,
            FIXED_STEP_INPUTS,
            FIXED_STEP_OUTPUTS,
        ),
        implicit,
    )


def with_controls(program: Program) -> Program:
    """A method of counted steps that reads the torques of each: its input tau is (steps, worlds, nv), or (steps, nv) for all worlds."""
    loop = counted_loop(program)
    return replace(program, stages=(*program.stages[:-1], replace(loop, body=(Load(("tau",)), *loop.body))))


def counted_loop(program: Program) -> Repeat:
    """The loop over steps with which a program of counted steps ends."""
    loop = program.stages[-1]
    if not isinstance(loop, Repeat) or loop.until:
        raise RedmaxError(f"{program.name!r} chooses its steps while it runs. Those of a fixed-step method can be taken one by one.")
    return loop
