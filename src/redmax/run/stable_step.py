"""The largest step at which an explicit integrator stays calm near some states: from the motion linearised about them.

x = (q, qdot), xdot = A x with A = [[0, I], [K, D]], K and D the differences of qddot(q, qdot); of an element of a group q stands for the
step from there, which velocities turn, [[B, I], [K, D]]. A step h multiplies x by a matrix: I + h A (forward-euler), a Taylor polynomial
(Runge-Kutta methods), or q after qdot (euler). Its spectral radius may exceed what the motion itself grows by, exp(h max Re lambda(A)), so
little that over the whole run it comes to a factor of ten (Hairer and Wanner, Solving ODEs II, IV.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from redmax.dynamics.dynamics import Dynamics
from redmax.errors import RedmaxError
from redmax.model.state import State

Matrix = NDArray[np.float64]
LARGEST = 60  # degrees of freedom, above which eigenvalues take too long
NUDGE = 1e-5  # of coordinates and rates, relative to 1 and their size
GROWTH = np.log(10.0)  # over a run
SMALLEST = 1e-4  # of the step that was too large
NICE = (5.0, 2.0, 1.0)


def stable_step(integrator: str, engine: Dynamics, states: Sequence[State], dt: float, duration: float) -> float | None:
    """A round step (s) below dt that keeps an explicit method calm near all the states, with room to spare; 0 if none of a sensible
    size does, None if that is not known.

    q of the states are configurations; duration: of the run (s)
    """
    model = engine.model
    if integrator not in STEPS or model.soft or model.map is not None or not 0 < model.nv <= LARGEST:
        return None
    try:
        with np.errstate(all="ignore"):
            motions = [linearised(engine, state) for state in states]
    except RedmaxError:
        return None
    if not np.isfinite(motions).all():
        return None
    found = next((h for h in steps_below(dt) if all(is_calm(STEPS[integrator], A, h, duration) for A in motions)), 0.0)
    return next(steps_below(found)) if found else 0.0


def linearised(engine: Dynamics, state: State) -> Matrix:
    """A, (2 nv, 2 nv), by central differences: all of them at once."""
    nv, q, qdot = engine.model.nv, np.ravel(state.q).astype(float), np.ravel(state.qdot).astype(float)
    x = np.concatenate([engine.model.configurations.sizes(q), qdot])
    apart = NUDGE * (1.0 + np.abs(x))
    steps = np.concatenate([np.diag(apart), -np.diag(apart)])
    moved = [engine.model.configurations.moved(q, step, qdot) for step in steps[:, :nv]]
    configurations, rates = np.array([a for a, _ in moved]), np.array([b for _, b in moved])
    qddot = np.asarray(engine.forward(configurations, qdot + steps[:, nv:], t=state.t), float)
    A = np.zeros((2 * nv, 2 * nv))
    A[:nv] = ((rates[: 2 * nv] - rates[2 * nv :]) / (2.0 * apart[:, None])).T
    A[:nv, nv:] = np.eye(nv)
    A[nv:] = ((qddot[: 2 * nv] - qddot[2 * nv :]) / (2.0 * apart[:, None])).T
    return A


def is_calm(step: Callable[[Matrix, float], Matrix], A: Matrix, h: float, duration: float) -> bool:
    """Whether steps h add no more than GROWTH to the logarithm of the motion's own growth."""
    with np.errstate(all="ignore"):
        multiplied = step(A, h)
    if not np.isfinite(multiplied).all():
        return False
    own = max(float(np.linalg.eigvals(A).real.max()), 0.0)
    radius = float(np.abs(np.linalg.eigvals(multiplied)).max())
    return np.log(max(radius, 1e-300)) - h * own <= GROWTH * h / duration


def forward_euler(A: Matrix, h: float) -> Matrix:
    return np.eye(len(A)) + h * A


def symplectic_euler(A: Matrix, h: float) -> Matrix:
    """qdot first, and q with the new one."""
    n = len(A) // 2
    rates = np.eye(2 * n)[n:] + h * A[n:]
    return np.concatenate([np.eye(2 * n)[:n] + h * rates, rates])


def runge_kutta(order: int) -> Callable[[Matrix, float], Matrix]:
    """Of explicit methods with as many stages as their order."""

    def step(A: Matrix, h: float) -> Matrix:
        one, Z = np.eye(len(A)), h * A
        found = one
        for k in range(order, 0, -1):
            found = one + Z / k @ found
        return found

    return step


STEPS: dict[str, Callable[[Matrix, float], Matrix]] = {
    "forward-euler": forward_euler, "euler": symplectic_euler, "rk4": runge_kutta(4),
    **{name: runge_kutta(order) for name, order in {"mk2": 2, "mk3": 3, "mk4": 4, "mk4-partitioned": 4, "cg3": 3, "cf4": 4}.items()},
}  # fmt: skip


def steps_below(dt: float) -> Iterator[float]:
    """Round numbers, 5, 2 or 1 times a power of ten, from half of dt down."""
    power = int(np.floor(np.log10(dt)))
    for k in range(power, power - 8, -1):
        for digit in NICE:
            h = float(f"{digit:g}e{k}")
            if SMALLEST * dt <= h <= 0.5001 * dt:
                yield h
