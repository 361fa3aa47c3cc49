"""Where the search for the coordinates of a joint may begin: places spread over its range, and those that a user gives.

Spread by Halton's sequence (1960), evenly in every number of coordinates; over a turn where the joint says nothing of its range. A joint of
one coordinate that is no turn, as a screw, is looked for over many.
"""

from __future__ import annotations

import numpy as np

from redmax.joints.base import Joint

HOW_MANY = (1, 32, 96, 128, 160, 192)  # by degrees of freedom
WIDE, CLOSE = 20 * np.pi, 0.3  # of motions without bounds that do not repeat: how far, and how closely, places lie
PRIMES = (2, 3, 5, 7, 11)


def starting_places(joint: Joint, given: np.ndarray | None) -> np.ndarray:
    """(places, size of a configuration)."""
    n = joint.dof
    if not n:
        return np.zeros((1, 1))
    bounds = joint.extent if joint.nq == n else None  # of a joint on a group steps have none
    sides = np.array(bounds if bounds is not None else [(-np.inf, np.inf)] * n, float).reshape(n, 2)
    bounded = np.isfinite(sides).all()
    sides = np.where(np.isfinite(sides), sides, np.array([-np.pi, np.pi]))
    zero = np.clip(np.zeros(n), sides[:, 0], sides[:, 1])
    if n == 1 and not bounded and not repeats(joint):
        places = np.arange(-WIDE, WIDE, CLOSE)[:, None]
    else:
        places = sides[:, 0] + spread(HOW_MANY[min(joint.dof, 5)], n) * (sides[:, 1] - sides[:, 0])
    places = np.concatenate([zero[None], places])
    if joint.nq != n:
        places = np.array([joint.retract(joint.home, step) for step in places], float)
    found = np.concatenate([*([] if given is None else [given[None]]), places])
    charts = np.broadcast_to(np.array(joint.start, float), (len(found), len(joint.discrete)))
    return np.concatenate([found, charts], axis=1)


def repeats(joint: Joint) -> bool:
    """Whether a motion of one coordinate is the same after a turn."""
    here, there = (np.asarray(joint.at("transform", np.array([q, *joint.start]), 0.0), float) for q in (0.3, 0.3 + 2 * np.pi))
    return bool(np.abs(here - there).max() < 1e-9)


def spread(count: int, n: int) -> np.ndarray:
    """(count, n) numbers between 0 and 1."""
    return np.array([[halton(k + 1, PRIMES[i % len(PRIMES)]) for i in range(n)] for k in range(count)]).reshape(count, n)


def halton(k: int, base: int) -> float:
    """The k-th number between 0 and 1."""
    total, part = 0.0, 1.0
    while k:
        part /= base
        total += part * (k % base)
        k //= base
    return total
