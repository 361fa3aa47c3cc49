"""The activations of least effort that meet torques, of many frames at once.

    min  sum_i a_i^p + sum_j (r_j / s_j)^2     so that     A a + r = b,   0 <= a <= 1

What each activation is follows from the multipliers of the equations alone (p a_i^(p-1) = c_i = A_i' lambda, cut off at the bounds; r = s^2
lambda / 2), so that the problem is that of its dual, which is convex, smooth, and as small as there are equations:

    F(lambda) = A a(lambda) + S lambda / 2 - b = 0,     S = diag(s^2)

For p = 2, F is linear between changes of the set of muscles at a bound: Newton's method is the active set method, and ends at the exact
solution after a few changes of set. Along each step the dual, whose slope is known, is followed to where it hardly falls any more. It has
come to its end where F is what roundings of c make of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

TURNS, LOOKS, STAGES = 30, 60, 20
CLOSE = 1e-13  # |F| over the largest torque or capacity of the motion
GOOD = 1e-9  # the same where the multipliers are so large that roundings of c hide more
SMALL = 0.5  # slope at the end of a step over the one at its start
NARROW = 1e-9  # of c, within which the slope of a root is taken to be the mean one
ROUNDING = 8 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Effort:
    """activations: (frames, n); multipliers: (frames, m), by how much effort grows with each torque; turns: Newton steps of the slowest

    converged: (frames,)
    """

    activations: np.ndarray
    multipliers: np.ndarray
    turns: int
    converged: np.ndarray


@dataclass(frozen=True, eq=False)
class Frames:
    """The problems of some frames, and where their multipliers x are. A: (frames, m, n);  b, x: (frames, m);  S: (frames, m, m)."""

    A: np.ndarray
    b: np.ndarray
    S: np.ndarray
    x: np.ndarray
    exponent: float

    @property
    def c(self) -> np.ndarray:
        """(frames, n)."""
        return (self.x[:, None, :] @ self.A)[:, 0]

    @property
    def blur(self) -> np.ndarray:
        """(frames, n): what roundings make of c."""
        return ROUNDING * (np.abs(self.x)[:, None, :] @ np.abs(self.A))[:, 0] + 1e-300

    def activations(self, c: np.ndarray) -> np.ndarray:
        """argmax over 0 <= a <= 1 of c a - a^p."""
        ratio = np.clip(c / self.exponent, 0.0, 1.0)
        return ratio if self.exponent == 2.0 else ratio ** (1.0 / (self.exponent - 1.0))

    def slopes(self, c: np.ndarray, a: np.ndarray) -> np.ndarray:
        """da/dc; as finite as c is known, where it grows without bound."""
        p, blur = self.exponent, np.maximum(self.blur, NARROW)
        free = (c >= 0) & (c <= p)
        if p == 2.0:
            return 0.5 * free
        secant = (self.activations(c + blur) - self.activations(c - blur)) / (2.0 * blur)
        with np.errstate(divide="ignore", over="ignore"):
            return free * np.minimum(a ** (2.0 - p) / (p * (p - 1.0)), secant)

    def residual(self, a: np.ndarray) -> np.ndarray:
        """F, (frames, m)."""
        return times(self.A, a) + 0.5 * times(self.S, self.x) - self.b

    def are_near(self, c: np.ndarray, F: np.ndarray) -> np.ndarray:
        """(frames,): whether F is nothing but roundings."""
        blurred = times(np.abs(self.A), self.activations(c + self.blur) - self.activations(c - self.blur))
        soft = ROUNDING * times(np.abs(self.S), np.abs(self.x))
        return np.all(np.abs(F) <= CLOSE * np.maximum(np.abs(self.b), 1.0) + blurred + soft, axis=1)


def least_effort(A: np.ndarray, b: np.ndarray, S: np.ndarray, exponent: float = 2.0) -> Effort:
    """A: (frames, m, n);  b: (frames, m);  S: (frames, m, m) or (m, m), positive definite."""
    frames, m, _ = A.shape
    scale = np.maximum(np.abs(A).max(axis=(0, 2), initial=0.0), np.abs(b).max(axis=0, initial=0.0))  # of each equation, over the motion
    scale = np.where(scale > 0, scale, 1.0)
    soft = np.broadcast_to(S / (scale[:, None] * scale), (frames, m, m))
    x, turns, done = solved(Frames(A / scale[:, None], b / scale, soft, np.zeros((frames, m)), exponent), TURNS)
    hard = np.flatnonzero(~done)  # torques that cannot be met, and small reserves
    if len(hard):
        x[hard], more, done[hard] = softened(Frames(A[hard] / scale[:, None], b[hard] / scale, soft[hard], x[hard], exponent))
        turns += more
    found = Frames(A / scale[:, None], b / scale, soft, x, exponent)
    a = found.activations(found.c)
    done |= np.abs(found.residual(a)).max(axis=1, initial=0.0) < GOOD
    return Effort(a, x / scale, turns, done)


def solved(problem: Frames, turns: int) -> tuple[np.ndarray, int, np.ndarray]:
    """Multipliers (frames, m), from those of the problem on; how many Newton steps, at most so many; and which frames came to their end."""
    x, left, taken = problem.x.copy(), np.arange(len(problem.x)), 0
    for taken in range(turns + 1):
        at = Frames(problem.A[left], problem.b[left], problem.S[left], x[left], problem.exponent)
        c = at.c
        a = at.activations(c)
        F = at.residual(a)
        open_ = ~at.are_near(c, F)
        left = left[open_]
        if not len(left) or taken == turns:
            break
        at = Frames(at.A[open_], at.b[open_], at.S[open_], at.x[open_], at.exponent)
        x[left] += newton_step(at, c[open_], a[open_], F[open_])
    done = np.ones(len(x), bool)
    done[left] = False
    return x, taken, done


def softened(problem: Frames) -> tuple[np.ndarray, int, np.ndarray]:
    """The same from strong reserves, which make any torque easy, to those of the problem: each solution begins the next search."""
    now, taken, done = replace(problem, x=np.zeros_like(problem.x)), 0, np.zeros(len(problem.x), bool)
    for ratio in np.geomspace(4.0**STAGES, 1.0, STAGES + 1):
        now = replace(now, S=ratio * problem.S)
        other = replace(now, x=4.0 * now.x)  # of torques that cannot be met multipliers grow as reserves get weaker; of others they stay
        worse, better = (np.abs(p.residual(p.activations(p.c))).max(axis=1) for p in (now, other))
        now = replace(now, x=np.where((better < worse)[:, None], other.x, now.x))
        x, turns, done = solved(now, TURNS)
        now, taken = replace(now, x=x), taken + turns
    return now.x, taken, done


def newton_step(at: Frames, c: np.ndarray, a: np.ndarray, F: np.ndarray) -> np.ndarray:
    """The step of each frame, as long as the dual falls along it."""
    H = (at.A * at.slopes(c, a)[:, None, :]) @ np.swapaxes(at.A, 1, 2) + 0.5 * at.S
    step = -np.linalg.solve(H, F[..., None])[..., 0]
    change = (step[:, None, :] @ at.A)[:, 0]
    start, soft = (step * F).sum(axis=1), 0.5 * (step * times(at.S, step)).sum(axis=1)
    still = start - (change * a).sum(axis=1)  # of the slope along the step, what the activations have no part in

    def along(length: np.ndarray, which: np.ndarray) -> np.ndarray:
        moved = at.activations(c[which] + length[:, None] * change[which])
        return still[which] + length * soft[which] + (change[which] * moved).sum(axis=1)

    return searched(along, start)[:, None] * step


def searched(along: Callable[[np.ndarray, np.ndarray], np.ndarray], start: np.ndarray) -> np.ndarray:
    """Lengths at which slopes, which grow, are small beside those at the start, which are negative: one, if that will do."""
    low, high, length = np.zeros(len(start)), np.full(len(start), np.inf), np.ones(len(start))
    open_ = np.arange(len(start))
    for _ in range(LOOKS):
        slope = along(length[open_], open_)
        rough = np.abs(slope) > SMALL * np.abs(start[open_])
        open_, slope = open_[rough], slope[rough]
        if not len(open_):
            break
        past = slope > 0
        high[open_[past]] = length[open_[past]]
        low[open_[~past]] = length[open_[~past]]
        length[open_] = np.where(np.isfinite(high[open_]), 0.5 * (low[open_] + high[open_]), 2.0 * length[open_])
    return length


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x, frame by frame."""
    return (A @ x[..., None])[..., 0]
