"""How constraints are kept over many steps: by Baumgarte's terms, by projection, or by the first until they do not suffice.

    "baumgarte"   gains of rows that have none of their own: b = AUTOMATIC / h, so that each step takes back a part of what is off, which
                  is then of second order in h; of rk4 and adaptive, b = STEADY
    "project"     every step ends on the rows, and nothing else is needed
    "none"        rows of accelerations alone: bodies drift off, by what the steps are off
    "auto"        gains; and where rows are off by more than `drift`, relative to the mechanism's size, the step ends on them

Fixed steps know how far rows were off where they evaluated them last, at no further cost: a step looks at that when it ends.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from redmax.constraints.traced_rows import AUTOMATIC
from redmax.dynamics.choose import Upkeep
from redmax.dynamics.common.faded import begin_watch
from redmax.dynamics.common.row_projection import CLOSED, own, projection_of
from redmax.dynamics.common.torn import OF_SMOOTH, OF_STEPS, guarded
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage
from redmax.program.record import WorldView
from redmax.program.sweep import Recursion, once

STEADY = 5.0  # gain (1/s) of methods of higher order, which one that grows as steps shrink would rob of it


@once
def set_gains(w: WorldView) -> None:
    w.row_gain = STEADY


@once
def set_gains_step(w: WorldView) -> None:
    w.row_gain = AUTOMATIC / w.h


@once
def set_ahead(w: WorldView) -> None:
    """Implicit steps evaluate rows at the time of their end, and at the positions of their start."""
    w.row_ahead = w.h


def gains(by_step: bool) -> tuple[Recursion]:
    """Gains of accelerations; those of velocities are in the rows (constraints/traced_rows.py)."""
    return (own(set_gains_step if by_step else set_gains),)


def no_gains(by_step: bool) -> tuple[ProgramStage, ...]:
    """Of rows that are left to drift."""
    return ()


@once
def glance_faint(w: WorldView) -> None:
    """Near a singular position a smaller gap is worth measuring."""
    w.row_going = where(w.row_faint > 0.0, 1.0, w.row_going)


@once
def forget_faint(w: WorldView) -> None:
    w.row_faint = 0.0


@lru_cache(maxsize=64)
def comparing(drift: float) -> Recursion:
    """Whether rows are off by more than this."""

    @once
    def compare(w: WorldView) -> None:
        w.row_going = where(w.row_off > where(w.row_faint > 0.0, CLOSED, drift), 1.0, 0.0)

    return own(compare)


def in_bodies(project: tuple[ProgramStage, ...]) -> tuple[ProgramStage, ...]:
    """Of bodies that move by themselves: their coordinates are found, changed, and the bodies follow with closed joints."""
    from redmax.dynamics.maximal.joints import CLOSE, PROJECT

    return *PROJECT, *project, CLOSE[0]


def upkeep(model: Model, dynamics: str, stabilisation: str, drift: float) -> Upkeep:
    """Of the rows of a model; constraints that all have gains of their own are left to these."""
    if dynamics == "maximal":
        from redmax.dynamics.maximal.upkeep import upkeep as of_bodies

        return of_bodies(model, stabilisation, drift)
    ahead = (own(set_ahead),)
    if not any(c.automatic and not c.compliant for c in model.constraints):
        return Upkeep(ahead=ahead)
    if stabilisation in ("baumgarte", "none"):
        return Upkeep(begin_watch(model), gains if stabilisation == "baumgarte" else no_gains, ahead)
    rows, fixed = projection_of(model), projection_of(model, sided=False)
    project, after_step = guarded(rows.stages(), OF_SMOOTH), fixed.stages()
    if not any(fixed.taking(r, True) for i in fixed.islands for r in i.rows):
        after_step = ()
    if stabilisation == "project":
        return Upkeep((*rows.begin(), *begin_watch(model)), ahead=ahead, after_step=after_step, project=project)
    closer = Branch("row_going", (*fixed.measured(), comparing(drift), Branch("row_going", guarded(after_step, OF_STEPS))))
    return Upkeep(
        (*rows.begin(drift), *begin_watch(model)),
        gains,
        ahead,
        (*fixed.glanced(), own(glance_faint), closer, own(forget_faint)) if after_step else (),
        project,
    )


def with_events(found: Upkeep, model: Model, dynamics: str, free: tuple[ProgramStage, ...]) -> Upkeep:
    """With what rows that only push need in a motion that is smooth between events. free: accelerations without rows."""
    from redmax.dynamics.common.row_events import Events
    from redmax.dynamics.constrained import acceleration_rows

    events = Events(acceleration_rows(dynamics, model), free)
    impacts, stilled = (in_bodies(part) if dynamics == "maximal" else part for part in (events.impacts(), events.stilled()))
    rows = projection_of(model)
    project = found.project or (in_bodies(rows.stages()) if dynamics == "maximal" else rows.stages())
    begin = found.begin if found.project else (*rows.begin(), *begin_watch(model))
    return replace(found, begin=begin, project=project, noticed=events.noticed(), settled=(*impacts, *events.modes_anew(), *stilled))
