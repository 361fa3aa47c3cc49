"""From starts to ends: the first level from where it is told to start and, where that fails, from elsewhere; then the others."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from redmax.design.reach.lanes import Found, Lanes
from redmax.design.reach.least_squares import At
from redmax.design.reach.missed import ranked
from redmax.design.reach.problem import FINER, Level, Problem
from redmax.design.reach.sliding import left_over, slid

STILL, SLOW, AT_REST = 1e-8, 1e-7, 1e-5  # of |J| |e|: gradients that are none, that are worth some steps, and that end it
AT_BOUND = 1e-9
CLOSED_ENOUGH = 1e-9  # gaps of closures, relative to the mechanism's size


@dataclass(frozen=True, eq=False)
class Ends:
    """x: places; r: (worlds, m) of all rows; gap, worst: (worlds,) the largest of closures, and which it is; steps, starts: (worlds,)

    pushing: (worlds, n) the gradient of the first level that is not met, along coordinates at bounds that hold it
    met: (worlds,) whether the first priority is, where that is known
    still: (worlds,) whether nothing more is to be gained
    """

    x: np.ndarray
    r: np.ndarray
    gap: np.ndarray
    worst: np.ndarray
    steps: np.ndarray
    starts: np.ndarray
    pushing: np.ndarray
    still: np.ndarray
    met: np.ndarray | None = None


def reached(problem: Problem, x: np.ndarray) -> Ends:
    """The ends of all worlds that start at x."""
    worlds, m, n = len(x), len(problem.levels), len(problem.space.movable)
    numbers = sorted(set(problem.levels.tolist()))
    held, steps, starts = np.zeros((worlds, m)), np.zeros(worlds, int), np.ones(worlds, int)
    pushing, still, unmet = np.zeros((worlds, n)), np.ones(worlds, bool), np.ones(worlds, bool)
    pressed, before = np.zeros((worlds, n), bool), list[tuple[Level, np.ndarray]]()
    for k, number in enumerate(numbers):
        level = Level.begun(problem, number, held, pressed, tuple(before), k == len(numbers) - 1)
        at, took, level = level.least(x)
        steps += took
        if k == 0:
            at, level = again(level, at, problem.asked.restarts, np.random.default_rng(problem.asked.seed), steps, starts)
        off = np.flatnonzero(~at.enough & (problem.slope(at, pressed, number) > STILL))
        if len(off) and not k:
            finer, took, exact = level.of(off).least(at.x[off], exact=True)
            steps[off] += took
            at.put(off, finer)
            level.y[off], level.stiff[off] = exact.y, exact.stiff
        missed, push = ~at.enough, np.where(pressed, 0.0, problem.pressing(at))
        pushing[unmet & missed] = push[unmet & missed]
        pressed = pressed | (missed[:, None] & (push != 0.0))
        if missed.any():
            before.append((ranked(replace(level, pressed=pressed), at.x), missed))
        unmet &= at.enough
        x = level.restored(x, at.x) if level.equations and k else at.x
        alone = level.equations > 0 and len(numbers) == 1
        if alone:
            x = closed(problem, x, pressed)
        left = left_over(level, x) if k or alone else np.where(at.enough, 0.0, problem.slope(at, pressed, number))
        slow = np.flatnonzero(left > SLOW) if k or alone else np.zeros(0, int)  # or at a place that costs earlier levels something
        if len(slow):
            x[slow] = slid(level.of(slow), x[slow])
            left[slow] = left_over(level.of(slow), x[slow])
            low, high = problem.space.room(x[slow])
            pushing[slow] *= (low >= -AT_BOUND) | (high <= AT_BOUND)
        still &= left <= AT_REST
        held = problem.seen(np.arange(worlds), x, np.zeros((worlds, n))).r
    if problem.closures.size:
        x = closed(problem, x, pressed)
    seen = problem.seen(np.arange(worlds), x, np.zeros((worlds, n)))
    return Ends(x, seen.r, *problem.closures.worst(seen.c), steps, starts, pushing, still)


def closed(problem: Problem, x: np.ndarray, pressed: np.ndarray) -> np.ndarray:
    """Places with the loops closed, near those that are given."""
    none = Level.begun(problem, -1, np.zeros((len(x), len(problem.levels))), pressed)
    return replace(none, bare=True, stiff=np.ones(len(x))).search(False).least(x)[0].x


def nothing(problem: Problem) -> Ends:
    """The ends of no world."""
    n, none = len(problem.space.unit), np.zeros(0, int)
    return Ends(
        problem.asked.q[:0], np.zeros((0, len(problem.levels))), np.zeros(0), none, none, none, np.zeros((0, n)), np.zeros(0, bool)
    )  # fmt: skip


def ends_of(problem: Problem, lanes: Lanes | None, x: np.ndarray) -> Ends:
    """The same, with the first level in lanes where that can be."""
    if lanes is None:
        return reached(problem, x)
    several = problem.levels.min() < problem.levels.max()
    found = lanes.ends(x, problem.asked, FINER if several else 1.0)
    if not several:
        return finished(problem, found)
    ends = reached(problem.of(np.arange(len(x)), 0), found.q)
    return replace(ends, steps=ends.steps + found.steps, starts=found.starts)


def finished(problem: Problem, found: Found) -> Ends:
    """What lanes have found; worlds that have not met their targets go on to where nothing more is to be gained."""
    worlds, n = len(found.q), len(problem.space.unit)
    still = np.ones(worlds, bool)
    gap, worst = problem.closures.largest(found.q, problem.asked.t)
    ends = Ends(found.q, found.r, gap, worst, found.steps, found.starts, np.zeros((worlds, n)), still, found.reached)
    off = np.flatnonzero(~found.reached)
    if len(off) and not problem.closures.size:
        off = off[~at_rest(problem, ends, off)]
    if len(off):
        some = reached(problem.of(off, 0), ends.x[off])
        for name in ("x", "r", "gap", "worst", "pushing", "still"):
            getattr(ends, name)[off] = getattr(some, name)
        found.reached[off] = problem.of(off).met(some.r) & (some.gap <= CLOSED_ENOUGH)
        ends.steps[off] += some.steps
    return ends


def at_rest(problem: Problem, ends: Ends, off: np.ndarray) -> np.ndarray:
    """Which of these worlds have nothing more to gain; of all of them the rows, and what presses against bounds."""
    some, still = problem.of(off), np.zeros(ends.pushing[off].shape)
    level = Level.begun(some, int(problem.levels.min()), np.zeros((len(off), len(problem.levels))), still > 0.0)
    every = np.arange(len(off))
    at = level.look(every, ends.x[off], still)
    ends.r[off] = at.e / np.where(some.weights > 0, some.weights, 1.0)
    ends.pushing[off] = problem.pressing(at)
    return some.slope(at, level.pressed, level.number) <= STILL


def in_turn(problem: Problem, lanes: Lanes | None, x: np.ndarray, frames: int) -> Ends:
    """Frame after frame, each from where the one before ended."""
    every = np.arange(frames * len(x)).reshape(frames, len(x))
    found: list[Ends] = []
    for frame in every:
        found.append(ends_of(problem.of(frame), lanes, x))
        x = found[-1].x
    parts = [[getattr(ends, f.name) for ends in found] for f in fields(Ends) if f.name != "met"]
    return Ends(*(np.concatenate(part) for part in parts))


def again(level: Level, at: At, restarts: int, rng: np.random.Generator, steps: np.ndarray, starts: np.ndarray) -> tuple[At, Level]:
    """Worlds that have not come to their goals, from anywhere; what came nearest is kept."""
    for _ in range(restarts):
        off = np.flatnonzero(~at.enough)
        if not len(off):
            break
        some = level.of(off)
        some.y[:] = 0.0
        found, took, then = some.least(level.problem.space.random(rng, at.x[off]))
        steps[off] += took
        starts[off] += 1
        better = found.enough | ~(found.cost >= at.cost[off])  # where rows are not defined, the cost is no number
        at.put(off[better], found.of(better))
        level.y[off[better]], level.stiff[off[better]] = then.y[better], then.stiff[better]
    return at, level
