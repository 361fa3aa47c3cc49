"""Derivatives by differences, extrapolated to step zero: no trace, no formula."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.linalg import expm

from forces.samples import Bodies


def derivative(f: Callable[[float], np.ndarray], step: float = 0.04, levels: int = 5) -> np.ndarray:
    """f'(0) by Richardson's extrapolation of central differences."""
    rows = [(f(step / 2**i) - f(-step / 2**i)) / (2 * step / 2**i) for i in range(levels)]
    for order in range(1, levels):
        rows = [(4**order * fine - coarse) / (4**order - 1) for coarse, fine in pairwise(rows)]
    return rows[0]


def bracket(xi: np.ndarray) -> np.ndarray:
    """[xi], (4, 4), of a twist (angular; linear)."""
    w, v = xi[:3], xi[3:]
    return np.array([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])


@cache
def exponential(xi: tuple[float, ...]) -> np.ndarray:
    """Kept, as all forces are moved by the same few twists."""
    return expm(bracket(np.array(xi)))


def moved(bodies: Bodies, j: int, xi: np.ndarray) -> Bodies:
    """Body j at E exp([xi]), its twist the same in its axes."""
    E = bodies.E.copy()
    E[j] = E[j] @ exponential(tuple(xi))
    return Bodies(E, bodies.phi, bodies.t)


def pushed(bodies: Bodies, j: int, xi: np.ndarray) -> Bodies:
    """Body j faster by xi."""
    phi = bodies.phi.copy()
    phi[j] = phi[j] + xi
    return Bodies(bodies.E, phi, bodies.t)


def later(bodies: Bodies, dt: float) -> Bodies:
    """Each body further along its own twist."""
    return Bodies(np.array([E @ expm(dt * bracket(p)) for E, p in zip(bodies.E, bodies.phi, strict=True)]), bodies.phi, bodies.t)
