"""The shortest way from arrays to one evaluation of forward dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.backends.base import Runner
from redmax.dynamics.common.state_arrays import explain


class SingleCall:
    """Forward dynamics of one state into buffers of its own, so that nothing but copies stands between Python and the compiled code."""

    def __init__(self, dynamics: Any) -> None:
        self.dynamics = dynamics
        n, size = dynamics.model.nv, dynamics.model.configurations.size
        self.q_shape, self.shape = (size,), (n,)
        dtype = dynamics.dtype
        self.q, self.qdot, self.tau, self.t = np.zeros(size, dtype), np.zeros(n, dtype), np.zeros(n, dtype), np.zeros(1, dtype)
        self.out = np.zeros(n, dtype)
        runner: Runner = dynamics.runner("forward", dynamics.forward_program)
        self.entry = runner.bind([self.q, self.qdot, self.tau, self.t], [self.out])

    def __call__(self, q: np.ndarray, qdot: Any, tau: Any, t: float) -> np.ndarray:
        try:
            if not qdot.shape == tau.shape == self.shape or q.shape != self.q_shape:
                return self.dynamics.forward_many(q, qdot, tau, t)  # completes q, or says which is wrong
        except AttributeError:  # lists
            return self.dynamics.forward_many(q, qdot, tau, t)
        try:
            self.q[:], self.qdot[:], self.tau[:] = q, qdot, tau
        except (ArithmeticError, TypeError, ValueError):  # arrays of objects
            return self.dynamics.forward_many(q, qdot, tau, t)
        self.t[0] = t
        if self.entry():
            inputs = [self.q, self.qdot, self.tau, self.t]
            explain(self.dynamics.model, self.dynamics.forward_program, inputs, [self.out[None, None]])
        return self.out.copy()
