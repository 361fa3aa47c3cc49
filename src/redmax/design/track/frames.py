"""Frame by frame: configurations that reach the targets of each moment, each search from what was found nearby.

Some frames, far apart, are looked for one after the other; those between them all at once, from their neighbours before them, at ever
smaller distances. So all stay on the branch of the first, as long as it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from redmax.design.reach.inverse_kinematics import InverseKinematics
from redmax.design.reach.reached import Reached
from redmax.model.state import State

APART = 16  # frames: at first
BETTER = 0.5  # of the squares of what is off: what is worth to begin elsewhere


def series(
    ik: InverseKinematics,
    goals: Mapping[str, np.ndarray],
    count: int,
    start: ArrayLike | State | None,
    restarts: int,
    tolerance: float | tuple[float, float],
) -> Reached:
    """All frames. goals: target -> (frames, *shape)"""
    model = ik.model

    def at(frames: np.ndarray | np.integer | int, begin: ArrayLike | State | None, often: int = 0) -> Reached:
        return ik.solve({n: g[frames] for n, g in goals.items()}, begin, restarts=often, tolerance=tolerance)

    begin = first(at(0, start), at(0, start, restarts) if restarts else None).q
    if ik.following is not None:  # in compiled code, frame after frame
        return ik.follow(goals, begin, tolerance=tolerance)
    q = np.zeros((count, model.nq))
    q[0] = begin
    coarse = np.arange(0, count, APART)
    for before, k in pairwise(coarse):
        q[k] = at(k, q[before]).q
    known, apart = set(coarse.tolist()), APART
    while apart > 1:
        apart //= 2
        new = np.array([k for k in range(0, count, apart) if k not in known], int)
        if len(new):
            q[new] = at(new, q[new - apart]).q
            known |= set(new.tolist())
    return ik.solve(goals, q, tolerance=tolerance)


def first(near: Reached, far: Reached | None) -> Reached:
    """The one nearest to where the search began, unless another is much nearer to the targets: a turn further, noise is the same."""
    if far is None:
        return near
    off, other = (sum(float(np.nansum(r**2)) for r in found.residuals.values()) for found in (near, far))
    return far if other < BETTER * off and not near.success else near
