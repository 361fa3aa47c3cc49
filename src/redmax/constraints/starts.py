"""Where the search for the coordinates of a joint may begin: places spread over its range, and those that a user gives.

Spread by Halton's sequence (1960), evenly in every number of coordinates; over a turn where the joint says nothing of its range.
"""

from __future__ import annotations

import numpy as np

from redmax.joints.base import Joint

HOW_MANY = (1, 32, 96, 128, 160, 192)  # by degrees of freedom
PRIMES = (2, 3, 5, 7, 11)


def starting_places(joint: Joint, given: np.ndarray | None) -> np.ndarray:
    """(places, size of a configuration)."""
    n = joint.nq
    count = HOW_MANY[min(joint.dof, 5)]
    sides = np.array(joint.extent if joint.extent is not None else [(-np.pi, np.pi)] * n, float).reshape(n, 2)
    sides = np.where(np.isfinite(sides), sides, np.array([-np.pi, np.pi]))
    unit = np.array([[halton(k + 1, PRIMES[i % len(PRIMES)]) for i in range(n)] for k in range(count)]).reshape(count, n)
    places = sides[:, 0] + unit * (sides[:, 1] - sides[:, 0])
    zero = np.clip(np.zeros(n), sides[:, 0], sides[:, 1])
    found = np.concatenate([*([] if given is None else [given[None]]), zero[None], places])
    charts = np.broadcast_to(np.array(joint.start, float), (len(found), len(joint.discrete)))
    return np.concatenate([found, charts], axis=1) if n else np.zeros((1, 1))


def halton(k: int, base: int) -> float:
    """The k-th number between 0 and 1."""
    total, part = 0.0, 1.0
    while k:
        part /= base
        total += part * (k % base)
        k //= base
    return total
