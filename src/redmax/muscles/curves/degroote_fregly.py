"""The curves of De Groote, Kinney, Rao and Fregly 2016: closed forms, smooth to every order, with no piece to find.

The active and the force-velocity curve have the coefficients of the authors' code to all digits (as in OpenSim), of which their
article prints three; so f_V(0) = 1 and f_V(-1) = 0. The passive exponential is that of the article, shifted as in OpenSim to vanish at
the length `SHORTEST`: the article's own vanishes at 1, and a shorter muscle would push.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from redmax.math import absolute, exp, less, log, sqrt, where
from redmax.types import ValueOrArray

# height, centre, width at zero length and its growth, of each Gaussian
GAUSSIANS = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
D1, D2, D3, D4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912
STIFFNESS, STRAIN, SHORTEST = 4.0, 0.6, 0.2  # of the passive exponential: its shape, where it is 1, where it is 0
TINY = 1e-20  # keeps the Gaussian whose width goes through zero from being 0 / 0 there


def active_length(x: ValueOrArray) -> Any:
    """f_L of the normalised fibre length."""
    total: Any = 0.0
    for height, centre, width, growth in GAUSSIANS:
        w = width + growth * x
        total = total + height * exp(-0.5 * (x - centre) * (x - centre) / (w * w + TINY))
    return total


def velocity(v: ValueOrArray) -> Any:
    """f_V of the normalised velocity, positive when lengthening: d1 asinh(d2 v + d3) + d4."""
    y = D2 * v + D3
    size = log(absolute(y) + sqrt(y * y + 1.0))  # asinh |y|: the sum does not cancel
    return D1 * where(less(y, 0.0), 0.0 - size, size) + D4


def passive_length(x: ValueOrArray) -> Any:
    """f_P of the normalised fibre length: 0 at SHORTEST, 1 at 1 + STRAIN."""
    low = np.exp(STIFFNESS * (SHORTEST - 1) / STRAIN)
    return (exp(STIFFNESS / STRAIN * (x - 1.0)) - low) / (np.exp(STIFFNESS) - low)


def passive_energy(x: ValueOrArray) -> Any:
    """The integral of `passive_length` from SHORTEST on."""
    rate = STIFFNESS / STRAIN
    low = np.exp(rate * (SHORTEST - 1))
    return ((exp(rate * (x - 1.0)) - low) / rate - low * (x - SHORTEST)) / (np.exp(STIFFNESS) - low)
