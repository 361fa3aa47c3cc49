"""At most 8 of the points of a pair, and the numbers that they keep from step to step."""

from __future__ import annotations

import numpy as np

from redmax.contact.asked.placed import Points

MOST = 8
SAME = 1e-3  # of a radius, within which two points are one
DIGITS = 6  # of distances that are compared, of the largest: what differs by less does not decide


def without_doubles(found: Points, size: float) -> Points:
    """Of points that are all but one, the deepest."""
    if len(found) < 2:
        return found
    alike = (np.abs(found.point[:, None] - found.point[None]).max(axis=2) <= SAME * size).tolist()
    if sum(map(sum, alike)) == len(found):
        return found
    kept: list[int] = []
    for k in np.argsort(found.gap, kind="stable").tolist():
        if not any(alike[k][i] for i in kept):
            kept.append(k)
    return found.some(np.array(sorted(kept)))


def spread(found: Points, most: int = MOST) -> Points:
    """At most so many: the deepest, and then the one that is farthest from all that are chosen, again and again."""
    if len(found) <= most:
        return found
    scale = float(np.ptp(found.point, axis=0).max()) or 1.0
    first = int(np.round(found.gap / scale, DIGITS).argmin())
    chosen, away = [first], np.full(len(found), np.inf)
    while len(chosen) < most:
        away = np.minimum(away, np.round(np.linalg.norm(found.point - found.point[chosen[-1]], axis=1) / scale, DIGITS))
        chosen.append(int(away.argmax()))
    return found.some(np.array(sorted(chosen)))


def numbered(points: np.ndarray, before: np.ndarray, numbers: np.ndarray, reach: float) -> np.ndarray:
    """The numbers of points (n, 3): of those before (m, 3), the nearest within reach has the same; others have free ones.

    numbers (m,): of those before
    """
    found, left = [-1] * len(points), [int(n) for n in numbers]
    if left:
        away = np.linalg.norm(points[:, None] - before[None], axis=2)
        for at in np.argsort(away, axis=None, kind="stable").tolist():
            k, i = divmod(at, len(left))
            if away[k, i] > reach:
                break
            if found[k] < 0 and left[i] >= 0:
                found[k], left[i] = left[i], -1
    free = (n for n in range(64) if n not in found)
    return np.array([next(free) if n < 0 else n for n in found], float)
