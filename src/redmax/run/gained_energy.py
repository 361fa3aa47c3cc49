"""Where the steps of a run that broke off gave it energy that nothing in the scene gave.

With E the total energy and P the power of all that is not conservative (`energy_account.power`), the steps themselves gave, from sample j
to k, X(k) - X(j), where X(k + 1) = X(k) + E(k + 1) - E(k) - h max(P(k), P(k + 1), 0). A sample is wild once that is several times what the
scene had: X(k) - min X(j <= k) > 3 B, B = max(T in the first half of the samples, T(0) + |V(0)| + m g L). A conservative scene has P = 0.
So are those before it, or before the end, that lead there without a pause: X(k) - X(k - 1) > B / 10, one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from redmax.run.energy_account import power

if TYPE_CHECKING:
    from redmax.run.trajectory import Trajectory

GAINED = 3.0  # times the energy of before
AT_ONCE = 0.1  # of the energy of before, in one step that leads to a wild one
UNEXPLAINED = 100.0  # times, where nobody knows the power of what drives the scene


def gained_from(run: Trajectory, largest: NDArray[np.float64]) -> int:
    """The number of the first sample, of those of one world with nothing left out between them, at which its steps have given too much;
    how many there are if they have not. largest: (time,), the energy of before (J)."""
    if len(run) < 2:
        return len(run)
    total = np.asarray(run.energy.total, float)
    P = power(run) if run.controls is None else None  # torques that jump at samples have another power between them
    X = own_energy(total, np.zeros(len(run)) if P is None else P, np.asarray(run.t))
    gained = X - np.minimum.accumulate(X)
    wild = np.flatnonzero(~(gained <= (UNEXPLAINED if P is None else GAINED) * largest))
    first = int(wild[0]) if len(wild) else len(run)
    while P is not None and first > 1 and X[first - 1] - X[first - 2] > AT_ONCE * largest[first - 1]:
        first -= 1
    return max(first, 1)


def own_energy(total: NDArray[np.float64], P: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
    """(time,): X, what the energy rose by until each sample beyond what the power P gives."""
    given = np.diff(t) * np.maximum(np.maximum(P[:-1], P[1:]), 0.0)
    return np.concatenate([[0.0], np.cumsum(np.diff(total) - given)])
