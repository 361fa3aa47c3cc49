"""A spring between two nodes, by its strain (RedMax notes Eqs. 2.81-2.82).

    V = K/2 e^2,   e = (l - L)/L,   l = |x1 - x0|,        f0 = (K e / L) (x1 - x0)/l = -f1

K is an energy (J): the tension at the strain e is K e / L. A damped spring adds the tension D edot / L, with D in J s; damping by
stiffness is the same with D = beta K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from redmax.deformables.elements import Law
from redmax.lie.three import dot, rows, split, symmetric
from redmax.math import array, maximum, sqrt
from redmax.types import Array

SHORTEST = 1e-9  # of L: below it the direction is lost, and the force fades instead of becoming nan


@dataclass(frozen=True)
class Spring(Law):
    """Data: K (J), L (m), D (J s), which counts only if it is damped."""

    damped: bool = False
    nodes = 2
    numbers = 3

    def energy(self, x: Array, data: Array) -> Any:
        K, L, _ = split(data)
        e = (stretched(x, L)[1] - L) / L
        return 0.5 * K * e * e

    def forces(self, x: Array, data: Array) -> Any:
        K, L, _ = split(data)
        dx, length = stretched(x, L)
        return pull(K * (length - L) / (L * L * length), dx)

    def damping(self, x: Array, v: Array, data: Array) -> Any:
        _, L, D = split(data)
        return dashpot(x, v, L, D)

    def viscous(self, x: Array, v: Array, data: Array) -> Any:
        """The tension K edot / L: along the spring alone, so that it neither turns a pair of nodes nor gives them energy."""
        K, L, _ = split(data)
        return dashpot(x, v, L, K)

    def stiffness(self, x: Array, data: Array) -> Any:
        """-K = T' u u' + max(T, 0)/l (1 - u u') between the nodes, T' = dT/dl: a spring pressed together does not push them aside."""
        K, L, _ = split(data)
        dx, length = stretched(x, L)
        u = [d / length for d in dx]
        stiff = K / (L * L)
        across = maximum(stiff * (length - L), 0.0) / length
        block = symmetric(lambda i, j: (stiff - across) * (u[i] * u[j]) + (across if i == j else 0.0))
        k = np.array(block, object)
        return np.block([[-k, k], [k, -k]])


def stretched(x: Any, L: Any) -> tuple[list[Any], Any]:
    """x1 - x0 and its length."""
    x0, x1 = rows(x)
    dx = [b - a for a, b in zip(x0, x1)]
    shortest = SHORTEST * L
    return dx, sqrt(maximum(dot(dx, dx), shortest * shortest))


def dashpot(x: Any, v: Any, L: Any, D: Any) -> Any:
    """The forces of the tension D edot / L."""
    dx, length = stretched(x, L)
    v0, v1 = rows(v)
    ldot = dot(dx, [b - a for a, b in zip(v0, v1)]) / length
    return pull(D * ldot / (L * L * length), dx)


def pull(c: Any, dx: list[Any]) -> Any:
    """The forces c dx and -c dx on the two nodes."""
    f0 = [c * d for d in dx]
    return array([f0, [0.0 - f for f in f0]])
