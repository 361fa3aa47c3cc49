"""Events within a step of `adaptive`: looked for on the interpolant, located by bisection, and the step ends there.

The interpolant is looked at in PROBES places of each step, so that a row that is passed and left again within one is seen; from the first
place that shows an event on, bisection takes over until the time is known to WITHIN seconds. Samples up to the event come from the
whole step's interpolant; then the state is put on the rows and the motion begins anew.
"""

from __future__ import annotations

from redmax.integrators.samples_on_rows import BACK, SHOW, TIME
from redmax.math import maximum, where
from redmax.program.program import Branch, ProgramStage, Repeat
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, forward, once, recursion

PROBES, WITHIN = 5.0, 2e-11
CLOCK = {"reach": 1, "event": 1, "before": 1, "behind": 1, "probed": 1, "narrow": 1}


def own(sweep: object, name: str) -> Recursion:
    """An integrator's recursion of this file."""
    return recursion(sweep, name=f"events {name}", core=False)  # type: ignore[arg-type]


@once
def begin_probes(w: WorldView) -> None:
    """A step reaches to its end unless something happens."""
    w.reach, w.event, w.before, w.behind, w.probed = w.h, 0.0, 0.0, 0.0, 0.0


@once
def next_probe(w: WorldView) -> None:
    w.before = w.behind
    w.behind = w.before + 1.0 / PROBES
    w.fraction = w.behind
    w.t_sample = w.t0 + w.fraction * w.h


@once
def judge_probe(w: WorldView) -> None:
    w.event = w.row_event
    w.probed = where((w.event > 0.0) | (w.behind > 1.0 - 0.5 / PROBES), 1.0, 0.0)


@once
def begin_bisection(w: WorldView) -> None:
    w.narrow = 0.0


@once
def halve(w: WorldView) -> None:
    w.fraction = 0.5 * (w.before + w.behind)
    w.t_sample = w.t0 + w.fraction * w.h


@once
def judge_half(w: WorldView) -> None:
    w.before, w.behind = where(w.row_event > 0.0, w.before, w.fraction), where(w.row_event > 0.0, w.fraction, w.behind)
    w.narrow = where((w.behind - w.before) * w.h > maximum(WITHIN, 4.0 * w.eps * (w.t0 + w.h)), 0.0, 1.0)


@once
def reach_event(w: WorldView) -> None:
    w.reach, w.fraction = w.behind * w.h, w.behind


@once
def back_to_event(w: WorldView) -> None:
    """After samples have been looked at."""
    w.fraction = w.behind


@forward
def stand_there(j: JointView) -> None:
    """The state at the event is that of the interpolant."""
    j.q, j.qdot = j.q_sample, j.v_sample


def found(evaluate: tuple[ProgramStage, ...], interpolate: Recursion) -> tuple[ProgramStage, ...]:
    """reach and event. evaluate: rows, and whether they show an event, at q and qdot."""
    look = (interpolate, SHOW, TIME, *evaluate, BACK)
    probes = Repeat((own(next_probe, "next probe"), *look, own(judge_probe, "judge probe")), until="probed")
    halves = Repeat((own(halve, "halve"), *look, own(judge_half, "judge half")), until="narrow")
    bisection = (own(begin_bisection, "begin bisection"), halves, own(reach_event, "reach"))
    return own(begin_probes, "begin probes"), probes, Branch("event", bisection)


def reached(interpolate: Recursion) -> Branch:
    """The state at the event, in place of the step's end."""
    return Branch("event", (own(back_to_event, "back to it"), interpolate, own(stand_there, "stand there")))
