"""Starts elsewhere for later priorities: where the first is met and a later one is not, another place may meet both.

A start is nearer than another one by the first priority in which they differ; targets that are met do not differ. Postures are wishes, for
which nothing is begun again: of two starts that are as near otherwise, the one with the better posture is kept.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from redmax.design.reach.lanes import Lanes
from redmax.design.reach.levels import CLOSED_ENOUGH, Ends, ends_of
from redmax.design.reach.problem import Problem

SAME = 1e-6  # of |e|^2 of a priority
HUGE = 1e300  # of rows that are not defined where a world is


def begun_again(problem: Problem, lanes: Lanes | None, ends: Ends) -> Ends:
    """The same, or what starts elsewhere have found that is nearer."""
    if problem.levels.min() == problem.levels.max():
        return ends
    rng = np.random.default_rng([problem.asked.seed, 1])
    for _ in range(problem.asked.restarts):
        off = np.flatnonzero(wanting(problem, ends) & (ends.starts <= problem.asked.restarts))
        if not len(off):
            break
        some = problem.of(off, 0)
        found = ends_of(some, lanes, problem.space.random(rng, ends.x[off]))
        better = nearer(scores(some, found), scores(some, part(ends, off)))
        ends.steps[off] += found.steps
        ends.starts[off] += 1
        for name in ("x", "r", "gap", "worst", "pushing", "still"):
            getattr(ends, name)[off[better]] = getattr(found, name)[better]
    return ends


def part(ends: Ends, which: np.ndarray) -> Ends:
    """Of some worlds."""
    return Ends(*(getattr(ends, f.name)[which] for f in fields(Ends) if f.name != "met"))


def wanting(problem: Problem, ends: Ends) -> np.ndarray:
    """(worlds,): whether lengths or angles of some priority are off."""
    off = problem.off(ends.r, np.arange(len(ends.x)))
    measured = np.array([p.block.unit != "1" for p in problem.rows.parts], bool)
    return np.asarray(~(off[:, measured] <= 1.0).all(axis=1))


def scores(problem: Problem, ends: Ends) -> np.ndarray:
    """(worlds, 1 + priorities): how far loops are open, then |e|^2 of each priority; 0 where it is met."""
    off = problem.off(ends.r, np.arange(len(ends.x)))
    found = [np.where(ends.gap <= CLOSED_ENOUGH, 0.0, ends.gap)]
    for number in sorted(set(problem.levels.tolist())):
        blocks = [k for k in range(off.shape[1]) if problem.level_of(k) == number]
        e = (problem.weights * ends.r)[:, problem.levels == number]
        found.append(np.where((off[:, blocks] <= 1.0).all(axis=1), 0.0, (e * e).sum(axis=1)))
    return np.nan_to_num(np.stack(found, axis=1), nan=HUGE, posinf=HUGE)


def nearer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(worlds,): whether scores a come before b."""
    differ = np.abs(a - b) > SAME * np.maximum(a, b)
    first = differ.argmax(axis=1)
    every = np.arange(len(a))
    return differ[every, first] & (a[every, first] < b[every, first])
