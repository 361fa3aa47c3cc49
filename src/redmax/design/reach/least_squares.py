"""Least squares within bounds, for many worlds at once: min 1/2 |e(x)|^2, low <= x <= high.

    (J'J + lambda 1) d = -J'e over the coordinates that no bound holds,    x <- x + d        (Levenberg 1944, Marquardt 1963)

A coordinate at a bound that the gradient pushes against stays there; one that a step would take beyond goes to the bound, and the rest of
the step is found again (an active set). lambda = mu |e|^2, so that convergence is quadratic where e vanishes (Yamashita, Fukushima 2001;
Sugihara 2011 for arms); mu follows the ratio of what a step gained to what it promised. "gauss-newton" has no lambda: a step is halved
until it gains. `exact` takes differences of the exact gradient for the matrix: Newton's method, for where e does not vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias

import numpy as np

Method: TypeAlias = Literal["damped", "gauss-newton"]
FIRST, LEAST, MOST = 0.3, 1e-10, 1e12  # mu
TINY = 1e-13  # of the largest entry of J'J, added to its diagonal
LONGEST = 1.0  # rad, or parts of the mechanism's size, that a coordinate moves at once
STILL, SAME = 1e-13, 1e-15  # steps, and promises relative to |e|^2, below which nothing more is to be gained
SLOW, PATIENCE = 0.02, 6  # of |e|^2: what must be gained in so many steps
SHIFT = 1e-5  # of the differences
PASSES = 20  # of the active set in one step


@dataclass(frozen=True, eq=False)
class At:
    """Worlds at x (worlds, ...): e (worlds, m), J (worlds, m, n), and whether that is good enough."""

    x: np.ndarray
    e: np.ndarray
    J: np.ndarray
    enough: np.ndarray

    @property
    def cost(self) -> np.ndarray:
        return 0.5 * (self.e * self.e).sum(axis=1)

    @property
    def gradient(self) -> np.ndarray:
        return np.einsum("wmn,wm->wn", self.J, self.e)

    def of(self, which: np.ndarray) -> At:
        """Some of the worlds."""
        return At(*(getattr(self, f.name)[which] for f in fields(self)))

    def put(self, which: np.ndarray, other: At) -> None:
        """Others in the place of some."""
        for f in fields(self):
            getattr(self, f.name)[which] = getattr(other, f.name)


Look: TypeAlias = Callable[[np.ndarray, np.ndarray, np.ndarray], At]  # numbers of worlds, where they are, steps (worlds, n)
Room: TypeAlias = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # how far down and up coordinates may go from there


@dataclass(frozen=True, eq=False)
class Search:
    """How to look for the least. movable: (worlds, n) bool; unit: (n,), what is much for a coordinate."""

    look: Look
    room: Room
    movable: np.ndarray
    unit: np.ndarray
    iterations: int = 100
    method: Method = "damped"
    exact: bool = False
    patient: bool = False  # whether it goes on where it gets along slowly

    def least(self, x: np.ndarray) -> tuple[At, np.ndarray]:
        """Where each world ends, and how many steps it took."""
        worlds = np.arange(len(x))
        at = self.look(worlds, x, np.zeros((len(x), len(self.unit))))
        took = np.zeros(len(x), int)
        live = worlds[~at.enough]
        now = at.of(live)
        mu, fraction, fell = np.full(len(live), FIRST), np.ones(len(live)), np.full((PATIENCE, len(live)), np.inf)
        for turn in range(self.iterations):
            if not len(live):
                break
            d, promised = self.step(live, now, mu, fraction)
            tried = self.look(live, now.x, d)
            gain = now.cost - tried.cost
            better = (gain > 1e-4 * promised) & np.isfinite(tried.cost)
            mu = np.where(gain > 0.75 * promised, mu / 8, np.where(gain > 0.25 * promised, mu, mu * 4))
            mu = np.maximum(np.where(better, mu, 2 * mu), LEAST)
            fraction = np.where(better, np.minimum(1.0, 4 * fraction), fraction / 2)
            fell[turn % PATIENCE] = np.where(better, gain / now.cost, 0.0)
            now.put(better, tried.of(better))
            took[live] += 1
            still = np.abs(d / self.unit).max(axis=1, initial=0.0) <= STILL
            over = now.enough | still | (promised <= SAME * now.cost) | (mu > MOST) | (fraction < 1e-9)
            over |= (fell.sum(axis=0) < SLOW) & (not self.patient)
            if over.any():
                at.put(live[over], now.of(over))
                keep = ~over
                live, now, mu, fraction, fell = live[keep], now.of(keep), mu[keep], fraction[keep], fell[:, keep]
        at.put(live, now)
        return at, took

    def step(self, live: np.ndarray, now: At, mu: np.ndarray, fraction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """d, and what it promises to gain."""
        g = now.gradient
        H = self.curvature(live, now) if self.exact else np.swapaxes(now.J, 1, 2) @ now.J
        diagonal = np.einsum("wii->wi", H)
        damped = mu * 2 * now.cost if self.method == "damped" and not self.exact else mu * LEAST
        diagonal += (damped + TINY * diagonal.max(axis=1, initial=0.0) + 1e-300)[:, None]
        low, high = self.room(now.x)
        d = bounded_step(H, g, low, high, self.movable[live])
        longest = np.abs(d / self.unit).max(axis=1, initial=0.0)
        shorter = np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))
        d *= (shorter if self.method == "damped" and not self.exact else shorter * fraction)[:, None]
        return d, -(g * d).sum(axis=1) - 0.5 * np.einsum("wi,wij,wj->w", d, H, d)

    def curvature(self, live: np.ndarray, now: At) -> np.ndarray:
        """d gradient / dx by differences, symmetric, with the sizes of its eigenvalues."""
        movable = self.movable[live]
        H = second_derivatives(self.look, live, now, *self.room(now.x), self.unit)
        held = np.where(movable, 0.0, 1.0)[:, :, None] * np.eye(len(self.unit))
        values, vectors = np.linalg.eigh(np.where(movable[:, :, None] & movable[:, None, :], H, held))
        return (vectors * np.maximum(np.abs(values), 1e-9)[:, None, :]) @ np.swapaxes(vectors, 1, 2)

    def exactly(self) -> Search:
        """The same by Newton's method."""
        return replace(self, exact=True, patient=True, iterations=min(self.iterations, 30))


def second_derivatives(look: Look, which: np.ndarray, at: At, low: np.ndarray, high: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """(worlds, n, n): of 1/2 |e|^2, by differences of the exact gradient; J'J where there are none."""
    H = slopes(lambda which, x, d: look(which, x, d).gradient, which, at.x, at.gradient, (low, high), SHIFT * unit)
    H = 0.5 * (H + np.swapaxes(H, 1, 2))
    finite = np.isfinite(H).all(axis=(1, 2), keepdims=True)
    return np.where(finite, H, np.swapaxes(at.J, 1, 2) @ at.J)


def slopes(
    function: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    which: np.ndarray, x: np.ndarray, here: np.ndarray, room: tuple[np.ndarray, np.ndarray], step: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """dg/dx (worlds, m, n) of functions g (worlds, m) of places moved by steps, by differences, with errors of second order:

        g'(0) = (w1 g(s1) + w2 g(s2) - (w1 + w2) g(0)),    w1 = s2 / (s1 (s2 - s1)),  w2 = s1 / (s2 (s1 - s2))

    s1 = -s2: central; where a bound leaves no room for that, as at the end of a spline, which has no pose beyond it: s2 = 2 s1.
    """
    worlds, n = len(which), len(step)
    first, second = steps_within(*room, step)
    steps = np.stack([first, second], axis=1)[..., None] * np.eye(n)
    there = function(np.repeat(which, 2 * n), np.repeat(x, 2 * n, axis=0), steps.reshape(worlds * 2 * n, n))
    g = there.reshape(worlds, 2, n, -1)
    w = second / (first * (second - first)), first / (second * (first - second))
    found = w[0][..., None] * g[:, 0] + w[1][..., None] * g[:, 1] - (w[0] + w[1])[..., None] * here[:, None]
    return np.swapaxes(found, 1, 2)


def steps_within(low: np.ndarray, high: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(worlds, n) each: two steps of coordinates that may go down by `low` and up by `high`; shorter ones in ranges that are as short."""
    span = high - low
    step = np.where(span > 0.0, np.minimum(step, 0.25 * span), step)
    up = np.where(low > -1.01 * step, 1.0, np.where(high < 1.01 * step, -1.0, 0.0))
    return np.where(up == 0.0, step, up * step), np.where(up == 0.0, -step, 2.0 * up * step)


def bounded_step(H: np.ndarray, g: np.ndarray, low: np.ndarray, high: np.ndarray, movable: np.ndarray) -> np.ndarray:
    """min g'd + 1/2 d'Hd, low <= d <= high, of each world: the primal-dual active set method (Bergounioux, Ito, Kunisch 1999).

    Coordinates beyond a bound go to it, those at one that the gradient leads away from are let go, until none changes. In the rare case
    that this goes round in circles, bounds are met one by one instead.
    """
    below, above = movable & (low >= 0.0) & (g > 0.0), movable & (high <= 0.0) & (g < 0.0)
    d, live = np.zeros_like(g), np.arange(len(g))
    for _ in range(PASSES):
        fixed = np.where(below[live], low[live], np.where(above[live], high[live], 0.0))
        free, Hs, gs = (movable & ~below & ~above)[live], H[live], g[live]
        right = np.where(free, -(gs + np.einsum("wij,wj->wi", Hs, fixed)), 0.0)
        both = free[:, :, None] & free[:, None, :]
        found = np.where(free, solved(np.where(both, Hs, np.eye(g.shape[1])), right), fixed)
        slope = gs + np.einsum("wij,wj->wi", Hs, found)
        down = below[live] & (slope > 0.0) | free & (found < low[live])
        up = above[live] & (slope < 0.0) | free & (found > high[live])
        same = ((down == below[live]) & (up == above[live])).all(axis=1)
        d[live], below[live], above[live] = found, down, up
        live = live[~same]
        if not len(live):
            return d
    d[live] = one_by_one(H[live], g[live], low[live], high[live], movable[live])
    return d


def one_by_one(H: np.ndarray, g: np.ndarray, low: np.ndarray, high: np.ndarray, movable: np.ndarray) -> np.ndarray:
    """A step within bounds, down all its way: towards the least over the free coordinates up to the first bound, then over the others."""
    free = movable & ~((low >= 0.0) & (g > 0.0) | (high <= 0.0) & (g < 0.0))
    d = np.zeros_like(g)
    for _ in range(g.shape[1]):
        slope = np.where(free, g + np.einsum("wij,wj->wi", H, d), 0.0)
        both = free[:, :, None] & free[:, None, :]
        u = np.where(free, solved(np.where(both, H, np.eye(g.shape[1])), -slope), 0.0)
        room = np.where(u > 0.0, high - d, np.where(u < 0.0, d - low, np.inf))
        share = np.maximum(room, 0.0) / np.maximum(np.abs(u), 1e-300)
        most = np.minimum(1.0, share.min(axis=1, keepdims=True))
        d = np.clip(d + most * u, np.minimum(low, 0.0), np.maximum(high, 0.0))
        if (most >= 1.0).all():
            break
        free &= (share > most) | (most >= 1.0)
    return d


def solved(H: np.ndarray, right: np.ndarray) -> np.ndarray:
    """H^-1 right of each world; the shortest that comes nearest where H is singular, which costs the other worlds nothing."""
    try:
        return np.linalg.solve(H, right[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return (np.linalg.pinv(np.where(np.isfinite(H), H, 0.0), hermitian=True) @ right[..., None])[..., 0]


def held_gradient(g: np.ndarray, low: np.ndarray, high: np.ndarray, movable: np.ndarray) -> np.ndarray:
    """(worlds, n): the gradient without what bounds hold: zero at the least within bounds."""
    near = 1e-12
    return np.where(movable & ~((low >= -near) & (g > 0.0) | (high <= near) & (g < 0.0)), g, 0.0)
