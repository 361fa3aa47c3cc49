"""Steps of bodies by themselves: half a kick, a turn that each method has its own way to find, half a kick at the end.

    pi <- pi + h/2 n,  u <- u + h/2 R f / m       at q_0
    R1 = R0 Q,  pi <- Q' pi,  x <- x + h u         Q by the method, of pi
    pi <- pi + h/2 n,  u <- u + h/2 R f / m       at q_1

Half kicks are the flow of the potential; turns that keep the momentum R pi to rounding make steps that keep what of it no force changes.
The state is (q, qdot) and nothing else: a step is the same wherever a run was cut.
"""

from __future__ import annotations

from typing import Any

from redmax.backends.base import Mechanism
from redmax.dynamics.choose import System
from redmax.integrators.base import CLOCK, FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS, advance_clock
from redmax.integrators.bodies import body
from redmax.integrators.bodies.body import (
    angular_velocity,
    center_velocity,
    floats,
    inertia,
    moves,
    pull,
    set_velocity,
    torque,
    turn_by,
    turned_back,
)
from redmax.program.fields import Fields, Size
from redmax.program.program import Program, ProgramStage, Repeat, Save
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import forward, once, recursion


def kicked(j: JointView, w: WorldView) -> Any:
    """pi after half a kick at the beginning of a step."""
    return inertia(j) @ j.qdot[:3] + (0.5 * w.h) * torque(j)


def drift(j: JointView, w: WorldView, pi: Any, turn: Any) -> None:
    """To the end of the step, by the unit quaternion of Q. pi: after half a kick; j.change: of pi, so far"""
    if floats(j):
        j.u = center_velocity(j) + (0.5 * w.h) * pull(j)
    j.change = turned_back(turn, pi) + (0.5 * w.h) * torque(j)
    turn_by(j, turn, w.h * j.u if floats(j) else 0.0)


@once
def clock_at_end(w: WorldView) -> None:
    w.t = w.t0 + (w.k + 1.0) * w.h


@forward
def conclude(j: JointView, w: WorldView) -> None:
    """The other half of the kick."""
    if moves(j):
        half = 0.5 * w.h
        W = angular_velocity(j, j.change + half * torque(j))
        set_velocity(j, W, j.u + half * pull(j) if floats(j) else 0.0)


end_clock = recursion(clock_at_end, name="clock at the end of a step")
conclusion = recursion(conclude, name="kick of bodies")


def program(
    name: str,
    system: System,
    turn: tuple[ProgramStage, ...],
    extra: dict[str, Size] | None = None,
    more: dict[str, int] | None = None,
    begin: tuple[ProgramStage, ...] = (),
) -> Program:
    """`count` steps with these stages that turn the bodies, saving each `stride`-th. extra, more: their fields, of joints and the world;
    begin: once"""
    step = (*turn, end_clock, body.loaded, conclusion)
    return whole(name, system.model, (*begin, body.loaded), step, {"change": 3, "u": 3} | (extra or {}), more)


def whole(
    name: str,
    model: Mechanism,
    begin: tuple[ProgramStage, ...],
    step: tuple[ProgramStage, ...],
    extra: dict[str, Size],
    more: dict[str, int] | None = None,
) -> Program:
    """Of any steps of bodies by themselves. begin: once"""
    loop = Repeat((*step, advance_clock, Save(strided=True)))
    return Program(name, (body.prepared, *begin, loop), fields(model, extra, more or {}), FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS)


def fields(model: Any, extra: dict[str, Size], more: dict[str, int]) -> Fields:
    placed = model.force_fields()
    return Fields(
        down={"V": 6, "Vdot": 6} | placed["down"],
        state=placed["state"] | {"q": "q", "qdot": "v", "tau": "v"} | body.FIELDS | extra,  # what forces add to first
        world={"t": 1, "h": 1} | CLOCK | more,
        sums=placed["sums"],
        lasting=tuple(placed["down"]) if model.acting else (),
    )
