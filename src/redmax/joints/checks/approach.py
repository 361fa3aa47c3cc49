"""Zeros of functions of several coordinates, also where they only touch zero: Newton's method with steps of several lengths.

A simple zero is met by the step f / |f'|^2 f', a double one by twice that, and so on:
the length after which the zero seems nearest is taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from redmax.joints.checks.box import inside

Function = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
LENGTHS = np.array([0.3, 1.0, 2.0, 4.0])
ROUNDS = 12
REACHED, CLOSE = 1e-14, 1e-9  # of the size of the box: a zero is this near; or only so near, where rounding allows no more


def approach(function: Function, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Zeros (C, m) near the starts, and the numbers of the starts that found them.

    function: of points (N, m), and of the number of the start that each comes from, (N,): values (N,) and gradients (N, m)
    """
    which = np.arange(len(starts))
    u = starts
    f, g = function(u, which)
    near = distance(f, g)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(ROUNDS):
        arrived = near < REACHED
        found.append((u[arrived], which[arrived]))
        u, which, f, g, near = (part[~arrived] for part in (u, which, f, g, near))
        if not len(u):
            break
        square = np.sum(g * g, axis=1)
        newton = -(f / np.where(square > 0, square, 1.0))[:, None] * g
        trials = inside(u[:, None] + LENGTHS[:, None] * newton[:, None])
        ft, gt = function(trials.reshape(-1, u.shape[1]), np.repeat(which, len(LENGTHS)))
        ahead = distance(ft, gt).reshape(len(u), -1)
        best = np.argmin(ahead, axis=1)
        rows = np.arange(len(u))
        after = ahead[rows, best]
        nearer = after < 0.7 * near  # what does not come nearer goes nowhere
        stuck = ~nearer & (near < CLOSE)
        found.append((u[stuck], which[stuck]))
        u, f, g = trials[rows, best][nearer], ft.reshape(ahead.shape)[rows, best][nearer], gt.reshape(trials.shape)[rows, best][nearer]
        which, near = which[nearer], after[nearer]
    return np.vstack([a for a, _ in found]), np.concatenate([b for _, b in found])


def distance(f: np.ndarray, g: np.ndarray) -> np.ndarray:
    """How far the zero seems to be."""
    with np.errstate(all="ignore"):
        far = np.abs(f) / np.linalg.norm(g, axis=1)
    return np.where(f == 0, 0.0, np.where(np.isfinite(far), far, np.inf))
