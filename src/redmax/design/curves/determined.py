"""Whether poses say where every control frame is (Schoenberg and Whitney 1953): without smoothing the others would be anywhere.

Frames i to j act on the pieces from i - k + 1 to j. They follow from the poses if in each such stretch there are as many different
parameters as frames, j - i + 1. With D(x) of them below x, for all i <= j

    D(end_j) - j - 1  >=  D(start_i) - i,        a running maximum over i
"""

from __future__ import annotations

import numpy as np

from redmax.design.curves.given import Data
from redmax.design.curves.spans import Spans
from redmax.errors import SceneError
from redmax.types import Array


def check_determined(owner: str, spans: Spans, data: Data) -> None:
    """Raise where frames do not follow from the positions, or from the rotations, of poses that have weight."""
    counts = np.ones((len(data.q), 6)) if data.components is None else data.components
    counts = counts * data.weights[:, None]
    for what, part in (("rotations", slice(0, 3)), ("positions", slice(3, 6))):
        q = data.q[(counts[:, part] > 0).any(axis=1)]
        loose = undetermined(spans, q)
        if loose is not None:
            first, last, low, high, there = loose
            frames = f"frames {first} to {last}" if last > first else f"frame {first}"
            acts = f"{frames} of {spans.count} act where q is from {low:.4g} to {high:.4g}"
            known = f"{what} at {there or 'no'} different parameter{'s' * (there != 1)} there"
            said = f"{acts}, and do not follow from {known}"
            fix = "Give smoothing=1e-4 or another weight, by which what no pose determines goes on smoothly; or fewer frames, or more poses"
            raise SceneError(f"{owner}: {said}. {fix}.", owner=owner, argument="frames")


def undetermined(spans: Spans, q: Array) -> tuple[int, int, float, float, int] | None:
    """The stretch that lacks most: the first and the last frame, from where to where they act, and how many parameters are there."""
    low, high = spans.range
    u = np.unique(low + np.mod(q - low, high - low) if spans.cyclic else q)
    n, k, pieces = spans.count, spans.order, spans.pieces
    if spans.cyclic and len(u) < n:
        return 0, n - 1, low, high, len(u)
    frame = np.arange(2 * n if spans.cyclic else n)
    begin, end = frame - k + 1, frame + 1
    if spans.cyclic:
        breaks = np.concatenate([spans.breaks[:-1] + turn * (high - low) for turn in (-1, 0, 1, 2)])
        places = np.concatenate([u + turn * (high - low) for turn in (-1, 0, 1, 2)])
        begin, end = breaks[np.maximum(begin, end - pieces) + pieces], breaks[end + pieces]
    else:
        places = u
        begin, end = spans.breaks[np.maximum(begin, 0)], spans.breaks[np.minimum(end, pieces)]
    before, after = np.searchsorted(places, begin, side="left"), np.searchsorted(places, end, side="right")
    most = np.maximum.accumulate(before - frame)
    lack = most - (after - frame - 1)
    j = int(np.argmax(lack))
    if lack[j] <= 0:
        return None
    i = int(np.argmax((before - frame)[: j + 1]))
    return i % n, j % n if spans.cyclic else j, float(begin[i]), float(end[j]), int(after[j] - before[i])
