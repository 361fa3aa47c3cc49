"""How joints are kept closed beside constraints, over many steps of bodies that move by themselves (dynamics/common/row_upkeep.py).

Joints are rows as those of constraints are, and are kept as these: steps of first order take back a part of what is off, b = AUTOMATIC / h,
so that what is left is of second order in h; and where a joint is open by more than is allowed, the step ends with all of them closed.
"""

from __future__ import annotations

from functools import lru_cache

from redmax.constraints.traced_rows import AUTOMATIC
from redmax.dynamics.choose import Upkeep
from redmax.dynamics.common import row_upkeep
from redmax.dynamics.common.faded import begin_watch
from redmax.dynamics.common.row_projection import Projection
from redmax.dynamics.common.torn import OF_SMOOTH, OF_STEPS, guarded
from redmax.dynamics.maximal.joints import CLOSE
from redmax.dynamics.maximal.least_change import LEAST_CHANGE
from redmax.math import where
from redmax.model.model import Model
from redmax.program.program import Branch, ProgramStage
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, Sweep, forward, once, recursion


@once
def set_gain(w: WorldView) -> None:
    w.baumgarte = AUTOMATIC / w.h


@once
def clear_opening(w: WorldView) -> None:
    w.opening = 0.0


@forward
def add_opening(j: JointView, w: WorldView) -> None:
    """As it was where the step began: angles, and lengths beside the mechanism's size."""
    angle, length = j.gap[:3], j.gap[3:] / w.row_size
    w.gather("opening", angle @ angle + length @ length)


@lru_cache(maxsize=64)
def comparing(drift: float) -> Recursion:
    """Whether joints are open by more than this, or rows are off already."""

    @once
    def compare(w: WorldView) -> None:
        w.row_going = where(w.opening > drift * drift, 1.0, w.row_going)

    return own(compare)


def own(sweep: Sweep) -> Recursion:
    return recursion(sweep, name=f"maximal {sweep.name}")


def upkeep(model: Model, stabilisation: str, drift: float) -> Upkeep:
    """Of joints and rows. Rows that have gains of their own are left to these; joints have none."""
    rows, fixed, ahead = Projection(model), Projection(model, sided=False), (row_upkeep.own(row_upkeep.set_ahead),)
    automatic = any(c.automatic and not c.compliant for c in model.constraints)

    def gains(by_step: bool) -> tuple[ProgramStage, ...]:
        return *(row_upkeep.gains(by_step) if automatic else ()), *((own(set_gain),) if by_step else ())

    if stabilisation in ("baumgarte", "none"):
        return Upkeep(begin_watch(model), gains if stabilisation == "baumgarte" else row_upkeep.no_gains, ahead)
    project = row_upkeep.in_bodies(guarded(rows.stages(), OF_SMOOTH)) if automatic else ()
    taking = any(fixed.taking(r, True) for i in fixed.islands for r in i.rows)
    close = (*LEAST_CHANGE, *((*guarded(fixed.stages(), OF_STEPS), CLOSE[0]) if taking else ()))
    if stabilisation == "project":
        return Upkeep((*rows.begin(), *begin_watch(model)), ahead=ahead, after_step=close, project=project)
    look = (*fixed.glanced(), Branch("row_going", (*fixed.measured(), row_upkeep.comparing(drift))))
    open_joints = own(clear_opening), own(add_opening), comparing(drift), row_upkeep.own(row_upkeep.glance_faint)
    after_step = *look, *open_joints, Branch("row_going", close), row_upkeep.own(row_upkeep.forget_faint)
    return Upkeep((*rows.begin(drift), *begin_watch(model)), gains, ahead, after_step, project)
