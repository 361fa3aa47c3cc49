"""Downhill over control frames: damped steps of Gauss and Newton, exact Newton steps where these are the better ones.

Frames move by C_l -> C_l exp(u_l), (H + mu D) u = -gradient. A step that would raise the objective is not taken: the damping mu grows until
one lowers it (Levenberg and Marquardt), and falls back to none. Exact Newton steps are tried once steps of Gauss and Newton get slow
or short, and kept to where the exact Hessian is positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, Protocol, Self, TypeVar

import numpy as np

from redmax.types import Array

LEAST, MOST, GROWTH = 1e-6, 1e9, 10.0  # damping: the first that is tried, where it is given up, from one trial to the next
SLOW, SHORT = 0.25, 0.1  # of the objective that is left after a step; the longest entry of a step: then exact Newton steps are tried
ROUNDING = 1e-14  # of the objective: what sums cannot tell
SETTLED = 1e-7  # rad, m: after a longer step, one more brings digits where frames hardly move poses
STEP = 1e-14  # rad, m: shorter steps are rounding


@dataclass(frozen=True)
class Iteration:
    """One line of the log of a fit.

    objective, gradient: before the step, the latter its longest entry; step: its longest entry (rad, m); damping: mu
    method: "gauss-newton" or "newton"
    """

    objective: float
    gradient: float
    step: float
    damping: float
    method: Literal["gauss-newton", "newton"]


class Matrix(Protocol):
    """A symmetric one, kept as it is best solved with."""

    def damped(self, mu: float) -> Self:
        """With so much more of its diagonal."""
        ...

    def solve(self, g: Array, /) -> Array | None:
        """None where it is not positive definite."""
        ...


class Point(Protocol):
    """Unknowns, and what has been computed there."""

    @property
    def value(self) -> float:
        """Of the objective; inf where it is not defined."""
        ...

    def derivatives(self, exact: bool) -> tuple[Array, Matrix]:
        """Gradient (n,) and Hessian, exact or as Gauss and Newton have it."""
        ...

    def gradient(self) -> Array: ...

    def moved(self, u: Array) -> Self: ...


P = TypeVar("P", bound=Point)


@dataclass(frozen=True)
class Descent(Generic[P]):
    """Where it ended. gradient: (6 n,) there; reason: a sentence why it stopped"""

    point: P
    gradient: Array
    log: tuple[Iteration, ...]
    reason: str
    converged: bool


@dataclass(frozen=True)
class Step(Generic[P]):
    """One that lowers the objective, or none where there is none; rounding: whether that is for rounding."""

    to: P | None
    length: float
    mu: float
    rounding: bool = False


def descend(point: P, tolerance: float, most: int, exact: bool = True) -> Descent[P]:
    """tolerance: of the longest entry of the gradient; most: iterations; exact: whether Newton steps are tried at all"""
    log: list[Iteration] = []
    mu, newton = 0.0, False
    while True:
        g = point.gradient()
        size = float(np.abs(g).max())
        if size <= tolerance and not (log and size > 0.0 and SETTLED < log[-1].step < SHORT):
            return Descent(point, g, tuple(log), within(size, tolerance), True)
        if len(log) >= most:
            why = f"After {most} iterations the gradient is {size:.1e}, above the tolerance {tolerance:.1e}."
            return Descent(point, g, tuple(log), why, False)
        g, H = point.derivatives(newton)
        step = newton_step(point, g, H) if newton else damped_step(point, g, H, mu)
        if step.to is None and newton and not step.rounding:  # not convex here, or too far for it
            newton = False
            step = damped_step(point, *point.derivatives(False), mu)
        if step.to is None:
            if size <= tolerance:
                return Descent(point, g, tuple(log), within(size, tolerance), True)
            why = "what is left of it is rounding" if step.rounding else "no step lowers the objective, however short"
            return Descent(point, g, tuple(log), f"The gradient is {size:.1e}; {why}.", step.rounding)
        log.append(Iteration(point.value, size, step.length, step.mu, "newton" if newton else "gauss-newton"))
        mu = 0.0 if step.mu <= LEAST else step.mu / GROWTH
        slow = step.to.value > SLOW * point.value
        newton = exact and (slow or step.length < SHORT)
        point = step.to


def within(size: float, tolerance: float) -> str:
    return f"The gradient is {size:.1e}, not above the tolerance {tolerance:.1e}."


def newton_step(point: P, g: Array, H: Matrix) -> Step[P]:
    u = H.solve(-g)
    return Step(None, 0.0, 0.0) if u is None else tried(point, g, u, 0.0)


def damped_step(point: P, g: Array, H: Matrix, mu: float) -> Step[P]:
    while mu <= MOST:
        u = H.damped(mu).solve(-g)
        if u is not None:
            step = tried(point, g, u, mu)
            if step.to is not None or step.rounding:
                return step
        mu = max(mu * GROWTH, LEAST)
    return Step(None, 0.0, mu)


def tried(point: P, g: Array, u: Array, mu: float) -> Step[P]:
    """Taken if the objective falls; where its sums cannot tell, if the gradient does."""
    length, promised, size = float(np.abs(u).max()), float(-0.5 * (g @ u)), float(np.abs(g).max())
    to = point.moved(u)
    if to.value < point.value and promised > ROUNDING * point.value:
        return Step(to, length, mu)
    higher = to.value - point.value > ROUNDING * point.value
    if not higher and float(np.abs(to.gradient()).max()) < 0.5 * size:
        return Step(to, length, mu)
    tiny = mu < 1.0 and (length < STEP or promised <= ROUNDING * point.value)
    return Step(None, length, mu, rounding=tiny)
