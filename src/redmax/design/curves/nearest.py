"""Where on a curve poses are: the parameters q at which they are nearest, each by Newton's method with its exact second derivative.

phi(q) = d^T W d,   phi' = 2 d^T W d',   d' = L S,   d'' = dL[d'] S + L dS/dq        L = dexp^-1_{-d}
"""

from __future__ import annotations

import numpy as np

from redmax.design.curves.chains import Chain
from redmax.design.curves.misfit import residuals, squared, times
from redmax.design.curves.spans import Spans
from redmax.design.curves.windows import Windows, places, windows
from redmax.lie import se3
from redmax.types import Array

ROUNDS = 50  # steps at most
SETTLED, UNTOLD = 1e-15, 1e-7  # of the range: shorter steps are rounding; where a shorter one fails, it is the objective that is
ROUNDING = 1e-12  # of the objective: what it cannot tell, where the slope does; gradients of fits follow from the nearest point
SAMPLES = 8  # of each piece, of which the nearest is where Newton's method begins
AT_ONCE = 2_000_000  # distances


class Motion:
    """S and dS/dq (N, 6) at places, and S by factors: s (N, k - 1, 6) with t of `smoothing`."""

    def __init__(self, spans: Spans, window: Windows) -> None:
        at = window.at
        self.first, self.second = (spans.cumulative(at.piece, at.u, derivative) for derivative in (1, 2))
        self.t = (window.T[:, 1:] @ window.z[..., None])[..., 0]
        self.s = self.first[..., None] * self.t
        self.before = np.cumsum(self.s, axis=1) - self.s
        self.S = np.sum(self.s, axis=1)
        self.slope = np.sum(self.second[..., None] * self.t + (se3.ad(self.before) @ self.s[..., None])[..., 0], axis=1)


def nearest(spans: Spans, chain: Chain, poses: Array, W: Array, q: Array, points: Array | None = None) -> Array:
    """(N,) of poses (N, 4, 4), from parameters nearby; those of an open curve stay in its range. No pose gets farther away."""
    low, high = spans.range
    most = (high - low) / spans.pieces
    q = q.copy() if spans.cyclic else np.clip(q, low, high)
    value, slope, bend = along(spans, chain, poses, W, q, points)
    shorter, active = np.ones(len(q)), np.arange(len(q))
    for _ in range(ROUNDS):
        g, h = slope[active], bend[active]
        step = np.where(h > 0, -g / np.where(h > 0, h, 1.0), -np.sign(g) * 0.1 * most)
        step = shorter[active] * np.clip(step, -most, most)
        step = step if spans.cyclic else np.clip(q[active] + step, low, high) - q[active]
        moving = np.abs(step) > SETTLED * (high - low)
        active, step = active[moving], step[moving]
        if not len(active):
            break
        some = None if points is None else points[active]
        new = along(spans, chain, poses[active], W if W.ndim == 2 else W[active], q[active] + step, some)
        alike = new[0] <= value[active] * (1.0 + ROUNDING)
        taken = (new[0] < value[active]) | (alike & (np.abs(new[1]) < np.abs(slope[active])))
        rows = active[taken]
        q[rows] += step[taken]
        value[rows], slope[rows], bend[rows] = (x[taken] for x in new)
        shorter[active] = np.where(taken, np.minimum(1.0, 4.0 * shorter[active]), 0.25 * shorter[active])
        active = active[taken | (np.abs(step) > UNTOLD * (high - low))]
    return q


def nearest_of_all(spans: Spans, chain: Chain, poses: Array, W: Array) -> Array:
    """(N,) from nowhere in particular: from the nearest of many samples, by the chords between matrices."""
    share = np.linspace(0.0, 1.0, SAMPLES, endpoint=False)
    low, width = spans.breaks[:-1, None], np.diff(spans.breaks)[:, None]
    q = np.append((low + width * share).ravel(), spans.breaks[-1])
    G = windows(chain.starts, chain.twists, places(spans, q)[0]).G
    diagonal = np.diagonal(W if W.ndim == 2 else W.mean(axis=0))
    weights = np.array([diagonal[:3].mean() / 2, diagonal[3:].mean()])  # |R - R'|^2 is twice the squared angle

    def numbers(E: Array) -> Array:
        return np.concatenate([np.sqrt(weights[0]) * E[:, :3, :3].reshape(-1, 9), np.sqrt(weights[1]) * E[:, :3, 3]], axis=1)

    there, found = numbers(G), np.empty(len(poses))
    size = np.sum(there * there, axis=1)
    for first in range(0, len(poses), max(AT_ONCE // len(q), 1)):
        rows = slice(first, first + max(AT_ONCE // len(q), 1))
        found[rows] = q[np.argmin(size - 2.0 * numbers(poses[rows]) @ there.T, axis=1)]
    return nearest(spans, chain, poses, W, found)


def along(spans: Spans, chain: Chain, poses: Array, W: Array, q: Array, points: Array | None = None) -> tuple[Array, Array, Array]:
    """phi with two derivatives, (N,) each."""
    place, order = places(spans, q)
    window = windows(chain.starts, chain.twists, place)
    metric = W if W.ndim == 2 else W[order]
    d = residuals(poses[order], window.G, None if points is None else points[order])
    motion, L = Motion(spans, window), d.dexp_inverse
    turned = times(L, motion.S)
    pull = 2.0 * times(metric, d.x)
    change = np.einsum("ni,nij,nj->n", turned, d.dexp_inverse_change(pull), motion.S)
    bend = 2.0 * squared(metric, turned) + change + np.sum(pull * times(L, motion.slope), axis=1)
    found = np.empty((3, len(q)))
    found[:, order] = squared(metric, d.x), np.sum(pull * turned, axis=1), bend
    return found[0], found[1], found[2]
