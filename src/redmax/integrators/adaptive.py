"""The explicit pair of order 5(4) of Dormand and Prince (1980), with steps chosen so that each meets rtol and atol.

A step is taken where the root mean square of e_i / (c (atol_i + rtol max|x_i|)) is at most 1, over all coordinates and rates x_i: e_i is
the difference between the orders, the maximum that of both ends of the step, c = FRACTION. Where a joint has more coordinates than rates,
its rates alone count, with atol for the way that coordinates go.

The seventh stage is the next step's first; where every step ends with a projection onto constraints, it is evaluated anew. Between steps,
q is the quintic that meets q, qdot and qddot at both ends, and qdot its derivative: as accurate as the steps themselves, at no further
cost. A step that fails is repeated shorter; one whose error is not a number, five times shorter.
"""

from __future__ import annotations

from typing import Any

from redmax.dynamics.choose import System
from redmax.integrators import events
from redmax.integrators.base import Method, change_charts, rechart_of
from redmax.integrators.samples_on_rows import EXTRA as ON_ROWS
from redmax.integrators.samples_on_rows import saved
from redmax.math import absolute, maximum, minimum, power, sqrt, where
from redmax.program.fields import Size
from redmax.program.program import Branch, Program, ProgramStage, Repeat
from redmax.program.record import JointView, WorldView
from redmax.program.sweep import Recursion, forward, once, recursion
from redmax.trace import Graph, jvp, substitute
from redmax.trace.vector import vector_of

C = (0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1)
A = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
E = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)  # order 5 minus order 4

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
FRACTION = 0.02  # of rtol spent on one step, so that the sum over a run stays near rtol
SMALLEST = 45.0  # roundings of the time: a step this small means that the method cannot go on
FINEST = 4.0  # roundings of the state: no step is asked to be better
MOST_STEPS = 1e7
MOST_REFUSED = 1e4  # trials of a portion whose error is not a number, after which it is given up: at an end that roundings hold a joint on

EXTRA: dict[str, Size] = {
    "q_start": "q", **{f"{x}{i}": "v" for x in "va" for i in range(1, 8)}, "q_sample": "q", "v_sample": "v", "floor": "v",
}  # fmt: skip
CLOCK = {
    "t0": 1, "k": 1, "h_next": 1, "h_wanted": 1, "t_end": 1, "rtol": 1, "error": 1, "size": 1, "sample": 1, "sample_dt": 1,
    "accepted": 1, "eps": 1, "sampled": 1, "recharted": 1, "done": 1, "failed": 1, "t_sample": 1, "start": 1, "fraction": 1,
    "samples": 1, "refused": 1,
}  # fmt: skip


@once
def begin(w: WorldView) -> None:
    w.t, w.k, w.done, w.failed, w.sample, w.refused = w.t0, 0.0, 0.0, 0.0, 1.0, 0.0


@forward
def begin_joint(j: JointView) -> None:
    """After the dynamics at the start of a run, or where coordinates changed: the first stage."""
    j.q_start, j.v1, j.a1 = j.q, j.qdot, j.qddot


@once
def clear_error(w: WorldView) -> None:
    w.error, w.size, w.recharted = 0.0, 0.0, 0.0
    w.h_wanted = w.h
    w.h = minimum(w.h, w.t_end - w.t0)
    w.t = w.t0


def stage(i: int) -> Recursion:
    """Go to stage i (2 to 7) from the stages before it."""

    @forward
    def go(j: JointView, w: WorldView) -> None:
        if i > 2:
            setattr(j, f"a{i - 1}", j.qddot)
        slopes = [(c, n) for n, c in enumerate(A[i - 1], 1) if c]
        delta = w.h * combine(j, "v", slopes)
        j.q = j.joint.retract(j.q_start, delta)
        j.qdot = j.v1 + w.h * combine(j, "a", slopes)
        setattr(j, f"v{i}", j.joint.rate(delta, j.qdot))

    return recursion(go, name=f"adaptive stage {i}", core=False)


def clock_of(i: int) -> Recursion:
    @once
    def go(w: WorldView) -> None:
        w.t = w.t0 + C[i - 1] * w.h

    return recursion(go, name=f"adaptive clock {i}", core=False)


def combine(j: JointView, name: str, slopes: list[tuple[float, int]]) -> Any:
    total: Any = 0.0
    for c, n in slopes:
        total = total + c * getattr(j, f"{name}{n}")
    return total


@forward
def estimate_error(j: JointView, w: WorldView) -> None:
    """Sum of squares of the difference between the orders, in units of what is allowed; j.floor is atol / rtol."""
    j.a7 = j.qddot
    slopes = [(c, n) for n, c in enumerate(E, 1) if c]
    tolerance = maximum(FRACTION * w.rtol, FINEST * w.eps)
    n = j.joint.dof
    places = (j.q_start[:n], j.q[:n]) if j.joint.nq == n else (j.v1 * 0.0, j.v1 * 0.0)
    for name, (old, new) in (("v", places), ("a", (j.v1, j.qdot))):
        difference = w.h * combine(j, name, slopes)
        allowed = tolerance * (j.floor + maximum(absolute(old), absolute(new)))
        ratio = difference / allowed
        if len(ratio):
            w.gather("error", sum(x * x for x in ratio))
            w.gather("size", float(len(ratio)))


@once
def control(w: WorldView) -> None:
    square = w.error / maximum(w.size, 1.0)
    known = square <= 1e300  # false for a number that is none
    error = sqrt(where(known, maximum(square, 1e-20), 1.0))  # never of zero, where a root has no derivative
    factor = where(known, SAFETY * power(error, -0.2), SHRINK)
    w.accepted = where(known & (error <= 1.0), 1.0, 0.0)
    w.refused = w.refused + where(known, 0.0, 1.0)
    w.h_next = w.h * minimum(maximum(factor, SHRINK), GROW)
    w.sampled = due(w)
    w.t_sample = w.t0 + w.h


def due(w: WorldView) -> Any:
    """0 while the next sample lies within this step, 1 otherwise; the last step's end counts as within. There are `samples` in all."""
    return due_within(w, w.h)


def due_within(w: WorldView, length: Any) -> Any:
    """The same of a step that ends after a part of it."""
    slack = 1e-9 * w.sample_dt + 8.0 * w.eps * (absolute(w.t0) + absolute(w.start))
    return where((w.sample <= w.samples) & (w.sample * w.sample_dt <= w.t0 + length - w.start + slack), 0.0, 1.0)


@forward
def interpolate(j: JointView, w: WorldView) -> None:
    """The quintic Hermite interpolant at fraction x of the step, and its derivative."""
    x = minimum(w.fraction, 1.0)
    y = 1.0 - x
    h = w.h
    dq, end = whole_step(j, w)
    x2, x3 = x * x, x * x * x
    rise = x3 * (10.0 - 15.0 * x + 6.0 * x2)
    slope0, slope1 = x - x3 * (6.0 - 8.0 * x + 3.0 * x2), x3 * (-4.0 + 7.0 * x - 3.0 * x2)
    bend0, bend1 = 0.5 * x2 * y * y * y, 0.5 * x3 * y * y
    delta = rise * dq + h * (slope0 * j.v1 + slope1 * j.v7) + h * h * (bend0 * j.a1 + bend1 * end)
    j.q_sample = j.joint.retract(j.q_start, delta)
    d_rise = 30.0 * x2 * y * y
    d_slope0, d_slope1 = 1.0 - x2 * (18.0 - 32.0 * x + 15.0 * x2), x2 * (-12.0 + 28.0 * x - 15.0 * x2)
    d_bend0, d_bend1 = 0.5 * x * y * y * (2.0 - 5.0 * x), 0.5 * x2 * y * (3.0 - 5.0 * x)
    rate = d_rise / h * dq + d_slope0 * j.v1 + d_slope1 * j.v7 + h * (d_bend0 * j.a1 + d_bend1 * end)
    j.v_sample = j.joint.velocity(delta, rate)


def whole_step(j: JointView, w: WorldView) -> tuple[Any, Any]:
    """The step from start to end, and its second derivative at the end (the first is v7)."""
    if j.joint.nq == j.joint.dof:
        return (j.q - j.q_start)[: j.joint.dof], j.a7
    delta = w.h * combine(j, "v", [(c, n) for n, c in enumerate(A[6], 1) if c])
    return delta, second_rate(j.joint, delta, j.qdot, j.v7, j.a7)


def second_rate(joint: Any, delta: Any, velocity: Any, rate: Any, acceleration: Any) -> Any:
    """d/dt rate(delta, velocity) as both change."""
    graph = Graph()
    d, v = (vector_of(graph.inputs(name, len(delta))) for name in ("delta", "velocity"))
    tangents = {x: graph.input("d" + x.args[0], x.args[1]) for x in (*d, *v)}
    values = {"delta": delta, "velocity": velocity, "ddelta": rate, "dvelocity": acceleration}
    found = substitute(jvp(list(joint.rate(d, v)), tangents), lambda base, index: values[base][index])
    return vector_of(found)


@once
def locate_sample(w: WorldView) -> None:
    w.t_sample = w.start + w.sample * w.sample_dt
    w.fraction = (w.t_sample - w.t0) / w.h


@once
def next_sample(w: WorldView) -> None:
    w.sample = w.sample + 1.0
    w.sampled = due(w)


@once
def sample_within(w: WorldView) -> None:
    """Samples up to an event, if there is one."""
    w.sampled = due_within(w, w.reach)


@once
def next_within(w: WorldView) -> None:
    w.sample = w.sample + 1.0
    w.sampled = due_within(w, w.reach)


@once
def accept_within(w: WorldView) -> None:
    w.t0 = w.t0 + w.reach
    w.t = w.t0


@once
def accept(w: WorldView) -> None:
    w.t0 = w.t0 + w.h
    w.t = w.t0


@forward
def accept_joint(j: JointView, w: WorldView) -> None:
    """The end is the next start; the seventh stage is the next first. New coordinates need a new first stage."""
    changed = rechart_of(j)
    if changed is None:
        j.q_start, j.v1, j.a1 = j.q, j.qdot, j.a7
        return
    q, qdot = changed
    distance: Any = 0.0
    for a, b in zip(q, j.q, strict=True):
        distance = distance + absolute(a - b)
    w.gather("recharted", distance)
    j.q_start, j.v1, j.a1 = q, qdot, j.a7
    j.q, j.qdot = q, qdot


@once
def decide(w: WorldView) -> None:
    """The next step, and whether the run is over: at its end, or unable to go on."""
    w.k = w.k + 1.0
    w.h = w.h_next
    too_small = w.h < SMALLEST * w.eps * maximum(absolute(w.t0), 1.0)
    w.failed = where(too_small | (w.k > MOST_STEPS) | (w.refused > MOST_REFUSED), 1.0, 0.0)
    over = w.t_end - w.t0 <= 2.0 * w.eps * maximum(absolute(w.t_end), w.sample_dt)
    w.done = where(over | (w.failed > 0.0), 1.0, 0.0)


def own(sweep: Any) -> Recursion:
    return recursion(sweep, name=f"adaptive {sweep.name}", core=False)


def program(system: System) -> Program:
    k = system.accelerations
    evaluations = [s for i in range(2, 8) for s in (stage(i), clock_of(i), *k)]
    restart = own(begin_joint)
    kept = system.upkeep
    step = (own(clear_error), *evaluations, own(estimate_error), own(control), Branch("accepted", accepted(system)), own(decide))
    clock = CLOCK | (events.CLOCK if kept.noticed else {})
    fields = system.fields(extra=EXTRA | (ON_ROWS if kept.project else {}), clock=clock)
    inputs = ("q", "qdot", "tau", "h", "t0", "start", "t_end", "rtol", "sample_dt", "eps", "samples", "floor")
    outputs = ("q_sample", "v_sample", "t_sample", "h_wanted", "k", "failed")
    first = (*kept.begin, *kept.gains(False), *kept.project, *kept.settled, *k, restart)
    stages = (own(begin), change_charts, *first, Repeat(step, until="done"))
    return system.complete(Program("adaptive", stages, fields, inputs, outputs), False)


def accepted(system: System) -> tuple[ProgramStage, ...]:
    """What follows a step that is good enough: samples, the next start, and its first stage anew where that has changed."""
    kept, k, restart = system.upkeep, system.accelerations, own(begin_joint)
    place = own(interpolate)
    if not kept.noticed:
        samples = Repeat((own(locate_sample), place, *saved(kept.project), own(next_sample)), until="sampled")
        anew = (*kept.project, *k, restart)
        return samples, own(accept), own(accept_joint), *(anew if kept.project else (Branch("recharted", anew),))
    samples = Repeat((own(locate_sample), place, *saved(kept.project), own(next_within)), until="sampled")
    return (
        *events.found((*k, *kept.noticed), place),
        own(sample_within),
        samples,
        events.reached(place),
        own(accept_within),
        own(accept_joint),
        *kept.project,
        Branch("event", kept.settled),
        *k,
        restart,
    )


ADAPTIVE = Method("adaptive", 5, True, program)
