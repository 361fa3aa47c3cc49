"""BDF1 and BDF2 with Newton's iteration in Python, for chains: a matrix of directional derivatives and a dense solve, as a peer.

The equation is that of integrators/bdf.py; there are no prescribed joints, no charts, no shorter steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.backends.base import Arrays, Runner, in_order
from redmax.dynamics.common.residual import Residual
from redmax.integrators.base import FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS
from redmax.integrators.bdf import ALPHA
from redmax.model.model import Model
from redmax.solvers.newton import CLOSE, ITERATIONS, TOLERANCE

State = tuple[np.ndarray, np.ndarray]
SHORTEST = 1e-3  # part of Newton's step


class NewtonInPython(Runner):
    """One world, from its state alone."""

    inputs, outputs = FIXED_STEP_INPUTS, FIXED_STEP_OUTPUTS

    def __init__(self, model: Model, second_order: bool) -> None:
        self.second_order, self.residual = second_order, Residual(model, "llvm")

    def restore(self, past: Any) -> None:
        """It remembers nothing."""

    def run(self, inputs: Arrays, outputs: Arrays, worlds: int, count: int = 0, stride: int = 1) -> int:
        """Steps from the first world, of which the last is kept."""
        q, qdot, _, t0, _, h, _ = (np.asarray(x, float) for x in in_order(inputs, self.inputs, "Newton in Python"))
        ends = in_order(outputs, self.outputs, "Newton in Python")
        now, older = (q[0], qdot[0]), None
        for n in range(count):
            now, older = self.step(now, older, float(h[0]), float(t0[0] + (n + 1) * h[0])), now
        ends[0][-1, 0], ends[1][-1, 0] = now
        return 0

    def step(self, now: State, older: State | None, h: float, t: float) -> State:
        q, v = now
        if not self.second_order:
            return self.solve(q + h * v, q, h, t, q + h * v)
        if older is None:
            a = ALPHA * h
            qa, va = self.solve(q + a * v, q, a, t - h + a, q + a * v)
            known = q + (2 * ALPHA - 1) * h * v + 2 * (1 - ALPHA) * h * va
            return self.solve(known, q + (1 - ALPHA) * h * va, a, t, qa + (1 - ALPHA) * h * va)
        base = (4 * q - older[0]) / 3
        return self.solve(base + h * (8 * v - 2 * older[1]) / 9, base, 2 * h / 3, t, q + h * v)

    def missing(
        self, q: np.ndarray, known_q: np.ndarray, known_v: np.ndarray, ah: float, t: float
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """What the equation leaves at q, and the state there."""
        state = q, (q - known_v) / ah, (q - known_q) / ah**2
        return ah**2 * self.residual.value(*state, t), state

    def solve(self, known_q: np.ndarray, known_v: np.ndarray, ah: float, t: float, q: np.ndarray) -> State:
        """The q with M (q - known_q) = (a h)^2 f, and its qdot."""
        for _ in range(ITERATIONS):
            error, state = self.missing(q, known_q, known_v, ah, t)
            direction = -np.linalg.solve(ah**2 * self.residual.jacobian(state, t, (1 / ah, 1 / ah**2)), error)
            size, step = np.linalg.norm(error), 1.0
            while np.linalg.norm(self.missing(q + step * direction, known_q, known_v, ah, t)[0]) > size > TOLERANCE and step > SHORTEST:
                step /= 2
            q = q + step * direction
            if size < TOLERANCE and np.linalg.norm(direction) <= CLOSE * np.linalg.norm(q - known_q):
                break
        return q, (q - known_v) / ah
